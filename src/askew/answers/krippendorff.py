"""Krippendorff's alpha: how well people agree, corrected for chance (Krippendorff 2011)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence


def krippendorff_alpha(units: Iterable[Sequence[str]]) -> float | None:
    """Krippendorff's alpha for nominal data: 1 is full agreement, 0 is chance; None without two answers that differ.

    Each unit holds the answers to one question; those with a single answer do not count (Krippendorff 2011).

    >>> round(krippendorff_alpha([["a", "a"], ["b", "b"], ["a", "b"]]), 4)
    0.4444
    >>> krippendorff_alpha([["a", "a"], ["a", "a"]]) is None
    True
    """
    totals: Counter[str] = Counter()
    differ = 0.0
    for unit in units:
        n = len(unit)
        if n > 1:
            totals.update(unit)
            differ += (n * n - sum(map(unit.count, unit))) / (n - 1)
    return alpha_of(totals.values(), differ)


def alpha_of(counts: Collection[int], differ: float) -> float | None:
    """Alpha from how often each answer was given, and the ordered pairs of different answers within units, each unit's
    divided by its number of answers minus one."""
    n = sum(counts)
    expected = sum(count * (n - count) for count in counts)
    return 1 - (n - 1) * differ / expected if expected else None
