"""Every pair of every run as columns, read in one pass over the samples: a few bytes for each pair and model.

A pair is an original question with one of its variants. 200,000 groups of five models take some tens of
megabytes, and everything the page counts or samples is a numpy expression over these columns.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from askew.answers.normalise import modal_answer
from askew.report.answer_flips import AnswerFlips
from askew.report.load import Run

WRONG, RIGHT, FAILED = 0, 1, 2
"""How one question was answered."""

ABSENT = 255
"""The code of a pair that is not in a run."""

MOST_TRAITS = 200_000
"""The limit on distinct tests, rules, words, ...; later ones are not counted, and the page says so."""

DIMENSIONS = ("test", "made_by", "question_type", "answer_type", "answer", "changed", "word")
"""The dimensions of traits: test, rule and new words of the variant; the others are of the original."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Trait:
    """A property that pairs of one suite can share, e.g. the question type *how many*."""

    suite: str
    dimension: str
    value: str


@dataclass(frozen=True)
class PairTable:
    """The columns. ``codes[m][p]`` is three times the code of the original's answer plus that of the variant's."""

    runs: Sequence[Run]
    groups: int = 0
    codes: list[NDArray[np.uint8]] = field(default_factory=list)
    group_of: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    variant_of: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    priority: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    """A hash of the group's id: the sample takes the smallest, regardless of the order of the file."""
    offsets: list[NDArray[np.int64]] = field(default_factory=list)
    """``offsets[m][g]``: where the line of group g begins in run m's file; -1 where there is none."""
    traits: list[Trait] = field(default_factory=list)
    trait_ids: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    trait_counts: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """How many of ``trait_ids`` belong to each pair; the first three are its suite, test and rule."""
    uncounted: int = 0
    """How often a trait was not counted because the list was full."""
    flips: list[dict[str, AnswerFlips]] = field(default_factory=list)
    """For each run and suite, how often each answer became each other."""

    @cached_property
    def number_of(self) -> dict[Trait, int]:
        """The index of each trait in ``traits``."""
        return {trait: number for number, trait in enumerate(self.traits)}

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self.group_of)

    def slices(self, most: int = 100_000) -> Iterator[tuple[slice, slice]]:
        """Chunks of pairs, and the ranges of their traits."""
        ends = np.concatenate([[0], np.cumsum(self.trait_counts, dtype=np.int64)])
        for start in range(0, self.pairs, most):
            stop = min(self.pairs, start + most)
            yield slice(start, stop), slice(int(ends[start]), int(ends[stop]))

    def heads(self) -> NDArray[np.int32]:
        """Suite, test and rule of each pair, as trait numbers, of shape (pairs, 3)."""
        starts = np.cumsum(self.trait_counts, dtype=np.int64) - self.trait_counts
        return self.trait_ids[starts[:, None] + np.arange(3)] if self.pairs else np.zeros((0, 3), np.int32)


def read_pairs(runs: Sequence[Run]) -> PairTable:
    """Read the samples of every run once."""
    reader = _PairReader(several=len(runs) > 1)
    for run in runs:
        reader.read(run)
    return reader.table(runs)


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


