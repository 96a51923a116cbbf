"""The first phase of the signed LASSO: an interior-point method for its dual,  max b·y − λ/2‖y‖²  with |aⱼ·y| ≤ 1.

Mehrotra's predictor and corrector (1992), many questions in step. Each question has slacks s₁ = 1 − Ay, s₂ = 1 + Ay
and multipliers u, v > 0, and the coefficients are x = u − v. The normal matrix Σ Dⱼaⱼaⱼᵀ + λI, D = u/s₁ + v/s₂, is
built from the few columns with the largest D, the others at their mean through the covariance of all; right-hand sides
are taken from all columns, so that this costs steps but no accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from askew.errors import RunError
from askew.rank.numba_loops import vectorised

_TO_BOUNDARY = 0.99
"""The fraction of the way to the boundary that a step may go."""
_RIDGE = {"float64": 1e-13, "float32": 3e-7}
"""Keeps a factor from failing, relative to the mean of the diagonal."""
OUT = 1e15
"""The slack of a column that a question may not use."""


@dataclass
class Point:
    """One question inside the polytope. ``u`` and ``v`` are the multipliers of the slacks ``first`` and ``second``."""

    target: Any
    y: Any
    u: Any
    v: Any
    first: Any
    second: Any
    gap: float = np.inf
    """The sum of all products of slack and multiplier before the last step."""
    stuck: bool = False
    """Whether floating-point precision allows no further progress."""

    def nearest(self, count: int) -> Any:
        """The columns with the smallest slacks, without those left out."""
        slack = np.minimum(self.first, self.second)
        count = min(count, int((slack < OUT).sum()))
        return np.sort(np.argpartition(slack, count - 1)[:count]) if count else np.empty(0, np.int64)

    def on(self, columns: Any) -> Point:
        """The same point with these columns alone."""
        u, v, first, second = (part[columns] for part in (self.u, self.v, self.first, self.second))
        return replace(self, u=u, v=v, first=first, second=second)

    def in_float64(self, rows: Any) -> Point:
        """The same point over the same columns ``rows``, with exact slacks."""
        y = self.y * min(1.0, 0.9999 / float(np.abs(rows @ self.y).max(initial=1e-30)))
        t = rows @ y
        return Point(self.target, y, self.u.astype(np.float64), self.v.astype(np.float64), 1 - t, 1 + t)

    @property
    def coefficients(self) -> Any:
        """x of the columns whose constraint is tight, 0 for the others."""
        return np.where((self.u > self.first) | (self.v > self.second), self.u - self.v, 0.0)

    @property
    def weights(self) -> Any:
        """D, large for columns whose constraint is tight."""
        return self.u / self.first + self.v / self.second


def normal_factor(rows: Any, weights: Any, covariance: Any, penalty: float, count: int) -> Any:
    """The Cholesky factor of the normal matrix: ``count`` columns of the largest weights exactly, the rest in the mean.

    ``covariance`` is the sum of aaᵀ over all columns. None when the matrix is not positive definite.
    """
    kind = rows.dtype
    count = min(count, len(weights))
    heavy = np.argpartition(weights, len(weights) - count)[len(weights) - count :]
    kept = weights[heavy].astype(np.float64)
    rest = (float(weights.sum(dtype=np.float64)) - float(kept.sum())) / max(1, len(weights) - count)
    mean = max(0.0, min(rest, float(kept.min(initial=np.inf))))
    scaled = rows[heavy]
    scaled *= np.sqrt(kept - mean).astype(kind)[:, None]
    product, factorise = (blas.dsyrk, lapack.dpotrf) if kind == np.float64 else (blas.ssyrk, lapack.spotrf)
    matrix = product(1.0, scaled.T, beta=mean, c=covariance.copy(order="F"), overwrite_c=1)
    diagonal = np.einsum("ii->i", matrix)
    diagonal += kind.type(penalty + _RIDGE[kind.name] * float(diagonal.mean()))
    low, info = factorise(matrix, lower=0, overwrite_a=1, clean=0)
    return None if info else low


def normal_solve(low: Any, right: Any) -> Any:
    """Solve with the factor, in its own precision."""
    solve = lapack.dpotrs if low.dtype == np.float64 else lapack.spotrs
    return solve(low, right.astype(low.dtype), lower=0)[0].astype(np.float64)


@vectorised
def weigh(u, v, first, second, weights):  # type: ignore[no-untyped-def]
    """D = u/s₁ + v/s₂, and the mean product of slack and multiplier."""
    total = 0.0
    for j in range(len(u)):
        weights[j] = u[j] / first[j] + v[j] / second[j]
        total += np.float64(u[j] * first[j]) + np.float64(v[j] * second[j])
    return total / (2 * len(u))


@vectorised
def predict(u, v, first, second, t, mean, pull):  # type: ignore[no-untyped-def]
    """From t = A·dy of the predictor: the corrector's k₁ − k₂ into ``pull``; returns the mean product to aim for."""
    dual, primal = 1.0, 1.0
    for j in range(len(u)):
        move = np.float64(t[j])
        du = -u[j] + u[j] / first[j] * move
        dv = -v[j] - v[j] / second[j] * move
        if move > 0:
            dual = min(dual, first[j] / move)
        elif move < 0:
            dual = min(dual, -second[j] / move)
        if du < 0:
            primal = min(primal, -u[j] / du)
        if dv < 0:
            primal = min(primal, -v[j] / dv)
    total = 0.0
    for j in range(len(u)):
        move = np.float64(t[j])
        du = -u[j] + u[j] / first[j] * move
        dv = -v[j] - v[j] / second[j] * move
        total += (u[j] + primal * du) * (first[j] - dual * move) + (v[j] + primal * dv) * (second[j] + dual * move)
    share = (total / (2 * len(u)) / mean) ** 3
    for j in range(len(u)):
        move = np.float64(t[j])
        du = -u[j] + u[j] / first[j] * move
        dv = -v[j] - v[j] / second[j] * move
        pull[j] = (share * mean + du * move) / first[j] - (share * mean - dv * move) / second[j]
    return share * mean


