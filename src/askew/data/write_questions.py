"""Write questions and predictions in the formats that the readers read; files appear when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from askew.answers.normalise import modal_answer
from askew.errors import DataError
from askew.files.paths import ImageFolders, remember, with_image
from askew.files.read_write import replaced, write_joined
from askew.files.records import encoded, line, question_record, stored_image
from askew.types import Id, Question


def write_jsonl(questions: Iterable[Question], path: str, root: str | None = None) -> int:
    """Write questions to our own format, one per line; returns their number.

    Paths of images below the file's folder are relative to it, others relative to ``root`` (see
    ``files.paths.ImageFolders``); generated images are written to ``images/`` there.
    """
    folder = os.path.dirname(path)
    folders = ImageFolders(folder, root)
    named = (with_image(question, lambda image: stored_image(folder, image, folders)) for question in questions)
    count = write_joined(path, (line(question_record(question)) for question in named))
    remember(path, folders)
    return count


def write_vqa(questions: Iterable[Question], directory: str, name: str = "val2014") -> tuple[str, str]:
    """Write questions as the official VQA v2 pair of files for the split ``name``; returns their paths.

    The format cannot hold scenes, contexts or the paths of images. Every question gets an annotation; the
    ``multiple_choice_answer`` is the most frequent answer, the first in case of a tie.
    """
    asked = os.path.join(directory, f"v2_OpenEnded_mscoco_{name}_questions.json")
    answered = os.path.join(directory, f"v2_mscoco_{name}_annotations.json")
    wrapper = {"info": {"description": "written by askew"}, "license": {}, "data_type": "mscoco", "data_subtype": name}
    rows = ((question, image_id(question)) for question in questions)
    records = (
        ({"image_id": image, "question": one.text, "question_id": one.id}, annotation(one, image))
        for one, image in rows
    )
    write_pair(asked, answered, wrapper, records)
    return asked, answered


def write_pair(asked: str, answered: str, wrapper: dict[str, Any], records: Iterable[tuple[Any, Any]]) -> None:
    """Write the records of questions and of annotations in two files of VQA's shape."""
    with ExitStack() as stack:
        first, second = (stack.enter_context(replaced(path)) for path in (asked, answered))
        first.write(_opening({**wrapper, "task_type": "Open-Ended"}, "questions"))
        second.write(_opening(wrapper, "annotations"))
        for number, (question, answers) in enumerate(records):
            comma = b",\n" if number else b"\n"
            first.write(comma + encoded(question))
            second.write(comma + encoded(answers))
        first.write(b"\n]}\n")
        second.write(b"\n]}\n")


def write_gqa(questions: Iterable[Question], path: str) -> int:
    """Write questions as a GQA questions file, all in the balanced part; returns their number.

    Ids must be strings and a question may have at most one answer, as in GQA. ``scene_graphs.write_scenes`` writes the
    scenes.
    """
    parts = (encoded(question.id) + b": " + encoded(_gqa_record(question)) for question in questions)
    return write_joined(path, parts, b"{\n", b",\n", b"\n}\n")


def _opening(wrapper: dict[str, Any], key: str) -> bytes:
    return encoded(wrapper)[:-1] + b"," + encoded(key) + b":["


def image_id(question: Question) -> Id:
    """The id of the image, which the formats of VQA and GQA need."""
    if question.image is None:
        raise DataError(f"question {question.id!r} has no image, and this format needs one. Write it as JSONL instead.")
    if question.more_images:
        count = len(question.images)
        raise DataError(
            f"question {question.id!r} is about {count} images, and this format has one. Write it as JSONL."
        )
    return question.image.id


def annotation(question: Question, image: Id) -> dict[str, Any]:
    """The annotation of a question in VQA's shape."""
    given, rated = len(question.answers), len(question.confidences)
    if rated not in (0, given):
        raise DataError(
            f"question {question.id!r} has {given} answers and {rated} confidences. Give one for each answer, or none."
        )
    confidences = question.confidences or ("",) * len(question.answers)
    parts: Iterator[tuple[int, tuple[str, str]]] = enumerate(zip(question.answers, confidences, strict=True), 1)
    answers = [
        {"answer": answer, **({"answer_confidence": confidence} if confidence else {}), "answer_id": place}
        for place, (answer, confidence) in parts
    ]
    return {
        "question_type": question.kind.question_type,
        "multiple_choice_answer": modal_answer(question.answers, str),
        "answers": answers,
        "image_id": image,
        "answer_type": question.kind.answer_type,
        "question_id": question.id,
    }


def _gqa_record(question: Question) -> dict[str, Any]:
    image = image_id(question)
    if not isinstance(question.id, str) or not isinstance(image, str):
        raise DataError(f"question {question.id!r}: GQA's ids of questions and images are text. Convert them first.")
    if len(question.answers) > 1:
        raise DataError(f"question {question.id!r} has {len(question.answers)} answers; GQA has one. Choose one first.")
    structural, _, semantic = question.kind.question_type.partition("/")
    answer = {"answer": question.answers[0]} if question.answers else {}
    types = {"types": {"structural": structural, "semantic": semantic}} if structural else {}
    return {"question": question.text, "imageId": image, **answer, "isBalanced": True, **types}
