"""How many requests are under way at once: found out by asking more until the server says it is too much."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field


@dataclass
class Limiter:
    """Additive increase, multiplicative decrease (Chiu and Jain 1989), with TCP's slow start (Jacobson 1988).

    The limit grows by one with each answer until the first trouble (so it doubles each round), then by one each round.
    Trouble halves it, once for all requests that were under way then: they tell of the same jam.

    >>> limiter = Limiter(64)
    >>> limiter.eased(); limiter.limit
    9.0
    >>> limiter.jammed(0); limiter.jammed(0); limiter.limit
    4.5
    """

    most: int
    limit: float = 8.0
    active: int = 0
    round: int = 0
    """Counts the halvings; a request remembers in which round it set out."""
    _threshold: float = float("inf")
    _not_before: float = 0.0
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.limit = min(self.limit, float(self.most))

    async def enter(self) -> int:
        """Wait for a place; gives the round one sets out in. ``leave`` must follow."""
        while self.active >= int(self.limit) or time.monotonic() < self._not_before:
            await self._turn()
        self.active += 1
        return self.round

    def leave(self) -> None:
        """Give the place back."""
        self.active -= 1
        self._wake()

    def eased(self) -> None:
        """An answer came: try a little more."""
        step = 1.0 if self.limit < self._threshold else 1.0 / self.limit
        self.limit = min(self.limit + step, float(self.most))

    def jammed(self, round_: int) -> None:
        """The server had too much of what set out in that round: halve, unless that was done already."""
        if round_ == self.round:
            self.limit = max(1.0, self.limit / 2)
            self._threshold = self.limit
            self.round += 1

    def pause(self, seconds: float) -> None:
        """Nothing sets out for so long: the server asked for it."""
        self._not_before = max(self._not_before, time.monotonic() + seconds)
        asyncio.get_running_loop().call_later(seconds + 0.001, self._wake)

    def open(self) -> None:
        """The pause is over."""
        self._not_before = 0.0
        self._wake()

    async def _turn(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            self._wake()
            raise

    def _wake(self) -> None:
        free = int(self.limit) - self.active
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1
