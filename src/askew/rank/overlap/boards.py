"""Many texts asked at once, and the boards on which their rankings are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption
from askew.rank.overlap.index import Index, Wides, cumulated
from askew.rank.overlap.ties import keys_of
from askew.rank.pool import Pool
from askew.types import Ranked


@dataclass(frozen=True, eq=False, repr=False)
class Queries:
    """The texts that are asked, as numbers of words."""

    texts: Sequence[str]
    words: Wides
    """The words of all texts, one after the other."""
    starts: Wides
    """Where a text's words begin."""
    excluded: Wides
    """The document that is the text itself, or -1."""

    @classmethod
    def of(cls, index: Index, texts: Sequence[str]) -> Queries:
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
        """What the compiled functions take."""
        return self.words, self.starts, self.excluded

    def shapes(self) -> Iterator[tuple[tuple[int, int], Wides]]:
        """The texts that have as many words, and as many of them repeated, as one another: (words, repeats), which."""
        shapes: dict[tuple[int, int], list[int]] = {}
        words, edges = self.words.tolist(), self.starts.tolist()
        for number in range(len(self.texts)):
            own = words[edges[number] : edges[number + 1]]
            shapes.setdefault((len(own), len(own) - len(set(own))), []).append(number)
        for shape, members in shapes.items():
            yield shape, np.array(members, dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Boards:
    """One board for each text, a row of each array; see ``board.offer``."""

    keys: Wides
    firsts: Wides
    scores: NDArray[np.float64]
    documents: Wides
    tally: Wides

    @classmethod
    def empty(cls, texts: int, k: int, documents: int) -> Boards:
        """Boards with ``k`` free places, or as many as there are documents.

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
        """What the compiled functions take."""
        return self.keys, self.firsts, self.scores, self.documents, self.tally

    def ranked(self, index: Index, texts: Sequence[str]) -> list[Ranked]:
        """The rankings, with how many documents were tied at the last place and how many are at least as good."""
        numbers, scores = index.numbers[self.documents].tolist(), self.scores.tolist()
        better = (self.keys > self.keys[:, -1:]).sum(axis=1).tolist()
        done = []
        for row, (text, (taken, tied)) in enumerate(zip(texts, self.tally.tolist(), strict=True)):
            above = better[row] if taken == len(numbers[row]) else taken - tied
            proof = {"ties": tied, "at_least": above + tied}
            done.append(Ranked(text, tuple(numbers[row][:taken]), tuple(scores[row][:taken]), proof))
        return done


def visits(bounds: NDArray[np.float64], index: Index) -> Wides:
    """Where to look, the most promising first: stretch of documents, words shared, the highest key possible there.

    ``bounds[stretch, shared]`` is what no document of the stretch with so many shared words can exceed.
    """
    stretch, shared = np.indices(bounds.shape)
    # One more, so that a last bit in the bound cannot hide a document.
    found = np.stack([stretch.ravel(), shared.ravel(), keys_of(bounds).ravel() + 1], axis=1)
    found = found[found[:, 1] <= index.lengths[found[:, 0]]]
    return found[np.argsort(-found[:, 2], kind="stable")]


class Metric(Protocol):
    """What a text metric does over its index."""

    def fill(self, queries: Queries, boards: Boards) -> None:
        """Make the ranking of each text on its board."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class FittedOverlap:
    """A text metric over a pool."""

    ranker: Any
    """What made it."""
    index: Index
    metric: Metric

    @property
    def pool(self) -> Pool:
        """What the indices of a ranking count in."""
        return self.index.pool

    def top(self, texts: Sequence[str], k: int) -> list[Ranked]:
        """The ``k`` best of the pool for each text, without the text itself; with ``ties`` and ``at_least``."""
        queries, boards = Queries.of(self.index, texts), Boards.empty(len(texts), k, len(self.index.pool))
        self.metric.fill(queries, boards)
        return boards.ranked(self.index, texts)

    def __repr__(self) -> str:
        return f"{self.ranker!r} over {len(self.index.pool)} texts"
