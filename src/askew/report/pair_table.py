"""Every pair of every run as columns; ``pair_reader`` reads them.

A pair is an original question with one of its variants. How each model answered it is in memory, in a few bytes;
everything else about it is in a temporary file, in blocks. All that the page counts or samples is a numpy expression
over these columns, block by block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.answers.normalise import modal_answer
from askew.report.answer_flips import AnswerFlips
from askew.report.load import Run

WRONG, RIGHT, FAILED = 0, 1, 2
"""How one question was answered."""

ABSENT = 255
"""The code of a pair that is not in a run."""

DIMENSIONS = ("test", "made_by", "question_type", "answer_type", "answer", "changed", "word")
"""The dimensions of traits: test, rule and new words of the variant; the others are of the original."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Trait(NamedTuple):
    """A property that pairs of one suite can share, e.g. the question type *how many*."""

    suite: str
    dimension: str
    value: str


@dataclass(frozen=True, slots=True)
class PairBlock:
    """Some consecutive pairs, as columns."""

    first: int
    """The number of the first of these pairs."""
    group_of: NDArray[np.int32]
    variant_of: NDArray[np.int32]
    priority: NDArray[np.uint64]
    """A hash of the group's id: the sample takes the smallest, regardless of the order of the file."""
    trait_ids: NDArray[np.int32]
    trait_counts: NDArray[np.int32]
    """How many of ``trait_ids`` belong to each pair; the first three are its suite, test and rule."""

    @property
    def pairs(self) -> slice:
        """Where these pairs are in a column of all pairs."""
        return slice(self.first, self.first + len(self.group_of))

    def heads(self) -> NDArray[np.int32]:
        """Suite, test and rule of each pair, as trait numbers, of shape (pairs, 3)."""
        starts = np.cumsum(self.trait_counts, dtype=np.int64) - self.trait_counts
        return np.asarray(self.trait_ids[starts[:, None] + np.arange(3)])


@dataclass(frozen=True)
class PairTable:
    """The pairs of all runs. Memory holds nine bytes for each pair and run; the rest is in a temporary file."""

    runs: Sequence[Run]
    pairs: int = 0
    """The number of pairs."""
    codes: list[NDArray[np.uint8]] = field(default_factory=list)
    """``codes[m][p]`` is three times the code of the original's answer plus that of the variant's."""
    offsets: list[NDArray[np.int64]] = field(default_factory=list)
    """``offsets[m][g]``: where the line of group g begins in run m's file; -1 where there is none."""
    blocks: Iterable[PairBlock] = ()
    """All pairs, in order; can be iterated several times."""
    number_of: Mapping[Trait, int] = field(default_factory=dict)
    """The index of each trait."""
    uncounted: int = 0
    """How often a trait was not counted because the list was full."""
    flips: list[dict[str, AnswerFlips]] = field(default_factory=list)
    """For each run and suite, how often each answer became each other."""

    @cached_property
    def traits(self) -> list[Trait]:
        """The traits by index."""
        return list(self.number_of)

    def heads(self) -> NDArray[np.int32]:
        """Suite, test and rule of each pair, as trait numbers, of shape (pairs, 3)."""
        found = np.zeros((self.pairs, 3), np.int32)
        for block in self.blocks:
            found[block.pairs] = block.heads()
        return found

    def places(self, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """The group of each of these pairs, and the index of its variant in the group."""
        wanted, found = np.asarray(numbers, np.int64), np.zeros((len(numbers), 2), np.int64)
        for block in self.blocks:
            here = np.flatnonzero((wanted >= block.pairs.start) & (wanted < block.pairs.stop))
            within = wanted[here] - block.first
            found[here] = np.column_stack([block.group_of[within], block.variant_of[within]])
        return [(group, variant) for group, variant in found.tolist()]


def words(text: str) -> list[str]:
    """The words of a question, in lower case.

    >>> words("What's on the man's T-shirt?")
    ["what's", 'on', 'the', "man's", 't', 'shirt']
    """
    return _WORD.findall(text.lower())


def became(record: Mapping[str, Any]) -> int:
    """Whether this question was answered correctly, incorrectly or not at all."""
    right = record.get("right")
    if right is None:
        accuracy = record.get("accuracy")
        if accuracy is None:
            return FAILED
        right = accuracy >= 0.5
    return RIGHT if right else WRONG


def common_answer(answers: Sequence[str]) -> str:
    """The most frequent answer of people, in lower case; the first in case of a tie.

    >>> common_answer(["white", "grey", "White"])
    'white'
    """
    return modal_answer(map(str, answers), str.lower)


@lru_cache(maxsize=4096)
def changed_words(original: str, variant: str) -> tuple[str, ...]:
    """The words that are in the variant but not in the original, in order.

    >>> changed_words("What color is the cat?", "Is the color of the cat white?")
    ('of', 'white')
    """
    old = set(words(original))
    return tuple(dict.fromkeys(word for word in words(variant) if word not in old))
