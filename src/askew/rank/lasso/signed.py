"""LASSO with coefficients of either sign over a whole pool.

There are far more columns than dimensions, so the question is fitted almost exactly and the problem is nearly a linear
program, on which descent methods stall. Four phases: an interior-point method on all columns in float32, many
questions together; then on the columns close to their constraint in float64; then the vertex it points to, solved
exactly for the active columns; then pivots until no column of the whole pool violates its constraint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack

from askew.rank.lasso.certificate import Outside, Solution, certify
from askew.rank.lasso.interior_point import Interior, start
from askew.rank.pool_vectors import correlations, reaching, rounding

BATCH = 16
CHUNK = 16_384
_RANK = 1e-9
"""Directions with less than this share of the pool's largest variance are dropped."""
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
"""Relative to λ: a correlation that exceeds λ by more violates its constraint."""
_MOST_ROUNDS = 40
_REPEATS = 4
"""Where columns outside violate their constraint, the second phase is repeated with them: pivots take longer."""


@dataclass(frozen=True)
class SignedPool:
    """A pool's columns in coordinates of their span, for the interior-point method."""

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
                more = np.empty(0, np.int64)
                for _ in range(_REPEATS):
                    near, x = self._fine(inside[row], out[row], penalty, y, u, v, more)
                    vertex = Vertex.at(self.vectors, some[row], penalty, near[x != 0], x[x != 0])
                    missed = self._missed(vertex, out[row])
                    if len(missed) == 0:
                        break
                    more = np.union1d(more, missed)
                yield begin + row, self._exact(vertex, out[row])

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

    def _fine(self, target: Any, out: Any, penalty: float, y: Any, u: Any, v: Any, more: Any) -> tuple[Any, Any]:
        """The last steps, in float64 and on the columns near their constraint; returns them and their coefficients.

        ``more`` are columns that earlier steps missed.
        """
        width = self.spanned.shape[1]
        height = np.abs(self.spanned @ y.astype(np.float32))
        height[np.asarray(out, np.int64)] = -1.0
        allowed = len(height) - len(out)
        count = min(allowed, _NEAR * width)
        near = np.union1d(np.argpartition(height, len(height) - count)[len(height) - count :], more)
        count = len(near)
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

    def _missed(self, vertex: Vertex, out: Any) -> Any:
        """The columns whose constraint this vertex violates, the worst of them if there are many."""
        columns, c = reaching(self.vectors, vertex.residual, out, vertex.penalty)
        violating = (np.abs(c) > vertex.penalty * (1 + _TOLERANCE)) & ~np.isin(columns, vertex.columns)
        worst = np.argsort(-np.abs(c[violating]), kind="stable")[: self.vectors.shape[1]]
        return columns[violating][worst]

    def _exact(self, vertex: Vertex, out: Any) -> Solution:
        """The vertex, improved until no column of the pool violates its constraint."""
        penalty, rounds = vertex.penalty, 0
        while True:
            rounds += 1
            columns, c = reaching(self.vectors, vertex.residual, out, penalty)
            others = ~np.isin(columns, vertex.columns)
            violating = others & (np.abs(c) > penalty * (1 + _TOLERANCE))
            if not violating.any() or rounds == _MOST_ROUNDS:
                break
            vertex = vertex.improved(columns[violating])
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


_INDEPENDENT = 1e-10
"""A column whose squared distance from the span of the others is smaller counts as linearly dependent."""
_MOST_PIVOTS = 500


