"""LASSO with x ≥ 0 over a whole pool: Lawson and Hanson's active-set method on a small working set, and column
generation.

The pool is searched for columns that violate the optimality conditions (aⱼ·r ≤ λ), the worst are added to the working
set, and so on until there are none: the last search is the proof. Float32 is only used to search; every sum that a
decision depends on is taken in float64.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askew.rank.lasso.certificate import Outside, Solution, certify
from askew.rank.numba_loops import vectorised
from askew.rank.pool_vectors import ROUNDING, correlations, exact_dot, rounding

BATCH = 64
"""Questions whose residuals are compared with the pool in one matrix product."""
MORE = 256
"""The most columns that are added to a working set in a round; at first, those nearest to the question."""
_TOLERANCE = 2e-13
"""A correlation above λ by no more than this costs a gap below 1e-12, even if hardly any residual is left."""
_SLACK = 1e-13
"""How far above λ a correlation may stay in a finished working set."""
_SMALLEST_PIVOT = 1e-11
"""A column whose squared distance from the span of the others is smaller counts as linearly dependent."""
_MOST_ROUNDS = 60
_MOST_STEPS = 5000


@dataclass
class _Task:
    """The state of one question while it is solved."""

    number: int
    target: Any
    excluded: Any
    residual: Any
    """What is left of the target."""
    working: Any = field(default_factory=lambda: np.empty(0, np.int64))
    support: Any = field(default_factory=lambda: np.empty(0, np.int64))
    """Places in the working set."""
    x: Any = field(default_factory=lambda: np.empty(0))
    near: Any = field(default_factory=lambda: np.empty(0, np.int64))
    """Columns outside the working set that may violate: those that the last search did not rule out in float32."""
    rounds: int = 0


def solve(
    vectors: Any, targets: Any, excluded: Sequence[Any], penalty: float, batch: int = BATCH
) -> Iterator[tuple[int, Solution]]:
    """Solve for each row of ``targets``; yields its number and solution, in the order in which they are finished.

    ``vectors`` are the distinct rows of the pool (float32, unit length); ``excluded[i]`` are rows that question ``i``
    may not use.
    """
    waiting = deque(
        _Task(number, target.astype(np.float64), np.asarray(out, np.int64), target.astype(np.float64))
        for number, (target, out) in enumerate(zip(targets, excluded, strict=True))
    )
    running: list[_Task] = []
    while waiting or running:
        running += [waiting.popleft() for _ in range(min(len(waiting), batch - len(running)))]
        scores = np.stack([task.residual for task in running]).astype(np.float32) @ vectors.T
        still = []
        for task, row in zip(running, scores, strict=True):
            violating = _violating(vectors, task, row, penalty)
            if len(violating) == 0 or task.rounds == _MOST_ROUNDS:
                yield task.number, _finish(vectors, task, penalty)
                continue
            task.rounds += 1
            task.working = np.concatenate([task.working, violating])
            task.support, task.x, task.residual = solve_working_set(
                vectors, task.target, penalty, task.working, task.support, task.x
            )
            still.append(task)
        running = still


def _violating(vectors: Any, task: _Task, scores: Any, penalty: float) -> Any:
    """The columns to add: those whose correlation exceeds λ most, of the whole pool. ``scores`` are in float32."""
    scores[task.working] = scores[task.excluded] = -np.inf
    error = 2 * rounding(task.residual)
    task.near = above = np.flatnonzero(scores > penalty + error)
    if len(above) == 0:  # float32 cannot tell: decide in float64
        task.near = np.flatnonzero(scores > penalty - error)
        c = correlations(vectors, task.near, task.residual)
        above = task.near[c > penalty + _TOLERANCE]
    return above[np.argpartition(-scores[above], MORE)[:MORE]] if len(above) > MORE else above


def _finish(vectors: Any, task: _Task, penalty: float) -> Solution:
    """The coefficients from the support alone, in the order of the pool, and their certificate."""
    columns = np.sort(task.working[task.support])
    x, residual = on_support(vectors, task.target, penalty, columns)
    while len(x) and x.min() <= 0:
        columns = columns[x > 0]
        x, residual = on_support(vectors, task.target, penalty, columns)
    rows = vectors[columns].astype(np.float64)
    others = np.setdiff1d(np.concatenate([task.working, task.near]), columns)
    outside = Outside(
        correlations(vectors, others, residual),
        penalty - 0.99 * rounding(residual) if len(others) + len(columns) < len(vectors) else -np.inf,
        lambda picked: vectors[others[picked]].astype(np.float64),
    )
    c = correlations(vectors, columns, residual)
    return Solution(columns, x, residual, certify(penalty, residual, rows, x, c, outside, task.rounds))


@vectorised
def dot(left, right, count):  # type: ignore[no-untyped-def]
    """Sum of products of the first ``count`` entries of float64 vectors."""
    total = 0.0
    for place in range(count):
        total += left[place] * right[place]
    return total


@vectorised
def short_dot(left, right):  # type: ignore[no-untyped-def]
    """Sum of products of float32 vectors, in float32."""
    total = np.float32(0.0)
    for place in range(len(right)):
        total += left[place] * right[place]
    return total


@vectorised
def factor(gram, active, first, count, low, inverse):  # type: ignore[no-untyped-def]
    """Cholesky rows ``first`` to ``count`` of the active Gram matrix; returns the row whose pivot vanishes, or -1."""
    for i in range(first, count):
        for j in range(i + 1):
            rest = gram[active[i], active[j]] - dot(low[i], low[j], j)
            if j < i:
                low[i, j] = rest * inverse[j]
            elif rest < _SMALLEST_PIVOT:
                return i
            else:
                low[i, i] = np.sqrt(rest)
                inverse[i] = 1.0 / low[i, i]
    return -1


@vectorised
def solved(low, inverse, right, count, out):  # type: ignore[no-untyped-def]
    """The solution of  L Lᵀ out = right."""
    for i in range(count):
        out[i] = (right[i] - dot(low[i], out, i)) * inverse[i]
    for i in range(count - 1, -1, -1):
        out[i] *= inverse[i]
        step = out[i]
        for j in range(i):
            out[j] -= step * low[i, j]


@vectorised
def residual_of(target, rows, active, x, count, residual):  # type: ignore[no-untyped-def]
    """The target minus the active rows, each times its coefficient."""
    residual[:] = target
    for i in range(count):
        row, weight = rows[active[i]], x[i]
        for place in range(len(residual)):
            residual[place] -= weight * row[place]


@vectorised
def enter(vectors, target, working, place, rows, gram, products, entered, known):  # type: ignore[no-untyped-def]
    """Prepare a column: its row in float64, its products with the ``known`` ones that entered before and the target."""
    width = vectors.shape[1]
    for other in entered[:known]:
        if other == place:
            return known
    for i in range(width):
        rows[place, i] = vectors[working[place], i]
    entered[known] = place
    for other in entered[: known + 1]:
        gram[place, other] = dot(rows[place], rows[other], width)
        gram[other, place] = gram[place, other]
    products[place] = dot(rows[place], target, width)
    return known + 1


@vectorised
def violations(vectors, working, residual, penalty, scores):  # type: ignore[no-untyped-def]
    """How far each column's correlation exceeds λ: float32 where it clearly does not, else float64."""
    width = vectors.shape[1]
    short = residual.astype(np.float32)
    bound = (width + 2) * ROUNDING * np.sqrt(dot(residual, residual, width)) * 1.001
    for place in range(len(working)):
        scores[place] = np.float64(short_dot(vectors[working[place]], short)) - penalty
        if scores[place] > -bound:
            scores[place] = exact_dot(vectors[working[place]], residual) - penalty


