"""The n-grams of a pool's texts: finding those of a query, and counting what each document shares with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from askew.rank.numba_loops import compiled
from askew.rank.overlap.text_index import TABLED, Ints, Postings, TextIndex, Wides

LONGEST = 4
"""BLEU and CIDEr use n-grams of up to four words."""


@dataclass(frozen=True, eq=False, repr=False)
class Grams:
    """The n-grams for n = 1 to 4, numbered one length after the other; single words keep their numbers.

    An n-gram is found by the number of its first n - 1 words and its last word.
    """

    offsets: Wides
    """Where the numbers of each length begin; one more than there are lengths."""
    keys: Wides
    """The keys of pairs and longer n-grams, ascending for each length."""
    numbers: Ints
    """The n-gram of each length (row) that starts at each word of the documents; -1 where the document is too short."""
    postings: Postings

    @property
    def lookup(self) -> tuple[Wides, Wides]:
        """The arrays by which the compiled functions find n-grams."""
        return self.offsets, self.keys


@lru_cache(maxsize=2)
def grams_of(index: TextIndex) -> Grams:
    """The n-grams of an index. The last two are cached, for rankers that share a pool."""
    words = index.tokens.astype(np.int64)
    lengths = np.diff(index.starts)
    left = np.repeat(index.starts[1:], lengths) - np.arange(len(words))
    numbers, offsets = [words], [0, len(index.words)]
    all_keys = []
    for n in range(2, LONGEST + 1):
        at = np.flatnonzero(left >= n)
        keys, own = np.unique(numbers[-1][at] * len(index.words) + words[at + n - 1], return_inverse=True)
        row = np.full(len(words), -1, dtype=np.int64)
        row[at] = own + offsets[-1]
        numbers.append(row)
        all_keys.append(keys)
        offsets.append(offsets[-1] + len(keys))
    table = np.stack(numbers).astype(np.int32)
    docs = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    held = [row >= 0 for row in table]
    postings = Postings.of(
        np.concatenate([row[there] for row, there in zip(table, held, strict=True)]).astype(np.int64),
        np.concatenate([docs[there] for there in held]),
        offsets[-1],
    )
    return Grams(np.array(offsets, dtype=np.int64), np.concatenate(all_keys).astype(np.int64), table, postings)


@compiled
def find(keys: Any, low: int, high: int, key: int) -> int:
    """Binary search for a key in a part of an ascending array; -1 when it is not there."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == key else -1


@compiled
def find_grams(query: Any, lookup: Any, numbers: Any) -> None:
    """Set ``numbers[n - 1, i]`` to the n-gram that starts at the query's i-th word; -1 where the pool has none."""
    offsets, keys = lookup
    words, size = offsets[1], len(query)
    numbers[:] = -1
    for i in range(size):
        if query[i] < words:
            numbers[0, i] = query[i]
    for less in range(1, len(numbers)):
        shift = words  # keys begin with the pairs, numbers with the words
        for i in range(size - less):
            shorter, last = numbers[less - 1, i], query[i + less]
            if shorter >= 0 and last < words:
                key = shorter * words + last
                at = find(keys, offsets[less] - shift, offsets[less + 1] - shift, key)
                if at >= 0:
                    numbers[less, i] = at + shift


@compiled
def times_in(numbers: Any, at: int) -> int:
    """How often the number at this place occurs in the array; 0 unless this is its first occurrence."""
    count = 0
    for i in range(len(numbers)):
        if numbers[i] == numbers[at]:
            if i < at:
                return 0
            count += 1
    return count


BLOCK = 64
"""Documents checked at once; this many counters fit into a cache line."""

NEAR = 6
"""Documents checked one by one first, since those that share enough are often adjacent."""


@compiled
def count_shared(counts: Any, query: Any, occurrences: Any) -> None:
    """Add to each document's count the words it shares with the query, each at most as often as the query has it."""
    for i in range(len(query)):
        wanted = times_in(query, i)
        if wanted and query[i] < len(occurrences[0]) - 1:
            count_word(counts, query[i], wanted, occurrences)


@compiled
def count_word(counts: Any, word: int, most: int, occurrences: Any) -> None:
    """Add to each document's count how often it has this word, up to ``most``."""
    starts, docs, times, columns, table = occurrences
    if columns[word] >= 0 and most < TABLED:
        limit = table.dtype.type(most)
        for doc, own in enumerate(table[columns[word]]):
            counts[doc] += min(own, limit)
    else:
        count_term(counts, word, most, starts, docs, times)


@compiled
def count_term(counts: Any, term: int, most: int, starts: Any, docs: Any, times: Any) -> None:
    """Add to each document's count how often it has this term, up to ``most``."""
    if most == 1:
        for doc in docs[starts[term] : starts[term + 1]]:
            counts[doc] += 1
    else:
        for at in range(starts[term], starts[term + 1]):
            counts[docs[at]] += min(most, times[at])


@compiled
def seek(counts: Any, start: int, end: int, least: int) -> int:
    """The first document from ``start`` on with at least this count; ``end`` when there is none."""
    near = min(start + NEAR, end)
    for i in range(start, near):
        if counts[i] >= least:
            return i
    at = near
    while at < end:
        stop = min(at + BLOCK, end)
        highest = counts[at]
        for count in counts[at:stop]:
            highest = max(highest, count)
        if highest >= least:
            for i in range(at, stop):
                if counts[i] >= least:
                    return i
        at = stop
    return end
