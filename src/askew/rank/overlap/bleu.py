"""BLEU: how many of a text's words, pairs of words and so on also occur in another text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, Literal

import numpy as np

from askew.errors import BadOption
from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import Wides, check_ties, count_shared, index_of
from askew.rank.overlap.top_k import UNIT, FittedOverlap, least_key, offer

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
        return FittedOverlap(self, index_of(pool, self.ties, self.n))

    def offer_all(self, fitted: FittedOverlap, text: str, query: Wides, own: int, top: Any) -> None:
        """Offer the texts of the pool."""
        index, quirks = fitted.index, (0.0, 0.0) if self.quirks == "none" else (TINY, SMALL)
        # by the candidate's length; there is no penalty for candidates longer than the reference
        penalties = np.array([self._penalty(candidate, len(query)) for candidate in range(len(query) + 1)])
        scan(self.n, quirks, own, index.terms(query), index.arrays, index.postings, penalties, top)

    def _penalty(self, candidate: int, reference: int) -> float:
        """The brevity penalty of texts of these lengths."""
        if self.quirks == "none":
            return exp(1 - reference / candidate) if 0 < candidate < reference else float(candidate > 0)
        ratio = (candidate + TINY) / (reference + SMALL)
        return exp(1 - 1 / ratio) if ratio < 1 else 1.0


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


LESS = 1 - 1e-9
"""A margin far above the rounding error of a power."""


@compiled
def scan(longest: int, quirks: Any, own: int, terms: Any, index: Any, postings: Any, penalties: Any, top: Any) -> None:
    """Offer each text of the pool, unless its precisions are too low to enter."""
    tiny, small = quirks
    _, starts, firsts = index
    shared = np.zeros((longest, len(firsts)), dtype=np.int32)
    count_shared(shared, terms, postings)
    root, least = 1.0 / longest, 0.0
    for doc in range(len(firsts)):
        size, matches, there = starts[doc + 1] - starts[doc], 1.0, 1.0
        for less in range(longest):
            matches *= shared[less, doc] + tiny
            there *= max(size - less, 0) + small
        if matches < least * there or doc == own:
            continue
        product = 1.0
        for less in range(longest):
            grams = max(size - less, 0) + small
            product *= (shared[less, doc] + tiny) / grams if grams > 0 else 0.0
        penalty = penalties[size] if size < len(penalties) else 1.0
        if offer(top, product**root * penalty, firsts[doc], doc):
            least = max(0.0, (least_key(top) - 1) / UNIT) ** longest * LESS
