"""How many pairs each test has: as many as the scenes give, a number, or the paper's (CARETS, Table 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

BINARY_SHARE: Mapping[str, float] = {
    "REPHRASE-INV": 10000 / 19412,
    "ORDER-INV": 5000 / 14412,
    "VISUAL-INV": 18000 / 26272,
}
"""The share of yes/no questions among a test's pairs, where there are others (Table 6)."""


class PairCount(NamedTuple):
    """The yes/no and multiple-choice questions of a test; None for as many as there are."""

    binary: int | None = None
    choices: int | None = None

    @property
    def total(self) -> int | None:
        """Both together."""
        return None if self.binary is None or self.choices is None else self.binary + self.choices


PAPER: Mapping[str, PairCount] = {
    "REPHRASE-INV": PairCount(10_000, 9_412),
    "ORDER-INV": PairCount(5_000, 9_412),
    "ONTOLOGICAL-INV": PairCount(13_952, 0),
    "VISUAL-INV": PairCount(18_000, 8_272),
    "NEGATION-DIR": PairCount(10_000, 0),
    "ANTONYM-DIR": PairCount(5_000, 0),
}
"""Table 6."""


def divided(test: str, size: int) -> PairCount:
    """A number of pairs, divided into yes/no questions and choices as in Table 6.

    >>> divided("NEGATION-DIR", 100), divided("ORDER-INV", 144)
    (PairCount(binary=100, choices=0), PairCount(binary=50, choices=94))
    """
    binary = 2 * round(size * BINARY_SHARE.get(test, 1.0) / 2)
    return PairCount(binary, size - binary)


def sizes_of(size: str | int) -> int | Mapping[str, PairCount] | None:
    """The sizes of tests from an option: a number, 0 for as many as there are, ``paper``, or one for each test.

    Tests that are not named give as many as there are.

    >>> sizes_of(0), sizes_of(50), sizes_of("paper") == PAPER
    (None, 50, True)
    >>> sizes_of("negation:10,order:50+90")
    {'NEGATION-DIR': PairCount(binary=10, choices=0), 'ORDER-INV': PairCount(binary=50, choices=90)}
    """
    if isinstance(size, int):
        return size or None
    if size == "paper":
        return PAPER
    tests = {test.partition("-")[0].lower(): test for test in PAPER}
    found = {}
    for part in size.split(","):
        name, _, count = part.partition(":")
        binary, plus, choices = count.partition("+")
        test = tests[name]
        found[test] = PairCount(int(binary), int(choices)) if plus else divided(test, int(binary))
    return found