@dataclass(frozen=True)
class Vertex:
    """Coefficients that are best for their columns and signs; every sign is that of its coefficient."""

    vectors: Any
    target: Any
    penalty: float
    columns: Any
    """In the order of the pool."""
    x: Any

    @classmethod
    def at(cls, vectors: Any, target: Any, penalty: float, columns: Any, x: Any) -> Vertex:
        """The vertex reached from these coefficients, dropping columns whose coefficient would change its sign."""
        order = np.argsort(columns)
        vertex = cls(vectors, target, penalty, columns[order], x[order])
        while vertex._factor is None:
            vertex = vertex._without(int(np.argmin(np.abs(vertex.x))))
        return vertex._settled(np.sign(vertex.x))

    @cached_property
    def rows(self) -> Any:
        """The columns' vectors in float64."""
        return self.vectors[self.columns].astype(np.float64)

    @cached_property
    def residual(self) -> Any:
        """What the columns leave of the target."""
        return self.target - self.x @ self.rows

    @cached_property
    def _factor(self) -> Any:
        """The Cholesky factor of the columns' Gram matrix; None when they depend on one another."""
        if len(self.columns) > self.vectors.shape[1]:
            return None
        if len(self.columns) == 0:
            return np.empty((0, 0))
        gram = self.rows @ self.rows.T
        low, info = lapack.dpotrf(gram.T, lower=0, overwrite_a=1)
        return None if info or float(np.diag(low).min()) ** 2 < _INDEPENDENT else low

    def _times_inverse_gram(self, right: Any) -> Any:
        return lapack.dpotrs(self._factor, right, lower=0)[0] if len(right) else right

    def _without(self, place: int) -> Vertex:
        return replace(self, columns=np.delete(self.columns, place), x=np.delete(self.x, place))

    def _settled(self, signs: Any) -> Vertex:
        """Go to the best coefficients for these signs; where one would change its sign on the way, drop its column."""
        vertex = self
        while True:
            best = vertex._solution(signs)
            wrong = best * signs <= 0
            if not wrong.any():
                return replace(vertex, x=best)._keeping(vertex)
            way = np.where(wrong, vertex.x / np.where(wrong, vertex.x - best, 1.0), np.inf)
            edge = int(np.argmin(way))
            moved = replace(vertex, x=vertex.x + max(0.0, float(way[edge])) * (best - vertex.x))
            vertex, signs = moved._without(edge), np.delete(signs, edge)

    def _keeping(self, other: Vertex) -> Vertex:
        """Take over what another vertex with the same columns has worked out."""
        for name in ("rows", "_factor"):
            if name in other.__dict__:
                self.__dict__[name] = other.__dict__[name]
        return self

    def _solution(self, signs: Any) -> Any:
        """The best coefficients on these columns for these signs, refined through the residual."""
        x = self._times_inverse_gram(self.rows @ self.target - self.penalty * signs)
        for _ in range(3):
            x = x + self._times_inverse_gram(self.rows @ (self.target - x @ self.rows) - self.penalty * signs)
        return x

    def improved(self, columns: Any) -> Vertex:
        """Bring in columns whose correlation exceeds λ, the worst first, until none of these does."""
        vertex = self
        for _ in range(_MOST_PIVOTS):
            c = correlations(vertex.vectors, columns, vertex.residual)
            c[np.isin(columns, vertex.columns)] = 0.0
            worst = int(np.argmax(np.abs(c)))
            if abs(c[worst]) <= vertex.penalty * (1 + 1e-9):
                break
            vertex = vertex._with(int(columns[worst]), float(np.sign(c[worst])))
        return vertex

    def _with(self, column: int, sign: float) -> Vertex:
        place = int(np.searchsorted(self.columns, column))
        grown = replace(self, columns=np.insert(self.columns, place, column), x=np.insert(self.x, place, 0.0))
        if grown._factor is not None:
            return grown._settled(np.insert(np.sign(self.x), place, sign))
        share = -sign * self._times_inverse_gram(self.rows @ self.vectors[column].astype(np.float64))
        towards_zero = share * self.x < 0
        way = np.where(towards_zero, -self.x / np.where(towards_zero, share, 1.0), np.inf)
        edge = int(np.argmin(way))
        moved = replace(grown, x=np.insert(self.x + way[edge] * share, place, sign * way[edge]))
        return moved._without(edge if edge < place else edge + 1)._resettled()

    def _resettled(self) -> Vertex:
        return self._settled(np.sign(self.x))
