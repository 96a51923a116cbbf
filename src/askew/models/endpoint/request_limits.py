"""What limits the requests to an endpoint: the budget of the command and the rate that the server can take.

A request is sent only when the budget (calls, tokens, cost) covers its maximum. The limiter decides how many requests
are sent at once, and the pacer (``pacer.py``) how many a second.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import isfinite
from typing import TypeAlias

from askew.errors import BadOption, DataError
from askew.files.limits import read_yaml


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars (or the currency of the file) for a million tokens read and written.

    >>> Price(2.5, 10.0).of(1_000_000, 100_000)
    3.5
    """

    read: float
    written: float

    def of(self, read: int, written: int) -> float:
        """The cost of these tokens."""
        return (self.read * read + self.written * written) / 1_000_000


_SHAPE = "{model: {read: 2.5, written: 10}}, for a million tokens"


def price_of(model: str, file: str) -> Price:
    """The price of a model from a YAML or JSON file: ``{model: {read: 2.5, written: 10}}``."""
    try:
        prices = read_yaml(file)
    except DataError as trouble:
        raise DataError(f"{trouble} Expected prices, {_SHAPE}.") from None
    if not isinstance(prices, dict) or model not in prices:
        raise DataError(f"{file}: there is no price for {model!r}. Expected {_SHAPE}.")
    price = prices[model]
    amounts = list(price.values()) if isinstance(price, dict) and set(price) == {"read", "written"} else []
    if not amounts or not all(type(one) in (int, float) and isfinite(one) and one >= 0 for one in amounts):
        raise DataError(
            f"{file}: the price of {model!r} is {str(price)[:60]}. Expected {_SHAPE}, with no number below 0."
        )
    return Price(float(price["read"]), float(price["written"]))


Reserved: TypeAlias = tuple[int, int]
"""Tokens, read and written, reserved for a pending request."""


