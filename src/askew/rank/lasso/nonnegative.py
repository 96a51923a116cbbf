"""LASSO with x ≥ 0 over a whole pool: working sets grow until a scan of the pool finds nothing to add.

Questions are scanned in batches, so that a scan is one matrix product in float32. The first scans are rough: they use
only the directions in which the pool varies most. A scan of the whole vectors lists the columns that exceed λ or come
close to it, and these are recomputed in float64. As long as the residual moves by less than what separates all other
columns from λ, only the list must be checked again; otherwise the pool is scanned once more. So if nothing in the list
exceeds λ, the solution is optimal for the whole pool. The result for a question is computed from its support alone, in
the order of the pool, so it does not depend on the other questions of its batch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askew.rank.lasso.active_set import enter, factor, refine, solve_working_set, solved
from askew.rank.lasso.certificate import UNIT, Outside, Solution, certify
from askew.rank.numba_loops import vectorised
from askew.rank.pool_vectors import correlations, rounding

BATCH = 256
CHUNK = 4096
"""Rows of the pool in one matrix product: its results still fit into a processor's cache."""
_FIRST = 128
"""Columns in the first working set: those nearest to the question."""
_MORE = 128
"""The most columns added in a round."""
_LISTED = 2048
"""The most columns that a scan of the pool lists for a question."""
_NEAR = 0.03
"""Columns whose correlation is below λ by less than this share of the residual's length are listed too: they are the
only ones that can reach λ while the residual moves by no more than that."""
_TOLERANCE = 2e-13
"""A correlation above λ by no more than this costs a gap below 1e-12, even if hardly any residual is left."""
_MOST_ROUNDS = 60
_DIRECTIONS = (128, 128, 256)
"""Directions of each rough scan."""
_GUESSES = 512
"""Columns that a rough scan proposes for a question."""
_FEW = 4
"""A rough scan that finds no more columns than this is the last one."""


@dataclass
class _Task:
    """The state of one question while it is solved."""

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

    @property
    def now(self) -> Any:
        """What is left of the target."""
        return self.target if self.residual is None else self.residual


