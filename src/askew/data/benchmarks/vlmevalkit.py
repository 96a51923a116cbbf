"""Tables of VLMEvalKit (TSV): MMBench with its rotated options (CircularEval), and any other set of that shape.

Columns: ``index``, ``image`` (base64, or the index of the row that has it) or ``image_path``, ``question``, ``hint``,
``A`` ... (empty: no such option), ``answer`` (a letter, or the answer itself), ``category``. In circular sets the index
of a rotation is that of its question plus a multiple of a million, unless a column ``g_index`` names its question.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askew.answers.choices import LETTERS
from askew.data.bad_records import Sieve, distinct, gathered, text
from askew.data.benchmarks.benchmark_reader import BenchmarkFiles, GroupBenchmark, QuestionBenchmark, wrong_file
from askew.data.benchmarks.sniff import first_keys
from askew.data.jsonl import check_choices, option_named, unread_fields
from askew.data.table_files import LONGEST_INDEX, TableImages, listed_cell, table_records
from askew.errors import BadRecord
from askew.files.paths import stem_of
from askew.files.records import kind_of
from askew.types import Expect, Group, Id, ImageRef, Question, Variant

MILLION = 1_000_000
_CIRCULAR = ("mmbench", "ccbench", "circular", "mmcr")
"""Names of sets that VLMEvalKit evaluates with CircularEval."""
_READ = {"index", "g_index", "image", "image_path", "question", "hint", "answer", "category", "l2-category", "split"}
_NOT_NEEDED = {"comment", "source", "l2_category", "id", "data_id"}
"""Columns that say nothing about the question; they are not reported as unread."""


class TableQuestions:
    """The questions in the rows of a table."""

    def __init__(self, data: BenchmarkFiles, path: str, keep_all: bool = False) -> None:
        self._data, self._images = data, TableImages(path, keep_all)
        columns = first_keys(path)
        self._letters = sorted(columns & set(LETTERS))
        self._tags = [name for name in ("category", "l2-category", "split") if name in columns]

    def question(self, key: Id, row: Mapping[str, str]) -> Question:
        """The question of a row."""
        options = tuple([option for letter in self._letters if (option := row[letter].strip())])
        answer = row.get("answer", "").strip()
        kind = ""
        correct: tuple[str, ...] = (answer,) if answer else ()
        if options:
            check_choices(options)
            kind, correct = "choice", tuple(option_named(options, one) for one in correct)
        elif answer.lower() in ("yes", "no"):
            kind, correct = "yes/no", (answer.lower(),)
        images = self._images_of(row)
        return Question(
            key,
            images[0] if images else None,
            text(row, "question"),
            correct,
            kind_of(kind, row.get("category", "")),
            context=f"Hint: {row['hint']}" if row.get("hint", "").strip() else "",
            tags=tuple([(name, row[name]) for name in self._tags if row[name]]),
            choices=options,
            more_images=tuple(images[1:]),
        )

    def _images_of(self, row: Mapping[str, str]) -> list[ImageRef]:
        if row.get("image"):
            return self._images.find_all(row["index"], row["image"])
        return [self._data.image(name) for name in listed_cell(row["image_path"])] if row.get("image_path") else []


@dataclass(frozen=True, repr=False)
class _OneTable(BenchmarkFiles):
    title: ClassVar[str] = "VLMEvalKit"

    @property
    def name(self) -> str:
        """The name of the file without its extension."""
        return stem_of(self.path)

    def files(self) -> Sequence[str]:
        """The one file."""
        if os.path.isdir(self.path) or not first_keys(self.path) >= {"index", "question"}:
            raise wrong_file(self.path, "VLMEvalKit", "a TSV with the columns index and question")
        return [self.path]

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By the index of a row."""
        return answered_by_index(record)


@dataclass(frozen=True, repr=False)
class VlmEvalKitTable(_OneTable, QuestionBenchmark):
    """The questions of a TSV of VLMEvalKit: multiple choice, yes/no or open."""

    rule: ClassVar[str] = "short"
    """Questions may be open, which VLMEvalKit's rule is not for."""

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        self.remarks.extend(_unread(self.path))
        sieve, rows = self.sieve(self.path, "row"), TableQuestions(self, self.path)
        return self.sifted(sieve, table_records(sieve), index_key, rows.question, counts)


