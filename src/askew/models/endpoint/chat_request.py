"""Chat completions: the request for a question, with its image as a data URL.

Each distinct image is scaled down and encoded once, however many questions refer to it. No network and no clock here.
"""

from __future__ import annotations

import asyncio
import base64
import io
import re
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from reprlib import repr as repr_of  # replies are short and not deeply nested
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from askew.errors import BadOption
from askew.files.images import content_hash, image_bytes, open_encoded, open_image
from askew.models.endpoint.http import Reply
from askew.models.endpoint.request_limits import retry_after
from askew.types import ImageRef, Question

if TYPE_CHECKING:
    from PIL.Image import Image


AS_THEY_ARE = {"JPEG": "image/jpeg", "PNG": "image/png"}
"""Formats that every server reads; a small upright image in one of them is sent byte for byte."""
_MEMORY = 256 << 20
_UPRIGHT = (None, 1)
_EXIF_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class EncodedImage:
    """An image ready to be sent."""

    url: bytes
    """A data URL, quoted as JSON."""
    size: tuple[int, int]


def encode(ref: ImageRef, max_side: int) -> EncodedImage:
    """The image with no side longer than ``max_side``; PNG stays lossless, photographs are JPEG of high quality."""
    from PIL.Image import Resampling

    content = image_bytes(ref)
    unchanged = _as_it_is(content, max_side)
    if unchanged is not None:
        return unchanged
    image = open_image(ref)
    lossless = not content.startswith(b"\xff\xd8\xff")
    if max(image.size) > max_side:
        image = image.resize(scaled(image.size, max_side), Resampling.LANCZOS)
    return EncodedImage(_url(*_encoded(image, lossless)), image.size)


def scaled(size: tuple[int, int], max_side: int) -> tuple[int, int]:
    """The size with no side longer than ``max_side``, in the same proportion.

    >>> scaled((640, 480), 1024), scaled((4000, 3000), 1024)
    ((640, 480), (1024, 768))
    """
    scale = min(1.0, max_side / max(size))
    width, height = (max(1, round(side * scale)) for side in size)
    return width, height


class EncodedImages:
    """The encoded images of a run, by content; the least recently used are dropped beyond ``memory`` bytes."""

    def __init__(self, max_side: int, memory: int = _MEMORY) -> None:
        self.max_side = max_side
        self.memory = memory
        self.encoded = 0
        """How many images were encoded: one per content."""
        self._held = 0
        self._known: OrderedDict[str, Future[EncodedImage]] = OrderedDict()
        self._lock = Lock()
        self._threads: ThreadPoolExecutor | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return EncodedImages, (self.max_side, self.memory)

    async def of(self, ref: ImageRef) -> EncodedImage:
        """The image, encoded in a thread on first use; ``BadImage`` when it cannot be used."""
        future = self._future(ref)
        return future.result() if future.done() else await asyncio.shield(asyncio.wrap_future(future))

    def now(self, ref: ImageRef) -> EncodedImage:
        """Like ``of``, outside an event loop."""
        return self._future(ref).result()

    def _future(self, ref: ImageRef) -> Future[EncodedImage]:
        key = content_hash(ref)
        with self._lock:
            future = self._known.get(key)
            if future is None:
                self._threads = self._threads or ThreadPoolExecutor(2, "askew-images")
                future = self._known[key] = self._threads.submit(self._encode, key, ref)
            self._known.move_to_end(key)
        return future

    def _encode(self, key: str, ref: ImageRef) -> EncodedImage:
        image = encode(ref, self.max_side)
        with self._lock:
            self.encoded += 1
            self._held += len(image.url)
            for old, future in list(self._known.items()):
                if self._held <= self.memory:
                    break
                if old != key and future.done():
                    del self._known[old]
                    self._held -= 0 if future.exception() else len(future.result().url)
        return image


def _as_it_is(content: bytes, max_side: int) -> EncodedImage | None:
    try:
        with open_encoded(io.BytesIO(content), tuple(AS_THEY_ARE)) as header:
            plain = header.mode in ("RGB", "L") and header.getexif().get(_EXIF_ORIENTATION) in _UPRIGHT
            if plain and max(header.size) <= max_side and header.format in AS_THEY_ARE:
                header.load()
                return EncodedImage(_url(content, AS_THEY_ARE[header.format]), header.size)
    except Exception:  # not one of these formats, or damaged: open_image reports the reason
        return None
    return None


