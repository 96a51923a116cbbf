"""The second phase of the signed LASSO: the simplex method on the columns whose constraint is nearly tight.

As λ is tiny, the problem is nearly  min ‖x‖₁ with Ax = b − λy,  a linear program in as many rows as vectors have
dimensions (Chen, Donoho & Saunders 1998). Any basis of columns is a feasible vertex, with y the solution of
aⱼ·y = sign(xⱼ) on the basis; a column with |aⱼ·y| > 1 enters. Along its edge ‖x‖₁ is a convex function with a kink
where a coefficient changes its sign, and the step goes to its minimum, past any number of kinks (Barrodale & Roberts
1973). The inverse of the basis is updated, so a pivot costs a few products of a matrix and a vector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from askew.rank.pool_vectors import correlations

_ROUGHLY = 1e-4
"""Violations above this are searched for in float32."""
_TOLERANCE = 1e-8
_SMALLEST_PIVOT = 1e-9
_REFRESH = 250
"""Pivots after which the inverse is computed anew."""
_MOST_PIVOTS = 3
"""The most pivots per dimension; if more are needed, the start was too far from the optimum."""
_ROUNDS = 4
"""The most updates of b − λy."""


def heavy_basis(rows: Any, weights: Any) -> Any:
    """As many rows as there are dimensions, independent, with large weights: Gaussian elimination with row pivots."""
    width = rows.shape[1]
    count = min(len(rows), width + width // 2)
    heavy = np.argsort(-weights, kind="stable")[:count]
    scaled = rows[heavy] * np.sqrt(weights[heavy])[:, None]
    _, swaps, _ = lapack.sgetrf(np.asfortranarray(scaled, np.float32), overwrite_a=1)
    for place, other in enumerate(swaps):
        heavy[place], heavy[other] = heavy[other], heavy[place]
    return heavy[:width]


def inverse_of(rows: Any) -> Any:
    """The inverse of a square matrix; None when it is singular or nearly so."""
    if len(rows) < rows.shape[1]:
        return None
    factors, swaps, info = lapack.dgetrf(np.asfortranarray(rows, np.float64), overwrite_a=1)
    if info:
        return None
    inverse, info = lapack.dgetri(factors, swaps, lwork=64 * len(rows), overwrite_lu=1)
    return inverse if info == 0 and np.abs(inverse).max() < 1 / _SMALLEST_PIVOT else None


@dataclass
class Basis:
    """A vertex: ``chosen`` rows of the float32 matrix ``rows``, one for each dimension, with coefficients ``x``."""

    rows: Any
    target: Any
    penalty: float
    y: Any
    """At first an estimate, then the y of the vertex."""
    chosen: Any
    inverse: Any
    x: Any = None

    @classmethod
    def heavy(cls, rows: Any, weights: Any, target: Any, penalty: float, y: Any) -> Basis | None:
        """The basis of rows with large weights; None when the rows do not span all dimensions."""
        chosen = heavy_basis(rows, weights)
        inverse = inverse_of(rows[chosen])
        return None if inverse is None else cls(rows, target, penalty, y, chosen, inverse)

    def add(self, rows: Any) -> None:
        """Let these rows enter too."""
        self.rows = np.concatenate([self.rows, rows])

    def optimise(self) -> bool:
        """Pivot until no row violates its constraint and b − λy is that of the vertex; False if that takes too long."""
        for _ in range(_ROUNDS):
            before, self.x = self.x, (self.target - self.penalty * self.y) @ self.inverse
            self.y = self.inverse @ np.sign(self.x)
            pivots = self._pivot()
            if pivots == _MOST_PIVOTS * len(self.x):
                return False
            if pivots == 0 and before is not None and np.array_equal(np.sign(before), np.sign(self.x)):
                break
        return True

    def _pivot(self) -> int:
        """Pivot until no row violates its constraint; returns how often."""
        most = _MOST_PIVOTS * len(self.x)
        for count in range(most):
            place, height = self._most_violated()
            if place < 0 or not self._enter(place, height):
                return count
            if count % _REFRESH == _REFRESH - 1:
                fresh = inverse_of(self.rows[self.chosen])
                self.inverse = self.inverse if fresh is None else fresh
            self.y = self.inverse @ np.sign(self.x)
        return most

    def _most_violated(self) -> tuple[int, float]:
        """The row with the largest |a·y| above 1, and a·y; -1 when there is none."""
        heights = self.rows @ self.y.astype(np.float32)
        heights[self.chosen] = 0
        place = int(np.argmax(np.abs(heights)))
        if abs(heights[place]) <= 1 + _ROUGHLY:
            heights = correlations(self.rows, np.arange(len(self.rows)), self.y)
            heights[self.chosen] = 0
            place = int(np.argmax(np.abs(heights)))
        return (place if abs(heights[place]) > 1 + _TOLERANCE else -1), float(heights[place])

    def _enter(self, place: int, height: float) -> bool:
        """Exchange a row of the basis for this one; False when none can leave."""
        sign = np.sign(height)
        share = self.rows[place].astype(np.float64) @ self.inverse  # the row as a combination of the basis
        large = np.abs(share) > _SMALLEST_PIVOT
        way = np.where(large, self.x / np.where(large, sign * share, 1.0), -1.0)
        kinks = np.flatnonzero(way >= 0)
        kinks = kinks[np.argsort(way[kinks], kind="stable")]
        slope = 1 - abs(height) + np.cumsum(2 * np.abs(share[kinks]))
        if len(kinks) == 0 or slope[-1] < 0:
            return False
        leaving = int(kinks[np.searchsorted(slope, 0)])
        self.x -= way[leaving] * sign * share
        self.x[leaving] = way[leaving] * sign
        own = self.inverse[:, leaving].copy()
        pivot = share[leaving]
        share[leaving] -= 1
        self.inverse = blas.dger(-1 / pivot, own, share, a=self.inverse, overwrite_a=1)
        self.chosen[leaving] = place
        return True
