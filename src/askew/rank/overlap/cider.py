"""CIDEr: how alike two texts' n-grams are when rare n-grams count more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import e

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption
from askew.rank.overlap.boards import Boards, FittedOverlap, Queries
from askew.rank.overlap.grams import Grams, grams_of
from askew.rank.overlap.index import Index, read
from askew.rank.overlap.ties import check_rule

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cider:
    """CIDEr (Vedantam et al. 2015) as pycocoevalcap computes it: the question is the candidate.

    Each text of the pool is a reference. An n-gram that stands in df of N texts weighs log N - log df for each time it
    occurs. The score is ten times the mean of the (clipped) cosines of 1- to 4-grams, less where lengths differ.

    The other way round every n-gram of the question would be in all references, and every score 0.

    >>> fitted = Cider().fit(["is it a cat", "is it a red cow", "who"])
    >>> [round(score, 4) for score in fitted.top(["who"], 2)[0].scores], fitted.top(["who is it"], 2)[0].indices
    ([0.0, 0.0], (2, 0))
    """

    sigma: float = 6.0
    """How quickly scores fall when lengths differ."""
    ties: str = "index"
    """Which of equally good texts comes first: ``index`` (the earlier in the pool) or ``seeded:N`` (shuffled)."""

    def __post_init__(self) -> None:
        check_rule(self.ties)
        if not self.sigma > 0:
            raise BadOption(f"cider: sigma={self.sigma} is not above 0.")

    def fit(self, pool: Sequence[str]) -> FittedOverlap:
        """Index the pool and weigh its n-grams."""
        from askew.rank.overlap.cider_kernel import norms_of

        index = read(pool, self.ties)
        grams = grams_of(index)
        idf = _idf(grams, len(index.pool))
        norms = norms_of(grams.numbers, index.starts, idf, 2.0)
        return FittedOverlap(self, index, _Cider(self.sigma, index, grams, idf, norms, _weights(grams, idf, norms)))


@dataclass(frozen=True, eq=False, repr=False)
class _Cider:
    """CIDEr over an index: first in single precision; what could get a place then is scored exactly."""

    sigma: float
    index: Index
    grams: Grams
    idf: Floats
    """The weight of each n-gram."""
    norms: Floats
    """The length of each document's vector, for each length of n-grams."""
    weights: NDArray[np.float32]
    """What a document gets for each time that a question has the n-gram, up to as often as the document has it."""

    def fill(self, queries: Queries, boards: Boards) -> None:
        from askew.rank.overlap.cider_kernel import rank

        index, grams = self.index, self.grams
        sums = np.zeros(len(index.numbers), dtype=np.float32)
        vectors = grams.numbers, self.idf, self.norms, self.weights
        unseen = float(np.log(float(max(len(index.pool), 1))))
        for (length, _), members in queries.shapes():
            order, penalty = np.argsort(np.abs(index.lengths - length), kind="stable"), self._penalty(length)
            known = queries.arrays, index.arrays, grams.lookup, grams.postings.arrays
            rank(members, *known, vectors, unseen, 2.0, order, penalty, sums, sums.view(np.int32), boards.arrays)

    def _penalty(self, length: int) -> Floats:
        """The factor by length of the document. *Sic*: lengths are counted in pairs of words."""
        pairs = [max(0, own - 1) - max(0, length - 1) for own in self.index.lengths.tolist()]
        return np.array([e ** (-(float(delta) ** 2) / (2 * self.sigma**2)) for delta in pairs])


def _idf(grams: Grams, texts: int) -> Floats:
    found = np.diff(grams.postings.starts).astype(np.float64)
    idf: Floats = np.log(float(max(texts, 1))) - np.log(np.maximum(1.0, found))
    return idf


def _weights(grams: Grams, idf: Floats, norms: Floats) -> NDArray[np.float32]:
    postings = grams.postings
    terms = np.repeat(np.arange(len(idf)), np.diff(postings.starts))
    length = np.searchsorted(grams.offsets, terms, side="right") - 1
    norm = norms[postings.docs, length]
    weights = idf[terms] ** 2 * postings.times / np.where(norm > 0, norm, 1.0)
    return weights.astype(np.float32)