def _encoded(image: Image, lossless: bool) -> tuple[bytes, str]:
    out = io.BytesIO()
    if lossless:
        image.save(out, "PNG")
        return out.getvalue(), "image/png"
    image.save(out, "JPEG", quality=95, subsampling=0)
    return out.getvalue(), "image/jpeg"


def _url(content: bytes, kind: str) -> bytes:
    return b'"data:%b;base64,%b"' % (kind.encode(), base64.b64encode(content))


_FIELD = re.compile(r"\{(question|context)\}")
_TILE = 512
_RETRIED = {408, 409, 425, 429}
_LOGPROBS = {"logprobs", "top_logprobs"}
_PARAMETERS = {
    "temperature",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "model",
    "reasoning_effort",
    "detail",
    *_LOGPROBS,
}
"""Parameters that are the same in every request: an error about one affects all."""
_REMEDIES = {
    401: "Set OPENAI_API_KEY (or put it into .env) to a key that this endpoint accepts.",
    402: "Add credit to the account; the same command then resumes.",
    403: "The key may not use this model or endpoint: use another key, or ask whoever runs the endpoint.",
    404: "Check the model's name and base_url (most end in /v1).",
    405: "Check base_url (most end in /v1).",
}
_PARAMETER_REMEDIES = {
    "temperature": "Leave it out with temperature=none.",
    "seed": "Leave it out with seed=none.",
    "max_tokens": "Use cap_field=max_completion_tokens.",
    "max_completion_tokens": "Use cap_field=max_tokens.",
    "model": "Check the model's name.",
    **dict.fromkeys(_LOGPROBS, "Leave out logprobs=true: answers then have no score."),
}


@dataclass(frozen=True)
class Chat:
    """Everything in a request besides the question and its image."""

    prompt: str
    """Has ``{question}``, and may have ``{context}``; otherwise the context goes before the question."""
    system: str
    detail: str
    most_written: int
    fields: Mapping[str, Any]
    """The request's other fields: model, temperature, ..."""

    @property
    def wants_scores(self) -> bool:
        """Whether the endpoint must send the log-probability of each token."""
        return bool(self.fields.get("logprobs"))

    def __post_init__(self) -> None:
        if "{question}" not in self.prompt:
            raise BadOption(
                f"prompt={self.prompt!r}: no {{question}} in it. Write {{question}} where the question goes."
            )

    def body(self, question: Question, image: EncodedImage | None) -> bytes:
        """The request's JSON."""
        content: Any = [{"type": "text", "text": self.words(question)}]
        if image is not None:
            url: dict[str, Any] = {"url": orjson.Fragment(image.url)}
            content.insert(
                0, {"type": "image_url", "image_url": url | ({"detail": self.detail} if self.detail else {})}
            )
        else:
            content = content[0]["text"]
        messages = [{"role": "system", "content": self.system}] if self.system else []
        return orjson.dumps({**self.fields, "messages": [*messages, {"role": "user", "content": content}]})

    def words(self, question: Question) -> str:
        """The text of the request.

        >>> chat = Chat("{question} Be brief.", "", "", 64, {})
        >>> chat.words(Question(1, None, "What is {context}?"))
        'What is {context}? Be brief.'
        >>> chat.words(Question(1, None, "Is it wet?", context="It rains."))
        'It rains.\\nIs it wet? Be brief.'
        """
        parts = {"question": question.text, "context": question.context}
        text = _FIELD.sub(lambda match: parts[match[1]], self.prompt)
        text = f"{question.context}\n{text}" if question.context and "{context}" not in self.prompt else text
        return text.encode("utf-8", "replace").decode("utf-8")

    def tokens(self, question: Question, size: tuple[int, int] | None) -> int:
        """Estimated tokens of a request: a quarter of its characters, and for an image 85 + 170 for each tile of
        512 x 512 pixels (as OpenAI counts; others differ, so this is a rough estimate).

        >>> Chat("{question}", "", "", 64, {}).tokens(Question(1, None, "What colour is the cat?"), (640, 480))
        439
        """
        letters = len(self.words(question)) + len(self.system)
        return 8 + (letters + 3) // 4 + (0 if size is None else image_tokens(size, self.detail))


