"""Texts as sparse columns: words, pairs of neighbouring words, and the first word."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from askew.answers.normalise import tokens

MOST_FEATURES = 30_000
"""Features beyond the most frequent ones are left out."""
LEAST_TEXTS = 2
"""A feature of fewer texts cannot be learned from one and be seen again in another."""

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]


def features(text: str) -> list[str]:
    """The distinct words of a text and its pairs of neighbouring words; ``^`` is the start, ``$`` the end.

    >>> features("Is it red?")
    ['is', 'it', 'red', '^ is', 'is it', 'it red', 'red $']
    """
    words = tokens(text)
    ends = ("^", *words, "$")
    return list(dict.fromkeys((*words, *map(" ".join, pairwise(ends)))))


def pair_features(before: str, after: str) -> list[str]:
    """The features of a changed text, of the original, and of the words that one has and the other has not.

    >>> pair_features("Is it red?", "Is it blue?")[-6:]
    ['added: blue', 'added: it blue', 'added: blue $', 'removed: red', 'removed: it red', 'removed: red $']
    """
    old, new = features(before), features(after)
    gone, come = set(old), set(new)
    return [
        *new,
        *(f"original: {feature}" for feature in old),
        *(f"added: {feature}" for feature in new if feature not in gone),
        *(f"removed: {feature}" for feature in old if feature not in come),
    ]


@dataclass(frozen=True)
class SparseTexts:
    """A sparse matrix, texts × features, as the row, column and value of each entry."""

    names: Sequence[str]
    """The feature of each column."""
    row: Whole
    column: Whole
    value: Floats
    count: int
    """The number of texts."""

    def dot(self, weights: Floats) -> Floats:
        """The sum of the weights of each text's features."""
        return np.bincount(self.row, self.value * weights[self.column], self.count).astype(np.float64, copy=False)

    def dot_transposed(self, per_text: Floats) -> Floats:
        """The sum over the texts that have each feature."""
        sums = np.bincount(self.column, self.value * per_text[self.row], len(self.names))
        return sums.astype(np.float64, copy=False)


def sparse(texts: Iterable[Sequence[str]], minus: Iterable[Sequence[str]] | None = None) -> SparseTexts:
    """The matrix of texts given as lists of features; features of ``minus`` count as -1, those of both as 0.

    >>> matrix = sparse([["a", "b"], ["a"], ["c", "b"]])
    >>> matrix.names, matrix.row.tolist(), matrix.column.tolist()
    (['a', 'b'], [0, 0, 1, 2], [0, 1, 0, 1])
    """
    index: dict[str, int] = {}
    rows, columns, values = array("q"), array("q"), array("d")
    count = 0
    for count, (text, other) in enumerate(zip(texts, repeat(()) if minus is None else minus, strict=False), 1):
        own, others = set(text), set(other)
        for value, found in ((1.0, (f for f in text if f not in others)), (-1.0, (f for f in other if f not in own))):
            for feature in found:
                rows.append(count - 1)
                columns.append(index.setdefault(feature, len(index)))
                values.append(value)
    return _most_frequent(list(index), np.array(rows), np.array(columns), np.array(values), count)


def _most_frequent(names: list[str], row: Whole, column: Whole, value: Floats, count: int) -> SparseTexts:
    """The matrix of the most frequent features, in an order that does not depend on that of the texts."""
    counts = np.bincount(column, minlength=len(names)).tolist()
    enough = (place for place, number in enumerate(counts) if number >= LEAST_TEXTS)
    kept = sorted(enough, key=lambda place: (-counts[place], names[place]))[:MOST_FEATURES]
    new_place = np.full(len(names), -1, dtype=np.int64)
    new_place[kept] = np.arange(len(kept))
    column = new_place[column]
    used = column >= 0
    return SparseTexts([names[place] for place in kept], row[used], column[used], value[used], count)
