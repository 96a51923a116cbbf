"""Every pair of every run as columns, read in one pass over the samples.

A pair is an original question with one of its variants. How each model answered it is in memory, in a few bytes;
everything else about it is in a temporary file, in blocks. All that the page counts or samples is a numpy expression
over these columns, block by block.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from askew.answers.normalise import modal_answer
from askew.files.temp_blocks import TempObjects
from askew.report.answer_flips import AnswerFlips
from askew.report.load import Run

WRONG, RIGHT, FAILED = 0, 1, 2
"""How one question was answered."""

BROKE, HELD = 3 * RIGHT + WRONG, 3 * RIGHT + RIGHT
"""The codes of a pair whose original was answered correctly, and whose variant was not, or was too."""

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


MOST_TRAITS = 200_000
"""The limit on distinct tests, rules, words, ...; later ones are not counted, and the page says so."""


def read_pairs(runs: Sequence[Run]) -> PairTable:
    """Read the samples of every run once."""
    reader = _PairReader(several=len(runs) > 1)
    for run in runs:
        reader.read(run)
    return reader.table(runs)


class _PairReader:
    def __init__(self, several: bool) -> None:
        self.known = _KnownGroups() if several else None
        """Groups of earlier runs, which must be found again."""
        self.groups = self.pairs = self.uncounted = 0
        self.written = TempObjects[PairBlock]()
        self.recent = _RecentPairs(0)
        self.number_of: dict[Trait, int] = {}
        self.codes: list[bytearray] = []
        self.offsets: list[array[int]] = []
        self.flips: list[dict[str, AnswerFlips]] = []

    def read(self, run: Run) -> None:
        codes, offsets = bytearray(b"\xff") * self.pairs, array("q", [-1]) * self.groups
        flips: dict[str, AnswerFlips] = {suite["name"]: AnswerFlips() for suite in run.suites}
        data = run.data
        if self.known is not None:
            self.known.begin_run()
        for offset, record in run.outcomes(with_variants=True):
            variants = record.get("variants") or ()
            if not variants:
                continue
            number, start = self.place(data, record, variants)
            if number == len(offsets):
                offsets.append(-1)
                codes.extend(b"\xff" * len(variants))
            offsets[number] = offset
            original = record["original"]
            before = became(original)
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

    def place(self, data: str, record: Mapping[str, Any], variants: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
        """The index of this group and that of its first pair; with other variants than in an earlier run, it is
        another group.
        """
        key: tuple[Any, ...] = (data, record.get("suite", ""), record.get("group"))
        mark = _mark(key)
        if self.known is not None:
            total = crc32(record["original"].get("question", "").encode())
            for variant in variants:
                total = crc32(f"{variant.get('id')}{variant.get('question')}".encode(), total)
            found = self.known.find(mark)
            if found is not None and found[2] != total:
                mark = _mark((*key, total))
                found = self.known.find(mark)
            if found is not None:
                return found[:2]
            self.known.add(mark, total, self.pairs)
        number, start = self.groups, self.pairs
        self.add(number, mark, record, variants)
        return number, start

    def add(self, number: int, mark: int, record: Mapping[str, Any], variants: Sequence[Mapping[str, Any]]) -> None:
        """Add a new group."""
        recent, trait_ids = self.recent, self.recent.trait_ids
        original, suite = record["original"], record.get("suite", "")
        asked = words(original.get("question", ""))
        answer = common_answer(original.get("answers") or ())
        for index, variant in enumerate(variants):
            start = len(trait_ids)
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
            recent.add(number, index, mark, len(trait_ids) - start)
        self.groups += 1
        self.pairs += len(variants)
        if len(recent.group_of) >= _TOGETHER:
            self.written.append(recent.block())
            self.recent = _RecentPairs(self.pairs)

    def head(self, suite: str, dimension: str, value: str) -> None:
        key = Trait(suite, dimension, value)
        self.recent.trait_ids.append(self.number_of.setdefault(key, len(self.number_of)))

    def trait(self, suite: str, dimension: str, value: str) -> None:
        if not value:
            return
        key = Trait(suite, dimension, value)
        number = self.number_of.get(key)
        if number is None:
            if len(self.number_of) >= MOST_TRAITS:
                self.uncounted += 1
                return
            number = self.number_of[key] = len(self.number_of)
        self.recent.trait_ids.append(number)

    def table(self, runs: Sequence[Run]) -> PairTable:
        for codes, offsets in zip(self.codes, self.offsets, strict=True):
            codes.extend(b"\xff" * (self.pairs - len(codes)))
            offsets.extend(array("q", [-1]) * (self.groups - len(offsets)))
        return PairTable(
            runs=runs,
            pairs=self.pairs,
            codes=[np.frombuffer(codes, np.uint8) for codes in self.codes],
            offsets=[np.asarray(offsets) for offsets in self.offsets],
            blocks=_Blocks(self.written, self.recent.block()),
            number_of=self.number_of,
            uncounted=self.uncounted,
            flips=self.flips,
        )


class _RecentPairs:
    """Pairs in memory that will become a block."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.group_of, self.variant_of, self.marks = array("i"), array("i"), array("Q")
        self.trait_ids, self.trait_counts = array("i"), array("i")

    def add(self, group: int, variant: int, mark: int, traits: int) -> None:
        self.group_of.append(group)
        self.variant_of.append(variant)
        self.marks.append(mark)
        self.trait_counts.append(traits)

    def block(self) -> PairBlock:
        variant_of = np.array(self.variant_of, np.int32)
        return PairBlock(
            self.first,
            np.array(self.group_of, np.int32),
            variant_of,
            _mix(np.array(self.marks, np.uint64) + variant_of.astype(np.uint64)),
            np.array(self.trait_ids, np.int32),
            np.array(self.trait_counts, np.int32),
        )


