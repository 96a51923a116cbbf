"""OK-VQA (Marino et al. 2019) and TDIUC (Kafle and Kanan 2017): plain sets with the file names of VQA v1.

``OpenEnded_mscoco_{train,val}2014_questions.json`` and ``mscoco_{train,val}2014_annotations.json``. They differ in
their annotations: OK-VQA has ``raw_answer``, TDIUC has question types like ``object_presence``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.data.bad_records import identity
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark
from askew.data.benchmarks.sniff import names_of
from askew.data.benchmarks.vqa import split_of
from askew.data.benchmarks.vqa_records import answered_pair, coco_image, vqa_question, vqa_records
from askew.types import Id, Question

_FILE = names_of("vqa_shaped:OkVqa")
_EXAMPLE = "OpenEnded_mscoco_val2014_questions.json"


@dataclass(frozen=True, repr=False)
class OkVqa(QuestionBenchmark):
    """OK-VQA: questions that need knowledge, with ten answers each (Marino et al. 2019)."""

    title: ClassVar[str] = "OK-VQA"

    split: str | None = None
    """Which questions file of a folder: ``train`` or ``val``."""

    def files(self) -> Sequence[str]:
        """The questions and the annotations."""
        return answered_pair(self.one_split("okvqa", _FILE, _EXAMPLE, self.split), self.title)

    def expected(self) -> Mapping[str, int]:
        """5,046 questions in the validation split."""
        return {"questions": 5046} if os.path.basename(self.files()[0]) == _EXAMPLE else {}

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file; the type of a question is its knowledge category."""
        return _questions(self, counts)


@dataclass(frozen=True, repr=False)
class Tdiuc(QuestionBenchmark):
    """TDIUC: questions of twelve types, with one answer each (Kafle and Kanan 2017)."""

    title: ClassVar[str] = "TDIUC"
    suites: ClassVar[Sequence[str]] = ("accuracy:accuracy=robust",)

    split: str | None = None
    """Which questions file of a folder: ``train`` or ``val``."""

    def files(self) -> Sequence[str]:
        """The questions and the annotations."""
        return answered_pair(self.one_split("tdiuc", _FILE, _EXAMPLE, self.split), self.title)

    def expected(self) -> Mapping[str, int]:
        """Not known."""
        return {}

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        return _questions(self, counts)


def _questions(data: QuestionBenchmark, counts: Counter[str]) -> Iterator[Question]:
    asked, answered = data.files()
    sieve, subset = data.sieve(asked), split_of(asked)

    def question_of(key: Id, record: Mapping[str, object], annotation: Mapping[str, object]) -> Question:
        return vqa_question(key, coco_image(data, identity(record, "image_id"), subset), record, annotation)

    for number, key, record, annotation in vqa_records(data, (asked, answered)):
        question = sieve.sift(number, key, question_of, key, record, annotation)
        if question is not None:
            counts["questions"] += 1
            yield question
