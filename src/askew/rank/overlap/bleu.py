"""BLEU: how many of a text's words, pairs of words and so on also occur in another text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption
from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import (
    TextIndex,
    Wides,
    check_ties,
    count_shared,
    count_term,
    find_grams,
    grams_of,
    index_of,
    seek,
    times_in,
)
from askew.rank.overlap.top_k import UNIT, FittedOverlap, Queries, TopK, least_key, offer, visits

Floats = NDArray[np.float64]
Quirks = Literal["pycocoevalcap", "none"]

TINY, SMALL = 1e-15, 1e-9
"""What pycocoevalcap adds to the number of matches and to the number of n-grams."""


@dataclass(frozen=True)
class Bleu:
    """BLEU-n of one sentence (Papineni et al. 2002): the pool's text is the candidate, the question the reference.

    The geometric mean of the precisions of 1- to n-grams, times exp(1 - r/c) when the candidate's length c is below the
    reference's r. One word of four is wrong here, then two of six; two of three pairs match, then two of five:

    >>> fitted = Bleu(n=2, quirks="none").fit(["is it a cat", "is it a red cow now", "who"])
    >>> [round(score, 4) for score in fitted.top(["is it a cow"], 2)[0].scores]
    [0.7071, 0.5164]
    """

    n: int = 4
    """The longest n-grams, 1 to 4."""
    quirks: Quirks = "pycocoevalcap"
    """``pycocoevalcap``: precisions (m + 10⁻¹⁵) / (c - n + 1 + 10⁻⁹), so that a text too short for an n-gram gets 10⁻⁶
    and ranks above longer texts without a match; ``none``: such a text gets 0, like any text without a match."""
    ties: str = "index"
    """Which of equally good texts comes first: ``index`` (the earlier in the pool) or ``seeded:N`` (shuffled)."""

    def __post_init__(self) -> None:
        check_ties(self.ties)
        if self.n not in (1, 2, 3, 4):
            raise BadOption(f"bleu: n={self.n} is not one of 1, 2, 3, 4.")
        if self.quirks not in ("pycocoevalcap", "none"):
            raise BadOption(f"bleu: quirks={self.quirks!r} is not one of pycocoevalcap, none.")

    def fit(self, pool: Sequence[str]) -> FittedOverlap:
        """Index the pool."""
        index = index_of(pool, self.ties)
        return FittedOverlap(self, index, _Bleu(self.n, self.quirks == "none", index))


def bleu1(quirks: Quirks = "pycocoevalcap", ties: str = "index") -> Bleu:
    """BLEU-1: single words (Papineni et al. 2002)."""
    return Bleu(1, quirks, ties)


def bleu2(quirks: Quirks = "pycocoevalcap", ties: str = "index") -> Bleu:
    """BLEU-2: words and pairs of words (Papineni et al. 2002)."""
    return Bleu(2, quirks, ties)


def bleu3(quirks: Quirks = "pycocoevalcap", ties: str = "index") -> Bleu:
    """BLEU-3: up to three words in a row (Papineni et al. 2002)."""
    return Bleu(3, quirks, ties)


def bleu4(quirks: Quirks = "pycocoevalcap", ties: str = "index") -> Bleu:
    """BLEU-4: up to four words in a row (Papineni et al. 2002)."""
    return Bleu(4, quirks, ties)


@dataclass(frozen=True, eq=False, repr=False)
class _Bleu:
    """BLEU-n over an index."""

    n: int
    plain: bool
    index: TextIndex
    _tables: dict[tuple[int, int], tuple[Wides, Floats, Floats]] = field(default_factory=dict)

    def fill(self, queries: Queries, tops: TopK) -> None:
        index, grams = self.index, grams_of(self.index)
        counts = np.stack([index.counters() for _ in range(self.n)])
        known = queries.arrays, index.arrays, index.occurrences, grams.lookup, grams.postings.arrays
        for (length, repeats), members in queries.shapes():
            if (length, repeats) not in self._tables:
                precisions, brevity = self._precisions(length), self._brevity(length)
                where = visits(self._bounds(precisions, brevity, length, repeats), index)
                self._tables[length, repeats] = where, precisions, brevity
            rank(members, *known, *self._tables[length, repeats], counts, tops.arrays)

    def _precisions(self, reference: int) -> Floats:
        """The precision by length of the n-gram, length of the candidate and number of matches."""
        matches = np.arange(reference + 1.0)
        there = np.maximum(self.index.lengths - np.arange(self.n)[:, None], 0).astype(float)[:, :, None]
        precisions: Floats = (matches + TINY) / (there + SMALL)
        if self.plain:
            precisions = np.where(there > 0, matches / np.maximum(there, 1.0), 0.0)
        return precisions

    def _brevity(self, reference: int) -> Floats:
        """The brevity penalty by the candidate's length."""
        return np.array([self._penalty(candidate, reference) for candidate in self.index.lengths.tolist()])

    def _penalty(self, candidate: int, reference: int) -> float:
        if self.plain:
            return exp(1 - reference / candidate) if 0 < candidate < reference else float(candidate > 0)
        ratio = (candidate + TINY) / (reference + SMALL)
        return exp(1 - 1 / ratio) if ratio < 1 else 1.0

    def _bounds(self, precisions: Floats, brevity: Floats, reference: int, repeats: int) -> Floats:
        """The highest possible score by length of the candidate and number of shared words.

        Each matching n-gram covers n consecutive words of the reference, and these are shared, except for words that
        the reference repeats and the candidate has less often: m_n ≤ shared - n + 1 + repeats. And m_n ≤ shared.
        """
        lengths, shared = self.index.lengths[:, None], np.arange(reference + 1)
        stretch, product = np.arange(len(lengths))[:, None], np.ones((len(lengths), reference + 1))
        for less in range(self.n):
            most = np.minimum(np.minimum(shared, shared - less + repeats), np.minimum(lengths, reference) - less)
            product = product * precisions[less][stretch, np.maximum(most, 0)]
        return product ** (1.0 / self.n) * brevity[:, None]


