"""Student's t distribution for any degrees of freedom, whole or not."""

from __future__ import annotations

from functools import lru_cache
from math import exp, isinf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

_NORMAL = 1e7
"""From so many degrees of freedom on it is the normal distribution, to more digits than are kept."""


def t_tails(x: float, df: float) -> float:
    """The probability beyond ``x`` on both sides.

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
    """The x beyond which, on both sides, lies this probability: Newton's steps from the normal's.

    >>> round(t_quantile(0.05, 9), 6), round(t_quantile(0.05, 1.0), 4), round(t_quantile(0.05, 1e9), 6)
    (2.262157, 12.7062, 1.959964)
    """
    x = NormalDist().inv_cdf(1 - tails / 2)
    if df >= _NORMAL:
        return x
    for _ in range(200):
        density = exp(lgamma((df + 1) / 2) - lgamma(df / 2) - (df + 1) / 2 * log1p(x * x / df)) / sqrt(df * pi)
        step = (t_tails(x, df) - tails) / (2 * density)  # tails are convex beyond 0, so no step goes too far
        x += step
        if abs(step) < 1e-12 * x:
            break
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
