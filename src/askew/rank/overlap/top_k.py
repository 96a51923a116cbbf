"""The k best texts for a query, kept while the pool is scanned.

The state is the arrays of :class:`TopK`: scores as integers in units of 10⁻¹² (``keys``), the precedence in a tie
(``firsts``), the scores themselves and the texts, best first. ``tally`` holds how many places are taken and how many of
the scanned texts have the score of the last place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption
from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import TextIndex, Wides
from askew.rank.ranking import QuestionPool
from askew.types import Ranked

DECIMALS = 12
"""Scores that agree to this many decimals are equal."""
UNIT = 10.0**DECIMALS
TAKEN, TIED = 0, 1


@compiled
def key_of(score: float) -> int:
    """The score as an integer number of units, by which scores are compared.

    >>> key_of(0.25)
    250000000000
    """
    return round(score * UNIT)


@compiled
def least_key(top: Any) -> int:
    """The least score with which a document can enter: that of the last place, or any while places are free."""
    keys, _, _, _, tally = top
    return int(keys[-1]) if tally[TAKEN] == len(keys) else -1


@compiled
def offer(top: Any, score: float, first: int, doc: int) -> bool:
    """Insert a document if it is good enough; True when that raised the least score that the next one needs.

    All documents better than the last place are in the list. So when the score of the last place rises, all documents
    tied with the new last place are in the list too, and counting them there is enough.
    """
    keys, firsts, scores, documents, tally = top
    key, places, taken = key_of(score), len(keys), tally[TAKEN]
    full, last = taken == places, keys[-1]
    if full and key < last:
        return False
    if full and key == last:
        tally[TIED] += 1
        if first > firsts[-1]:
            return False
    place = places - 1 if full else taken
    while place > 0 and (keys[place - 1] < key or (keys[place - 1] == key and firsts[place - 1] > first)):
        keys[place], firsts[place] = keys[place - 1], firsts[place - 1]
        scores[place], documents[place] = scores[place - 1], documents[place - 1]
        place -= 1
    keys[place], firsts[place], scores[place], documents[place] = key, first, score, doc
    if full and keys[-1] == last:
        return False
    tally[TAKEN] = min(taken + 1, places)
    tally[TIED] = tied_with_last(keys[: tally[TAKEN]])
    return bool(tally[TAKEN] == places)


@compiled
def tied_with_last(keys: Any) -> int:
    """How many entries have the score of the last one.

    >>> import numpy as np
    >>> tied_with_last(np.array([9, 7, 7]))
    2
    """
    at = len(keys) - 1
    while at > 0 and keys[at - 1] == keys[-1]:
        at -= 1
    return len(keys) - at


class TopK(NamedTuple):
    """The k best texts of a query; see ``offer``."""

    keys: Wides
    firsts: Wides
    scores: NDArray[np.float64]
    documents: Wides
    tally: Wides

    @classmethod
    def empty(cls, k: int, documents: int) -> TopK:
        """A list with ``k`` free places, or as many as there are documents.

        Raises:
            BadOption: when ``k`` is less than one.
        """
        if k < 1:
            raise BadOption(f"top: k={k} asks for nothing. Give 1 or more.")
        keys, firsts, documents_ = (np.zeros(min(k, documents), dtype=np.int64) for _ in range(3))
        return cls(keys, firsts, np.zeros(len(keys)), documents_, np.zeros(2, dtype=np.int64))

    def ranked(self, text: str) -> Ranked:
        """The ranking, with how many texts are tied at the last place and how many are at least as good."""
        taken, tied = self.tally.tolist()
        above = int((self.keys[:taken] > self.keys[taken - 1]).sum())
        proof = {"ties": tied, "at_least": above + tied}
        return Ranked(text, tuple(self.documents[:taken].tolist()), tuple(self.scores[:taken].tolist()), proof)


@dataclass(frozen=True, eq=False, repr=False)
class FittedOverlap:
    """A text metric over a pool."""

    ranker: Any
    """Its ``offer_all(fitted, text, query, own, top)`` offers the texts of the pool to ``top``, but not ``own``."""
    index: TextIndex
    fitted: Any = None
    """What the ranker computed from the pool, besides the index."""

    @property
    def pool(self) -> QuestionPool:
        """The pool that the indices of a ranking refer to."""
        return self.index.pool

    def top(self, texts: Sequence[str], k: int) -> list[Ranked]:
        """The ``k`` best of the pool for each text, without the text itself; with ``ties`` and ``at_least``."""
        found = []
        for text in texts:
            top, own = TopK.empty(k, len(self.pool)), self.pool.find(text)
            self.ranker.offer_all(self, text, self.index.query(text), -1 if own is None else own, tuple(top))
            found.append(top.ranked(text))
        return found

    def __repr__(self) -> str:
        return f"{self.ranker!r} over {len(self.index.pool)} texts"
