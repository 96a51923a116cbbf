"""Textbook statistics used by scores, comparisons and the report: rates, tests, corrections, Student's t. No SciPy.

wilson · difference_p · mcnemar      the interval of a rate, tests of two rates, unpaired and paired
holm · resolvable                    p values of many tests, and of few images
t_tails · t_quantile                 Student's t distribution for any degrees of freedom
ratio · by_image · settled           column sums of rows, over images, rounded to what is the same on every machine
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import erfc, exp, isinf, isnan, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


def ratio(top: Any, bottom: Any) -> Any:
    """``top / bottom``, element by element; nan without a warning where ``bottom`` is 0.

    >>> float(ratio(3.0, 4.0)), float(ratio(0.0, 0.0))
    (0.75, nan)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(top, bottom)


def by_image(images: Ints, rows: Floats) -> Floats:
    """Rows of groups summed by image, in the order of the images' numbers, without images whose sums are zero.

    Questions about one image are not independent, so intervals are computed over images.

    >>> by_image(np.array([4, 0, 4, 7]), np.array([[1.0, 1.0], [0.0, 1.0], [0.5, 1.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [1.5, 2.0]]
    """
    return images_and_sums(images, rows)[1]


def images_and_sums(images: Ints, rows: Floats) -> tuple[Ints, Floats]:
    """The numbers of the images that add anything, and their sums as in ``by_image``."""
    sums = [np.bincount(images, weights=column) for column in rows.T]
    found = np.column_stack(sums) if sums else np.zeros((0, 0))
    added = np.flatnonzero(found.any(axis=1))
    return added, np.asarray(found[added])


def settled(value: Any) -> float:
    """A score rounded to twelve decimals and ten significant digits, so that it is the same on every machine.

    >>> settled(0.1 + 0.2), settled(0.3 - 0.1 - 0.2), settled(200 / 3)
    (0.3, 0.0, 66.66666667)
    """
    return ten_digits(round(float(value), 12))


_Z95 = 1.959963984540054
"""The normal quantile of a 95 % interval."""

_NORMAL = 1e7
"""From this many degrees of freedom on, Student's distribution equals the normal one to more digits than are kept."""


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's (1927) 95 % interval of a rate; from 0 to 1 for no data.

    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if n == 0:
        return 0.0, 1.0
    rate, z2 = hits / n, _Z95**2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def difference_p(hits: int, n: int, other_hits: int, other_n: int) -> float:
    """Two-sided p value of a test that two rates are equal: Fisher's exact test if counts are small, else a z-test.

    Fisher's lady tasting tea (3 of 4 against 1 of 4) is not significant:

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


def mcnemar(only_a: int, only_b: int) -> float:
    """The exact two-sided McNemar test (1947): the probability that a fair coin splits the disagreements at least this
    unevenly.

    >>> mcnemar(5, 1), mcnemar(0, 0)  # 2 (1 + 6) / 2⁶
    (0.21875, 1.0)
    """
    n, least = only_a + only_b, min(only_a, only_b)
    log_terms = (_log_choose(n, i) - n * log(2) for i in range(least + 1))
    return ten_digits(min(1.0, 2 * sum(map(exp, log_terms))))


def holm(p_values: Sequence[float]) -> list[float]:
    """p values corrected for multiple tests (Holm 1979); nan values are not counted and stay nan.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted((place for place, p in enumerate(p_values) if not isnan(p)), key=lambda place: p_values[place])
    corrected = [float("nan")] * len(p_values)
    highest = 0.0
    for done, place in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - done) * p_values[place]))
        corrected[place] = highest
    return corrected


def resolvable(p: float, images: int) -> float:
    """The p value, but at least the smallest that n images can show: 2 / 2ⁿ, a sign test with all signs equal.

    >>> resolvable(0.0, 10), resolvable(0.03, 10)
    (0.001953125, 0.03)
    """
    return max(p, 2.0 ** (1 - images))


def ten_digits(value: float) -> float:
    """The number rounded to ten significant digits, however small it is.

    >>> ten_digits(1e-30 / 3)
    3.333333333e-31
    """
    return float(f"{value:.10g}") + 0.0


def t_tails(x: float, df: float) -> float:
    """The two-sided tail probability of Student's t beyond ``x``.

    >>> round(t_tails(2.262157, 9), 6), round(t_tails(-12.7062, 1), 6)
    (0.05, 0.05)
    """
    if isinf(x):
        return 0.0
    if df >= _NORMAL:
        return 2 * NormalDist().cdf(-abs(x))
    return _beta_fraction(df / 2, 0.5, df / (df + x * x))


@lru_cache(maxsize=1 << 14)
def t_quantile(tails: float, df: float) -> float:
    """The x with this two-sided tail probability, by Newton's method from the quantile of the normal distribution.

    >>> round(t_quantile(0.05, 9), 6), round(t_quantile(0.05, 1.0), 4), round(t_quantile(0.05, 1e9), 6)
    (2.262157, 12.7062, 1.959964)
    """
    x = NormalDist().inv_cdf(1 - tails / 2)
    if df >= _NORMAL:
        return x
    last = float("inf")
    for _ in range(200):
        density = exp(lgamma((df + 1) / 2) - lgamma(df / 2) - (df + 1) / 2 * log1p(x * x / df)) / sqrt(df * pi)
        step = (t_tails(x, df) - tails) / (2 * density)  # tails are convex beyond 0, so no step overshoots
        x += step
        if abs(step) < 1e-12 * x or last <= abs(step) < 1e-6 * x:
            break  # close to the solution, steps that stop shrinking are rounding errors
        last = abs(step)
    return x


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz; Press et al., Numerical Recipes)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _lentz(a, b, x) / a
    return 1 - front * _lentz(b, a, 1 - x) / b


def _lentz(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 10_000):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _nonzero(1 + step * d, tiny)
            c = _nonzero(1 + step / c, tiny)
            value *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return value


def _nonzero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny


def _fisher(hits: int, n: int, all_hits: int, total: int) -> float:
    low, high = max(0, n - (total - all_hits)), min(n, all_hits)
    logs = [_log_choose(all_hits, k) + _log_choose(total - all_hits, n - k) for k in range(low, high + 1)]
    norm = _log_choose(total, n)
    observed = logs[hits - low] + 1e-7
    return min(1.0, sum(exp(value - norm) for value in logs if value <= observed))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
