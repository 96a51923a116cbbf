"""The last, exact part of the signed LASSO: coefficients from a support alone, and pivots to a better support."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack

from askew.rank.products import correlations

_INDEPENDENT = 1e-10
"""A column whose squared distance from the span of the others is less depends on them."""
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