@vectorised
def correct(u, v, first, second, t, corrected, aim):  # type: ignore[no-untyped-def]
    """Take the corrector's step: multipliers and slacks move in place; returns the length of the step for y."""
    dual, primal = 1.0 / _TO_BOUNDARY, 1.0 / _TO_BOUNDARY
    count = len(u)
    du, dv = np.empty(count), np.empty(count)
    for j in range(count):
        move, guess = np.float64(corrected[j]), np.float64(t[j])
        rate_u, rate_v = u[j] / first[j], v[j] / second[j]
        du[j] = (aim + (-u[j] + rate_u * guess) * guess) / first[j] - u[j] + rate_u * move
        dv[j] = (aim - (-v[j] - rate_v * guess) * guess) / second[j] - v[j] - rate_v * move
        if move > 0:
            dual = min(dual, first[j] / move)
        elif move < 0:
            dual = min(dual, -second[j] / move)
        if du[j] < 0:
            primal = min(primal, -u[j] / du[j])
        if dv[j] < 0:
            primal = min(primal, -v[j] / dv[j])
    dual, primal = dual * _TO_BOUNDARY, primal * _TO_BOUNDARY
    for j in range(count):
        u[j] += primal * du[j]
        v[j] += primal * dv[j]
        first[j] -= dual * corrected[j]
        second[j] += dual * corrected[j]
    return dual


class Interior:
    """The method over the columns ``rows``, whose covariance is the sum of aaᵀ, in their precision."""

    def __init__(self, rows: Any, covariance: Any, penalty: float, heavy: int) -> None:
        self.rows, self.penalty, self.heavy = rows, penalty, heavy
        self.covariance = np.array(covariance, rows.dtype, order="F")

    def step(self, points: Sequence[Point]) -> None:
        """One predictor and corrector for each point, in place; points whose normal matrix fails are stuck and stay."""
        moving: list[tuple[Point, Any, float]] = []
        kind = self.rows.dtype
        weights = np.empty(len(self.rows), kind)
        for point in points:
            mean = weigh(point.u, point.v, point.first, point.second, weights)
            point.gap = 2 * len(weights) * mean
            low = normal_factor(self.rows, weights, self.covariance, self.penalty, self.heavy)
            point.stuck = low is None
            if low is not None:
                moving.append((point, low, mean))
        if not moving:
            return
        right = [point.target - self.penalty * point.y for point, _, _ in moving]
        direction = np.stack([normal_solve(low, b) for (_, low, _), b in zip(moving, right, strict=True)])
        guess = direction.astype(kind) @ self.rows.T
        pull, aims = np.empty_like(guess), np.empty(len(moving))
        for row, (point, _, mean) in enumerate(moving):
            aims[row] = predict(point.u, point.v, point.first, point.second, guess[row], mean, pull[row])
        back = (pull @ self.rows).astype(np.float64)
        for row, (_, low, _) in enumerate(moving):
            direction[row] = normal_solve(low, right[row] - back[row])
        moved = direction.astype(kind) @ self.rows.T
        for row, (point, _, _) in enumerate(moving):
            share = correct(point.u, point.v, point.first, point.second, guess[row], moved[row], aims[row])
            point.y = point.y + direction[row] * share


def start(rows: Any, inverse: Any, targets: Any) -> list[Point]:
    """Strictly feasible points from the least-norm combination that equals each question.

    x = u − v is that combination, and u·v is the same for all columns.
    """
    y = targets @ inverse
    x = y.astype(np.float32) @ rows.T
    largest = np.abs(x).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise RunError("The pool's vectors cannot be inverted. Check that all of them are finite.")
    inside = 0.7 / np.maximum(largest, 1e-30)
    spread = np.abs(x).mean(axis=1, keepdims=True) + np.float32(1e-20)
    larger = 0.5 * (np.abs(x) + np.sqrt(x * x + spread * spread))
    smaller = 0.25 * spread * (spread / larger)
    u, v = np.where(x > 0, larger, smaller), np.where(x > 0, smaller, larger)
    x *= inside.astype(np.float32)
    return [Point(*parts) for parts in zip(targets, y * inside, u, v, 1 - x, 1 + x, strict=True)]
