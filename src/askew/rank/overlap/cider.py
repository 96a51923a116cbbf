"""CIDEr: how similar the n-grams of two texts are when rare n-grams weigh more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askew.errors import BadOption
from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import Wides, check_ties, index_of
from askew.rank.overlap.top_k import UNIT, FittedOverlap, least_key, offer


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
        index = index_of(pool, self.ties, LONGEST)
        starts, docs, times = index.postings
        idf = np.log(len(index.pool)) - np.log(np.diff(starts))
        terms = np.repeat(np.arange(len(idf)), np.diff(starts))
        cells = docs * LONGEST + np.searchsorted(index.offsets, terms, side="right") - 1
        norms = np.sqrt(np.bincount(cells, (times * idf[terms]) ** 2))[cells]
        weights = idf[terms] ** 2 * times / np.where(norms > 0, norms, 1.0)
        return FittedOverlap(self, index, (idf, weights))

    def offer_all(self, fitted: FittedOverlap, text: str, query: Wides, own: int, top: Any) -> None:
        """Offer the texts of the pool: each gets its weight for an occurrence in the query, up to its own number."""
        index, (idf, text_weights) = fitted.index, fitted.fitted
        less, numbers, times = index.terms(query)
        unseen = np.log(len(index.pool))  # the weight of an n-gram that no text has
        weights = times * np.where(numbers >= 0, idf[numbers], unseen)
        norms = np.sqrt(np.bincount(less, weights**2, minlength=LONGEST))[less]
        shares = np.where(norms > 0, SCALE / LONGEST / np.where(norms > 0, norms, 1.0), 0.0)
        scan(len(query), self.sigma, own, (numbers, times, shares), index.arrays, index.postings, text_weights, top)


LONGEST = 4
"""N-grams of up to four words count."""
SCALE = 10.0
"""CIDEr is ten times a mean of cosines."""


@compiled
def scan(length: int, sigma: float, own: int, terms: Any, index: Any, postings: Any, weights: Any, top: Any) -> None:
    """Add up the cosines of each text of the pool with the query, and offer it."""
    numbers, wanted, shares = terms
    starts, docs, times = postings
    _, begins, firsts = index
    sums = np.zeros(len(firsts))
    for i in range(len(numbers)):
        if numbers[i] >= 0:
            for at in range(starts[numbers[i]], starts[numbers[i] + 1]):
                sums[docs[at]] += weights[at] * shares[i] * min(wanted[i], times[at])
    least = -1.0
    for doc in range(len(firsts)):
        if sums[doc] < least or doc == own:
            continue
        # sic: lengths are counted in pairs of words
        longer = max(0, begins[doc + 1] - begins[doc] - 1) - max(0, length - 1)
        if offer(top, sums[doc] * np.exp(-(longer**2) / (2 * sigma**2)), firsts[doc], doc):
            least = (least_key(top) - 1) / UNIT
