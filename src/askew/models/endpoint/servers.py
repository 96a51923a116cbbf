"""The servers of an endpoint, usually one, and which of them gets the next request.

Several share the work: a request goes to the least busy server whose last reply was no fault, and is repeated rather at
another one. What would stop a run with one server (it cannot be reached, refuses the key, only fails) removes that
server while there are others.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from askew.models.endpoint.http import Client
from askew.models.endpoint.pacer import Pacer
from askew.models.endpoint.request_limits import Limiter
from askew.models.endpoint.retry_policy import Completion, Retry, RetryPolicy, Verdict


@dataclass(eq=False)
class Server:
    """One address, with what was learnt about it."""

    url: str
    client: Client
    limiter: Limiter
    policy: RetryPolicy
    pacer: Pacer = field(default_factory=Pacer)
    stream: int = 0
    """How replies are requested: whole, as a stream with a count of tokens, as a stream."""
    faulty: bool = False
    """Whether the last request failed."""
    model: str = ""
    """The model that its first answer is from, as it says."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One pending request at a server, with the rounds of its limit and its pace."""

    server: Server
    round: int
    pace: int

    def adapt(self, verdict: Verdict, now: float, seconds: float) -> None:
        """Adapt the number and the rate of requests to what became of this one after these seconds."""
        server = self.server
        server.faulty = isinstance(verdict, Retry)
        if isinstance(verdict, Completion):
            server.limiter.answered(self.round, seconds)
            server.pacer.answered(self.pace, now)
        elif isinstance(verdict, Retry) and verdict.overload:
            if verdict.after:
                server.pacer.refused(self.pace, now, verdict.after)
            else:
                server.limiter.failed(self.round)


class Servers:
    """Gives each request a slot, in the order in which they ask."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self.alive = list(servers)
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._opened = False

    async def enter(self, not_at: Server | None = None) -> Slot:
        """Wait for a slot, rather at another server than ``not_at``. ``leave`` must follow."""
        loop, again = asyncio.get_running_loop(), False
        while True:
            now = loop.time()
            free = [server for server in self.alive if self._opened or not server.limiter.full]
            delays = {server: 0.0 if self._opened else server.pacer.delay(now) for server in free}
            ready = [server for server, delay in delays.items() if not delay]
            if ready:
                server = min(ready, key=lambda one: (one is not_at, one.faulty, one.limiter.active / one.limiter.limit))
                server.limiter.active += 1
                self._wake()
                return Slot(server, server.limiter.round, server.pacer.sent(now))
            if delays:
                self._wake_in(min(delays.values()))
            await self._turn(again)
            again = True

    def leave(self, slot: Slot) -> None:
        """Free the slot."""
        slot.server.limiter.active -= 1
        self._wake()

    def drop(self, server: Server) -> bool:
        """Send nothing more to this server; False if there is no other."""
        others = [one for one in self.alive if one is not server]
        self.alive = others or self.alive
        self._wake()
        return bool(others)

    def open(self) -> None:
        """Let everybody in: the run ends, and nothing is sent any more."""
        self._opened = True
        self._wake()

    def _wake_in(self, seconds: float) -> None:
        """Wake the next one then, unless that happens earlier anyway."""
        loop = asyncio.get_running_loop()
        if self._timer is None or self._timer.when() > loop.time() + seconds:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = loop.call_later(seconds, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        self._wake()

    async def _turn(self, again: bool) -> None:
        """Wait until woken: behind the others, or before them for one that was woken in vain."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if again else self._waiting.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            self._wake()
            raise

    def _wake(self) -> None:
        """Let the next one try; it wakes another when it has its slot."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
