"""How many requests a second an endpoint accepts, learnt from replies that ask to wait (``Retry-After``)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

LEAST, CALM, AFTER_CALM = 0.8, 5.0, 0.95
"""The least share of a refused rate that is tried next; more if it was refused after so many seconds."""
FIRST, LATER = 4.0, 25.0
"""Seconds in which the rate doubles before a pace was refused, and in which it then grows to the refused one."""
MOST = 4.0
"""A pace beyond this many times what was sent was never tried: the pace of a calm hour is no measure of a limit."""
SHORTEST = 0.001
"""Seconds; no wait is shorter."""


@dataclass
class Pacer:
    """Spaces requests at the rate that was accepted, so that few are refused.

    From the end of one wait to the end of the next the server accepted as many requests as it allows, or fewer if the
    wait was longer than needed; so its rate is between that number by that time and the rate that was refused. The
    pacer continues between the two and grows towards the latter, slowly at first and faster beyond (as in CUBIC, Ha,
    Rhee and Xu 2008). Nothing is sent during a wait. What could have been sent meanwhile follows at once, unless such
    bursts were refused. Before the first refusal there is no pace.

    >>> pacer = Pacer()
    >>> rounds = [pacer.sent(number / 100) for number in range(21)]
    >>> pacer.refused(rounds[-1], 0.25, 0.75); pacer.delay(0.75), pacer.delay(1.0), pacer.rate
    (0.25, 0.0, 20.0)
    """

    rate: float = inf
    """Requests a second."""
    _start: float = inf
    """The rate at the start of the round."""
    _refused_at: float = inf
    """The rate that was refused last."""
    _last: float = 0.0
    """When a request was last refused."""
    round: int = 0
    """How many waits are over."""
    _since: float | None = None
    """When the first request of this round was sent."""
    _until: float = 0.0
    """The end of the wait."""
    _wait: float = 0.0
    """The seconds of this round's wait; 0 while nothing was refused."""
    _sent: int = 0
    _refused: int = 0
    _burst: float = 0.0
    """Requests that may follow a wait at once."""
    _bursts: bool = True
    """Whether none of them was refused so far."""
    _ready: float = 0.0
    """Requests that may be sent now."""
    _at: float = 0.0
    """When these were counted."""

    def delay(self, now: float) -> float:
        """Seconds until a request may be sent."""
        if now < self._until:
            return max(SHORTEST, self._until - now)
        if self._wait:
            self._settle()
        if self.rate == inf:
            return 0.0
        self._ready = min(max(1.0, self._burst), self._ready + (now - self._at) * self.rate)
        self._at = now
        return 0.0 if self._ready >= 0.999 else max(SHORTEST, (1.0 - self._ready) / self.rate)

    def sent(self, now: float) -> int:
        """A request is sent; returns the round."""
        self._since = now if self._since is None else self._since
        self._sent += 1
        self._ready -= 1.0
        return self.round

    def answered(self, round_: int, now: float) -> None:
        """A request of that round was accepted."""
        if round_ == self.round and self._since is not None and not self._wait and self.rate < inf:
            if self._refused_at == inf:
                self.rate = self._start * 2.0 ** min((now - self._since) / FIRST, 64.0)
            else:
                gap = max(self._refused_at - self._start, 0.01 * self._start)
                self.rate = self._start + gap * ((now - self._since) / LATER) ** 2

    def refused(self, round_: int, now: float, seconds: float) -> None:
        """A request of that round was refused with a wish to wait."""
        self._until = max(self._until, now + seconds)
        if round_ == self.round:
            self._refused += 1
            self._last = now if not self._wait else self._last
            self._wait = max(self._wait, seconds)

    def _settle(self) -> None:
        """After a wait: measure the rate, and begin a new round."""
        since = self._since or 0.0
        accepted, elapsed = self._sent - self._refused, max(self._until - since, 0.001)
        measured = max(accepted, 1) / elapsed
        burst_refused = self._burst > 1.0 and self._last - since < self._wait
        self._bursts = self._bursts and not burst_refused
        if self.rate == inf:
            self.rate = measured
        elif not burst_refused:
            before = self._last - since
            tried = self._refused_at = min(self.rate, MOST * self._sent / max(before, 0.001))
            self.rate = max(sqrt(tried * measured), (AFTER_CALM if before > CALM else LEAST) * tried)
        self._start = self.rate
        self._burst = self._ready = self.rate * self._wait * self._bursts
        self._at = self._since = self._until
        self._wait, self._sent, self._refused = 0.0, 0, 0
        self.round += 1
