"""Asking an endpoint that is simulated, in simulated time: nothing waits, and the same seed gives the same run.

seconds, said = ask(Flaky(latency=1.0, share=0.02), 1000)
"""

from __future__ import annotations

import asyncio
import selectors
from dataclasses import dataclass, field
from random import Random

from askew.models.endpoint.chat_request import Chat
from askew.models.endpoint.dispatch import Dispatcher, EndpointSettings
from askew.models.endpoint.http import Reply
from askew.models.endpoint.request_limits import Budget
from askew.types import Question

YES = b'{"choices": [{"message": {"content": "yes"}}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}'


class _Jump(selectors.DefaultSelector):
    """Advances simulated time instead of waiting."""

    now = 0.0

    def select(self, timeout=None):
        assert timeout is not None, "everybody waits, and nothing will come"
        self.now += max(0.0, timeout)
        return super().select(0)


class SimulatedLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.jump = _Jump()
        super().__init__(self.jump)

    def time(self):
        return self.jump.now


@dataclass
class Server:
    """Answers each request after its latency; ``trouble`` says which requests fail. Counts both."""

    latency: float = 1.0
    seed: int = 0
    requests: int = 0
    refused: int = 0
    active: int = 0
    most: int = 0
    times: list[float] = field(default_factory=list)
    """When requests came."""
    waits: list[tuple[float, float]] = field(default_factory=list)
    """From when until when it asked to wait."""

    def __post_init__(self):
        self.rng = Random(self.seed)

    async def post(self, body: bytes) -> Reply:
        self.requests += 1
        self.active += 1
        self.most = max(self.most, self.active)
        now = asyncio.get_running_loop().time()
        self.times.append(now)
        try:
            reply = self.trouble(now)
            await asyncio.sleep(self.seconds() if reply is None or reply.status == 500 else 0.02)
        finally:
            self.active -= 1
        self.refused += reply is not None
        if reply is not None and "retry-after" in reply.headers:
            told = asyncio.get_running_loop().time()
            self.waits.append((told, told + float(reply.headers["retry-after"])))
        return reply or Reply(200, {}, YES)

    def seconds(self) -> float:
        return self.latency

    def trouble(self, now: float) -> Reply | None:
        return None

    async def close(self) -> None:
        return


@dataclass
class Flaky(Server):
    """A share of all requests fails, whatever the load."""

    share: float = 0.02
    status: int = 500

    def trouble(self, now):
        return Reply(self.status, {}, b"") if self.rng.random() < self.share else None


@dataclass
class Narrow(Server):
    """Handles a number of requests at the same time and refuses others immediately."""

    capacity: int = 4
    headers: dict[str, str] = field(default_factory=dict)

    def trouble(self, now):
        return Reply(429, self.headers, b"") if self.active > self.capacity else None


@dataclass
class Metered(Server):
    """Handles a number of requests per second, and tells others to wait for the next second."""

    rate: int = 20

    def trouble(self, now):
        over = len(self.times) > self.rate and int(self.times[-1 - self.rate]) == int(now)
        return Reply(429, {"retry-after": f"{int(now) + 1 - now:.3f}"}, b"") if over else None


@dataclass
class Sliding(Server):
    """Accepts a number of requests in any second, and tells others to wait for a whole one."""

    rate: int = 50
    accepted: list[float] = field(default_factory=list)

    def trouble(self, now):
        self.accepted = [then for then in self.accepted if then > now - 1]
        if len(self.accepted) >= self.rate:
            return Reply(429, {"retry-after": "1"}, b"")
        self.accepted.append(now)
        return None


@dataclass
class Bucket(Server):
    """Accepts what is in a bucket that fills steadily, and tells others to wait until there is more."""

    rate: int = 50
    burst: float = 50
    whole: bool = True
    filled: tuple[float, float] | None = None
    """With how much, and when."""

    def trouble(self, now):
        level, then = self.filled or (self.burst, now)
        level = min(self.burst, level + (now - then) * self.rate)
        self.filled = (level - (level >= 1), now)
        if level >= 1:
            return None
        return Reply(429, {"retry-after": "1" if self.whole else f"{(1 - level) / self.rate:.3f}"}, b"")


@dataclass
class Queueing(Server):
    """Works on a number of requests at once; others queue, and get an error when the queue is full."""

    workers: int = 8
    queue: int = 32

    def seconds(self):
        return self.latency * max(1.0, self.active / self.workers)

    def trouble(self, now):
        return Reply(503, {}, b"") if self.active > self.workers + self.queue else None


def ask(server, count, retries=8, concurrency=64, backoff=0.5):
    """Seconds until all are answered, and the predictions."""
    predictions = []
    chat = Chat("{question}", "", "", 16, {})
    settings = EndpointSettings(("http://simulated/v1",), None, 120.0, concurrency, retries, backoff, 20)
    asking = Dispatcher(chat, settings, Budget(), None, predictions.append, Random(server.seed), lambda *_: server)
    loop = SimulatedLoop()
    try:
        loop.run_until_complete(asking.run([Question(n, None, f"question {n}") for n in range(count)]))
        return loop.time(), predictions
    finally:
        loop.close()
