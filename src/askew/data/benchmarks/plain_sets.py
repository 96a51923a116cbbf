"""Plain sets of questions, one file each: TextVQA, VizWiz, A-OKVQA, OK-VQA, TDIUC.

TextVQA (Singh et al. 2019): questions about text in images. ``TextVQA_0.5.1_{train,val,test}.json``:
``{"data": [{"question_id", "question", "image_id", "answers": [10], ...}]}``; the image is ``IMAGE_ID.jpg``.

VizWiz (Gurari et al. 2018): questions that blind people asked about photos they took. ``{train,val,test}.json``: a list
of ``{"image", "question", "answers": [{"answer", "answer_confidence"}], "answer_type", "answerable"}``. There are no
ids: each image has one question, so its name is the id. "unanswerable" is an answer like any other.

A-OKVQA (Schwenk et al. 2022): questions that need knowledge, as direct questions or as multiple choice.
``aokvqa_v1p0_{train,val,test}.json``: a list of ``{"image_id", "question_id", "question", "choices": [4],
"correct_choice_idx", "direct_answers": [10], "difficult_direct_answer", ...}``; images of COCO 2017.

OK-VQA (Marino et al. 2019) and TDIUC (Kafle and Kanan 2017) have the file names of VQA v1,
``OpenEnded_mscoco_{train,val}2014_questions.json`` and ``mscoco_{train,val}2014_annotations.json``. They differ in
their annotations: OK-VQA has ``raw_answer``, TDIUC has question types like ``object_presence``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askew.data.bad_records import distinct, identity, mapping, text, texts, wrong
from askew.data.benchmarks.benchmark_reader import OneFilePerSplit, Sizes
from askew.data.benchmarks.vqa import annotated_answers, question_id, split_of
from askew.data.benchmarks.vqa_records import answered_pair, coco_image, vqa_question, vqa_records
from askew.data.json_stream import items
from askew.data.jsonl import check_choices
from askew.types import Id, Kind, Question

_VQA_V1 = "OpenEnded_mscoco_val2014_questions.json"


@dataclass(frozen=True, repr=False)
class TextVqa(OneFilePerSplit):
    """TextVQA: questions about text in images, with ten answers each (Singh et al. 2019)."""

    title: ClassVar[str] = "TextVQA"
    reader: ClassVar[str] = "textvqa"
    example: ClassVar[str] = "TextVQA_0.5.1_val.json"
    sizes: ClassVar[Sizes] = {"TextVQA_0.5.1_val.json": {"questions": 5000}}

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        sieve = self.sieve(self.files()[0])
        return self.sifted(sieve, items(sieve.path, "data"), question_id, self._question, counts)

    def _question(self, key: Id, record: Mapping[str, Any]) -> Question:
        image = identity(record, "image_id")
        found = self.image_of(image, f"{image}.jpg", f"{image}.png")
        return Question(key, found, text(record, "question"), texts(record, "answers"), Kind("other"))


@dataclass(frozen=True, repr=False)
class VizWiz(OneFilePerSplit):
    """VizWiz: questions of blind people about their own photos, with ten answers each (Gurari et al. 2018)."""

    title: ClassVar[str] = "VizWiz"
    reader: ClassVar[str] = "vizwiz"
    example: ClassVar[str] = "val.json"
    sizes: ClassVar[Sizes] = {"val.json": {"questions": 4319}}

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By the name of the image, which other harnesses write as the question's id, without its extension."""
        name = record.get("image", record.get("question_id"))
        return (name if "." in name else f"{name}.jpg",) if isinstance(name, str) else None

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        sieve = self.sieve(self.files()[0])
        return self.sifted(sieve, self.records(sieve), _image_name, self._question, counts)

    def _question(self, key: Id, record: Mapping[str, Any]) -> Question:
        answers, confidences = annotated_answers(record) if "answers" in record else ((), ())
        kind = Kind(text(record, "answer_type", ""))
        answerable = record.get("answerable")
        tags = () if answerable is None else (("answerable", "yes" if answerable else "no"),)
        image = self.image(str(key))
        return Question(key, image, text(record, "question"), answers, kind, confidences=confidences, tags=tags)


