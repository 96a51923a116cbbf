"""A pool of texts as arrays: which words and n-grams each text has, and which texts have each of them.

Documents are the pool's texts sorted by length, so that all documents of one length are adjacent: a bound on a score
that depends on the length and on the number of shared words is then one number for a whole stretch of documents. The
n-grams of a query are found by binary search, and what each document shares with it is counted by compiled loops.

The index also decides ties. Most rankings by BLEU, ROUGE and METEOR end in one: in a pool of 50,000 questions, about
forty score at least as high as the 21st. So the tie rule is an option, and each ranking says how many were tied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.answers.normalise import tokens
from askew.errors import BadOption, DataError
from askew.rank.numba_loops import compiled
from askew.rank.ranking import QuestionPool

SEEDED = "seeded:"


def check_ties(rule: str) -> None:
    """Refuse an unknown tie rule.

    >>> check_ties("seeded:one")
    Traceback (most recent call last):
    askew.errors.BadOption: ties: 'seeded:one' is not a tie rule. Give 'index' or 'seeded:N' with a whole number N.
    """
    if rule != "index" and not (rule.startswith(SEEDED) and rule[len(SEEDED) :].lstrip("-").isdecimal()):
        raise BadOption(f"ties: {rule!r} is not a tie rule. Give 'index' or 'seeded:N' with a whole number N.")


def precedence(texts: Sequence[str], rule: str) -> NDArray[np.int32]:
    """For each text how many others come before it in a tie: its place in the pool, or a place shuffled by the seed.

    The shuffled order of two texts depends on the seed and the texts alone, so it is the same in every pool.

    >>> precedence(["a", "b", "c"], "index").tolist(), precedence(["a", "b", "c"], "seeded:1").tolist()
    ([0, 1, 2], [1, 2, 0])
    """
    check_ties(rule)
    places = np.arange(len(texts), dtype=np.int32)
    if rule == "index":
        return places
    seed = int(rule[len(SEEDED) :])
    shuffled = sorted(range(len(texts)), key=lambda i: (blake2b(f"{seed}:{texts[i]}".encode()).digest(), i))
    before = np.empty_like(places)
    before[shuffled] = places
    return before


Ints = NDArray[np.int32]
Wides = NDArray[np.int64]

FREQUENT = 24
"""A word is frequent when more than one document in this many has it."""

TABLED = 255
"""The highest count that the table of frequent words can hold."""


@dataclass(frozen=True, eq=False, repr=False)
class Postings:
    """For each term the documents that have it, ascending, and how often."""

    starts: Wides
    """Where a term's documents begin; one more than there are terms."""
    docs: Ints
    times: Ints

    @property
    def arrays(self) -> tuple[Wides, Ints, Ints]:
        """The arrays that the compiled functions take."""
        return self.starts, self.docs, self.times

    @classmethod
    def of(cls, terms: Wides, docs: Ints, count: int) -> Postings:
        """The postings of occurrences: ``terms[i]`` occurs in ``docs[i]``, and ``docs`` ascends; ``count`` terms.

        >>> postings = Postings.of(np.array([1, 0, 1, 1]), np.array([0, 0, 0, 1], dtype=np.int32), 2)
        >>> postings.starts.tolist(), postings.docs.tolist(), postings.times.tolist()
        ([0, 1, 3], [0, 0, 1], [1, 2, 1])
        """
        order = np.argsort(terms, kind="stable")
        terms, docs = terms[order], docs[order]
        new = np.ones(len(terms), dtype=bool)
        new[1:] = (terms[1:] != terms[:-1]) | (docs[1:] != docs[:-1])
        first = np.flatnonzero(new)
        times = np.diff(first, append=len(terms)).astype(np.int32)
        starts = np.searchsorted(terms[first], np.arange(count + 1)).astype(np.int64)
        return cls(starts, docs[first], times)


