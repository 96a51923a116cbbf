"""VQA v2 (Goyal et al. 2017) and its family: VQA v1, VQA-CP, AdVQA, and other data in the same format.

A questions file and an annotations file, wrapped (``{"questions": [...]}``) or bare lists, gzip or not.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias

from askew.data.bad_records import EXACT, DataFiles, Sieve, distinct, identity, mapping, missing, text, wrong
from askew.data.find_images import ImagesById, counting_missing
from askew.data.json_stream import items, may_be, scalar
from askew.errors import BadImage, BadRecord, DataError
from askew.files.records import kind_of
from askew.types import Id, ImageRef, Question

_SPLIT = re.compile(r"(train|val|test-dev|test)\d{4}")
_OFFICIAL = re.compile(r"^(v\d_)?(OpenEnded|MultipleChoice)_mscoco_")
_ANSWER, _CONFIDENCE = itemgetter("answer"), itemgetter("answer_confidence")
_ANNOTATIONS_FILE = re.compile(r"annotations?[^/]*\.json(\.gz)?$", re.IGNORECASE)
_NO_SPLIT = {
    "v1",
    "v2",
    "openended",
    "multiplechoice",
    "mscoco",
    "question",
    "questions",
    "annotation",
    "annotations",
} | {
    "json",
    "gz",
}
"""Words in file names that do not name the split."""
_QUESTIONS_FILE = re.compile(r"questions\.json(\.gz)?$")


@dataclass(frozen=True, repr=False)
class Vqa(DataFiles):
    """Questions of the VQA v2 family with the answers of ten people each (Goyal et al. 2017)."""

    path: str
    """The questions file, or a folder that contains it."""
    annotations: str | None = None
    """The annotations file; None: the one beside the questions, if any; "": without answers."""
    images: str | None = None
    """The folder of images; without it, images are only known by their ids."""
    split: str | None = None
    """Which questions file of a folder, e.g. ``val2014``."""
    skip_bad: bool = False
    """Leave out bad records and list them in ``skipped``."""

    def __post_init__(self) -> None:
        if os.path.isdir(self.path):
            object.__setattr__(self, "path", _questions_in(self.path, self.split))
        if self.annotations is None:
            object.__setattr__(self, "annotations", _annotations_beside(self.path) or self._other_annotations())

    @property
    def name(self) -> str:
        """``VQA val2014`` for the official files, else the file's name without its extension."""
        file = os.path.basename(self.path)
        return f"VQA {split_of(file)}" if _OFFICIAL.search(file) else file.split(".")[0]

    def files(self) -> list[str]:
        """The questions file, and the annotations file if there is one."""
        return [self.path, *([self.annotations] if self.annotations else [])]

    @counting_missing
    def questions(self) -> Iterator[Question]:
        """The questions in the order of their file, each with its answers."""
        self.skipped.clear()
        asked = Sieve(self.path, self.skip_bad, self.skipped)
        answered = Sieve(self.annotations or "", self.skip_bad, self.skipped)
        images = ImagesById(self.images, _templates(self._subset()))
        annotations = Annotations(answered, pack=packed) if self.annotations else None
        for number, key, record in distinct(asked, items(self.path, "questions"), question_id):
            entry = annotations.take(key) if annotations else None
            try:
                image, words = _question(record, images)
            except (BadRecord, BadImage) as fault:
                asked.refuse(number, fault, key)
                continue
            if entry:
                try:
                    question = _answered(key, image, words, entry[1])
                except BadRecord as fault:
                    answered.refuse(entry[0], fault, key)
                else:
                    yield question
            elif annotations:
                asked.refuse(number, unanswered(answered.path), key)
            else:
                yield Question(key, image, words)
        if annotations:
            annotations.refuse_left_over()

    def _other_annotations(self) -> str | None:
        """The only annotations file of the same split in the folder of the questions, whatever its name."""
        folder, file = os.path.split(self.path)
        there = sorted(name for name in os.listdir(folder or ".") if _ANNOTATIONS_FILE.search(name))
        fitting = [name for name in there if _same_split(file, name)]
        if len(fitting) == 1:
            self.remarks.append(f"The answers are from {fitting[0]}, which is beside {file}.")
            return os.path.join(folder, fitting[0])
        others = f" of this split; there are {', '.join(there[:3])}" if there else ""
        self.remarks.append(
            f"{file}: no annotations were found beside it{others}. Without answers nothing can be compared with them; "
            "name the file if there is one: vqa:QUESTIONS,annotations=FILE"
        )
        return None

    def _subset(self) -> str | None:
        """The COCO subset in image names: from the file's name, else from a field in the file."""
        if self.images is None:
            return None
        named = _SPLIT.search(os.path.basename(self.path))
        return named[0] if named else scalar(self.path, "data_subtype")