def _image_name(record: object) -> Id:
    return text(mapping(record), "image")


@dataclass(frozen=True, repr=False)
class Aokvqa(OneFilePerSplit):
    """A-OKVQA: questions that need knowledge, direct or as multiple choice (Schwenk et al. 2022)."""

    title: ClassVar[str] = "A-OKVQA"
    reader: ClassVar[str] = "aokvqa"
    example: ClassVar[str] = "aokvqa_v1p0_val.json"
    sizes: ClassVar[Sizes] = {"aokvqa_v1p0_val.json": {"questions": 1145}}
    suites: ClassVar[Sequence[str]] = ("accuracy:accuracy=simple",)

    task: Literal["direct", "choice"] = "direct"
    """``direct``: ten answers, without the questions marked as difficult; ``choice``: four options, all questions."""

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        sieve, difficult = self.sieve(self.files()[0]), 0
        for number, key, record in distinct(sieve, self.records(sieve), question_id):
            if self.task == "direct" and record.get("difficult_direct_answer") is True:
                difficult += 1
                counts["questions"] += 1
                continue
            question = sieve.sift(number, key, self._question, key, record)
            if question is not None:
                counts["questions"] += 1
                yield question
        if difficult:
            self.remarks.append(
                f"{self.title}: left out because they are difficult to answer directly: {difficult:,} questions "
                "(task=choice asks them)."
            )

    def _question(self, key: Id, record: Mapping[str, Any]) -> Question:
        image = coco_image(self, identity(record, "image_id"), "2017")
        asked = text(record, "question")
        if self.task == "direct":
            return Question(key, image, asked, texts(record, "direct_answers"), Kind("other"))
        options, place = check_choices(texts(record, "choices")), record.get("correct_choice_idx")
        if place is None:
            return Question(key, image, asked, (), Kind("choice"), choices=options)
        if not isinstance(place, int) or not 0 <= place < len(options):
            raise wrong("correct_choice_idx", f"a number from 0 to {len(options) - 1}", place)
        return Question(key, image, asked, (options[place],), Kind("choice"), choices=options)


@dataclass(frozen=True, repr=False)
class VqaV1(OneFilePerSplit):
    """A set with the file names of VQA v1."""

    example: ClassVar[str] = _VQA_V1

    def files(self) -> Sequence[str]:
        """The questions and the annotations."""
        return answered_pair(super().files()[0], self.title)

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the file."""
        asked, answered = self.files()
        sieve, subset = self.sieve(asked), split_of(asked)
        for number, key, record, annotation in vqa_records(self, (asked, answered)):
            question = sieve.sift(number, key, self._question, key, record, annotation, subset)
            if question is not None:
                counts["questions"] += 1
                yield question

    def _question(self, key: Id, record: Mapping[str, Any], annotation: Mapping[str, Any], subset: str) -> Question:
        return vqa_question(key, coco_image(self, identity(record, "image_id"), subset), record, annotation)


@dataclass(frozen=True, repr=False)
class OkVqa(VqaV1):
    """OK-VQA: questions that need knowledge, with ten answers each (Marino et al. 2019)."""

    title: ClassVar[str] = "OK-VQA"
    reader: ClassVar[str] = "okvqa"
    sizes: ClassVar[Sizes] = {_VQA_V1: {"questions": 5046}}


@dataclass(frozen=True, repr=False)
class Tdiuc(VqaV1):
    """TDIUC: questions of twelve types, with one answer each (Kafle and Kanan 2017)."""

    title: ClassVar[str] = "TDIUC"
    reader: ClassVar[str] = "tdiuc"
    suites: ClassVar[Sequence[str]] = ("accuracy:accuracy=robust",)
