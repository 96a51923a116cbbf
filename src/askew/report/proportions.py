"""Rates with honest intervals: Wilson's interval, a test of two rates, Holm's correction. No SciPy needed."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, exp, lgamma, sqrt

Z95 = 1.959963984540054
"""The normal quantile of a 95 % interval."""


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's (1927) 95 % interval for a rate; the whole unit interval for no data.

    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if n == 0:
        return 0.0, 1.0
    rate, z2 = hits / n, Z95**2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def difference_p(hits: int, n: int, other_hits: int, other_n: int) -> float:
    """Two-sided p value for two rates being equal: Fisher's exact test when counts are small, else the normal one.

    The tea tasting lady (3 of 4 against 1 of 4) proves nothing:

    >>> round(difference_p(3, 4, 1, 4), 4)
    0.4857
    """
    if n == 0 or other_n == 0:
        return 1.0
    total, all_hits = n + other_n, hits + other_hits
    smallest = min(n, other_n) * min(all_hits, total - all_hits) / total
    if smallest < 10:
        return _fisher(hits, n, all_hits, total)
    pooled = all_hits / total
    z = (hits / n - other_hits / other_n) / sqrt(pooled * (1 - pooled) * (1 / n + 1 / other_n))
    return erfc(abs(z) / sqrt(2))


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's (1979) correction: what each p value is worth when this many were looked at.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(ps)
    running = 0.0
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        running = max(running, min(1.0, (len(ps) - rank) * ps[index]))
        adjusted[index] = running
    return adjusted


def _fisher(hits: int, n: int, all_hits: int, total: int) -> float:
    low, high = max(0, n - (total - all_hits)), min(n, all_hits)
    logs = [_log_choose(all_hits, k) + _log_choose(total - all_hits, n - k) for k in range(low, high + 1)]
    norm = _log_choose(total, n)
    observed = logs[hits - low] + 1e-7
    return min(1.0, sum(exp(value - norm) for value in logs if value <= observed))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