def _question(record: Mapping[str, Any], images: ImagesById) -> tuple[ImageRef, str]:
    """The image and the text of a question."""
    image = images.find(identity(record, "image_id"), _coco_of(record) if "coco_split" in record else ())
    return image, text(record, "question")


def _answered(key: Id, image: ImageRef, asked: str, record: Any) -> Question:
    """The question with its annotation: the record, or what ``packed`` returned for it.

    >>> answers = [{"answer": "yes", "answer_confidence": "maybe", "answer_id": 1}]
    >>> _answered(1, ImageRef(7), "Is it?", {"answers": answers}).answers
    ('yes',)
    """
    named, answers, confidences, kind, opening = annotation_of(record)
    if named is not None and named != image.id:
        raise BadRecord(
            f"'image_id' is {named!r} and the question's is {image.id!r}. Use the annotations file of the same split."
        )
    return Question(key, image, asked, answers, kind_of(kind, opening), None, "", confidences)


Packed: TypeAlias = tuple[Any, tuple[str, ...], tuple[str, ...], str, str]
"""The fields used of an annotation: image, answers, confidences, type of the answer and of the question."""


def annotation_of(record: Any) -> Packed:
    """The fields used of an annotation: of the record, or as ``packed`` returned them for it."""
    if type(record) is tuple:
        return record
    answers, confidences = annotated_answers(record)
    kind, opening = record.get("answer_type"), record.get("question_type")
    if type(kind) is not str or type(opening) is not str:
        kind, opening = text(record, "answer_type", ""), text(record, "question_type", "")
    return record.get("image_id"), answers, confidences, kind, opening


def packed(record: Any) -> Any:
    """What is kept of an annotation until it is looked up; a bad one is kept unchanged and refused then."""
    try:
        return annotation_of(record)
    except BadRecord:
        return record


