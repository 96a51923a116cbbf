"""CIDEr: how similar the n-grams of two texts are when rare n-grams weigh more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import e
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption
from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import Grams, TextIndex, check_ties, find_grams, grams_of, index_of, seek, times_in
from askew.rank.overlap.top_k import UNIT, FittedOverlap, Queries, TopK, least_key, offer

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cider:
    """CIDEr (Vedantam et al. 2015) as pycocoevalcap computes it: the question is the candidate.

    Each text of the pool is a reference. An n-gram that occurs in df of N texts weighs log N - log df for each
    occurrence. The score is ten times the mean of the (clipped) cosines of 1- to 4-grams, less if lengths differ.

    The other way round, every n-gram of the question would be in all references, and every score would be 0.

    >>> fitted = Cider().fit(["is it a cat", "is it a red cow", "who"])
    >>> [round(score, 4) for score in fitted.top(["who"], 2)[0].scores], fitted.top(["who is it"], 2)[0].indices
    ([0.0, 0.0], (2, 0))
    """

    sigma: float = 6.0
    """How quickly scores fall when lengths differ."""
    ties: str = "index"
    """Which of equally good texts comes first: ``index`` (the earlier in the pool) or ``seeded:N`` (shuffled)."""

    def __post_init__(self) -> None:
        check_ties(self.ties)
        if not self.sigma > 0:
            raise BadOption(f"cider: sigma={self.sigma} is not above 0.")

    def fit(self, pool: Sequence[str]) -> FittedOverlap:
        """Index the pool and weigh its n-grams."""
        index = index_of(pool, self.ties)
        grams = grams_of(index)
        idf = _idf(grams, len(index.pool))
        norms = norms_of(grams.numbers, index.starts, idf, 2.0)
        return FittedOverlap(self, index, _Cider(self.sigma, index, grams, idf, norms, _weights(grams, idf, norms)))


@dataclass(frozen=True, eq=False, repr=False)
class _Cider:
    """CIDEr over an index: first in single precision; documents that could enter are then scored exactly."""

    sigma: float
    index: TextIndex
    grams: Grams
    idf: Floats
    """The weight of each n-gram."""
    norms: Floats
    """The length of each document's vector, for each length of n-grams."""
    weights: NDArray[np.float32]
    """What a document gets for each occurrence of the n-gram in the query, up to its own number of occurrences."""

    def fill(self, queries: Queries, tops: TopK) -> None:
        index, grams = self.index, self.grams
        sums = np.zeros(len(index.numbers), dtype=np.float32)
        vectors = grams.numbers, self.idf, self.norms, self.weights
        unseen = float(np.log(float(max(len(index.pool), 1))))
        for (length, _), members in queries.shapes():
            order, penalty = np.argsort(np.abs(index.lengths - length), kind="stable"), self._penalty(length)
            known = queries.arrays, index.arrays, grams.lookup, grams.postings.arrays
            rank(members, *known, vectors, unseen, 2.0, order, penalty, sums, sums.view(np.int32), tops.arrays)

    def _penalty(self, length: int) -> Floats:
        """The factor by length of the document. *Sic*: lengths are counted in pairs of words."""
        pairs = [max(0, own - 1) - max(0, length - 1) for own in self.index.lengths.tolist()]
        return np.array([e ** (-(float(delta) ** 2) / (2 * self.sigma**2)) for delta in pairs])


def _idf(grams: Grams, texts: int) -> Floats:
    documents = np.diff(grams.postings.starts).astype(np.float64)
    idf: Floats = np.log(float(max(texts, 1))) - np.log(np.maximum(1.0, documents))
    return idf


def _weights(grams: Grams, idf: Floats, norms: Floats) -> NDArray[np.float32]:
    postings = grams.postings
    terms = np.repeat(np.arange(len(idf)), np.diff(postings.starts))
    length = np.searchsorted(grams.offsets, terms, side="right") - 1
    norm = norms[postings.docs, length]
    weights = idf[terms] ** 2 * postings.times / np.where(norm > 0, norm, 1.0)
    return weights.astype(np.float32)


SCALE = 10.0
"""CIDEr is ten times a mean of cosines."""
HALF_BIT = 2.0**-24
"""The relative rounding error of one operation in single precision."""


@compiled
def norms_of(numbers: Any, starts: Any, idf: Any, two: float) -> Any:
    """The length of each document's vector of n-gram weights, for each n.

    Weights are squared by a power and added in the order in which n-grams first occur, as pycocoevalcap does. The
    exponent is an argument, because the compiler would turn a constant one into a product, which can differ in the
    last bit.
    """
    norms = np.zeros((len(starts) - 1, len(numbers)))
    for doc in range(len(norms)):
        for less in range(len(numbers)):
            own = numbers[less, starts[doc] : max(starts[doc], starts[doc + 1] - less)]
            total = 0.0
            for i in range(len(own)):
                times = times_in(own, i)
                if times:
                    total += (times * idf[own[i]]) ** two
            norms[doc, less] = np.sqrt(total)
    return norms


