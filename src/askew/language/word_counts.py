"""The vocabulary of a data set, so that perturbations introduce only words that occur there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@lru_cache(maxsize=1 << 13)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, split at apostrophes.

    >>> words_of("What's the T-shirt's color?")
    ('what', 's', 'the', 't-shirt', 's', 'color')
    """
    return tuple(_WORD.findall(text.lower()))


@dataclass(frozen=True)
class WordCounts:
    """Words and how often each occurs. Without counts it contains every word.

    >>> vocabulary = WordCounts.of(["Is the car red?", "Is it an automobile?"])
    >>> vocabulary.holds("car"), vocabulary.holds("red automobile"), vocabulary.holds("motorcar")
    (True, True, False)
    >>> WordCounts().holds("motorcar")
    True
    """

    counts: Mapping[str, int] | None = field(default=None, repr=False)
    least: int = 1
    """The minimum count of a word."""

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 1) -> WordCounts:
        """The vocabulary of these texts."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(words_of(text))
        return cls(counts, least)

    def holds(self, phrase: str) -> bool:
        """True when each word of the phrase has the minimum count."""
        if self.counts is None:
            return True
        if phrase in self.counts:
            return self.counts[phrase] >= self.least
        return all(self.counts.get(word, 0) >= self.least for word in words_of(phrase))