def annotated_answers(record: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """People's answers and confidences; only ``multiple_choice_answer`` if there is nothing else."""
    given = record.get("answers")
    if given is None:
        if "multiple_choice_answer" not in record:
            raise missing(record, "answers")
        return (text(record, "multiple_choice_answer", ""),), ()
    if not isinstance(given, list):
        raise wrong("answers", "a list", given)
    try:
        answers = tuple(map(sys.intern, map(_ANSWER, given)))  # people often agree: one text in memory for many
        try:
            confidences = tuple(map(sys.intern, map(_CONFIDENCE, given)))
        except KeyError:
            confidences = tuple([part.get("answer_confidence", "") for part in given])
        sure = "".join(confidences)  # TypeError unless all are texts
    except (AttributeError, KeyError, TypeError):
        raise BadRecord("each of 'answers' must be an object with a text 'answer'. Fix the record.") from None
    return answers, confidences if sure else ()


def unanswered(path: str) -> BadRecord:
    """The error for a question without an annotation in this file."""
    return BadRecord(f"the question has no annotation in {path}. Use the annotations file of the same split.")


def _coco(subset: str) -> list[str]:
    """The file names of COCO images, in one folder or in a folder per subset; test-dev is part of test.

    >>> _coco("test-dev2015")
    ['COCO_test2015_{id12}.jpg', 'test2015/COCO_test2015_{id12}.jpg']
    """
    subset = subset.replace("-dev", "")
    return [f"COCO_{subset}_{{id12}}.jpg", f"{subset}/COCO_{subset}_{{id12}}.jpg"]


def _coco_of(record: Mapping[str, Any]) -> Sequence[str]:
    """The file names of the image of a record that names its subset."""
    split = text(record, "coco_split", "")
    return _coco(split) if split else ()


def _templates(subset: str | None) -> list[str]:
    return [*(_coco(subset) if subset else ()), "{id12}.jpg", "{id}.jpg", "{id}.png", "{id}"]


def _same_split(questions: str, annotations: str) -> bool:
    """Whether the names of two files do not name different splits.

    >>> _same_split("val_questions.json", "annotations.json"), _same_split("v2_val2014_questions.json", "v2_train.json")
    (True, False)
    """
    first, second = (
        {word for word in re.split(r"[^a-z0-9]+", name.lower()) if word} - _NO_SPLIT
        for name in (questions, annotations)
    )
    return first == second or not first or not second


def _annotations_beside(questions: str) -> str | None:
    """The annotations file of a questions file by its official name, if it exists."""
    folder, file = os.path.split(questions)
    if not _QUESTIONS_FILE.search(file):
        return None
    stem = _QUESTIONS_FILE.sub("annotations.json", file)
    folders = [folder, *(os.path.join(folder, "..", name) for name in ("Annotations", "annotations"))]
    for name in dict.fromkeys((re.sub("(OpenEnded|MultipleChoice)_", "", stem), stem)):
        for path in (os.path.join(place, name + ending) for place in folders for ending in ("", ".gz")):
            if os.path.isfile(path):
                return os.path.normpath(path)
    return None


def _questions_in(folder: str, split: str | None) -> str:
    """The one questions file of a folder (or of its sub-folder Questions), or the one of this split."""
    inner = (os.path.join(folder, name) for name in os.listdir(folder) if name.lower() == "questions")
    places = [folder, *filter(os.path.isdir, inner)]
    names = (os.path.join(place, name) for place in places for name in os.listdir(place))
    plain = {re.sub(r"\.gz$", "", path): path for path in sorted(names, reverse=True) if _QUESTIONS_FILE.search(path)}
    there = sorted(path for path in plain.values() if may_be(path, "vqa"))
    found = [path for path in there if split is None or split in os.path.basename(path)]
    if len(found) == 1:
        return found[0]
    if not there:
        raise DataError(
            f"{folder}: no questions file (a name ending in questions.json) is in this folder. "
            "Put e.g. v2_OpenEnded_mscoco_val2014_questions.json there."
        )
    splits = [split_of(path) for path in there]
    raise DataError(
        f"{folder}: {len(found)} questions files fit{f' the split {split!r}' if split else ''}. There are: "
        f"{', '.join(splits)}. Pick one, e.g. vqa:{folder},split={splits[0]}"
    )


def split_of(path: str) -> str:
    """The name of the split of a questions file.

    >>> split_of("v2_OpenEnded_mscoco_val2014_questions.json"), split_of("vqacp_v2_train_questions.json.gz")
    ('val2014', 'vqacp_v2_train')
    """
    file = os.path.basename(path)
    named = _SPLIT.search(file)
    return named[0] if named else _OFFICIAL.sub("", _QUESTIONS_FILE.sub("", file)).rstrip("_-.")


def question_id(record: object) -> Id:
    """The id of a record of the VQA family."""
    if type(record) is dict and type(key := record.get("question_id")) is int and 0 <= key < EXACT:
        return key
    return identity(mapping(record), "question_id")


class Annotations:
    """The annotations of a file, looked up by question id (or what ``identify`` returns), each once.

    Both files usually have the same order: then the next annotation is the wanted one. Annotations that come before
    their question wait in memory.
    """

    def __init__(
        self,
        sieve: Sieve,
        identify: Callable[[object], Id] = question_id,
        pack: Callable[[Any], Any] = mapping,
    ) -> None:
        """``pack`` returns the part of a record that is kept until it is looked up."""
        self._sieve, self._pack = sieve, pack
        self._rest = distinct(sieve, items(sieve.path, "annotations"), identify)
        self._waiting: dict[Id, tuple[int, Any]] = {}

    def take(self, key: Id) -> tuple[int, Any] | None:
        """The record number and annotation of this question, which may be packed; None if it has none."""
        if (found := self._waiting.pop(key, None)) is not None:
            return found
        for number, here, record in self._rest:
            if here == key:
                return number, record
            self._waiting[here] = number, self._pack(record)
        return None

    def refuse_left_over(self) -> None:
        """Refuse the annotations that were not looked up, which have no question."""
        waiting = ((number, key) for key, (number, _) in self._waiting.items())
        for number, key in chain(waiting, ((number, key) for number, key, _ in self._rest)):
            fault = BadRecord("an annotation without a question. Use the questions file of the same split.")
            self._sieve.refuse(number, fault, key)
