"""The budget of a command and the cost of tokens. A request is sent only when the budget covers its maximum."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeAlias

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


def price_of(model: str, file: str) -> Price:
    """The price of a model from a YAML or JSON file: ``{model: {read: 2.5, written: 10}}``."""
    try:
        prices = read_yaml(file)
    except DataError as trouble:
        raise DataError(f"{trouble} Expected prices, {_SHAPE}.") from None
    if not isinstance(prices, dict) or model not in prices:
        raise DataError(f"{file}: there is no price for {model!r}. Expected {_SHAPE}.")
    price = prices[model]
    if not isinstance(price, dict) or set(price) != {"read", "written"} or not all(map(_is_amount, price.values())):
        raise DataError(
            f"{file}: the price of {model!r} is {str(price)[:60]}. Expected {_SHAPE}, with no number below 0."
        )
    return Price(float(price["read"]), float(price["written"]))


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The limits of one command; None means no limit."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "cost"):
            if (value := getattr(self, name)) is not None and not (isfinite(value) and value >= 0):
                raise BadOption(f"max_{name}={value}: a budget is a number of at least 0.")


Reserved: TypeAlias = tuple[int, int]
"""Tokens, read and written, reserved for a pending request."""


@dataclass(slots=True)
class Budget:
    """What was spent, and what is reserved for pending requests.

    A request reserves one call and the most tokens it may take before it is sent, and pays what it took afterwards.
    How many tokens the endpoint counts as read is estimated until the first answer; if tokens are limited, the first
    request is sent alone. From then on, at least the highest count so far is reserved.

    >>> budget = Budget(BudgetLimits(tokens=1000))
    >>> budget.reserve(90, 64), budget.reserve(90, 64)
    ((90, 64), None)
    >>> budget.pay((90, 64), (510, 2)); budget.read, budget.written, budget.reserve(90, 64), budget.fits((400, 64))
    (510, 2, None, True)
    """

    limits: BudgetLimits
    price: Price | None = None
    calls: int = 0
    read: int = 0
    written: int = 0
    waiting: int = 0
    """Pending requests."""
    most_read: int = 0
    """Most tokens read by one request so far."""
    reserved: Reserved = (0, 0)

    def fits(self, size: Reserved) -> bool:
        """True when the budget covers one more request of this size."""
        read = self.read + self.reserved[0] + size[0]
        written = self.written + self.reserved[1] + size[1]
        limits, cost = self.limits, self.price.of(read, written) if self.price else 0.0
        return (
            (limits.calls is None or self.calls < limits.calls)
            and (limits.tokens is None or read + written <= limits.tokens)
            and (limits.cost is None or cost <= limits.cost)
        )

    def reserve(self, read: int, written: int) -> Reserved | None:
        """Reserve a call of this size; None if it does not fit now, and then nothing is reserved."""
        size = max(read, self.most_read), written
        counts_tokens = self.limits.tokens is not None or self.limits.cost is not None
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


_SHAPE = "{model: {read: 2.5, written: 10}}, for a million tokens"


def _is_amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value) and value >= 0
