"""One step of an interior-point method for  max b·y − λ/2‖y‖²  with |aⱼ·y| ≤ 1, the dual of the signed LASSO.

Mehrotra's predictor and corrector (1992). Each question has slacks s₁ = 1 − Ay, s₂ = 1 + Ay and multipliers u, v > 0,
and the coefficients are x = u − v. The normal matrix Σ Dⱼaⱼaⱼᵀ + λI, D = u/s₁ + v/s₂, is built from the few columns
with the largest D, the others at their mean through the covariance of all; right-hand sides are taken from all columns,
so that this costs steps but no accuracy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from askew.errors import RunError
from askew.rank.compiled import vectorised

_SHORT_OF_THE_WALL = 0.99
_RIDGE = {"float64": 1e-13, "float32": 3e-7}
"""Keeps a factor from failing, relative to the mean of the diagonal."""


def normal_factor(rows: Any, weights: Any, covariance: Any, penalty: float, count: int) -> Any:
    """The Cholesky factor of the normal matrix: ``count`` columns of the largest weights exactly, the rest in the mean.

    ``covariance`` is the sum of aaᵀ over all columns.
    """
    kind = rows.dtype
    count = min(count, len(weights))
    heavy = np.argpartition(weights, len(weights) - count)[len(weights) - count :]
    kept = weights[heavy].astype(np.float64)
    rest = (float(weights.sum(dtype=np.float64)) - float(kept.sum())) / max(1, len(weights) - count)
    mean = max(0.0, min(rest, float(kept.min())))
    scaled = rows[heavy]
    scaled *= np.sqrt(kept - mean).astype(kind)[:, None]
    matrix = covariance.copy(order="F")
    product, factorise = (blas.dsyrk, lapack.dpotrf) if kind == np.float64 else (blas.ssyrk, lapack.spotrf)
    matrix = product(1.0, scaled.T, beta=mean, c=matrix, overwrite_c=1)
    diagonal = np.einsum("ii->i", matrix)
    diagonal += kind.type(penalty + _RIDGE[kind.name] * float(diagonal.mean()))
    low, info = factorise(matrix, lower=0, overwrite_a=1, clean=0)
    if info:
        raise ArithmeticError("the normal matrix is not positive definite")
    return low


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
    """From t = A·dy of the predictor: the corrector's k₁ − k₂ into ``pull``; gives the mean product it aims at."""
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
    """Take the corrector's step: multipliers and slacks move in place; gives how much of its way y is to go."""
    dual, primal = 1.0 / _SHORT_OF_THE_WALL, 1.0 / _SHORT_OF_THE_WALL
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
    dual, primal = dual * _SHORT_OF_THE_WALL, primal * _SHORT_OF_THE_WALL
    for j in range(count):
        u[j] += primal * du[j]
        v[j] += primal * dv[j]
        first[j] -= dual * corrected[j]
        second[j] += dual * corrected[j]
    return dual


class Interior:
    """Many questions at once inside the polytope, in the precision of ``rows``."""

    def __init__(self, rows: Any, covariance: Any, penalty: float, heavy: int) -> None:
        self.rows, self.penalty, self.heavy = rows, penalty, heavy
        self.covariance = np.array(covariance, rows.dtype, order="F")

    @staticmethod
    def leave_out(columns: Any, u: Any, v: Any, first: Any, second: Any) -> None:
        """Exclude these columns for one question: zero multipliers and huge slacks."""
        out = np.asarray(columns, np.int64)
        u[out] = v[out] = 1e-30
        first[out] = second[out] = 1e15

    def step(self, targets: Any, y: Any, u: Any, v: Any, first: Any, second: Any) -> Any:
        """One predictor and corrector for each question; moves everything in place, gives the mean products before."""
        count, kind = len(targets), self.rows.dtype
        means, lows, aims = np.empty(count), [], np.empty(count)
        weights = np.empty(self.rows.shape[0], kind)
        direction, pull = np.empty_like(y), np.empty((count, len(weights)), kind)
        for row in range(count):
            means[row] = weigh(u[row], v[row], first[row], second[row], weights)
            lows.append(normal_factor(self.rows, weights, self.covariance, self.penalty, self.heavy))
            direction[row] = normal_solve(lows[row], targets[row] - self.penalty * y[row])
        guess = direction.astype(kind) @ self.rows.T
        for row in range(count):
            aims[row] = predict(u[row], v[row], first[row], second[row], guess[row], means[row], pull[row])
        back = (pull @ self.rows).astype(np.float64)
        for row in range(count):
            direction[row] = normal_solve(lows[row], targets[row] - self.penalty * y[row] - back[row])
        moved = direction.astype(kind) @ self.rows.T
        for row in range(count):
            y[row] += direction[row] * correct(
                u[row], v[row], first[row], second[row], guess[row], moved[row], aims[row]
            )
        return means


def start(rows: Any, inverse: Any, targets: Any) -> tuple[Any, Any, Any, Any, Any]:
    """A strictly feasible start from the least-norm combination that equals each question: y, u, v, s₁ and s₂."""
    kind = rows.dtype
    y = targets @ inverse
    x = y.astype(kind) @ rows.T
    largest = np.abs(x).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise RunError("The pool's vectors cannot be inverted. Check that all of them are finite.")
    inside = 0.7 / np.maximum(largest, 1e-30)
    spread = 0.5 * np.abs(x).mean(axis=1, keepdims=True) + kind.type(1e-20)
    u, v = np.maximum(x, 0) + spread, np.maximum(-x, 0) + spread
    x *= inside
    return y * inside, u.astype(kind), v.astype(kind), (1 - x).astype(kind), (1 + x).astype(kind)
