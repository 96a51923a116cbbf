"""IV-VQA and CV-VQA (Agarwal et al. 2020): questions of VQA v2 about images from which objects were removed.

Files with the names of VQA v2, in two folders: unedited questions (``original``) and edits (``edited``). The
``image_id`` of an edit is the text ``000000000042_000000000018``: the image and, in IV-VQA, the COCO category whose
instances were all removed, which the question does not ask about (the answer stays), or in CV-VQA the one COCO
annotation that was removed among those that are counted (the answer drops by one). In CV-VQA only ``answers`` are
decremented: ``multiple_choice_answer`` is not (*sic*), which is how the two are distinguished.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from askew.answers.normalise import modal_answer, normalise
from askew.data.bad_records import gathered, identity, mapping
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, folder_of, missing_files
from askew.data.benchmarks.sniff import PathContents, names_of
from askew.data.benchmarks.vqa import Vqa, annotated_answers, split_of
from askew.data.benchmarks.vqa_records import VqaPair, annotations_of, coco_image, vqa_question, vqa_records
from askew.data.json_stream import format_of, items
from askew.errors import AskewError, BadRecord, DataError
from askew.types import Expect, Group, Id, Question, Variant

_QUESTIONS = names_of("edited_vqa:edited_vqa")
_EDITED = re.compile(r"(?P<image>\d{12})_(?P<removed>\d{12})")
_NAME = "v2_OpenEnded_mscoco_val2014_questions.json"


@dataclass(frozen=True, repr=False)
class EditedVqa(GroupBenchmark):
    """Questions about images with the same questions about edited images."""

    kind: ClassVar[str]
    expect: ClassVar[Expect]

    split: str | None = None
    """Which questions of a folder with several splits, e.g. ``val2014``."""
    original: str | None = None
    """The unedited questions, a folder or a questions file (VQA v2 will do); None: those in the folder."""

    def files(self) -> Sequence[str]:
        """The edited questions and their annotations, the unedited ones and theirs."""
        return [*self._edits, *self._originals.files()]

    @cached_property
    def _edits(self) -> tuple[str, str]:
        found = [
            file
            for file in PathContents(self.path).named(_QUESTIONS)
            if self.split in (None, split_of(file)) and _is_edited(file)
        ]
        if not found:
            raise missing_files(self.path, self.title, f"edited/{_NAME} with its annotations, and original/{_NAME}")
        if len(found) > 1:
            raise DataError(
                f"{self.path}: {len(found)} files of edits are here, e.g. {found[0]} and {found[1]}. Give one of them, "
                f"or pick a split: {self.kind}-vqa:{self.path},split={split_of(found[0])}"
            )
        annotations = annotations_of(found[0]) or Vqa(found[0]).annotations
        if annotations is None:
            wanted = os.path.basename(found[0]).replace("OpenEnded_", "").replace("questions", "annotations")
            raise missing_files(folder_of(found[0]), f"{self.title} with answers", wanted)
        other = _kind_of(found[0])
        if other not in ("", self.kind):
            raise DataError(
                f"{found[0]}: these are edits of {other.upper()}-VQA, not of {self.title}. Read them as {other}-vqa:..."
            )
        return found[0], annotations

    @cached_property
    def _originals(self) -> Vqa:
        edits, split = self._edits[0], split_of(self._edits[0])
        given = self.original
        if given is None:
            beside = PathContents(
                self.path if os.path.isdir(self.path) else os.path.dirname(folder_of(self.path)) or "."
            )
            found = [file for file in beside.named(_QUESTIONS) if split_of(file) == split and not _is_edited(file)]
            if len(found) != 1:
                raise DataError(
                    f"{beside.path}: {len(found)} files with the unedited questions of {edits} are here. Put "
                    f"{os.path.basename(edits)} and its annotations into the folder original, or name them: "
                    "original=FOLDER after the data."
                )
            given = found[0]
        return Vqa(given, split=split if os.path.isdir(given) else None, skip_bad=self.skip_bad)

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The questions that have edits, in the order of their first edit."""
        pair: VqaPair = self._edits
        sieve, subset = self.sieve(pair[0]), split_of(pair[0])
        asked = {question.id: question for question in self._originals.questions()}
        self.skipped.extend(self._originals.skipped)

        def edits() -> Iterator[tuple[int, Id, tuple[Question, Variant]]]:
            for number, key, record, annotation in vqa_records(self, pair, edit_id):
                original = asked.get(identity(record, "question_id"))
                if original is None:
                    counts["edits without an original, left out"] += 1
                elif edit := sieve.sift(number, key, self._edit, original, record, annotation, subset):
                    yield number, original.id, (original, edit)

        for members in gathered(edits()):
            number, (original, _) = members[0]
            image = original.image and sieve.sift(number, original.id, coco_image, self, original.image.id, subset)
            if image is None:
                continue
            variants = tuple(variant for _, (_, variant) in members)
            group = Group(original.id, self.suites[0], replace(original, image=image), variants)
            counts["questions"] += 1
            counts["edits"] += len(variants)
            if self.kind == "cv" and (odd := sum(not _drops(original, variant) for variant in variants)):
                counts["edits whose count does not drop by one, left out of the flips"] += odd
            yield group

    def _edit(
        self, original: Question, record: Mapping[str, Any], annotation: Mapping[str, Any], subset: str
    ) -> Variant:
        name = identity(record, "image_id")
        match = _EDITED.fullmatch(str(name))
        if match is None or original.image is None or str(original.image.id).zfill(12) != match["image"]:
            raise BadRecord(
                f"its image {name!r} is not an edit of the image of question {original.id!r}. Use the files of one "
                "split."
            )
        question = vqa_question(edit_id(record), coco_image(self, name, subset), record, annotation)
        return Variant(question, self.expect, "edit", f"{self.kind}-vqa", {"removed": match["removed"]})


