"""The certificate of a LASSO solution: a proven bound on its distance from the true minimum.

With r = b − Σ xⱼaⱼ, cⱼ = aⱼ·r, m the largest cⱼ (or |cⱼ|) of the whole pool and s = min(1, λ/m), the vector s·r is
feasible for the dual problem, and the duality gap is a sum of non-negative terms,

    G = ½ (1 − s)² ‖r‖² + Σ |xⱼ| (λ − s·sign(xⱼ)·cⱼ),

so that it is accurate down to 1e-17. The error of a coefficient is bounded in one of two ways.

* The support is correct: no column outside it reaches λ and no coefficient reaches zero within the error. Then the true
  coefficients solve a linear system, and ‖x − x*‖ ≤ ‖c − λ·sign(x)‖ / σ², ‖A(x − x*)‖ ≤ ‖c − λ·sign(x)‖ / σ, σ being
  the smallest singular value of the support's columns.
* Otherwise from the gap, as both problems are strongly convex: no column with |s·cⱼ| < λ − √(2G) has a weight in x*,
  and ‖x − x*‖ ≤ √(2G)/σ, σ being the smallest singular value of the columns that remain.

Two neighbours in the ranking are in their true order when they differ by more than twice the error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

UNIT = 1.0 + 1e-6
"""Upper bound on the length of a row: unit length up to float32 rounding."""
_SUM_ERROR = 1e-15
"""Upper bound on the error of a product of two unit vectors in float64."""


@dataclass(frozen=True)
class Certificate:
    """What is proven about one solution."""

    gap: float
    """Upper bound on the objective minus its minimum."""
    objective: float
    support: int
    sigma_min: float
    """Lower bound on the smallest singular value of all columns that can have a weight; 0 when there are none."""
    error: float
    """Upper bound on the error of any coefficient."""
    rounds: int


@dataclass(frozen=True)
class Solution:
    """The non-zero coefficients of one question, in the order of the pool, with their certificate."""

    columns: Any
    x: Any
    residual: Any
    certificate: Certificate


@dataclass(frozen=True)
class Outside:
    """The absolute correlations of the columns outside the support."""

    c: Any
    """In float64, of all that are close to λ."""
    ceiling: float
    """Upper bound for all others."""
    rows: Callable[[Any], Any]
    """The float64 rows of those that a mask over ``c`` picks."""


def certify(
    penalty: float, residual: Any, rows: Any, x: Any, c: Any, outside: Outside, rounds: int, factor: Any = None
) -> Certificate:
    """The certificate of coefficients ``x`` of the columns ``rows`` with correlations ``c``.

    ``factor`` is the Cholesky factor of the columns' Gram matrix, if it is known.
    """
    signs, length = np.sign(x), float(residual @ residual)
    highest = max(float(outside.c.max(initial=-np.inf)), outside.ceiling)
    gap, scale = duality_gap(penalty, length, x, c, max(highest, float((signs * c).max(initial=0.0))))
    objective = 0.5 * length + penalty * float(np.abs(x).sum())
    sigma = smallest_singular_value(rows, factor)
    off = float(np.linalg.norm(c - penalty * signs)) + _SUM_ERROR * float(np.sqrt(len(x)))
    error, shift = (off / sigma**2, off / sigma) if sigma > 0 else (0.0, 0.0)
    support_correct = len(x) == 0 or (sigma > 0 and float(np.abs(x).min()) > error)
    if not support_correct or highest + UNIT * shift + _SUM_ERROR >= penalty:
        radius = float(np.sqrt(2 * gap))
        open_ = outside.c * scale >= penalty - UNIT * radius
        complete = outside.ceiling * scale < penalty - UNIT * radius
        sigma = smallest_singular_value(np.concatenate([rows, outside.rows(open_)])) if complete else 0.0
        error = radius / sigma if sigma > 0 else float("inf")
    return Certificate(gap, objective, len(x), sigma, error, rounds)


def duality_gap(penalty: float, length: float, x: Any, c: Any, most: float) -> tuple[float, float]:
    """The gap, and the scale s that makes the residual feasible.

    ``length`` is ‖r‖², ``c`` belongs to the coefficients ``x``, ``most`` is the largest of the pool.

    >>> duality_gap(0.5, 0.25, np.array([0.5]), np.array([0.5]), 0.5)  # a = b = (1, 0), x = 0.5
    (0.0, 1.0)
    >>> duality_gap(0.5, 1.0, np.array([]), np.array([]), 1.0)  # x = 0: 0.5 - (0.5 - 0.125)
    (0.125, 0.5)
    """
    scale = min(1.0, penalty / most) if most > 0 else 1.0
    slack = np.maximum(0.0, penalty - scale * np.sign(x) * c)
    return 0.5 * (1 - scale) ** 2 * length + float(np.abs(x) @ slack), scale


def gram_factor(rows: Any) -> Any:
    """The upper Cholesky factor of the Gram matrix of these rows; None when they are linearly dependent."""
    if len(rows) > rows.shape[1]:
        return None
    if len(rows) == 0:
        return np.empty((0, 0))
    upper, info = lapack.dpotrf((rows @ rows.T).T, lower=0, overwrite_a=1)
    return None if info else upper


def smallest_singular_value(rows: Any, factor: Any = None) -> float:
    """A lower bound on the smallest singular value of these rows; 0 when they are linearly dependent or there are none.

    The largest eigenvalue of the inverse Gram matrix is at most its Frobenius norm.

    >>> round(smallest_singular_value(np.array([[3.0, 0.0], [0.0, 0.5]])), 3)
    0.5
    """
    factor = gram_factor(rows) if factor is None else factor
    if factor is None or len(rows) == 0:
        return 0.0
    inverse, _ = lapack.dpotri(factor, lower=0)
    square = 2 * float(np.einsum("ij,ij->", inverse, inverse)) - float(np.einsum("ii,ii->", inverse, inverse))
    size = float(np.sqrt(square))
    return float(np.sqrt(1 / size)) if size < 1e12 else 0.0


def certified_positions(
    x: Any, c: Any, error: float, gap: float, penalty: float, ends: bool = False, signed: bool = False
) -> int:
    """How many positions from the top are proven, given coefficients and correlations down to one position more.

    Neighbours are in order when their coefficients differ by more than twice the error or, if both are certainly zero,
    when their correlations do, whose error is at most √(2G). A coefficient is certainly zero when its correlation (its
    absolute value when coefficients are ``signed``) stays below λ. ``ends``: nothing comes after the last position.

    >>> certified_positions([0.5, 0.3, 0.2999, 0.0], [0.1] * 4, 0.001, 0.0, 0.1)
    1
    >>> certified_positions([0.5, 0.0, 0.0, 0.0], [0.1, 0.09, 0.08, 0.08], 0.001, 0.0, 0.1)
    2
    >>> certified_positions([0.5, 0.0, 0.0, 0.0], [0.1, 0.09, -0.2, -0.3], 0.001, 0.0, 0.1)
    3
    """
    x, c, radius = np.asarray(x, float), np.asarray(c, float), float(np.sqrt(2 * gap))
    zero = (x == 0) & ((np.abs(c) if signed else c) < penalty - UNIT * radius)
    apart = (x[:-1] - x[1:] > 2 * error) | (zero[:-1] & zero[1:] & (c[:-1] - c[1:] > 2 * UNIT * radius))
    return int(np.argmin(np.append(apart, [ends, False])))