LESS = 1 - 1e-9
"""A margin far above the rounding error of a power."""


@compiled
def count_grams(counts: Any, query: Any, occurrences: Any, lookup: Any, postings: Any, numbers: Any) -> None:
    """Set ``counts[n - 1, doc]`` to the n-grams that a document shares with the query; ``numbers`` is scratch."""
    counts[:] = 0
    count_shared(counts[0], query, occurrences)
    if len(counts) > 1:
        starts, docs, times = postings
        find_grams(query, lookup, numbers)
        for less in range(1, len(counts)):
            for i in range(len(query) - less):
                if numbers[less, i] >= 0:
                    wanted = times_in(numbers[less], i)
                    if wanted:
                        count_term(counts[less], numbers[less, i], wanted, starts, docs, times)


@compiled
def rank(
    members: Any,
    queries: Any,
    index: Any,
    occurrences: Any,
    lookup: Any,
    postings: Any,
    visits: Any,
    precisions: Any,
    brevity: Any,
    counts: Any,
    tops: Any,
) -> None:
    """Find the top k for the queries of one shape: the most promising documents first, until no other can enter."""
    words, begins, excluded = queries
    _, _, firsts, edges = index
    keys, top_firsts, top_scores, top_docs, tally = tops
    longest = len(precisions)
    root = 1.0 / longest
    for q in members:
        query = words[begins[q] : begins[q + 1]]
        top = keys[q], top_firsts[q], top_scores[q], top_docs[q], tally[q]
        numbers = np.empty((longest, len(query)), dtype=np.int64)
        count_grams(counts, query, occurrences, lookup, postings, numbers)
        for stretch, count, bound in visits:
            if bound < least_key(top):
                break
            least = 0.0
            if least_key(top) > 0:
                least = ((least_key(top) - 1) / UNIT / brevity[stretch]) ** longest * LESS
            end = edges[stretch + 1]
            doc = seek(counts[0], edges[stretch], end, count)
            while doc < end:
                if counts[0, doc] == count and doc != excluded[q]:
                    product = 1.0
                    for less in range(longest):
                        product *= precisions[less, stretch, counts[less, doc]]
                    if product >= least:
                        offer(top, product**root * brevity[stretch], firsts[doc], doc)
                doc = seek(counts[0], doc + 1, end, count)
