"""The k best documents for each of many queries, kept while the pool is scanned in any order.

The state of one query is one row of each array of :class:`TopK`: scores as integers in units of 10⁻¹² (``keys``), the
precedence in a tie (``firsts``), the scores themselves and the documents, best first. ``tally`` holds how many places
are taken and how many of the scanned documents have the score of the last place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption
from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import TextIndex, Wides, cumulated
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


@dataclass(frozen=True, eq=False, repr=False)
class Queries:
    """The texts to rank documents for, as word numbers."""

    texts: Sequence[str]
    words: Wides
    """The words of all texts, one after the other."""
    starts: Wides
    """Where a text's words begin."""
    excluded: Wides
    """The document that is the text itself, or -1."""

    @classmethod
    def of(cls, index: TextIndex, texts: Sequence[str]) -> Queries:
        """These texts, in the numbers of this index."""
        split = [index.query(text) for text in texts]
        return cls(
            texts=texts,
            words=np.array([word for words in split for word in words], dtype=np.int64),
            starts=cumulated([len(words) for words in split]),
            excluded=np.array([index.document(text) for text in texts], dtype=np.int64),
        )

    @property
    def arrays(self) -> tuple[Wides, Wides, Wides]:
        """The arrays that the compiled functions take."""
        return self.words, self.starts, self.excluded

    def shapes(self) -> Iterator[tuple[tuple[int, int], Wides]]:
        """Texts grouped by their number of words and of repeated words: ((words, repeats), which)."""
        shapes: dict[tuple[int, int], list[int]] = {}
        words, edges = self.words.tolist(), self.starts.tolist()
        for number in range(len(self.texts)):
            own = words[edges[number] : edges[number + 1]]
            shapes.setdefault((len(own), len(own) - len(set(own))), []).append(number)
        for shape, members in shapes.items():
            yield shape, np.array(members, dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class TopK:
    """The k best documents of each query, a row of each array; see ``offer``."""

    keys: Wides
    firsts: Wides
    scores: NDArray[np.float64]
    documents: Wides
    tally: Wides

    @classmethod
    def empty(cls, texts: int, k: int, documents: int) -> TopK:
        """Lists with ``k`` free places, or as many as there are documents.

        Raises:
            BadOption: when ``k`` is less than one.
        """
        if k < 1:
            raise BadOption(f"top: k={k} asks for nothing. Give 1 or more.")
        shape = texts, min(k, documents)
        wide = [np.zeros(shape, dtype=np.int64) for _ in range(3)]
        return cls(wide[0], wide[1], np.zeros(shape), wide[2], np.zeros((texts, 2), dtype=np.int64))

    @property
    def arrays(self) -> tuple[Wides, Wides, NDArray[np.float64], Wides, Wides]:
        """The arrays that the compiled functions take."""
        return self.keys, self.firsts, self.scores, self.documents, self.tally

    def ranked(self, index: TextIndex, texts: Sequence[str]) -> list[Ranked]:
        """The rankings, with how many documents were tied at the last place and how many are at least as good."""
        numbers, scores = index.numbers[self.documents].tolist(), self.scores.tolist()
        better = (self.keys > self.keys[:, -1:]).sum(axis=1).tolist()
        rankings = []
        for row, (text, (taken, tied)) in enumerate(zip(texts, self.tally.tolist(), strict=True)):
            above = better[row] if taken == len(numbers[row]) else taken - tied
            proof = {"ties": tied, "at_least": above + tied}
            rankings.append(Ranked(text, tuple(numbers[row][:taken]), tuple(scores[row][:taken]), proof))
        return rankings


def keys_of(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Scores as integers in units of the last decimal that counts.

    >>> keys_of(np.array([0.25, 1e-13])).tolist()
    [250000000000, 0]
    """
    return np.round(scores * UNIT).astype(np.int64)


def visits(bounds: NDArray[np.float64], index: TextIndex) -> Wides:
    """Where to look, the most promising first: stretch of documents, shared words, highest possible key there.

    ``bounds[stretch, shared]`` bounds the score of every document of the stretch with that many shared words.
    """
    stretch, shared = np.indices(bounds.shape)
    # one more, so that a rounding error of the bound cannot hide a document
    found = np.stack([stretch.ravel(), shared.ravel(), keys_of(bounds).ravel() + 1], axis=1)
    found = found[found[:, 1] <= index.lengths[found[:, 0]]]
    return found[np.argsort(-found[:, 2], kind="stable")]


class TextMetric(Protocol):
    """A text metric over its index."""

    def fill(self, queries: Queries, tops: TopK) -> None:
        """Find the top k for each query."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class FittedOverlap:
    """A text metric over a pool."""

    ranker: Any
    """The ranker that was fitted."""
    index: TextIndex
    metric: TextMetric

    @property
    def pool(self) -> QuestionPool:
        """The pool that the indices of a ranking refer to."""
        return self.index.pool

    def top(self, texts: Sequence[str], k: int) -> list[Ranked]:
        """The ``k`` best of the pool for each text, without the text itself; with ``ties`` and ``at_least``."""
        queries, tops = Queries.of(self.index, texts), TopK.empty(len(texts), k, len(self.index.pool))
        self.metric.fill(queries, tops)
        return tops.ranked(self.index, texts)

    def __repr__(self) -> str:
        return f"{self.ranker!r} over {len(self.index.pool)} texts"
