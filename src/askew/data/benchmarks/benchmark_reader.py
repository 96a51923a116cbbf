"""What readers of published benchmarks share: files, images, bad records, and counts against published sizes.

A reader is a frozen dataclass with ``files``, ``expected`` and one generator: ``read_groups`` of a benchmark whose
questions come as groups (``GroupBenchmark``), ``read_questions`` of a plain question set (``QuestionBenchmark``).
``marks.yaml`` says how its files are recognised.
"""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

from askew.data.bad_records import DataFiles, Sieve, distinct, short
from askew.data.benchmarks.sniff import PathContents, names_of
from askew.data.find_images import ImagesByName, counting_missing
from askew.data.json_stream import first_character, items
from askew.data.jsonl import valid_lines
from askew.errors import BadRecord, DataError
from askew.types import Group, Id, ImageRef, Question

Sizes: TypeAlias = Mapping[str, Mapping[str, int | tuple[int, ...]]]


@dataclass(frozen=True, repr=False)
class BenchmarkFiles(DataFiles):
    """The files of a published benchmark. Nothing is downloaded: errors name missing files and where to put them."""

    title: ClassVar[str]
    """The name of the data in tables."""
    suites: ClassVar[Sequence[str]]
    """The suites that are run by default."""
    wanted: ClassVar[str] = ""
    """What belongs at the path, for error messages."""
    sizes: ClassVar[Sizes] = {}
    """The published sizes of files with these names."""
    rule: ClassVar[str] = "none"
    """How answers are extracted from replies: ``short`` where they are options or yes and no, ``none`` where the
    evaluator compares whole answers, or the rule of its evaluator."""
    images: str | None = None
    """The folder of images, which are found by name in it and its sub-folders; by default the folder of the files."""
    skip_bad: bool = False
    """Leave out bad records and list them in ``skipped``; accept files that differ in size from the published ones."""

    def __post_init__(self) -> None:
        if not os.path.exists(self.path):
            raise DataError(f"{self.path}: there is no such file or folder. {self.title} belongs there.")
        self.files()

    @property
    def name(self) -> str:
        """The name of the benchmark in tables."""
        return self.title

    def files(self) -> Sequence[str]:
        """The files that are read, by default one; raises DataError if one is missing, saying where it belongs."""
        return self.marked_files(self.wanted)[:1]

    def expected(self) -> Mapping[str, int | tuple[int, ...]]:
        """Published sizes, e.g. ``{"questions in coco_pope_random.json": 3000}``; empty if none is known.

        If editions differ in size, the value is a tuple.
        """
        names = map(os.path.basename, self.files())
        return {what: size for name in names for what, size in self.sizes.get(name, {}).items()}

    def marked_files(self, wanted: str) -> list[str]:
        """The files at the path that match this reader's marks; raises DataError if there are none."""
        found = PathContents(self.path).of(reader_key(type(self)))
        if not found:
            refuse = missing_files if os.path.isdir(self.path) else wrong_file
            raise refuse(self.path, self.title, wanted)
        return found

    def in_the_paper(self) -> Mapping[str, str]:
        """The paper's sizes, which are printed next to the counts but not enforced."""
        return {}

    def sieve(self, path: str, word: str = "record") -> Sieve:
        """The handler of a file's bad records."""
        return Sieve(path, self.skip_bad, self.skipped, word)

    def records(self, sieve: Sieve, key: str = "questions") -> Iterator[tuple[int, Any]]:
        """The records of a JSON list, of the list under ``key`` of a JSON object, or of JSONL."""
        if first_character(sieve.path) == "[":
            return items(sieve.path, key)
        return valid_lines(sieve)

    @property
    def extract(self) -> str:
        """The rule for these files."""
        return self.rule

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """The ids of the questions that a record of predictions in this file answers, by the benchmark's own keys.

        None if it has no such keys: then the ids are those that the record itself names.
        """
        return None

    def in_order(self) -> Mapping[str, Sequence[Question]]:
        """The questions in the order of each file, if there are several files with the same kind of questions."""
        return {}

    @cached_property
    def _found(self) -> ImagesByName:
        return ImagesByName(self.images, folder_of(self.path))

    @property
    def has_images(self) -> bool:
        """False if images are only known by their names: no folder is given and there are none next to the files."""
        return self._found.has_files

    def image(self, name: str) -> ImageRef:
        """The image of this name."""
        return self._found.find(name)

    def image_of(self, key: Id, *names: str) -> ImageRef:
        """The image with this id, whose file has one of these names, the usual one first."""
        return replace(self._found.find(self._found.first(names)), id=key)

    def stopped(self, counts: Mapping[str, int]) -> None:
        """Add a remark about each count when reading stops before the end (``--limit``): how much was read."""
        expected = self.expected()
        for what, count in counts.items():
            size = f" of {_sizes(expected[what])} expected" if what in expected else ""
            self.remarks.append(f"{self.title}: reading stopped after {count:,}{size} {what}.")

    def finish(self, counts: Mapping[str, int]) -> None:
        """Compare the counts with the published sizes: add a remark about each, raise an error if one differs."""
        expected, paper = self.expected(), self.in_the_paper()
        for what in dict.fromkeys((*counts, *expected)):
            count, size = counts.get(what, 0), expected.get(what)
            if size is None:
                beside = f" (the paper has {paper[what]})" if what in paper else ""
                self.remarks.append(f"{self.title}: {count:,} {what}{beside}.")
                continue
            summary = f"{self.title}: {count:,} of {_sizes(size)} expected {what}"
            if count not in (size if isinstance(size, tuple) else (size,)) and not self.skip_bad:
                raise DataError(
                    f"{self.path}: {summary}, so this is not the published benchmark. Copy the files again, or read "
                    "them as they are: --skip-bad, or skip_bad=true after the data."
                )
            self.remarks.append(f"{summary}.")


