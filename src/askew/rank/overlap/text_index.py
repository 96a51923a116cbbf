"""A pool of texts as arrays: the words of each text, and which texts have each word and n-gram, and how often.

The index also decides ties. Most rankings by BLEU, ROUGE and METEOR end in one: in a pool of 50,000 questions, about
forty score at least as high as the 21st. So the tie rule is an option, and each ranking says how many were tied.
"""

from __future__ import annotations

from collections import Counter
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
Terms = tuple[Wides, Wides, Wides]
"""The distinct n-grams of a text: n - 1, the number in the index (-1 if no text has it), and how often it occurs."""


@dataclass(frozen=True, eq=False, repr=False)
class TextIndex:
    """A pool, its words, and its n-grams up to some length, numbered one length after the other: words first."""

    pool: QuestionPool
    words: Mapping[str, int]
    """Each word's number."""
    tokens: Ints
    """The words of all texts, concatenated."""
    starts: Wides
    """Where a text's words begin; one more than there are texts."""
    firsts: Ints
    """Rank of each text in a tie: the lowest comes first."""
    keys: Sequence[Wides]
    """For pairs and longer n-grams, ascending: the number of the first n - 1 words times all words, plus the last."""
    offsets: Wides
    """Where the numbers of each length begin; one more than there are lengths."""
    postings: tuple[Wides, Ints, Ints]
    """Where each n-gram's texts begin (one more than there are n-grams), the texts, and how often each has it."""

    @property
    def arrays(self) -> tuple[Ints, Wides, Ints]:
        """The texts, as the compiled functions take them."""
        return self.tokens, self.starts, self.firsts

    def query(self, text: str) -> Wides:
        """The numbers of a text's words; words unknown to the pool get new numbers."""
        known, new = self.words, dict[str, int]()
        count = len(known)
        return np.array(
            [known[w] if w in known else new.setdefault(w, count + len(new)) for w in tokens(text)], dtype=np.int64
        )

    def terms(self, query: Wides) -> Terms:
        """The distinct n-grams of a query.

        >>> index = index_of(["is it red", "is it"], "index", 2)
        >>> [column.tolist() for column in index.terms(index.query("is it is it"))]
        [[0, 0, 1, 1], [0, 1, 3, -1], [2, 2, 2, 1]]
        """
        rows: list[tuple[int, int, int]] = []
        words, numbers = query.tolist(), np.where(query < len(self.words), query, -1)
        for less in range(len(self.offsets) - 1):
            if less:
                numbers = self._longer(numbers[:-1], query[less:], less)
            windows = list(zip(*(words[start:] for start in range(less + 1)), strict=False))
            at = dict(zip(reversed(windows), reversed(numbers.tolist()), strict=True))
            rows.extend((less, at[window], times) for window, times in Counter(windows).items())
        less_, number, times_ = np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy()
        return less_, number, times_

    def _longer(self, shorter: Wides, last: Wides, less: int) -> Wides:
        """The numbers of n-grams from those without their last word, and that word; -1 for those of no text."""
        keys, words = self.keys[less - 1], len(self.words)
        wanted = np.where((shorter >= 0) & (last < words), shorter * words + last, -1)
        at = np.searchsorted(keys, wanted)
        found = at < len(keys)
        found[found] = keys[at[found]] == wanted[found]
        return np.where(found, at + self.offsets[less], -1)


def index_of(texts: Iterable[str], ties: str, longest: int) -> TextIndex:
    """The index of the distinct texts, with n-grams up to this length. The last two are cached, for similar rankers.

    Raises:
        DataError: when there is no text.
    """
    pool = QuestionPool.of(texts)
    if not pool.texts:
        raise DataError("The pool to rank has no question. Give at least one.")
    return _index_of(pool.texts, ties, longest)


@lru_cache(maxsize=2)
def _index_of(texts: tuple[str, ...], ties: str, longest: int) -> TextIndex:
    split = [tokens(text) for text in texts]
    words: dict[str, int] = {}
    flat = np.array([words.setdefault(word, len(words)) for word in chain.from_iterable(split)], dtype=np.int64)
    lengths = np.array([len(own) for own in split], dtype=np.int64)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    docs = np.repeat(np.arange(len(texts), dtype=np.int32), lengths)
    left = np.repeat(starts[1:], lengths) - np.arange(len(flat))  # words from here to the end of the text
    numbers, offsets, keys = flat, [0, len(words)], list[Wides]()
    all_numbers, all_docs = [flat], [docs]
    for n in range(2, longest + 1):
        at = np.flatnonzero(left >= n)
        distinct, own = np.unique(numbers[at] * len(words) + flat[at + n - 1], return_inverse=True)
        numbers = np.zeros(len(flat), dtype=np.int64)
        numbers[at] = own + offsets[-1]
        keys.append(distinct)
        offsets.append(offsets[-1] + len(distinct))
        all_numbers.append(numbers[at])
        all_docs.append(docs[at])
    return TextIndex(
        pool=QuestionPool.of(texts),
        words=words,
        tokens=flat.astype(np.int32),
        starts=starts,
        firsts=precedence(texts, ties),
        keys=keys,
        offsets=np.array(offsets, dtype=np.int64),
        postings=postings_of(np.concatenate(all_numbers), np.concatenate(all_docs), offsets[-1]),
    )


def postings_of(terms: Wides, docs: Ints, count: int) -> tuple[Wides, Ints, Ints]:
    """The postings of occurrences: ``terms[i]`` occurs in ``docs[i]``, which ascend for a term; ``count`` terms.

    >>> [part.tolist() for part in postings_of(np.array([1, 0, 1, 1]), np.array([0, 0, 0, 1], dtype=np.int32), 2)]
    [[0, 1, 3], [0, 0, 1], [1, 2, 1]]
    """
    order = np.argsort(terms, kind="stable")
    terms, docs = terms[order], docs[order]
    new = np.ones(len(terms), dtype=bool)
    new[1:] = (terms[1:] != terms[:-1]) | (docs[1:] != docs[:-1])
    first = np.flatnonzero(new)
    times = np.diff(first, append=len(terms)).astype(np.int32)
    return np.searchsorted(terms[first], np.arange(count + 1)).astype(np.int64), docs[first], times


@compiled
def count_shared(counts: Any, terms: Any, postings: Any) -> None:
    """Add to ``counts[n - 1, doc]`` the n-grams that a text shares with the query, each at most as often as there."""
    less, numbers, wanted = terms
    starts, docs, times = postings
    for i in range(len(numbers)):
        if numbers[i] >= 0:
            row, most = counts[less[i]], wanted[i]
            for at in range(starts[numbers[i]], starts[numbers[i] + 1]):
                row[docs[at]] += min(most, times[at])
