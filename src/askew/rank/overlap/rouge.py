"""ROUGE-L: how long a sequence of words two texts have in common, gaps allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from askew.rank.overlap.boards import Boards, FittedOverlap, Queries, visits
from askew.rank.overlap.index import Index, Wides, read
from askew.rank.overlap.ties import check_rule


@dataclass(frozen=True)
class Rouge:
    """ROUGE-L (Lin 2004) as pycocoevalcap computes it: the pool's text is the candidate, the question the reference.

    With LCS words in common, P = LCS / |candidate| and R = LCS / |reference|, it is (1 + β²)PR / (R + β²P).

    >>> ranked = Rouge().fit(["is it a cat", "is it a dog on grass", "who"]).top(["is it a cow"], 2)
    >>> ranked[0].indices, [round(score, 4) for score in ranked[0].scores]
    ((0, 1), [0.75, 0.6224])
    """

    beta: float = 1.2
    """How much more recall counts than precision."""
    ties: str = "index"
    """Which of equally good texts comes first: ``index`` (the earlier in the pool) or ``seeded:N`` (shuffled)."""

    def __post_init__(self) -> None:
        check_rule(self.ties)

    def fit(self, pool: Sequence[str]) -> FittedOverlap:
        """Index the pool."""
        index = read(pool, self.ties)
        return FittedOverlap(self, index, _Rouge(self.beta, index))


@dataclass(frozen=True, eq=False, repr=False)
class _Rouge:
    """ROUGE-L over an index. A score depends on three small numbers, so it is looked up."""

    beta: float
    index: Index
    _tables: dict[int, tuple[Wides, NDArray[np.float64]]] = field(default_factory=dict)

    def fill(self, queries: Queries, boards: Boards) -> None:
        from askew.rank.overlap.rouge_kernel import rank

        index, counts = self.index, self.index.counters()
        for (length, _), members in queries.shapes():
            if length not in self._tables:
                scores = _scores(index.lengths, length, self.beta)
                self._tables[length] = visits(scores, index), scores
            known = queries.arrays, index.arrays, index.occurrences
            rank(members, *known, *self._tables[length], counts, boards.arrays)


def _scores(candidates: NDArray[np.int32], reference: int, beta: float) -> NDArray[np.float64]:
    """The scores by length of the candidate (rows) and words in common (columns)."""
    common, square = np.arange(1.0, reference + 1), beta**2
    precision = common / np.maximum(candidates, 1)[:, None]
    recall = common / max(reference, 1)
    scores = np.zeros((len(candidates), reference + 1))
    scores[:, 1:] = ((1 + square) * precision * recall) / (recall + square * precision)
    return scores