@dataclass(frozen=True, repr=False)
class GroupBenchmark(BenchmarkFiles):
    """A benchmark whose questions come as groups; as a data set it yields their original questions."""

    @counting_missing
    def groups(self) -> Iterator[Group]:
        """The groups in the order of the files."""
        counts = self.begin()
        try:
            yield from self.read_groups(counts)
        except GeneratorExit:
            self.stopped(counts)
            raise
        self.finish(counts)

    def questions(self) -> Iterator[Question]:
        """The original questions."""
        return (group.original for group in self.groups())

    @abstractmethod
    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The groups, streamed; counts what ``expected`` names."""


@dataclass(frozen=True, repr=False)
class QuestionBenchmark(BenchmarkFiles):
    """A plain set of questions, as data for any suite and for attacks."""

    suites: ClassVar[Sequence[str]] = ("accuracy",)

    @counting_missing
    def questions(self) -> Iterator[Question]:
        """The questions in the order of the files."""
        counts = self.begin()
        try:
            yield from self.read_questions(counts)
        except GeneratorExit:
            self.stopped(counts)
            raise
        self.finish(counts)

    @abstractmethod
    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions, streamed; counts what ``expected`` names."""

    def sifted(
        self,
        sieve: Sieve,
        records: Iterable[tuple[int, Any]],
        identify: Callable[[Any], Id],
        make: Callable[[Id, Any], Question],
        counts: Counter[str],
    ) -> Iterator[Question]:
        """The questions that ``make`` returns for the records with a valid and new id; they are counted."""
        for number, key, record in distinct(sieve, records, identify):
            question = sieve.sift(number, key, make, key, record)
            if question is not None:
                counts["questions"] += 1
                yield question


@dataclass(frozen=True, repr=False)
class OneFilePerSplit(QuestionBenchmark):
    """A plain set of questions with a file for each split, of which one is read."""

    reader: ClassVar[str]
    """The name of the reader in specs."""
    example: ClassVar[str]
    """The name of the validation split's file."""

    split: str | None = None
    """Which file of a folder: ``train``, ``val`` or ``test``."""

    def files(self) -> Sequence[str]:
        """The file itself, or the one file of a folder whose name fits, and the split if one is named."""
        if not os.path.isdir(self.path):
            return [self.path]
        found = PathContents(self.path).named(names_of(reader_key(type(self))))
        fitting = [file for file in found if self.split is None or self.split in os.path.basename(file)]
        if not fitting:
            example = re.sub("val", self.split or "val", self.example, count=1)
            raise missing_files(self.path, self.title, example)
        if len(fitting) > 1:
            names = ", ".join(os.path.basename(file) for file in fitting)
            raise DataError(
                f"{self.path}: {len(fitting)} files of {self.title} are here: {names}. Pick one, e.g. "
                f"{self.reader}:{self.path},split=val"
            )
        return fitting


def reader_key(reader: type) -> str:
    """The name of a reader in ``marks.yaml``."""
    return f"{reader.__module__.rpartition('.')[2]}:{reader.__name__}"


def _sizes(size: int | tuple[int, ...]) -> str:
    """Published sizes in words.

    >>> _sizes(3000), _sizes((245, 246))
    ('3,000', '245 or 246')
    """
    return " or ".join(f"{one:,}" for one in (size if isinstance(size, tuple) else (size,)))


def folder_of(path: str) -> str:
    """The folder itself, or the folder of a file."""
    return path if os.path.isdir(path) else os.path.dirname(path) or "."


def missing_files(path: str, title: str, wanted: str) -> DataError:
    """The error for files that are not there: what is missing, and where it belongs."""
    return DataError(f"{path}: no file of {title} is here. Put {wanted} there, or give the folder that has it.")


def wrong_file(path: str, title: str, wanted: str) -> DataError:
    """The error for a file of another kind."""
    return DataError(f"{path}: this is not a file of {title}. Give {wanted}.")


def yes_or_no(value: str, wanted: str = "Yes or No") -> str:
    """A label in lower case; ``wanted`` is how the file writes both."""
    label = value.strip().lower()
    if label not in ("yes", "no"):
        raise bad_label(value, wanted)
    return label


def bad_label(value: object, wanted: str) -> BadRecord:
    """The error for a label that the benchmark does not have."""
    return BadRecord(f"the label is {short(value)}; it must be {wanted}. Fix the record.")
