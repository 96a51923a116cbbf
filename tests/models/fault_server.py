"""An endpoint that misbehaves as it is told, over real sockets, and counts requests and replies.

with FaultServer(lambda request: ok("yes") if request.nth > 1 else status(500)) as server:
    OpenAI("any", base_url=server.url)
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Request:
    """A request: the text for the model, how often it came so far, and everything else."""

    text: str
    nth: int
    body: dict[str, Any]
    headers: dict[str, str]


@dataclass(frozen=True)
class Act:
    """What the server does: wait, send these bytes, then keep the connection, cut it, or hang."""

    raw: bytes
    delay: float = 0.0
    then: str = "keep"
    success: bool = False
    """True when the client got an answer by this."""


def completion(words: Any = "yes", finish: str = "stop", usage: bool = True, **message: Any) -> dict[str, Any]:
    reply: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "any",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": words, **message},
                "finish_reason": finish,
            }
        ],
    }
    return reply | ({"usage": {"prompt_tokens": 100, "completion_tokens": 3, "total_tokens": 103}} if usage else {})


def http(code: int, body: bytes, headers: dict[str, str] | None = None) -> bytes:
    lines = [f"HTTP/1.1 {code} X", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def ok(words: Any = "yes", delay: float = 0.0, **options: Any) -> Act:
    return said(completion(words, **options), delay)


def said(reply: Any, delay: float = 0.0, success: bool = True) -> Act:
    return Act(http(200, json.dumps(reply).encode()), delay, success=success)


def status(http_code: int, message: str = "no", headers: dict[str, str] | None = None, **error: Any) -> Act:
    return Act(http(http_code, json.dumps({"error": {"message": message, **error}}).encode(), headers))


def raw(body: bytes, code: int = 200) -> Act:
    return Act(http(code, body))


def cut() -> Act:
    return Act(b"", then="cut")


def cut_midway() -> Act:
    return Act(http(200, json.dumps(completion()).encode())[:-20], then="cut")


def never() -> Act:
    return Act(b"", then="hang")


def never_ending() -> Act:
    """The head of a response, and then a blank now and then, for ever."""
    return Act(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", then="trickle")


def chunked(reply: Any) -> Act:
    body = json.dumps(reply).encode()
    parts = [body[start : start + 40] for start in range(0, len(body), 40)]
    coded = b"".join(b"%x;ext=1\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\nTrailer: 1\r\n\r\n"
    return Act(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + coded, success=True)


def until_closed(reply: Any) -> Act:
    return Act(b"HTTP/1.0 200 OK\r\n\r\n" + json.dumps(reply).encode(), then="cut", success=True)


@dataclass
class FaultServer:
    """Serves on its own port until the ``with`` ends; ``down`` stops it and ``up`` starts it again there."""

    behave: Callable[[Request], Act]
    certificate: tuple[str, str] | None = None
    asked: Counter[str] = field(default_factory=Counter)
    """Requests by their words."""
    answered: Counter[str] = field(default_factory=Counter)
    """Answers sent, by the words they answer."""
    after_answer: Counter[str] = field(default_factory=Counter)
    """Requests for what was answered before."""
    requests: list[Request] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    """Of the requests, with parameters."""
    most: int = 0
    """Most requests that were under way at once."""
    _active: int = 0
    port: int = 0

    def __enter__(self) -> FaultServer:
        self._writers: set[asyncio.StreamWriter] = set()
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main(ready)), daemon=True)
        self._thread.start()
        assert ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"{'https' if self.certificate else 'http'}://127.0.0.1:{self.port}/v1"

    def down(self) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)

    def up(self) -> None:
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(10)

    async def _main(self, ready: threading.Event) -> None:
        self._loop, self._done = asyncio.get_running_loop(), asyncio.Event()
        await self._open()
        ready.set()
        await self._done.wait()
        await self._close()

    async def _open(self) -> None:
        context = None
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.certificate)
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self.port, ssl=context, limit=1 << 24, backlog=512
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.sleep(0.02)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (OSError, EOFError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        self.paths.add(head[0].split()[1])
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        text = words_of(body)
        self.asked[text] += 1
        self.after_answer[text] += self.answered[text] > 0
        request = Request(text, self.asked[text], body, headers)
        self.requests.append(request)
        self._active += 1
        self.most = max(self.most, self._active)
        try:
            return await self._act(self.behave(request), text, writer)
        finally:
            self._active -= 1

    async def _act(self, act: Act, text: str, writer: asyncio.StreamWriter) -> bool:
        await asyncio.sleep(act.delay)
        self.answered[text] += act.success
        writer.write(act.raw)
        await writer.drain()
        if act.then == "cut":
            writer.close()
        while act.then in ("hang", "trickle"):
            await asyncio.sleep(0.02)
            if act.then == "trickle":
                writer.write(b"1\r\n \r\n")
                await writer.drain()
        return act.then == "keep"


def words_of(body: dict[str, Any]) -> str:
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else next(part["text"] for part in content if part["type"] == "text")