@dataclass(frozen=True)
class Head:
    """The columns along the directions in which the pool varies most: where to look first, at a fraction of the cost.

    Nothing is decided by it: a column that it proposes is checked in float64, and one that it misses is found by the
    scans of the whole vectors that follow.
    """

    directions: Any
    rows: Any

    @classmethod
    def of(cls, vectors: Any, count: int = max(_DIRECTIONS)) -> Head:
        """The columns along this many directions, those of the largest variance first."""
        sample = vectors[:: max(1, len(vectors) // CHUNK)].astype(np.float64)
        directions = np.linalg.eigh(sample.T @ sample)[1][:, : -count - 1 : -1].astype(np.float32)
        return cls(directions, vectors @ directions)

    @staticmethod
    def pays(vectors: Any) -> bool:
        """Whether the pool is so large that rough scans save time."""
        return bool(len(vectors) >= 4 * CHUNK and vectors.shape[1] >= 1.5 * max(_DIRECTIONS))


def solve(
    vectors: Any,
    targets: Any,
    excluded: Sequence[Any],
    penalty: float,
    batch: int = BATCH,
    chunk: int = CHUNK,
    head: Head | None = None,
) -> Iterator[tuple[int, Solution]]:
    """Solve for each row of ``targets``; yields its number and solution, in the order in which they are finished.

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
        fresh = [waiting.popleft() for _ in range(min(len(waiting), batch - len(running)))]
        if head is not None:
            work.look_ahead(fresh, head)
        running += fresh
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

    def look_ahead(self, tasks: Sequence[_Task], head: Head) -> None:
        """Fill the working sets by rough scans, until these find hardly anything."""
        for turn, width in enumerate(_DIRECTIONS):
            if not tasks:
                return
            count = np.full(len(tasks), _GUESSES if turn else _FIRST)
            self._best.start(np.full(len(tasks), 0.0 if turn else -np.inf, np.float32), count)
            now = np.stack([task.now for task in tasks]) @ head.directions[:, :width]
            self._scan(head.rows[:, :width], now, tasks)
            still = []
            for row, task in enumerate(tasks):
                columns = self._violating(task, self._best.listed(row))[0] if turn else self._best.row(row)[0]
                if len(columns):
                    self._add(task, columns)
                if len(columns) > _FEW:
                    still.append(task)
            tasks = still

    def scan(self, tasks: Sequence[_Task]) -> None:
        """Compare every column of the pool with the residual of each task (at first, with the question itself)."""
        now = np.stack([task.now for task in tasks])
        first = np.array([len(task.working) == 0 for task in tasks])
        floors = np.array([self.penalty - 2 * rounding(row) - _NEAR * np.sqrt(row @ row) for row in now])
        floors = np.nextafter(np.where(first, -np.inf, floors).astype(np.float32), np.float32(-np.inf))
        self._best.start(floors, np.where(first, _FIRST, _LISTED))
        self._scan(self.vectors, now, tasks)

    def _scan(self, pool: Any, now: Any, tasks: Sequence[_Task]) -> None:
        short = now.astype(np.float32)
        out = [np.concatenate([task.working, task.excluded]) for task in tasks]
        columns, numbers = np.concatenate(out), np.repeat(np.arange(len(tasks)), [len(each) for each in out])
        order = np.argsort(columns, kind="stable")
        columns, numbers = columns[order], numbers[order]
        for start in range(0, len(pool), self.chunk):
            rows = pool[start : start + self.chunk]
            scores = self._scores[: len(tasks), : len(rows)]
            np.matmul(short, rows.T, out=scores)
            low, high = np.searchsorted(columns, (start, start + len(rows)))
            scores[numbers[low:high], columns[low:high] - start] = -np.inf
            self._best.see(scores, start)

    def advance(self, row: int, task: _Task) -> bool:
        """Add what the scan listed for this task and solve again, as long as no other column can matter.

        False when nothing in the whole pool is left to add.
        """
        task.rounds += 1
        if len(task.working) == 0:
            columns = self._best.row(row)[0]
            if len(columns):
                self._add(task, columns)
            task.residual = task.now
            return len(columns) > 0
        listed, scanned = self._best.listed(row), task.residual
        unlisted = float(self._best.floor[row]) + rounding(scanned)  # an upper bound on columns that are not listed
        while True:
            violating, c = self._violating(task, listed)
            moved, clear = task.residual - scanned, self.penalty - rounding(task.residual)
            if unlisted + float(np.sqrt(moved @ moved)) * UNIT > clear and task.residual is not scanned:
                return True
            if len(violating) == 0 and unlisted > clear:  # a scan could not list all that are close to λ
                listed, unlisted = self._all_near(task), clear
                continue
            if len(violating) == 0 or task.rounds > _MOST_ROUNDS:
                task.near = listed[c > self.penalty - 2 * rounding(task.residual)]
                return False
            self._add(task, violating)
            listed = listed[~np.isin(listed, violating)]

    def _violating(self, task: _Task, columns: Any) -> tuple[Any, Any]:
        """The columns whose correlation exceeds λ most, and the correlations of all, in float64."""
        c = correlations(self.vectors, columns, task.residual)
        above = np.flatnonzero(c > self.penalty + _TOLERANCE)
        return columns[above[np.argsort(-c[above], kind="stable")[:_MORE]]], c

    def _all_near(self, task: _Task) -> Any:
        """Every column outside the working set within the rounding of float32 of λ or above, found in float64."""
        bound = self.penalty - 2 * rounding(task.residual)
        allowed = np.ones(len(self.vectors), np.bool_)
        allowed[task.working] = False
        allowed[task.excluded] = False
        everything = np.flatnonzero(allowed)
        return everything[correlations(self.vectors, everything, task.residual) > bound]

    def _add(self, task: _Task, columns: Any) -> None:
        task.working = np.concatenate([task.working, columns])
        self._solve(task)

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
    """For each row, the highest scores above its floor seen so far: the best ``keep``, and up to as many more.

    The ``floor`` rises when there are more; no item that is not listed is above it.

    >>> best = Best(rows=1, keep=2)
    >>> best.start(np.array([0.0]), np.array([2]))
    >>> best.see(np.array([[0.25, -1.0, 0.75, 0.5, 0.125]], np.float32), offset=100)
    >>> best.row(0)[0].tolist(), best.listed(0).tolist(), float(best.floor[0])
    ([102, 103], [102, 103], 0.5)
    """

    def __init__(self, rows: int, keep: int) -> None:
        self._where = np.empty((rows, 2 * keep), np.int64)
        self._score = np.empty((rows, 2 * keep), np.float32)
        self._count = np.zeros(rows, np.int64)
        self.floor = np.zeros(rows, np.float32)
        self._keep = np.zeros(rows, np.int64)

    def start(self, floors: Any, keep: Any) -> None:
        """Forget what was seen; row ``i`` now keeps at most ``keep[i]`` scores above ``floors[i]``."""
        rows = len(floors)
        self._count[:rows] = 0
        self.floor[:rows] = floors
        self._keep[:rows] = keep

    def see(self, scores: Any, offset: int) -> None:
        """Look at a block: row ``i``, column ``j`` is the score of item ``offset + j`` for row ``i``."""
        _see(scores, offset, self._where, self._score, self._count, self.floor, self._keep)

    def listed(self, number: int) -> Any:
        """Items of one row, in any order."""
        return self._where[number, : self._count[number]].copy()

    def row(self, number: int) -> tuple[Any, Any]:
        """Items and scores of one row, best first, the lower number first among equals."""
        count = self._count[number]
        where, score = self._where[number, :count], self._score[number, :count]
        order = np.lexsort((where, -score))[: self._keep[number]]
        return where[order], score[order]


@vectorised
def _see(scores, offset, where, score, count, floor, keep):  # type: ignore[no-untyped-def]
    for row in range(scores.shape[0]):
        values, low, filled = scores[row], floor[row], count[row]
        for start in range(0, len(values), _STRIDE):
            stop, any_above = min(start + _STRIDE, len(values)), False
            for place in range(start, stop):
                any_above |= values[place] > low
            if not any_above:
                continue
            for place in range(start, stop):
                if values[place] > low:
                    where[row, filled] = offset + place
                    score[row, filled] = values[place]
                    filled += 1
                    if filled == 2 * keep[row]:
                        low = _halve(where[row], score[row], keep[row])
                        filled = keep[row]
        count[row], floor[row] = filled, low


@vectorised
def _halve(where, score, keep):  # type: ignore[no-untyped-def]
    """Move the ``keep`` best of twice as many to the front; returns the lowest score among them."""
    order = np.argsort(-score[: 2 * keep], kind="mergesort")[:keep]
    best_where, best_score = where[order], score[order]
    where[:keep] = best_where
    score[:keep] = best_score
    return best_score[keep - 1]