@dataclass(frozen=True, repr=False)
class IvVqa(EditedVqa):
    """IV-VQA: objects that a question does not ask about are removed (Agarwal et al. 2020)."""

    title: ClassVar[str] = "IV-VQA"
    suites: ClassVar[Sequence[str]] = ("iv-vqa",)
    kind: ClassVar[str] = "iv"
    expect: ClassVar[Expect] = Expect.SAME


@dataclass(frozen=True, repr=False)
class CvVqa(EditedVqa):
    """CV-VQA: one of the objects that a question counts is removed (Agarwal et al. 2020)."""

    title: ClassVar[str] = "CV-VQA"
    suites: ClassVar[Sequence[str]] = ("cv-vqa",)
    kind: ClassVar[str] = "cv"
    expect: ClassVar[Expect] = Expect.GIVEN


def edited_vqa(path: str, images: str | None = None, skip_bad: bool = False) -> EditedVqa:
    """IV-VQA or CV-VQA, depending on whether the answer to the first edited question stays or drops by one."""
    edits = PathContents(path).of("edited_vqa:edited_vqa")
    return (CvVqa if _kind_of(edits[0]) == "cv" else IvVqa)(path, images, skip_bad)


def _drops(original: Question, edit: Variant) -> bool:
    """Whether people's most frequent answers are counts that differ by one, about the same question."""
    before, after = (
        modal_answer(question.answers, normalise) if question.answers else "" for question in (original, edit.question)
    )
    counts = before.isdecimal() and after.isdecimal() and int(after) == int(before) - 1
    return counts and original.text == edit.question.text


def edit_id(record: object) -> Id:
    """The id of an edit: the question with the edited image, as question ids repeat."""
    fields = mapping(record)
    return f"{identity(fields, 'question_id')}/{identity(fields, 'image_id')}"


def _is_edited(questions: str) -> bool:
    """Whether the first question of a file is about an edited image."""
    return bool(_EDITED.fullmatch(str(_first(questions, "questions").get("image_id"))))


def _kind_of(questions: str) -> str:
    """``iv`` or ``cv`` by the first annotation of a file of edits; "" without annotations."""
    path = annotations_of(questions) or Vqa(questions).annotations
    record = _first(path, "annotations") if path else {}
    if not record:
        return ""
    try:
        answers, _ = annotated_answers(record)
    except BadRecord:
        answers = ()  # reading the file reports it
    if not answers:
        return ""
    stays = modal_answer(answers, normalise) == normalise(str(record.get("multiple_choice_answer", answers[0])))
    return "iv" if stays else "cv"


def _first(path: str, key: str) -> Mapping[str, Any]:
    try:
        if format_of(path) not in ("vqa", "annotations"):
            return {}  # e.g. GQA: a list would be looked for in the whole file
        record = next((record for _, record in items(path, key)), None)
    except (AskewError, OSError):
        return {}  # the reader of other formats says what is wrong
    return record if isinstance(record, dict) else {}