@dataclass(slots=True)
class Budget:
    """The limits of one command (None means no limit), what was spent, and what is reserved for pending requests.

    A request reserves one call and the most tokens it may take before it is sent, and pays what it took afterwards.
    How many tokens the endpoint counts as read is estimated until the first answer; if tokens are limited, the first
    request is sent alone. From then on, at least the highest count so far is reserved.

    >>> budget = Budget(max_tokens=1000)
    >>> budget.reserve(90, 64), budget.reserve(90, 64)
    ((90, 64), None)
    >>> budget.pay((90, 64), (510, 2)); budget.read, budget.written, budget.reserve(90, 64), budget.fits((400, 64))
    (510, 2, None, True)
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    price: Price | None = None
    calls: int = 0
    read: int = 0
    written: int = 0
    waiting: int = 0
    """Pending requests."""
    most_read: int = 0
    """Most tokens read by one request so far."""
    reserved: Reserved = (0, 0)

    def __post_init__(self) -> None:
        for name in ("max_calls", "max_tokens", "max_cost"):
            if (value := getattr(self, name)) is not None and not (isfinite(value) and value >= 0):
                raise BadOption(f"{name}={value}: a budget is a number of at least 0.")

    def fits(self, size: Reserved) -> bool:
        """True when the budget covers one more request of this size."""
        read = self.read + self.reserved[0] + size[0]
        written = self.written + self.reserved[1] + size[1]
        cost = self.price.of(read, written) if self.price else 0.0
        return (
            (self.max_calls is None or self.calls < self.max_calls)
            and (self.max_tokens is None or read + written <= self.max_tokens)
            and (self.max_cost is None or cost <= self.max_cost)
        )

    def reserve(self, read: int, written: int) -> Reserved | None:
        """Reserve a call of this size; None if it does not fit now, and then nothing is reserved."""
        size = max(read, self.most_read), written
        counts_tokens = self.max_tokens is not None or self.max_cost is not None
        if not self.fits(size) or (counts_tokens and self.waiting and not self.most_read):
            return None
        self.calls += 1
        self.waiting += 1
        self.reserved = (self.reserved[0] + size[0], self.reserved[1] + size[1])
        return size

    def pay(self, size: Reserved, took: tuple[int, int]) -> None:
        """Replace a reservation by the tokens that the call took."""
        self.waiting -= 1
        self.reserved = (self.reserved[0] - size[0], self.reserved[1] - size[1])
        self.read += took[0]
        self.written += took[1]
        self.most_read = max(self.most_read, took[0])

    def release(self, size: Reserved) -> None:
        """Cancel a reservation: the call was not made."""
        self.pay(size, (0, 0))
        self.calls -= 1

    def __str__(self) -> str:
        cost = f" for {self.price.of(self.read, self.written):.4f}" if self.price else ""
        return f"{self.calls:,} calls, {self.read:,} tokens read and {self.written:,} written{cost}"


WINDOW = 100
"""Number of recent replies that are considered."""
SHARE, FEW = 0.1, 2
"""Faults among them that count as chance: this share, plus this many."""
SOON = 50
"""Replies; if overload recurs after fewer, the limit grows more slowly."""
SLOWER = 2.0
"""When answers take this many times as long as before, one fault is enough."""
CAUTION = 5
"""After overload, growth is at most two to this power slower."""


@dataclass
class Limiter:
    """Additive increase, multiplicative decrease (Chiu and Jain 1989), with TCP's slow start (Jacobson 1988).

    The limit grows by one with each answer (so it doubles each round) up to halfway between the last limit
    that overloaded the server and what it fell to, then by one each round; more slowly if overload recurs soon, and
    faster again for each step without it. An occasional fault is chance and changes nothing. The server is overloaded
    if

    * many requests fail: more than a tenth of the last replies plus two, or about as many in a row; the limit is
      halved;
    * one fails while answers take twice as long as before; the limit falls by a fifth.

    Refusals with a request to wait are the pacer's and change no limit.

    It falls once for all requests that were pending then: they report the same overload.

    >>> limiter = Limiter(64)
    >>> limiter.answered(0, 1.0); limiter.limit
    9.0
    >>> limiter.failed(0); limiter.failed(0); limiter.limit
    9.0
    >>> limiter.failed(0); limiter.failed(0); limiter.limit, limiter.round
    (4.5, 1)
    """

    most: int
    limit: float = 8.0
    active: int = 0
    round: int = 0
    """How often the limit fell; a request remembers the round in which it was sent."""
    latency: Latency = field(default_factory=lambda: Latency())
    _faults: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    """The last replies of this round: was it a fault?"""
    _in_a_row: int = 0
    """Faults since the last answer of this round."""
    _heard: bool = True
    """Whether an answer came since the limit fell."""
    _threshold: float = float("inf")
    _caution: int = 0
    _calm: float = float("inf")
    """The limit to reach without overload before caution is reduced by a step."""

    def __post_init__(self) -> None:
        self.limit = min(self.limit, float(self.most))

    @property
    def full(self) -> bool:
        """Whether as many requests are pending as may be."""
        return self.active >= int(self.limit)

    def answered(self, round_: int, seconds: float) -> None:
        """An answer arrived after this time: raise the limit a little."""
        self.latency.add(seconds)
        self._heard = True
        if round_ == self.round:
            self._faults.append(False)
            self._in_a_row = 0
        if self.limit < self._threshold:
            self.limit = min(self.limit + 1.0, self._threshold, float(self.most))
        else:
            self.limit = min(self.limit + 1.0 / (self.limit * 2**self._caution), float(self.most))
        if self.limit >= self._calm:
            self._caution = max(0, self._caution - 1)
            self._calm = self.limit + 1

    def failed(self, round_: int) -> None:
        """A request of that round failed, perhaps because of too many requests: slow down if it is overload."""
        if round_ != self.round:
            return
        self._faults.append(True)
        self._in_a_row += 1
        in_a_row = self._in_a_row > FEW + SHARE * self.limit
        many = in_a_row or sum(self._faults) > FEW + SHARE * len(self._faults)
        if many or self.latency.rising:
            self._slow_down(0.5 if many else 0.8)

    def _slow_down(self, factor: float) -> None:
        """Lower the limit; remember where overload was and whether it recurred soon. Without any answer since the last
        time it is still the same overload.
        """
        if self._heard:
            soon = self.round > 0 and len(self._faults) < SOON
            self._caution = min(CAUTION, self._caution + 1) if soon else max(0, self._caution - 1)
            self._threshold = self.limit * (1 + factor) / 2
            self._calm = self._threshold + 1
        self.limit = max(1.0, self.limit * factor)
        self.round += 1
        self._heard = False
        self._faults.clear()
        self._in_a_row = 0


@dataclass
class Latency:
    """Mean seconds per answer: over the last few, and over many.

    >>> latency = Latency()
    >>> for seconds in [1.0] * 120 + [4.0] * 8: latency.add(seconds)
    >>> latency.rising
    True
    """

    few: float = 0.0
    many: float = 0.0
    count: int = 0

    def add(self, seconds: float) -> None:
        """One more answer."""
        self.count += 1
        self.few += (seconds - self.few) / min(self.count, 8)
        self.many += (seconds - self.many) / min(self.count, WINDOW)

    @property
    def rising(self) -> bool:
        """Whether answers take much longer than over the whole window."""
        return self.count > WINDOW and self.few > SLOWER * self.many
