"""LASSO with coefficients of either sign over a whole pool.

There are far more columns than dimensions, so the question is fitted almost exactly and the problem is nearly a linear
program, on which descent methods stall. Three phases: an interior-point method on all columns in float32, many
questions together; then on the columns close to their constraint, at last in float64; then the coefficients on the
support that it points to, and pivots until no column of the whole pool violates its constraint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack

from askew.rank.lasso.certificate import Outside, Solution, certify, gram_factor
from askew.rank.lasso.interior_point import OUT, Interior, Point, start
from askew.rank.pool_vectors import correlations, reaching, rounding

BATCH = 32
CHUNK = 16_384
_RANK = 1e-9
"""Directions with less than this share of the pool's largest variance are dropped."""
_HEAVY = 1.6
"""Columns in the normal matrix while all columns matter, per dimension."""
_HEAVY_LATE = 1.5
"""The same when only columns near their constraint matter."""
_NEAR = 4
"""How many columns count as near their constraint, per dimension."""
_MOST_STEPS = 15
"""All columns are used until the gap is below the objective b·y, at most for so many steps."""
_DONE = 1e-9
"""In float64 the interior-point method goes on until its gap is below this."""
_MOST_FINE_STEPS = 60
_TOLERANCE = 1e-9
"""Relative to λ: a correlation that exceeds λ by more violates its constraint."""
_MOST_ROUNDS = 40


