"""Words of questions as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from askew.answers.normalise import tokens

PADDING, UNKNOWN = 0, 1
"""The first two numbers are not words."""

LONGEST = 32
"""The number of words of a question that are read."""


@dataclass(frozen=True)
class QuestionWords:
    """The words a network knows; word i has the number i + 2.

    >>> words = QuestionWords.of(["Is it red?", "Is it on?"])
    >>> words.known
    ('is', 'it', 'on', 'red')
    >>> words.encode(["Is it blue?", "On?"]).tolist()
    [[2, 3, 1], [4, 0, 0]]
    """

    known: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 1) -> QuestionWords:
        """The words that occur at least ``least`` times in these texts: by frequency, then alphabetically."""
        counts = Counter(word for text in texts for word in tokens(text))
        kept = [word for word, count in counts.items() if count >= least]
        return cls(tuple(sorted(kept, key=lambda word: (-counts[word], word))))

    def __len__(self) -> int:
        return len(self.known) + 2

    def encode(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Texts as one row of numbers each, as long as the longest (at least 1), padded with zeros."""
        rows = [[self._numbers.get(word, UNKNOWN) for word in tokens(text)[:LONGEST]] for text in texts]
        encoded = np.full((len(rows), max((len(row) for row in rows), default=1) or 1), PADDING, np.int64)
        for at, row in enumerate(rows):
            encoded[at, : len(row)] = row
        return encoded

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.known, 2)}