@compiled
def same(query: Any, size: int, i: int, j: int) -> bool:
    """True when the n-grams that start at two places of the query are equal."""
    agree = 0
    for k in range(size):
        agree += query[i + k] == query[j + k]
    return agree == size


@compiled
def weigh(query: Any, numbers: Any, idf: Any, unseen: float, two: float, times: Any, norms: Any) -> None:
    """Set how often each n-gram occurs in the query (at its first occurrence, else 0), and the norms of its vectors."""
    times[:] = 0
    for less in range(len(numbers)):
        total, count = 0.0, len(query) - less
        for i in range(count):
            before = False
            for j in range(i):
                before = before or same(query, less + 1, i, j)
            if not before:
                for j in range(i, count):
                    times[less, i] += same(query, less + 1, i, j)
                number = numbers[less, i]
                total += (times[less, i] * (idf[number] if number >= 0 else unseen)) ** two
        norms[less] = np.sqrt(total)


@compiled
def add_up(sums: Any, numbers: Any, times: Any, norms: Any, postings: Any, weights: Any) -> int:
    """Add to each document's sum the cosines with the query, in single precision; returns how many n-grams count."""
    starts, docs, held = postings
    taken = 0
    for less in range(len(numbers)):
        if norms[less] == 0:
            continue
        factor = np.float32(1.0 / norms[less])
        for i in range(numbers.shape[1]):
            number, wanted = numbers[less, i], times[less, i]
            if number < 0 or wanted == 0:
                continue
            taken += 1
            for at in range(starts[number], starts[number + 1]):
                sums[docs[at]] += weights[at] * factor * np.float32(min(wanted, held[at]))
    return taken


@compiled
def exact(query: Any, document: Any, idf: Any, query_norms: Any, norms: Any, penalty: float) -> float:
    """The score, with every step in the order of pycocoevalcap."""
    numbers, times = query
    total = 0.0
    for less in range(len(numbers)):
        value = 0.0
        own = document[less, : max(0, document.shape[1] - less)]
        for i in range(numbers.shape[1]):
            number, wanted = numbers[less, i], times[less, i]
            if number >= 0 and wanted > 0:
                held = 0
                for other in own:
                    held += other == number
                weight = held * idf[number]
                value += min(wanted * idf[number], weight) * weight
        if query_norms[less] != 0 and norms[less] != 0:
            value /= query_norms[less] * norms[less]
        total += value * penalty
    return total / len(numbers) * SCALE


@compiled
def rank(
    members: Any,
    queries: Any,
    index: Any,
    lookup: Any,
    postings: Any,
    vectors: Any,
    unseen: float,
    two: float,
    order: Any,
    penalty: Any,
    sums: Any,
    bits: Any,
    tops: Any,
) -> None:
    """Find the top k for the queries of one length.

    ``bits`` are the sums reinterpreted as integers, which order non-negative floats in the same way.
    """
    words, begins, excluded = queries
    _, starts, firsts, edges = index
    numbers_of, idf, norms, weights = vectors
    keys, top_firsts, top_scores, top_docs, tally = tops
    least = np.zeros(1, dtype=np.float32)
    own_norms = np.zeros(len(numbers_of))
    for q in members:
        query = words[begins[q] : begins[q + 1]]
        top = keys[q], top_firsts[q], top_scores[q], top_docs[q], tally[q]
        numbers = np.empty((len(numbers_of), len(query)), dtype=np.int64)
        times = np.empty_like(numbers)
        find_grams(query, lookup, numbers)
        weigh(query, numbers, idf, unseen, two, times, own_norms)
        sums[:] = 0
        taken = add_up(sums, numbers, times, own_norms, postings, weights)
        share = (1 - (taken + 8) * 2 * HALF_BIT) * len(numbers) / SCALE / UNIT
        for stretch in order:
            doc, end = edges[stretch], edges[stretch + 1]
            while doc < end:
                least[0] = max(0.0, (least_key(top) - 1) * share / penalty[stretch])
                doc = seek(bits, doc, end, least.view(np.int32)[0])
                if doc < end and doc != excluded[q]:
                    score = 0.0
                    if sums[doc] > 0:
                        document = numbers_of[:, starts[doc] : starts[doc + 1]]
                        score = exact((numbers, times), document, idf, own_norms, norms[doc], penalty[stretch])
                    offer(top, score, firsts[doc], doc)
                doc += 1
