"""VQA-Introspect (Selvaraju et al. 2020): reasoning questions of VQA v2 with the perception questions behind them.

``VQAIntrospect_{train,val}v1.0.json``: ``{question_id: {image_id, reasoning_question, reasoning_answer_most_common,
introspect: [{sub_qa: [{sub_question, sub_answer}], pred_q_type}]}}``, one ``introspect`` entry per annotator. Entries
whose ``pred_q_type`` is invalid are left out, as are repeats of a sub-question with the same answer; the answer "yea"
is read as yes. If the annotations of VQA v2 are there, reasoning questions have the ten answers in them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.answers.normalise import answer_type
from askew.data.bad_records import distinct, identity, mapping, text, wrong
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, folder_of, missing_files, wrong_file
from askew.data.benchmarks.sniff import PathContents, inner_keys, match_name, names_of
from askew.data.benchmarks.vqa import annotated_answers, question_id
from askew.data.benchmarks.vqa_records import coco_image
from askew.data.json_stream import items, pairs
from askew.errors import DataError
from askew.types import Expect, Group, Kind, Question, Variant

_FILE = names_of("introspect:VqaIntrospect")
_KEYS = {"reasoning_question", "introspect"}
_TYPOS = {"yea": "yes"}


@dataclass(frozen=True, repr=False)
class VqaIntrospect(GroupBenchmark):
    """VQA-Introspect: reasoning questions with perception sub-questions (Selvaraju et al. 2020)."""

    title: ClassVar[str] = "VQA-Introspect"
    suites: ClassVar[Sequence[str]] = ("introspect",)

    split: str | None = None
    """Which file of a folder with several: ``train`` or ``val``."""
    annotations: str | None = None
    """The annotations file of VQA v2 with ten answers for each reasoning question; None: the one in the folder."""

    def files(self) -> Sequence[str]:
        """The questions, and the annotations of VQA v2 if there are any."""
        questions = self._questions_file()
        annotations = self._annotations_file(questions)
        if annotations and not os.path.isfile(annotations):
            raise DataError(
                f"{annotations}: there is no such file. Give the annotations file of VQA v2, or leave it out."
            )
        return [questions, *([annotations] if annotations else [])]

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """A reasoning question with its sub-questions, in the order of the file."""
        path, *annotations = self.files()
        sieve, subset = self.sieve(path), f"{_split(path) or 'val'}2014"
        answers = {key: given for annotated in annotations for key, given in self._answers(annotated)}
        if not annotations:
            name = f"v2_mscoco_{subset}_annotations.json"
            self.remarks.append(
                f"{self.title}: reasoning questions have one answer each; put {name} beside them for ten."
            )
        for number, key, (_, record) in distinct(sieve, pairs(path), lambda pair: pair[0]):
            group = sieve.sift(number, key, self._group, str(key), record, subset, answers)
            if group is None:
                continue
            if not group.variants:
                counts["reasoning questions without sub-questions, left out"] += 1
                continue
            counts["reasoning questions"] += 1
            counts["sub-questions"] += len(group.variants)
            yield group

    def _questions_file(self) -> str:
        if not os.path.isdir(self.path):
            if not _split(self.path) and not inner_keys(self.path) >= _KEYS:
                raise wrong_file(self.path, self.title, "VQAIntrospect_valv1.0.json")
            return self.path
        found = PathContents(self.path).named(_FILE)
        fitting = [file for file in found if self.split in (None, _split(file))]
        if not fitting:
            raise missing_files(self.path, self.title, f"VQAIntrospect_{self.split or 'val'}v1.0.json")
        if len(fitting) > 1:
            splits = ", ".join(_split(file) for file in fitting)
            raise DataError(
                f"{self.path}: files of several splits are here: {splits}. Pick one, e.g. "
                f"introspect:{self.path},split={_split(fitting[-1])}"
            )
        return fitting[0]

    def _annotations_file(self, questions: str) -> str | None:
        if self.annotations is not None:
            return self.annotations
        split = _split(questions)
        beside = PathContents(folder_of(self.path))
        found = beside.named(rf"v2_mscoco_{split}2014_annotations\.json") if split else []
        return found[0] if found else None

    def _answers(self, path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """People's answers to all questions of VQA v2, by the text of their ids."""
        sieve = self.sieve(path)
        for number, key, record in distinct(sieve, items(path, "annotations"), question_id):
            people = sieve.sift(number, key, annotated_answers, mapping(record))
            if people is not None:
                yield str(key), people[0]

    def _group(self, key: str, record: object, subset: str, answers: Mapping[str, tuple[str, ...]]) -> Group:
        fields = mapping(record)
        image = coco_image(self, identity(fields, "image_id"), subset)
        most_common = _answer(fields, "reasoning_answer_most_common")
        original = Question(
            key,
            image,
            text(fields, "reasoning_question"),
            answers.get(key, (most_common,)),
            Kind(answer_type(most_common)),
        )
        variants = tuple(
            Variant(
                Question(f"{key}/{number}", image, question, (answer,), Kind(answer_type(answer))),
                Expect.GIVEN,
                "sub",
                "introspect",
            )
            for number, (question, answer) in enumerate(_sub_questions(fields))
        )
        return Group(key, "introspect", original, variants)


def _sub_questions(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The sub-questions of all annotators with their answers, each once.

    >>> asked = {"sub_question": "Is it wet?", "sub_answer": "yea"}
    >>> _sub_questions({"introspect": [{"sub_qa": [asked], "pred_q_type": "reasoning"}, {"pred_q_type": "invalid"}]})
    [('Is it wet?', 'yes')]
    """
    found: dict[tuple[str, str], None] = {}
    for entry in map(mapping, _listed(record, "introspect")):
        if text(entry, "pred_q_type", "") != "invalid":
            for asked in map(mapping, _listed(entry, "sub_qa")):
                found[text(asked, "sub_question"), _answer(asked, "sub_answer")] = None
    return list(found)


def _listed(record: Mapping[str, Any], key: str) -> list[Any]:
    value = record.get(key) or []
    if not isinstance(value, list):
        raise wrong(key, "a list", value)
    return value


def _answer(record: Mapping[str, Any], key: str) -> str:
    answer = text(record, key).strip()
    return _TYPOS.get(answer.lower(), answer)


def _split(path: str) -> str:
    match = match_name(_FILE, path)
    return match["split"].lower() if match else ""
