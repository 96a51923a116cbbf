"""ROUGE-L: the longest common subsequence of the words of two texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import TextIndex, Wides, check_ties, count_shared, index_of, seek
from askew.rank.overlap.top_k import FittedOverlap, Queries, TopK, least_key, offer, visits


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
        check_ties(self.ties)

    def fit(self, pool: Sequence[str]) -> FittedOverlap:
        """Index the pool."""
        index = index_of(pool, self.ties)
        return FittedOverlap(self, index, _Rouge(self.beta, index))


@dataclass(frozen=True, eq=False, repr=False)
class _Rouge:
    """ROUGE-L over an index. A score depends on three small numbers, so it is looked up."""

    beta: float
    index: TextIndex
    _tables: dict[int, tuple[Wides, NDArray[np.float64]]] = field(default_factory=dict)

    def fill(self, queries: Queries, tops: TopK) -> None:
        index, counts = self.index, self.index.counters()
        for (length, _), members in queries.shapes():
            if length not in self._tables:
                scores = _scores(index.lengths, length, self.beta)
                self._tables[length] = visits(scores, index), scores
            known = queries.arrays, index.arrays, index.occurrences
            rank(members, *known, *self._tables[length], counts, tops.arrays)


def _scores(candidates: NDArray[np.int32], reference: int, beta: float) -> NDArray[np.float64]:
    """The scores by length of the candidate (rows) and words in common (columns)."""
    common, square = np.arange(1.0, reference + 1), beta**2
    precision = common / np.maximum(candidates, 1)[:, None]
    recall = common / max(reference, 1)
    scores = np.zeros((len(candidates), reference + 1))
    scores[:, 1:] = ((1 + square) * precision * recall) / (recall + square * precision)
    return scores


@compiled
def common(document: Any, query: Any, row: Any) -> int:
    """The length of the longest common subsequence of two texts; ``row`` is scratch, one longer than the query."""
    row[:] = 0
    for word in document:
        diagonal = 0
        for j in range(len(query)):
            above = row[j + 1]
            row[j + 1] = diagonal + 1 if word == query[j] else max(above, row[j])
            diagonal = above
    return int(row[len(query)])


@compiled
def rank(
    members: Any, queries: Any, index: Any, postings: Any, visits: Any, scores: Any, counts: Any, tops: Any
) -> None:
    """Find the top k for the queries of one length: the most promising documents first, until no other can enter."""
    words, begins, excluded = queries
    tokens, starts, firsts, edges = index
    keys, top_firsts, top_scores, top_docs, tally = tops
    for q in members:
        query = words[begins[q] : begins[q + 1]]
        top = keys[q], top_firsts[q], top_scores[q], top_docs[q], tally[q]
        row = np.zeros(len(query) + 1, dtype=np.int64)
        counts[:] = 0
        count_shared(counts, query, postings)
        for stretch, count, bound in visits:
            if bound < least_key(top):
                break
            end = edges[stretch + 1]
            doc = seek(counts, edges[stretch], end, count)
            while doc < end:
                if counts[doc] == count and doc != excluded[q]:
                    shared = common(tokens[starts[doc] : starts[doc + 1]], query, row) if count else 0
                    offer(top, scores[stretch, shared], firsts[doc], doc)
                doc = seek(counts, doc + 1, end, count)