def image_tokens(size: tuple[int, int], detail: str) -> int:
    """Estimated tokens of an image.

    >>> image_tokens((640, 480), ""), image_tokens((640, 480), "low")
    (425, 85)
    """
    if detail == "low":
        return 85
    across, down = (-(-side // _TILE) for side in size)
    return 85 + 170 * across * down


@dataclass(frozen=True, slots=True)
class Completion:
    """The reply has a completion."""

    reply: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Retry:
    """The request may succeed when repeated."""

    reason: str
    overload: bool = True
    """True when the server is overloaded, False when only this reply is broken."""
    after: float | None = None
    """Seconds the server asks the client to wait."""
    silent: bool = False
    """True when nothing arrived before the timeout."""


@dataclass(frozen=True, slots=True)
class Failed:
    """This question cannot be answered; others may be."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """No question can be answered until the user fixes something."""

    reason: str
    remedy: str


Verdict: TypeAlias = Completion | Retry | Failed | Stop


def judge(reply: Reply, wants_scores: bool = False) -> Verdict:
    """What a reply means; ``wants_scores`` if the request asked for log-probabilities, which some servers refuse.

    >>> judge(Reply(429, {"retry-after": "2"}, b""))
    Retry(reason='http 429', overload=True, after=2.0, silent=False)
    >>> judge(Reply(400, {}, b'{"error": {"message": "image too small"}}'))
    Failed(reason='http 400: image too small')
    >>> judge(Reply(200, {}, b"<html>Welcome!</html>")).reason
    "broken reply: not a JSON object, but '<html>Welcome!</html>' (is base_url correct?)"
    """
    if reply.status == 200:
        return _completion(reply, wants_scores)
    content = _json(reply.body)
    error = _error(content) if content is not None else _Error(_plain(reply.body))
    reason = ": ".join(part for part in (f"http {reply.status}", error.message) if part)
    return _judge_error(reply.status, reason, error, retry_after(reply.headers), wants_scores)


@dataclass(frozen=True, slots=True)
class _Error:
    message: str = ""
    code: str = ""
    parameter: str = ""


def _completion(reply: Reply, wants_scores: bool) -> Verdict:
    content = _json(reply.body)
    if not isinstance(content, dict):
        return Retry(f"broken reply: not a JSON object{_instead(reply.body)}", overload=False)
    if content.get("error"):
        error = _error(content)
        status = int(error.code) if re.fullmatch("[45][0-9][0-9]", error.code) else 400
        return _judge_error(
            status, f"error {error.code}: {error.message}", error, retry_after(reply.headers), wants_scores
        )
    choices = content.get("choices")
    if not (isinstance(choices, list) and choices and isinstance(choices[0], dict)):
        return Retry("broken reply: no choices in it", overload=False)
    if not isinstance(choices[0].get("message"), dict):
        return Retry("broken reply: no message in it", overload=False)
    return Completion(content)


def _judge_error(status: int, reason: str, error: _Error, after: float | None, wants_scores: bool) -> Verdict:
    if error.code == "insufficient_quota":
        return Stop(reason, _REMEDIES[402])
    if wants_scores and status not in _RETRIED and "logprobs" in error.message:
        return Stop(reason, _PARAMETER_REMEDIES["logprobs"])
    if status in _RETRIED or status >= 500:
        return Retry(reason, after=after)
    if error.parameter in _PARAMETERS:
        return Stop(reason, _PARAMETER_REMEDIES.get(error.parameter, "Leave that option out."))
    if status in _REMEDIES:
        return Stop(reason, _REMEDIES[status])
    if 300 <= status < 400 or status < 200:
        return Stop(reason, "Check base_url: the endpoint points elsewhere.")
    return Failed(reason)


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _error(content: Any) -> _Error:
    """The error in the forms that servers use: OpenAI's object, a plain string, or FastAPI's ``detail``."""
    if not isinstance(content, dict):
        return _Error()
    error = content.get("error") or content
    if not isinstance(error, dict):
        return _Error(_line(error))
    message = error.get("message") or error.get("detail") or ""
    return _Error(_line(message), _line(error.get("code") or ""), _line(error.get("param") or ""))


def _plain(body: bytes) -> str:
    """The text of a reply that is neither JSON nor HTML."""
    text = _line(body[:800].decode("utf-8", "replace"))
    return "" if text.startswith(("<", "{", "[")) else text


def _instead(body: bytes) -> str:
    """The beginning of a reply that is not JSON: HTML, a stream of events, plain text."""
    text = _line(body[:200].decode("utf-8", "replace"))
    return "" if not text or text.startswith(("{", "[")) else f", but {text[:40]!r} (is base_url correct?)"


def _line(text: Any) -> str:
    """One printable line; lists and objects abbreviated."""
    words = text if isinstance(text, str) else str(text) if isinstance(text, (bool, int, float)) else repr_of(text)
    return "".join(sign if sign.isprintable() else "�" for sign in " ".join(words[:10_000].split())[:200])