@dataclass
class _Crossover:
    """The state of a question: a vertex of the columns ``near``, and the interior point before it."""

    vertex: Vertex
    near: Any
    point: Point
    rounds: int = 1


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

    def solve(self, targets: Any, excluded: Sequence[Any], penalty: float) -> Iterator[tuple[int, Solution]]:
        """Solve for each row of ``targets`` without the columns ``excluded`` for it; yields its number and solution."""
        for begin in range(0, len(targets), BATCH):
            chunk = targets[begin : begin + BATCH].astype(np.float64)
            out = [np.asarray(columns, np.int64) for columns in excluded[begin : begin + BATCH]]
            inside = chunk if self.basis is None else chunk @ self.basis
            points = self._inside(inside, out, penalty)
            open_: dict[int, _Crossover] = {}
            for row, point in enumerate(points):
                near = point.nearest(_NEAR * self.spanned.shape[1])
                open_[row] = _Crossover(self._rounded(point.on(near), near, chunk[row], penalty), near, point)
            while open_:
                rows = list(open_)
                residuals = np.stack([open_[row].vertex.residual for row in rows])
                scores = residuals.astype(np.float32) @ self.vectors.T
                for place, row in enumerate(rows):
                    columns, c = reaching(self.vectors, residuals[place], scores[place], out[row], penalty)
                    if self._improve(open_[row], columns, c):
                        yield begin + row, self._certified(open_.pop(row), columns, c)

    def _inside(self, targets: Any, excluded: Sequence[Any], penalty: float) -> list[Point]:
        """Points inside the polytope near the best vertex: the first phase, on all columns."""
        method = self._interior(self.spanned, penalty, _HEAVY)
        points = start(self.spanned, self.inverse, targets)
        for point, out in zip(points, excluded, strict=True):
            point.u[out] = point.v[out] = 1e-30
            point.first[out] = point.second[out] = OUT
        for _ in range(_MOST_STEPS):
            going = [point for point in points if not point.stuck and point.gap >= float(point.target @ point.y)]
            if not going:
                break
            method.step(going)
        return points

    def _interior(self, rows: Any, penalty: float, heavy: float) -> Interior:
        """The interior-point method on some columns; their covariance is taken to be that of all."""
        covariance = self.covariance * (len(rows) / len(self.spanned))
        return Interior(rows, covariance, penalty, int(heavy * rows.shape[1]))

    def _rounded(self, point: Point, near: Any, target: Any, penalty: float) -> Vertex:
        """The vertex that the interior-point method points to when it has converged in float64."""
        rows = self.spanned[near].astype(np.float64)
        point = point.in_float64(rows)
        method = self._interior(rows, penalty, _HEAVY_LATE)
        for _ in range(_MOST_FINE_STEPS):
            if point.stuck or point.gap < _DONE:
                break
            method.step([point])
        x = point.coefficients
        return Vertex.at(self.vectors, target, penalty, near[x != 0], x[x != 0])

    def _improve(self, crossover: _Crossover, columns: Any, c: Any) -> bool:
        """Move to a better vertex, if any of these columns, with correlations ``c``, violates its constraint.

        True when none does. New columns go through the interior-point method: pivots take longer.
        """
        vertex = crossover.vertex
        violating = (np.abs(c) > vertex.penalty * (1 + _TOLERANCE)) & ~np.isin(columns, vertex.columns)
        if not violating.any() or crossover.rounds == _MOST_ROUNDS:
            return True
        crossover.rounds += 1
        worst = np.argsort(-np.abs(c[violating]), kind="stable")[: self.vectors.shape[1]]
        new = np.setdiff1d(columns[violating][worst], crossover.near)
        if len(new) == 0:
            crossover.vertex = vertex.improved(columns[violating])
            return False
        near = crossover.near = np.concatenate([crossover.near, new])
        crossover.vertex = self._rounded(crossover.point.on(near), near, vertex.target, vertex.penalty)
        return False

    def _certified(self, crossover: _Crossover, columns: Any, c: Any) -> Solution:
        vertex = crossover.vertex
        others = ~np.isin(columns, vertex.columns)
        columns, c = columns[others], np.abs(c[others])
        outside = Outside(
            c,
            vertex.penalty - 0.99 * rounding(vertex.residual),
            lambda picked: self.vectors[columns[picked]].astype(np.float64),
        )
        own = correlations(self.vectors, vertex.columns, vertex.residual)
        proof = certify(
            vertex.penalty, vertex.residual, vertex.rows, vertex.x, own, outside, crossover.rounds, vertex.factor
        )
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
    """The best coefficients for these columns and their signs."""

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
        while vertex.factor is None:
            vertex = vertex._without(int(np.argmin(np.abs(vertex.x))))
        return vertex._settled(np.sign(vertex.x))

    @cached_property
    def rows(self) -> Any:
        """The columns' vectors in float64."""
        return self.vectors[self.columns].astype(np.float64)

    @cached_property
    def residual(self) -> Any:
        """The residual: the target minus the combination of the columns."""
        return self.target - self.x @ self.rows

    @cached_property
    def factor(self) -> Any:
        """The Cholesky factor of the columns' Gram matrix; None when they depend on one another."""
        factor = gram_factor(self.rows)
        dependent = factor is None or float(np.diag(factor).min(initial=1.0)) ** 2 < _INDEPENDENT
        return None if dependent else factor

    def _times_inverse_gram(self, right: Any) -> Any:
        return lapack.dpotrs(self.factor, right, lower=0)[0] if len(right) else right

    def _without(self, place: int) -> Vertex:
        return replace(self, columns=np.delete(self.columns, place), x=np.delete(self.x, place))

    def _settled(self, signs: Any) -> Vertex:
        """Go to the best coefficients for these signs; if one would change its sign on the way, drop its column."""
        vertex = self
        while True:
            best = vertex._solution(signs)
            wrong = best * signs <= 0
            if not wrong.any():
                settled = replace(vertex, x=best)
                known: dict[str, Any] = {
                    name: vertex.__dict__[name] for name in ("rows", "factor") if name in vertex.__dict__
                }
                settled.__dict__.update(known)  # the columns are the same
                return settled
            way = np.where(wrong, vertex.x / np.where(wrong, vertex.x - best, 1.0), np.inf)
            edge = int(np.argmin(way))
            moved = replace(vertex, x=vertex.x + max(0.0, float(way[edge])) * (best - vertex.x))
            vertex, signs = moved._without(edge), np.delete(signs, edge)

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
        if grown.factor is not None:
            return grown._settled(np.insert(np.sign(self.x), place, sign))
        share = -sign * self._times_inverse_gram(self.rows @ self.vectors[column].astype(np.float64))
        towards_zero = share * self.x < 0
        way = np.where(towards_zero, -self.x / np.where(towards_zero, share, 1.0), np.inf)
        edge = int(np.argmin(way))
        moved = replace(grown, x=np.insert(self.x + way[edge] * share, place, sign * way[edge]))
        left = moved._without(edge if edge < place else edge + 1)
        return left._settled(np.sign(left.x))