@dataclass(frozen=True, repr=False)
class VlmEvalKitCircular(_OneTable, GroupBenchmark):
    """The questions of a TSV of VLMEvalKit with the rotations of their options (Liu et al. 2024)."""

    suites: ClassVar[Sequence[str]] = ("choices",)

    rule: ClassVar[str] = "vlmevalkit"

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """A question with its rotations; they may be anywhere in the file."""
        self.remarks.extend(_unread(self.path))
        sieve = self.sieve(self.path, "row")
        questions = TableQuestions(self, self.path, keep_all=True)
        rows = (
            (n, _group_key(row), _without_large(row)) for n, _, row in distinct(sieve, table_records(sieve), index_key)
        )
        for members in gathered(rows):
            group = self._group(sieve, questions, members)
            if group is not None:
                counts["questions"] += 1
                counts["rotations"] += len(group.variants)
                yield group

    def _group(self, sieve: Sieve, questions: TableQuestions, members: Sequence[tuple[int, Any]]) -> Group | None:
        original: Question | None = None
        variants: list[Variant] = []
        for number, row in sorted(members, key=lambda member: (len(member[1]["index"]), member[1]["index"])):
            question = sieve.sift(number, row["index"], questions.question, index_key(row), row)
            if question is None:
                continue
            if original is None:
                original = question
            elif (sorted(question.choices), question.answers) == (sorted(original.choices), original.answers):
                variants.append(Variant(question, Expect.SAME, "rotation", "vlmevalkit/rotation"))
            else:
                fault = BadRecord(
                    f"its options or answer are not those of row {original.id!r} in another order. Fix it."
                )
                sieve.refuse(number, fault, question.id)
        return None if original is None else Group(original.id, "choices", original, tuple(variants))


def vlmevalkit(
    path: str, images: str | None = None, skip_bad: bool = False, circular: Literal["auto", "yes", "no"] = "auto"
) -> VlmEvalKitTable | VlmEvalKitCircular:
    """A TSV of VLMEvalKit: its questions, or with ``circular`` (MMBench and others) groups of rotated options."""
    found = _is_circular(path, first_keys(path)) if circular == "auto" else circular == "yes"
    return (VlmEvalKitCircular if found else VlmEvalKitTable)(path, images, skip_bad)


def _is_circular(path: str, columns: frozenset[str]) -> bool:
    """Whether a table has rotated options, by VLMEvalKit's own rule.

    >>> _is_circular("MMBench_DEV_EN.tsv", frozenset()), _is_circular("MMStar.tsv", frozenset({"index"}))
    (True, False)
    """
    name = os.path.basename(path).lower()
    return "g_index" in columns or any(part in name for part in _CIRCULAR)


def _unread(path: str) -> list[str]:
    unread = first_keys(path) - _READ - _NOT_NEEDED - set(LETTERS)
    return [
        remark.replace("fields", "columns").replace(" (1 record)", "")
        for remark in unread_fields(path, dict.fromkeys(unread, 1))
    ]


def _without_large(row: Mapping[str, str]) -> Mapping[str, str]:
    """The row; an image in it is replaced by the row's own index, by which ``TableImages`` finds it again."""
    return {**row, "image": row["index"]} if len(row.get("image", "")) > LONGEST_INDEX else row


def _group_key(row: Mapping[str, str]) -> Id:
    if "g_index" in row:
        return row["g_index"]
    index = row["index"]
    return int(index) % MILLION if index.isdecimal() else index


def answered_by_index(record: Mapping[str, Any]) -> Sequence[Id] | None:
    """The index in a record of predictions, unless it is of askew's own export."""
    return None if "index" not in record or record.get("askew_ids") else (index_key({"index": str(record["index"])}),)


def index_key(row: Mapping[str, str]) -> Id:
    """The index of a row, as a number if it is one."""
    index = text(row, "index").strip()
    return int(index) if index.isdecimal() and len(index) < 19 else index