@dataclass(frozen=True, eq=False, repr=False)
class TextIndex:
    """The pool, its documents and its words."""

    pool: QuestionPool
    words: Mapping[str, int]
    """Each word's number."""
    tokens: Ints
    """The words of all documents, concatenated."""
    starts: Wides
    """Where a document's words begin."""
    numbers: Ints
    """The place in the pool of each document."""
    firsts: Ints
    """Rank of each document in a tie: the lowest comes first."""
    places: Ints
    """The document of each place in the pool."""
    lengths: Ints
    """The lengths that occur, ascending: one stretch of documents for each."""
    edges: Wides
    """Where a stretch begins."""
    postings: Postings
    columns: Ints
    """The table row of each frequent word; -1 for other words."""
    table: NDArray[np.uint8]
    """For each frequent word how often each document has it, up to 255: faster to add up than its postings."""

    @property
    def arrays(self) -> tuple[Ints, Wides, Ints, Wides]:
        """The documents, as the compiled functions take them."""
        return self.tokens, self.starts, self.firsts, self.edges

    @property
    def occurrences(self) -> tuple[Wides, Ints, Ints, Ints, NDArray[np.uint8]]:
        """The arrays of word occurrences that the compiled functions take."""
        return *self.postings.arrays, self.columns, self.table

    def counters(self) -> NDArray[Any]:
        """A zero counter for each document, wide enough for its number of words."""
        longest = int(self.lengths.max(initial=0))
        return np.zeros(len(self.numbers), dtype=np.uint8 if longest < 1 << 8 else np.uint32)

    def query(self, text: str) -> list[int]:
        """The numbers of a text's words; words unknown to the pool get new numbers."""
        known, new = self.words, dict[str, int]()
        count = len(known)
        return [known[w] if w in known else new.setdefault(w, count + len(new)) for w in tokens(text)]

    def document(self, text: str) -> int:
        """The document that is this text itself, which its ranking leaves out; -1 when there is none."""
        number = self.pool.find(text)
        return -1 if number is None else int(self.places[number])


def index_of(texts: Iterable[str], ties: str) -> TextIndex:
    """The index of the distinct texts. The last two are cached, for rankers that share a pool.

    Raises:
        DataError: when there is no text.
    """
    pool = QuestionPool.of(texts)
    if not pool.texts:
        raise DataError("The pool to rank has no question. Give at least one.")
    return _index_of(pool.texts, ties)


@lru_cache(maxsize=2)
def _index_of(texts: tuple[str, ...], ties: str) -> TextIndex:
    split = [tokens(text) for text in texts]
    words: dict[str, int] = {}
    for word in chain.from_iterable(split):
        words.setdefault(word, len(words))
    lengths = np.fromiter(map(len, split), dtype=np.int32, count=len(split))
    numbers = np.argsort(lengths, kind="stable").astype(np.int32)
    flat = chain.from_iterable(map(words.__getitem__, split[number]) for number in numbers)
    numbered = np.fromiter(flat, dtype=np.int32, count=int(lengths.sum()))
    lengths = lengths[numbers]
    distinct, edges = np.unique(lengths, return_index=True)
    places = np.empty_like(numbers)
    places[numbers] = np.arange(len(numbers), dtype=np.int32)
    docs = np.repeat(np.arange(len(numbers), dtype=np.int32), lengths)
    postings = Postings.of(numbered.astype(np.int64), docs, len(words))
    columns, table = _tabled(postings, len(texts))
    return TextIndex(
        pool=QuestionPool.of(texts),
        words=words,
        tokens=numbered,
        starts=cumulated(lengths),
        numbers=numbers,
        firsts=precedence(texts, ties)[numbers],
        places=places,
        lengths=distinct.astype(np.int32),
        edges=np.append(edges, len(numbers)).astype(np.int64),
        postings=postings,
        columns=columns,
        table=table,
    )


def _tabled(postings: Postings, documents: int) -> tuple[Ints, NDArray[np.uint8]]:
    """The columns and the table of the frequent words."""
    frequent = np.flatnonzero(np.diff(postings.starts) * FREQUENT > documents)
    columns = np.full(len(postings.starts) - 1, -1, dtype=np.int32)
    columns[frequent] = np.arange(len(frequent))
    table = np.zeros((len(frequent), documents), dtype=np.uint8)
    for row, word in enumerate(frequent):
        own = slice(postings.starts[word], postings.starts[word + 1])
        table[row, postings.docs[own]] = np.minimum(postings.times[own], TABLED)
    return columns, table


def cumulated(counts: Sequence[int] | Ints) -> Wides:
    """Where each part begins when parts of these sizes are concatenated, and where the last one ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])


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
def find_key(keys: Any, low: int, high: int, key: int) -> int:
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
                at = find_key(keys, offsets[less] - shift, offsets[less + 1] - shift, key)
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
