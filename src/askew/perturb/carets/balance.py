"""How many pairs each test has, and which: answers and categories are balanced (CARETS, section 4.1).

A test has as many pairs as the scenes give, a given number, or as many as in the paper (Table 6). Equally many pairs
with yes and no are kept. Choices are drawn with probability inversely proportional to the frequency of their category
and answer. Each pair has a random number of its own, so the order of the pool does not matter.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

BINARY_SHARE: Mapping[str, float] = {
    "REPHRASE-INV": 10000 / 19412,
    "ORDER-INV": 5000 / 14412,
    "VISUAL-INV": 18000 / 26272,
}
"""The share of yes/no questions among the pairs of a test that also has choices (Table 6)."""


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


CAPS: Mapping[str, float] = {"ANTONYM-DIR": 0.1}
"""The largest share of a test's yes (and no) questions from one category, here a pair of words.

If there are too few categories, each may have twice its equal share.
"""
KEPT_CHOICES = 0.5
"""The share of multiple-choice pairs that is kept if no size is given."""


class Entry(NamedTuple):
    """The properties of a pair that matter for balancing."""

    test: str
    options: int
    """2 or 3 choices; 0 for a yes/no question."""
    category: str
    answer: str
    chance: float
    """A random number between 0 and 1, seeded by content."""


Share: TypeAlias = list[tuple[float, int]]
"""The entries of a test that share a quota: a key and the place of each; those with the smallest keys are kept."""


def kept(entries: Sequence[Entry], size: int | Mapping[str, PairCount] | None = None) -> bytearray:
    """For each pair in order, 1 if it is kept and 0 if not; ``size`` is the number of pairs of each test.

    >>> answers = ((0.1, "yes"), (0.2, "yes"), (0.3, "no"), (0.9, "yes"))
    >>> list(kept([Entry("NEGATION-DIR", 0, "Q1", answer, chance) for chance, answer in answers]))
    [0, 0, 1, 1]
    """
    weights = _weights(Counter(entry[:4] for entry in entries))
    groups: dict[tuple[str, int, str], Share] = {}
    for place, entry in enumerate(entries):
        share = groups.setdefault((entry.test, entry.options, "" if entry.options else entry.answer), [])
        # the smallest of these keys are a weighted sample without replacement (Efraimidis and Spirakis 2006)
        share.append((-math.log(max(entry.chance, 1e-300)) / weights[entry[:4]], place))
    flags = bytearray(len(entries))
    for test in dict.fromkeys(test for test, _, _ in groups):
        for share, count, most in _quotas(test, groups, entries, size):
            used: Counter[str] = Counter()
            for _, place in sorted(share):
                if count > 0 and used[entries[place].category] < most:
                    used[entries[place].category] += 1
                    flags[place] = 1
                    count -= 1
    return flags


def _weights(counts: Mapping[tuple[str, int, str, str], int]) -> dict[tuple[str, int, str, str], float]:
    """One over the frequency of the category and, for choices, of the answer."""
    categories: Counter[tuple[str, int, str]] = Counter()
    answers: Counter[tuple[str, str]] = Counter()
    for (test, options, category, answer), count in counts.items():
        categories[test, options, category] += count
        answers[test, answer] += count
    return {kind: 1.0 / (categories[kind[:3]] * (answers[kind[0], kind[3]] if kind[1] else 1)) for kind in counts}


def _quotas(
    test: str,
    groups: Mapping[tuple[str, int, str], Share],
    entries: Sequence[Entry],
    size: int | Mapping[str, PairCount] | None,
) -> Iterable[tuple[Share, int, int]]:
    """The groups of a test, the number kept of each, and the maximum of one category."""
    kinds: tuple[tuple[int, str], ...] = ((0, "yes"), (0, "no"), (2, ""), (3, ""))
    yes, no, two, three = (groups.get((test, *kind), []) for kind in kinds)
    balanced, choices = min(len(yes), len(no)), len(two) + len(three)
    if size is None:
        of_each, of_choices = balanced, math.ceil(choices * KEPT_CHOICES)
    elif isinstance(size, Mapping):
        wanted = size.get(test, PairCount())
        of_each = balanced if wanted.binary is None else min(balanced, wanted.binary // 2)
        of_choices = choices if wanted.choices is None else min(choices, wanted.choices)
    else:
        share = BINARY_SHARE.get(test, 1.0)
        of_each = min(balanced, round(size * share / 2))
        of_choices = min(choices, max(0, size - 2 * of_each))
        of_each = min(balanced, (size - of_choices) // 2)
    categories = [Counter(entries[place].category for _, place in share) for share in (yes, no)]
    of_each, (most_yes, most_no) = capped(test, of_each, *categories)
    of_three = min(len(three), of_choices // 2)  # as many with two choices as with three, where possible
    of_two = min(len(two), of_choices - of_three)
    parts = (two, of_two), (three, of_choices - of_two)
    return (yes, of_each, most_yes), (no, of_each, most_no), *((share, count, count) for share, count in parts)


def capped(test: str, wanted: int, *sides: Mapping[str, int]) -> tuple[int, list[int]]:
    """The number of each answer that can be kept without a category exceeding its cap, and the caps as numbers.

    >>> capped("ANTONYM-DIR", 100, {"black/white": 90, **{f"{n}": 5 for n in range(19)}})
    (100, [10])
    >>> capped("ANTONYM-DIR", 100, {"black/white": 90, **{f"{n}": 2 for n in range(20)}})
    (45, [5])
    """
    if test not in CAPS:
        return wanted, [wanted for _ in sides]
    while True:
        most = [math.ceil(max(CAPS[test], 2 / max(1, len(side))) * wanted) for side in sides]
        possible = min(sum(min(count, cap) for count in side.values()) for side, cap in zip(sides, most, strict=True))
        if possible >= wanted:
            return wanted, most
        wanted = possible
