"""The n-grams of an index's documents: which they are, and which documents have each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from askew.rank.overlap.index import Index, Ints, Postings, Wides

LONGEST = 4
"""BLEU and CIDEr look at up to four words in a row."""


@dataclass(frozen=True, eq=False, repr=False)
class Grams:
    """The n-grams for n = 1 to 4, numbered one length after the other; single words keep their numbers.

    An n-gram is found by the number of its first n - 1 words and its last word.
    """

    offsets: Wides
    """Where the numbers of each length begin; one more than there are lengths."""
    keys: Wides
    """What pairs and longer n-grams are found by, ascending for each length."""
    numbers: Ints
    """The n-gram of each length (row) that begins at each word of the documents; -1 where the document ends before."""
    postings: Postings

    @property
    def lookup(self) -> tuple[Wides, Wides]:
        """What n-grams are found with, as the compiled functions take it."""
        return self.offsets, self.keys


@lru_cache(maxsize=2)
def grams_of(index: Index) -> Grams:
    """The n-grams of an index. The last two are remembered, for rankers that share a pool."""
    words = index.tokens.astype(np.int64)
    lengths = np.diff(index.starts)
    left = np.repeat(index.starts[1:], lengths) - np.arange(len(words))
    numbers, offsets = [words], [0, len(index.words)]
    found = []
    for n in range(2, LONGEST + 1):
        at = np.flatnonzero(left >= n)
        keys, own = np.unique(numbers[-1][at] * len(index.words) + words[at + n - 1], return_inverse=True)
        row = np.full(len(words), -1, dtype=np.int64)
        row[at] = own + offsets[-1]
        numbers.append(row)
        found.append(keys)
        offsets.append(offsets[-1] + len(keys))
    table = np.stack(numbers).astype(np.int32)
    docs = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    held = [row >= 0 for row in table]
    postings = Postings.of(
        np.concatenate([row[there] for row, there in zip(table, held, strict=True)]).astype(np.int64),
        np.concatenate([docs[there] for there in held]),
        offsets[-1],
    )
    return Grams(np.array(offsets, dtype=np.int64), np.concatenate(found).astype(np.int64), table, postings)
