"""ROUGE-L: the longest common subsequence of the words of two texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import Wides, check_ties, count_shared, index_of
from askew.rank.overlap.top_k import FittedOverlap, key_of, least_key, offer


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
        return FittedOverlap(self, index_of(pool, self.ties, 1))

    def offer_all(self, fitted: FittedOverlap, text: str, query: Wides, own: int, top: Any) -> None:
        """Offer the texts of the pool."""
        index = fitted.index
        scan(query, own, index.terms(query), index.arrays, index.postings, self.beta**2, top)


@compiled
def score_of(common: int, candidate: int, reference: int, square: float) -> float:
    """ROUGE-L of texts of these lengths with this many words in common; ``square`` is β²."""
    if common == 0:
        return 0.0
    precision, recall = common / candidate, common / reference
    return ((1 + square) * precision * recall) / (recall + square * precision)


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
def scan(query: Any, own: int, terms: Any, index: Any, postings: Any, square: float, top: Any) -> None:
    """Offer each text of the pool, unless the words that it shares with the query are too few to enter."""
    tokens, starts, firsts = index
    shared = np.zeros((1, len(firsts)), dtype=np.int32)
    count_shared(shared, terms, postings)
    row, least, fewest = np.zeros(len(query) + 1, dtype=np.int64), least_key(top), 0
    for doc in range(len(firsts)):
        if shared[0, doc] < fewest:
            continue
        size = starts[doc + 1] - starts[doc]
        if doc == own or key_of(score_of(shared[0, doc], size, len(query), square)) < least:
            continue
        longest = common(tokens[starts[doc] : starts[doc + 1]], query, row) if shared[0, doc] else 0
        if offer(top, score_of(longest, size, len(query), square), firsts[doc], doc):
            least = least_key(top)
            while fewest < len(query) and key_of(score_of(fewest, fewest, len(query), square)) < least:
                fewest += 1