@dataclass(frozen=True)
class _Blocks:
    """The blocks in the file, and the last one."""

    written: TempObjects[PairBlock]
    last: PairBlock

    def __iter__(self) -> Iterator[PairBlock]:
        yield from self.written
        if len(self.last.group_of):
            yield self.last


class _KnownGroups:
    """Groups of earlier runs by the hash of their key, in some thirty bytes each; usually they come in the same order.

    A run has each group once, so those of the current run are not searched.
    """

    def __init__(self) -> None:
        self._marks, self._totals, self._starts = array("Q"), array("I"), array("q")
        self._sorted, self._order = array("Q"), array("i")
        self._next = 0

    def begin_run(self) -> None:
        """Make the groups so far those that are searched."""
        marks = np.asarray(self._marks)
        order = np.argsort(marks, kind="stable").astype(np.int32)
        self._sorted, self._order = array("Q", marks[order].tobytes()), array("i", order.tobytes())
        self._next = 0

    def add(self, mark: int, total: int, start: int) -> None:
        """Add a group of the current run: its hash, the checksum of its texts, and the index of its first pair."""
        self._marks.append(mark)
        self._totals.append(total)
        self._starts.append(start)

    def find(self, mark: int) -> tuple[int, int, int] | None:
        """The index of a group of an earlier run, that of its first pair, and its checksum."""
        number = self._next
        if number >= len(self._order) or self._marks[number] != mark:
            place = bisect_left(self._sorted, mark)
            if place == len(self._sorted) or self._sorted[place] != mark:
                return None
            number = self._order[place]
        self._next = number + 1
        return number, self._starts[number], self._totals[number]


_TOGETHER = 1 << 14
"""Pairs in memory before they are written to the file."""


def _mark(key: tuple[Any, ...]) -> int:
    """A hash of the key of a group: 64 bits, the same on any machine."""
    return int.from_bytes(blake2b(repr(key).encode(), digest_size=8).digest(), "little")


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The mixing step of SplitMix64: similar numbers give unrelated ones."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