@vectorised
def refine(target, rows, active, penalty, low, inverse, count, x, residual):  # type: ignore[no-untyped-def]
    """Two steps of iterative refinement through the residual, which undo the squared condition of the Gram matrix."""
    right, step = np.empty(count), np.empty(count)
    for _ in range(2):
        residual_of(target, rows, active, x, count, residual)
        for i in range(count):
            right[i] = dot(rows[active[i]], residual, len(residual)) - penalty
        solved(low, inverse, right, count, step)
        for i in range(count):
            x[i] += step[i]
    residual_of(target, rows, active, x, count, residual)


@vectorised
def without(active, x, keep, count):  # type: ignore[no-untyped-def]
    """Remove dropped columns; returns how many stay and the first place that changed."""
    stay, first = 0, count
    for i in range(count):
        if keep[i]:
            active[stay], x[stay] = active[i], x[i]
            stay += 1
        elif first == count:
            first = i
    return stay, first


@vectorised
def step_to_edge(gram, products, penalty, active, count, low, inverse, first, x):  # type: ignore[no-untyped-def]
    """Lawson and Hanson's inner loop: go towards the solution until a coefficient vanishes, drop it, go on.

    If the last column depends linearly on the others, it takes over their weight until one of them vanishes.
    """
    right, aim, keep = np.empty(count), np.empty(count), np.empty(count, np.bool_)
    while True:
        singular = factor(gram, active, first, count, low, inverse)
        keep[:count] = True
        share, edge = 1.0, -1
        if singular >= 0 and singular < count - 1:
            keep[singular] = False
        elif singular >= 0:
            for i in range(singular):
                right[i] = gram[active[i], active[singular]]
            solved(low, inverse, right, singular, aim)
            share, edge = np.inf, singular
            for i in range(singular):
                if aim[i] > 0.0 and x[i] / aim[i] < share:
                    share, edge = x[i] / aim[i], i
            if edge < singular:
                for i in range(singular):
                    x[i] -= share * aim[i]
                x[singular] += share
            keep[edge] = False
        else:
            for i in range(count):
                right[i] = products[active[i]] - penalty
            solved(low, inverse, right, count, aim)
            for i in range(count):
                if aim[i] <= 0.0 and x[i] / (x[i] - aim[i] + 1e-300) < share:
                    share, edge = x[i] / (x[i] - aim[i] + 1e-300), i
            for i in range(count):
                x[i] += share * (aim[i] - x[i])
                keep[i] = x[i] > 0.0
            if edge >= 0:
                keep[edge] = False
        stay, first = without(active, x, keep, count)
        if stay == count:
            return count
        count = stay


