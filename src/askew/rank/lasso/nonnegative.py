"""LASSO with x ≥ 0 over a whole pool: working sets grow until a scan of the pool finds nothing to add.

Questions are scanned in batches, so that a scan is one matrix product in float32. Columns that float32 cannot decide
are recomputed in float64, so the last scan proves that the solution is optimal for the whole pool. The result for a
question is computed from its support alone, in the order of the pool, so it does not depend on the other questions of
its batch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askew.rank.compiled import vectorised
from askew.rank.lasso.active_set import enter, factor, refine, solve_working_set, solved
from askew.rank.lasso.certificate import Outside, Solution, certify
from askew.rank.pool_vectors import correlations, rounding

BATCH = 256
CHUNK = 16_384
"""Rows of the pool in one matrix product."""
_FIRST = 128
"""Columns in the first working set: those nearest to the question."""
_MORE = 64
"""Columns added in a round, at most."""
_LISTED = 512
"""Columns that a scan may leave to float64."""
_TOLERANCE = 2e-13
"""A correlation above λ by no more than this costs a gap below 1e-12, also where hardly a residual is left."""
_MOST_ROUNDS = 60


@dataclass
class _Task:
    """One question on its way."""

    number: int
    target: Any
    excluded: Any
    working: Any = field(default_factory=lambda: np.empty(0, np.int64))
    support: Any = field(default_factory=lambda: np.empty(0, np.int64))
    """Places in the working set."""
    x: Any = field(default_factory=lambda: np.empty(0))
    residual: Any = None
    near: Any = field(default_factory=lambda: np.empty(0, np.int64))
    """Columns outside the working set that only float64 could clear in the last scan."""
    rounds: int = 0


def solve(
    vectors: Any, targets: Any, excluded: Sequence[Any], penalty: float, batch: int = BATCH, chunk: int = CHUNK
) -> Iterator[tuple[int, Solution]]:
    """Solve for each row of ``targets``; gives its number and solution, in the order in which they are finished.

    ``vectors`` are the distinct rows of the pool (float32, unit length); ``excluded[i]`` are rows that question ``i``
    may not use.
    """
    waiting = deque(
        _Task(number, target.astype(np.float64), np.asarray(out, np.int64))
        for number, (target, out) in enumerate(zip(targets, excluded, strict=True))
    )
    work = _Work(vectors, penalty, min(batch, len(waiting)), min(chunk, len(vectors)))
    running: list[_Task] = []
    while waiting or running:
        while waiting and len(running) < batch:
            running.append(waiting.popleft())
        work.scan(running)
        still: list[_Task] = []
        for row, task in enumerate(running):
            if work.advance(row, task):
                still.append(task)
            else:
                yield task.number, work.finish(task)
        running = still


class _Work:
    """Memory that questions share while they are solved."""

    def __init__(self, vectors: Any, penalty: float, batch: int, chunk: int) -> None:
        self.vectors, self.penalty, self.chunk = vectors, penalty, chunk
        self._scores = np.empty((batch, chunk), np.float32)
        self._best = Best(batch, _LISTED)
        self._make_room(0)

    def scan(self, tasks: Sequence[_Task]) -> None:
        """Compare every column of the pool with the residual of each task (at first, with the question itself)."""
        now = np.stack([task.target if task.residual is None else task.residual for task in tasks])
        bounds = np.array([rounding(row) for row in now])
        first = np.array([task.rounds == 0 for task in tasks])
        floors = np.where(first, -np.inf, self.penalty - 2 * bounds)
        self._best.start(np.nextafter(floors.astype(np.float32), np.float32(-np.inf)), np.where(first, _FIRST, _LISTED))
        short = now.astype(np.float32)
        masks = [np.sort(np.concatenate([task.working, task.excluded])) for task in tasks]
        for start in range(0, len(self.vectors), self.chunk):
            rows = self.vectors[start : start + self.chunk]
            scores = self._scores[: len(tasks), : len(rows)]
            np.matmul(short, rows.T, out=scores)
            for row, mask in enumerate(masks):
                low, high = np.searchsorted(mask, (start, start + len(rows)))
                scores[row, mask[low:high] - start] = -np.inf
            self._best.see(scores, start)

    def advance(self, row: int, task: _Task) -> bool:
        """Add what the scan found for this task and solve again; False when there was nothing to add."""
        columns, scores = self._best.row(row)
        task.rounds += 1
        if task.rounds > 1:
            columns = self._fresh(task, columns, scores, bool(self._best.full[row]))
            if len(columns) and task.rounds > _MOST_ROUNDS:
                task.near = self._all_near(task)  # the certificate must know what still objects
                return False
        if len(columns) == 0:
            task.residual = task.target if task.residual is None else task.residual
            return False
        task.working = np.concatenate([task.working, columns])
        self._solve(task)
        return True

    def _fresh(self, task: _Task, columns: Any, scores: Any, cut: bool) -> Any:
        """Which of the columns that the scan listed, best first, are truly correlated by more than λ."""
        sure = self.penalty + rounding(task.residual)
        if len(scores) >= _MORE and scores[_MORE - 1] > sure:
            return columns[:_MORE]
        task.near = self._all_near(task) if cut else columns
        c = correlations(self.vectors, task.near, task.residual)
        order = np.argsort(-c, kind="stable")
        return task.near[order[c[order] > self.penalty + _TOLERANCE]][:_MORE]

    def _all_near(self, task: _Task) -> Any:
        """Every column outside the working set within the rounding of float32 of λ or above, found in float64."""
        bound = self.penalty - 2 * rounding(task.residual)
        allowed = np.ones(len(self.vectors), np.bool_)
        allowed[task.working] = False
        allowed[task.excluded] = False
        everything = np.flatnonzero(allowed)
        return everything[correlations(self.vectors, everything, task.residual) > bound]

    def _make_room(self, size: int) -> None:
        room = size + 65
        self._rows = np.empty((room, self.vectors.shape[1]))
        self._gram, self._low = np.empty((room, room)), np.empty((room, room))

    def _solve(self, task: _Task) -> None:
        size, width = len(task.working), self.vectors.shape[1]
        if size > len(self._rows):
            self._make_room(size)
        task.residual = np.empty(width)
        task.support, task.x, _ = solve_working_set(
            self.vectors,
            task.target,
            self.penalty,
            task.working,
            task.support,
            task.x,
            self._rows,
            self._gram,
            self._low,
            task.residual,
        )

    def finish(self, task: _Task) -> Solution:
        """The coefficients from the support alone, in the order of the pool, and their certificate."""
        columns = np.sort(task.working[task.support])
        x, residual = on_support(self.vectors, task.target, self.penalty, columns)
        while len(x) and x.min() <= 0:
            columns = columns[x > 0]
            x, residual = on_support(self.vectors, task.target, self.penalty, columns)
        rows = self.vectors[columns].astype(np.float64)
        others = np.setdiff1d(np.concatenate([task.working, task.near]), columns)
        outside = Outside(
            correlations(self.vectors, others, residual),
            self.penalty - 0.99 * rounding(residual) if len(others) + len(columns) < len(self.vectors) else -np.inf,
            lambda picked: self.vectors[others[picked]].astype(np.float64),
        )
        c = correlations(self.vectors, columns, residual)
        return Solution(columns, x, residual, certify(self.penalty, residual, rows, x, c, outside, task.rounds - 1))


@vectorised
def on_support(vectors, target, penalty, columns):  # type: ignore[no-untyped-def]
    """The coefficients on these columns, none of them forced to be positive, and the residual they leave."""
    count, width = len(columns), vectors.shape[1]
    rows, gram, low = np.empty((count, width)), np.empty((count, count)), np.empty((count, count))
    products, inverse, x = np.empty(count), np.empty(count), np.empty(count)
    active, residual = np.arange(count), np.empty(width)
    for slot in range(count):
        enter(vectors, target, columns[slot], rows, gram, products, slot)
    factor(gram, active, 0, count, low, inverse)
    solved(low, inverse, products - penalty, count, x)
    refine(target, rows, active, penalty, low, inverse, count, x, residual)
    refine(target, rows, active, penalty, low, inverse, count, x, residual)
    return x, residual


_STRIDE = 64


class Best:
    """For each row, the highest scores above its floor seen so far, at most ``keep``; ``full`` where some were let go.

    >>> best = Best(rows=1, keep=2)
    >>> best.start(np.array([0.0]), np.array([2]))
    >>> best.see(np.array([[0.3, -1.0, 0.9, 0.5]], np.float32), offset=100)
    >>> best.row(0)[0].tolist(), bool(best.full[0])
    ([102, 103], True)
    """

    def __init__(self, rows: int, keep: int) -> None:
        self.full = np.zeros(rows, np.bool_)
        self._where = np.empty((rows, 2 * keep), np.int64)
        self._score = np.empty((rows, 2 * keep), np.float32)
        self._count = np.zeros(rows, np.int64)
        self._floor = np.zeros(rows, np.float32)
        self._keep = np.zeros(rows, np.int64)

    def start(self, floors: Any, keep: Any) -> None:
        """Forget what was seen; row ``i`` now keeps at most ``keep[i]`` scores above ``floors[i]``."""
        rows = len(floors)
        self._count[:rows] = 0
        self.full[:rows] = False
        self._floor[:rows] = floors
        self._keep[:rows] = keep

    def see(self, scores: Any, offset: int) -> None:
        """Look at a block: row ``i``, column ``j`` is the score of item ``offset + j`` for row ``i``."""
        _see(scores, offset, self._where, self._score, self._count, self._floor, self._keep, self.full)

    def row(self, number: int) -> tuple[Any, Any]:
        """Items and scores of one row, best first, the lower number first among equals."""
        count = self._count[number]
        where, score = self._where[number, :count], self._score[number, :count]
        order = np.lexsort((where, -score))[: self._keep[number]]
        return where[order], score[order]


@vectorised
def _see(scores, offset, where, score, count, floor, keep, full):  # type: ignore[no-untyped-def]
    for row in range(scores.shape[0]):
        values, low, filled = scores[row], floor[row], count[row]
        for start in range(0, len(values), _STRIDE):
            block = values[start : start + _STRIDE]
            above = 0
            for value in block:
                above += value > low
            if above == 0:
                continue
            for inside in range(len(block)):
                if block[inside] > low:
                    where[row, filled] = offset + start + inside
                    score[row, filled] = block[inside]
                    filled += 1
                    if filled == 2 * keep[row]:
                        low = _halve(where[row], score[row], keep[row])
                        filled = keep[row]
                        full[row] = True
        count[row], floor[row] = filled, low
        full[row] = full[row] or filled > keep[row]


@vectorised
def _halve(where, score, keep):  # type: ignore[no-untyped-def]
    """Move the ``keep`` best of twice as many to the front; gives the lowest score among them."""
    order = np.argsort(-score[: 2 * keep], kind="mergesort")[:keep]
    best_where, best_score = where[order], score[order]
    where[:keep] = best_where
    score[:keep] = best_score
    return best_score[keep - 1]
