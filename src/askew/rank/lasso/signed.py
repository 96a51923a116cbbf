"""LASSO with coefficients of either sign over a whole pool.

There are far more columns than dimensions, so the question is met almost exactly and the problem is nearly a linear
program, where methods that go down the objective stall. The way here: an interior-point method on all columns in
float32, many questions together; then on the columns near the wall in float64; then the vertex it points to, by
solving for the columns on the wall; then pivots until no column of the whole pool objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from askew.rank.lasso.interior import Interior, start
from askew.rank.lasso.solution import Outside, Solution, certify
from askew.rank.lasso.vertex import Vertex
from askew.rank.products import correlations, reaching, rounding

BATCH = 16
CHUNK = 16_384
_RANK = 1e-9
"""Directions in which the pool has less than this share of its largest variance do not exist."""
_HEAVY = 1.6
"""Columns in the normal matrix of the first phase, per dimension."""
_HEAVY_LATE = 1.25
"""And of the second, where few columns still matter."""
_NEAR = 4
"""Columns that the second phase keeps, per dimension."""
_ROUGH_STEPS = 8
_FINE_STEPS = 60
_DONE = 1e-9
_TOLERANCE = 1e-9
"""Relative to λ: a correlation beyond it is an objection."""
_MOST_ROUNDS = 40


@dataclass(frozen=True)
class SignedPool:
    """A pool's columns in the directions they span, ready for the interior-point method."""

    vectors: Any
    spanned: Any
    """The columns in coordinates of their span, float32; the vectors themselves when they span everything."""
    basis: Any
    """From coordinates of the span to vectors; None when they are the same."""
    covariance: Any
    inverse: Any

    @classmethod
    def of(cls, vectors: Any) -> SignedPool:
        """Find the span of the columns and their covariance."""
        covariance = covariance_of(vectors)
        values, directions = np.linalg.eigh(covariance)
        real = values > _RANK * max(values[-1], 1e-30)
        if real.all():
            inverse = (directions / values) @ directions.T
            return cls(vectors, vectors, None, covariance, inverse)
        basis = directions[:, real]
        spanned = np.empty((len(vectors), basis.shape[1]), np.float32)
        for begin in range(0, len(vectors), CHUNK):
            spanned[begin : begin + CHUNK] = vectors[begin : begin + CHUNK].astype(np.float64) @ basis
        return cls(vectors, spanned, basis, np.diag(values[real]), np.diag(1 / values[real]))

    def solve(
        self, targets: Any, excluded: Sequence[Any], penalty: float, batch: int = BATCH
    ) -> Iterator[tuple[int, Solution]]:
        """Solve for each row of ``targets`` without the columns ``excluded`` for it; gives its number and solution."""
        for begin in range(0, len(targets), batch):
            some = targets[begin : begin + batch].astype(np.float64)
            inside = some if self.basis is None else some @ self.basis
            out = excluded[begin : begin + batch]
            for row, (y, u, v) in enumerate(self._rough(inside, out, penalty)):
                near, x = self._fine(inside[row], out[row], penalty, y, u, v)
                yield begin + row, self._exact(some[row], out[row], penalty, near, x)

    def _rough(self, targets: Any, excluded: Sequence[Any], penalty: float) -> Iterator[tuple[Any, Any, Any]]:
        """The first steps, on all columns in float32, all questions in step."""
        method = Interior(self.spanned, self.covariance, penalty, int(_HEAVY * self.spanned.shape[1]))
        y, u, v, first, second = start(self.spanned, self.inverse, targets)
        for row, out in enumerate(excluded):
            method.leave_out(out, u[row], v[row], first[row], second[row])
        with suppress(ArithmeticError):  # float32 has given what it can
            for _ in range(_ROUGH_STEPS):
                method.step(targets, y, u, v, first, second)
        yield from zip(y, u, v, strict=True)

    def _fine(self, target: Any, out: Any, penalty: float, y: Any, u: Any, v: Any) -> tuple[Any, Any]:
        """The last steps, on the columns nearest to the wall, in float64; gives these and their coefficients."""
        width = self.spanned.shape[1]
        height = np.abs(self.spanned @ y.astype(np.float32))
        height[np.asarray(out, np.int64)] = -1.0
        allowed = len(height) - len(out)
        count = min(allowed, _NEAR * width)
        near = np.sort(np.argpartition(height, len(height) - count)[len(height) - count :])
        rows = self.spanned[near].astype(np.float64)
        y = y * min(1.0, 0.9999 / float(np.abs(rows @ y).max(initial=1e-30)))
        t = rows @ y
        state = [np.array([part]) for part in (y, u[near].astype(np.float64), v[near].astype(np.float64), 1 - t, 1 + t)]
        method = Interior(rows, self.covariance * (count / len(height)), penalty, int(_HEAVY_LATE * width))
        with suppress(ArithmeticError):
            for _ in range(_FINE_STEPS):
                means = method.step(target[None], *state)
                if means[0] * 2 * count < _DONE:
                    break
        _, u, v, first, second = (part[0] for part in state)
        on_wall = (u > first) | (v > second)
        return near, np.where(on_wall, u - v, 0.0)

    def _exact(self, target: Any, out: Any, penalty: float, near: Any, x: Any) -> Solution:
        """The vertex that these coefficients point to, improved until no column of the whole pool objects."""
        vertex = Vertex.at(self.vectors, target, penalty, near[x != 0], x[x != 0])
        rounds = 0
        while True:
            rounds += 1
            columns, c = reaching(self.vectors, vertex.residual, out, penalty)
            others = ~np.isin(columns, vertex.columns)
            objecting = others & (np.abs(c) > penalty * (1 + _TOLERANCE))
            if not objecting.any() or rounds == _MOST_ROUNDS:
                break
            vertex = vertex.improved(columns[objecting])
        columns, c = columns[others], np.abs(c[others])
        outside = Outside(
            c,
            penalty - 0.99 * rounding(vertex.residual),
            lambda picked: self.vectors[columns[picked]].astype(np.float64),
        )
        own = correlations(self.vectors, vertex.columns, vertex.residual)
        proof = certify(penalty, vertex.residual, vertex.rows, vertex.x, own, outside, rounds)
        return Solution(vertex.columns, vertex.x, vertex.residual, proof)


def covariance_of(vectors: Any) -> Any:
    """The sum of aaᵀ over all columns, in float64."""
    total = np.zeros((vectors.shape[1], vectors.shape[1]))
    for begin in range(0, len(vectors), CHUNK):
        part = vectors[begin : begin + CHUNK].astype(np.float64)
        total += part.T @ part
    return total