@dataclass
class _PairReader:
    several: bool
    """Whether groups must be found again in other runs."""
    group_numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    group_marks: array[int] = field(default_factory=lambda: array("Q"))
    group_starts: array[int] = field(default_factory=lambda: array("Q"))
    group_sums: array[int] = field(default_factory=lambda: array("Q"))
    group_of: array[int] = field(default_factory=lambda: array("i"))
    variant_of: array[int] = field(default_factory=lambda: array("i"))
    trait_numbers: dict[tuple[str, str, str], int] = field(default_factory=dict)
    trait_ids: array[int] = field(default_factory=lambda: array("i"))
    trait_counts: array[int] = field(default_factory=lambda: array("i"))
    uncounted: int = 0
    codes: list[bytearray] = field(default_factory=list)
    offsets: list[array[int]] = field(default_factory=list)
    flips: list[dict[str, AnswerFlips]] = field(default_factory=list)

    def read(self, run: Run) -> None:
        codes, offsets = bytearray(b"\xff" * len(self.group_of)), array("q", [-1]) * len(self.group_starts)
        flips: dict[str, AnswerFlips] = {suite["name"]: AnswerFlips() for suite in run.suites}
        data = run.data
        for offset, record in run.outcomes(with_variants=True):
            variants = record.get("variants") or ()
            if not variants:
                continue
            number = self.number(data, record, variants)
            if number == len(offsets):
                offsets.append(-1)
                codes.extend(b"\xff" * len(variants))
            offsets[number] = offset
            original = record["original"]
            before, start = became(original), self.group_starts[number]
            suite_flips = flips.setdefault(record.get("suite", ""), AnswerFlips())
            first_answer = (original.get("prediction") or {}).get("answer")
            for index, variant in enumerate(variants):
                after = became(variant)
                codes[start + index] = 3 * before + after
                second_answer = (variant.get("prediction") or {}).get("answer")
                if first_answer is not None and second_answer is not None:
                    suite_flips.add(first_answer, second_answer, after == WRONG)
        self.codes.append(codes)
        self.offsets.append(offsets)
        self.flips.append(flips)

    def number(self, data: str, record: Mapping[str, Any], variants: Sequence[Mapping[str, Any]]) -> int:
        """The index of this group; if its variants differ from those in an earlier run, it is another group."""
        key: tuple[Any, ...] = (data, record.get("suite", ""), record.get("group"))
        total = crc32(record["original"].get("question", "").encode())
        for variant in variants:
            total = crc32(f"{variant.get('id')}{variant.get('question')}".encode(), total)
        if not self.several:
            self.register(key, total, record, variants)
            return len(self.group_starts) - 1
        number = self.group_numbers.get(key)
        if number is not None and self.group_sums[number] != total:
            key = (*key, total)
            number = self.group_numbers.get(key)
        if number is None:
            number = len(self.group_starts)
            self.group_numbers[key] = number
            self.register(key, total, record, variants)
        return number

    def register(
        self, key: tuple[Any, ...], total: int, record: Mapping[str, Any], variants: Sequence[Mapping[str, Any]]
    ) -> None:
        number = len(self.group_starts)
        self.group_starts.append(len(self.group_of))
        self.group_sums.append(total)
        self.group_marks.append(int.from_bytes(blake2b(repr(key).encode(), digest_size=8).digest(), "little"))
        original, suite = record["original"], record.get("suite", "")
        asked = words(original.get("question", ""))
        answer = common_answer(original.get("answers") or ())
        for index, variant in enumerate(variants):
            self.group_of.append(number)
            self.variant_of.append(index)
            start = len(self.trait_ids)
            self.head(suite, "suite", suite)
            self.head(suite, "test", variant.get("test", ""))
            self.head(suite, "made_by", variant.get("made_by", ""))
            self.trait(suite, "question_type", original.get("question_type", ""))
            self.trait(suite, "answer_type", original.get("answer_type", ""))
            self.trait(suite, "answer", answer)
            for word in changed_words(original.get("question", ""), variant.get("question", "")):
                self.trait(suite, "changed", word)
            for word in dict.fromkeys(asked):
                self.trait(suite, "word", word)
            self.trait_counts.append(len(self.trait_ids) - start)

    def head(self, suite: str, dimension: str, value: str) -> None:
        key = (suite, dimension, value)
        self.trait_ids.append(self.trait_numbers.setdefault(key, len(self.trait_numbers)))

    def trait(self, suite: str, dimension: str, value: str) -> None:
        if not value:
            return
        key = (suite, dimension, value)
        number = self.trait_numbers.get(key)
        if number is None:
            if len(self.trait_numbers) >= MOST_TRAITS:
                self.uncounted += 1
                return
            number = self.trait_numbers[key] = len(self.trait_numbers)
        self.trait_ids.append(number)

    def table(self, runs: Sequence[Run]) -> PairTable:
        pairs, groups = len(self.group_of), len(self.group_starts)
        group_of, variant_of = np.asarray(self.group_of, np.int32), np.asarray(self.variant_of, np.int32)
        marks = np.array(self.group_marks, np.uint64)
        return PairTable(
            runs=runs,
            groups=groups,
            codes=[
                np.frombuffer(bytes(codes) + b"\xff" * (pairs - len(codes)), np.uint8).copy() for codes in self.codes
            ],
            group_of=group_of,
            variant_of=variant_of,
            priority=_mix(marks[group_of] + variant_of.astype(np.uint64)) if pairs else np.zeros(0, np.uint64),
            offsets=[
                np.concatenate([np.array(offsets, np.int64), np.full(groups - len(offsets), -1, np.int64)])
                for offsets in self.offsets
            ],
            traits=[Trait(*key) for key in self.trait_numbers],
            trait_ids=np.asarray(self.trait_ids, np.int32),
            trait_counts=np.asarray(self.trait_counts, np.int32),
            uncounted=self.uncounted,
            flips=self.flips,
        )


@lru_cache(maxsize=4096)
def changed_words(original: str, variant: str) -> tuple[str, ...]:
    """The words that are in the variant but not in the original, in order.

    >>> changed_words("What color is the cat?", "Is the color of the cat white?")
    ('of', 'white')
    """
    old = set(words(original))
    return tuple(dict.fromkeys(word for word in words(variant) if word not in old))


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The mixing step of SplitMix64: similar numbers give unrelated ones."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
