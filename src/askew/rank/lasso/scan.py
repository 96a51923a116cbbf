"""The best few of many scores, per row, in one pass over blocks that come one after another."""

from __future__ import annotations

from typing import Any

import numpy as np

from askew.rank.compiled import vectorised

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
