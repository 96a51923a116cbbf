"""Read every pair of every run into a :class:`PairTable`, in one pass over the samples."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from askew.files.temp_blocks import TempObjects
from askew.report.answer_flips import AnswerFlips
from askew.report.load import Run
from askew.report.pair_table import WRONG, PairBlock, PairTable, Trait, became, changed_words, common_answer, words

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