@vectorised
def decrease(products, penalty, active, x, count):  # type: ignore[no-untyped-def]
    """Twice the decrease of the objective, at a solution on the active columns."""
    total = 0.0
    for i in range(count):
        total += x[i] * (products[active[i]] - penalty)
    return total


@vectorised
def solve_working_set(vectors, target, penalty, working, support, values):  # type: ignore[no-untyped-def]
    """The solution on the columns ``working``, started from those at the places ``support`` with positive ``values``.

    The active columns solve  G x = h − λ  with G their Gram matrix and h their products with b; a column that the
    residual still correlates with by more than λ is added, one whose coefficient is not positive is dropped (Lawson &
    Hanson 1974, chapter 23). Returns the places of the support, their values, and the residual.
    """
    size, width = len(working), vectors.shape[1]
    rows, gram, low = np.empty((size, width)), np.empty((size, size)), np.empty((size, size))
    inverse, products = np.empty(size), np.empty(size)
    entered, closed = np.empty(size, np.int64), np.zeros(size, np.bool_)
    active, x, scores, residual = np.empty(size, np.int64), np.zeros(size), np.empty(size), np.empty(width)
    known, count = 0, len(support)
    for i in range(count):
        known = enter(vectors, target, working, support[i], rows, gram, products, entered, known)
        active[i], x[i] = support[i], values[i]
    count = step_to_edge(gram, products, penalty, active, count, low, inverse, 0, x)
    best = decrease(products, penalty, active, x, count)
    for _ in range(_MOST_STEPS):
        residual_of(target, rows, active, x, count, residual)
        violations(vectors, working, residual, penalty, scores)
        scores[closed] = -np.inf
        scores[active[:count]] = -np.inf
        place = np.argmax(scores)
        if scores[place] <= _SLACK:
            break
        known = enter(vectors, target, working, place, rows, gram, products, entered, known)
        active[count], x[count] = place, 0.0
        count = step_to_edge(gram, products, penalty, active, count + 1, low, inverse, count, x)
        new = decrease(products, penalty, active, x, count)
        closed[place] = new <= best  # rounding errors would bring it back for ever
        best = max(best, new)
    refine(target, rows, active, penalty, low, inverse, count, x, residual)
    return active[:count].copy(), x[:count].copy(), residual


@vectorised
def on_support(vectors, target, penalty, columns):  # type: ignore[no-untyped-def]
    """The coefficients on these columns, none of them forced to be positive, and the residual they leave."""
    count, width = len(columns), vectors.shape[1]
    rows, gram, low = np.empty((count, width)), np.empty((count, count)), np.empty((count, count))
    products, inverse, x = np.empty(count), np.empty(count), np.empty(count)
    active, residual = np.arange(count), np.empty(width)
    for place in range(count):
        enter(vectors, target, columns, place, rows, gram, products, active, place)
    factor(gram, active, 0, count, low, inverse)
    solved(low, inverse, products - penalty, count, x)
    refine(target, rows, active, penalty, low, inverse, count, x, residual)
    refine(target, rows, active, penalty, low, inverse, count, x, residual)
    return x, residual
