"""VQA-Rephrasings (Shah et al. 2019): questions of VQA v2 with three rephrasings each, by people.

Files of VQA v2's shape, ``v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json`` and ``..._annotations.json``. A
record with ``rephrasing_of`` is a rephrasing of that question. Ids of rephrasings collide with real ids, so a record is
identified by both fields.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from askew.data.bad_records import Sieve, distinct, gathered, identity, mapping, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, Sizes, folder_of, missing_files
from askew.data.benchmarks.sniff import PathContents
from askew.data.benchmarks.vqa import annotation_of, packed
from askew.data.json_stream import items
from askew.errors import BadRecord, DataError
from askew.types import Expect, Group, Id, ImageRef, Kind, Question, Variant

QUESTIONS = "v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json"
ANNOTATIONS = "v2_mscoco_valrep2014_humans_og_annotations.json"


@dataclass(frozen=True, repr=False)
class VqaRephrasings(GroupBenchmark):
    """VQA-Rephrasings: a question and three rephrasings of it (Shah et al. 2019)."""

    title: ClassVar[str] = "VQA-Rephrasings"
    suites: ClassVar[Sequence[str]] = ("vqa-rephrasings",)
    sizes: ClassVar[Sizes] = {QUESTIONS: {"originals": 40_504, "rephrasings": 121_512}}

    def files(self) -> Sequence[str]:
        """The questions and the annotations."""
        found = PathContents(self.path).of("vqa_rephrasings:VqaRephrasings")
        if len(found) > 1:
            raise DataError(f"{self.path}: {len(found)} questions files are here. Give one, e.g. {found[0]}")
        if not found:
            raise missing_files(self.path, self.title, f"{QUESTIONS} and {ANNOTATIONS}")
        wanted = os.path.basename(found[0]).replace("OpenEnded_", "").replace("_questions", "_annotations")
        beside = [file for file in PathContents(folder_of(self.path)).files if os.path.basename(file) == wanted]
        if not beside:
            raise missing_files(folder_of(self.path), f"{self.title} with answers", wanted)
        return [found[0], beside[0]]

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """A question with its rephrasings, which may be anywhere in the file."""
        asked, answered = self.files()
        sieve, annotations = self.sieve(asked), self.sieve(answered)
        given = distinct(annotations, items(answered, "annotations"), _key)
        answers = {key: packed(record) for _, key, record in given}
        rows = ((n, _original(r), r) for n, _, r in distinct(sieve, items(asked, "questions"), _key))
        for members in gathered(rows):
            group = self._group(sieve, members, answers)
            if group is not None:
                counts["originals"] += 1
                counts["rephrasings"] += len(group.variants)
                yield group

    def _group(self, sieve: Sieve, members: Sequence[tuple[int, Any]], answers: Mapping[Id, Any]) -> Group | None:
        first, *rest = sorted(members, key=lambda member: ("rephrasing_of" in member[1], str(member[1]["question_id"])))
        key = _original(first[1])
        original = sieve.sift(first[0], key, self._question, key, first[1], answers)
        if original is None:
            return None
        asked = (
            sieve.sift(number, record["question_id"], self._question, f"{key}/{record['question_id']}", record, answers)
            for number, record in rest
        )
        questions = [replace(one, answers=one.answers or original.answers) for one in asked if one is not None]
        tags = (("members", str(len(questions) + 1)),)
        variants = (
            Variant(replace(question, tags=tags), Expect.SAME, "rephrasing", "vqa-rephrasings")
            for question in questions
        )
        return Group(key, "vqa-rephrasings", replace(original, tags=tags), tuple(variants))

    def _question(self, key: Id, record: Mapping[str, Any], answers: Mapping[Id, Any]) -> Question:
        found = answers.get(_key(record))
        if found is None and "rephrasing_of" not in record:
            raise BadRecord("the question has no annotation. Use the annotations file of the same name.")
        _, given, confidences, *kinds = annotation_of(found or {"answers": []})
        image = self._coco(identity(record, "image_id"))
        return Question(key, image, text(record, "question"), given, Kind(*kinds), confidences=confidences)

    def _coco(self, key: Id) -> ImageRef:
        name = f"COCO_val2014_{key:012d}.jpg" if isinstance(key, int) else f"{key}.jpg"
        return replace(self.image(name), id=key)


def _original(record: Mapping[str, Any]) -> Id:
    """The id of the original question: the record's own, or of the one it rephrases."""
    return identity(record, "rephrasing_of" if "rephrasing_of" in record else "question_id")


def _key(record: object) -> Id:
    fields = mapping(record)
    return f"{fields.get('rephrasing_of', '')}/{identity(fields, 'question_id')}"
