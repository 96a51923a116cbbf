"""VQA P2 in the format of its release: VQA v2 files whose records also say what they were made from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from askew.answers.normalise import modal_answer
from askew.data.write_questions import encoded
from askew.errors import DataError
from askew.files.read_write import replaced
from askew.types import Group, Variant


def write_release(groups: Iterable[Group], folder: str) -> tuple[str, str]:
    """Write the variants as a questions and an annotations file; gives their paths.

    Besides what VQA v2 has, each question carries ``original_id`` (the question it was made from), ``perturbation``
    (``syn``, ``para`` or ``ant``) and ``src`` (where its rule is from: ``reviewed``, ``wordnet``, ``ppdb``).
    """
    asked = os.path.join(folder, "v2_OpenEnded_mscoco_p2_questions.json")
    answered = os.path.join(folder, "v2_mscoco_p2_annotations.json")
    wrapper = {
        "info": {"description": "VQA P2, made by askew"},
        "license": {},
        "data_type": "mscoco",
        "data_subtype": "p2",
    }
    with ExitStack() as stack:
        questions = stack.enter_context(replaced(asked))
        annotations = stack.enter_context(replaced(answered))
        questions.write(encoded({**wrapper, "task_type": "Open-Ended"})[:-1] + b',"questions":[')
        annotations.write(encoded(wrapper)[:-1] + b',"annotations":[')
        comma = b"\n"
        for group in groups:
            for variant in group.variants:
                shared = _shared(group, variant)
                questions.write(comma + encoded({**shared, "question": variant.question.text}))
                annotations.write(comma + encoded({**shared, **_annotation(variant)}))
                comma = b",\n"
        questions.write(b"\n]}\n")
        annotations.write(b"\n]}\n")
    return asked, answered


def _shared(group: Group, variant: Variant) -> dict[str, Any]:
    image = variant.question.image or group.original.image
    if image is None:
        raise DataError(f"question {group.original.id!r} has no image, and VQA's format needs one. Use groups.jsonl.")
    return {
        "image_id": image.id,
        "question_id": variant.question.id,
        "original_id": group.original.id,
        "perturbation": variant.test,
        "src": variant.note.get("origin", "wordnet"),
    }


def _annotation(variant: Variant) -> dict[str, Any]:
    question = variant.question
    sure = question.confidences or ("",) * len(question.answers)
    answers = [
        {"answer": answer, **({"answer_confidence": how} if how else {}), "answer_id": place}
        for place, (answer, how) in enumerate(zip(question.answers, sure, strict=True), 1)
    ]
    return {
        "question_type": question.kind.question_type,
        "multiple_choice_answer": modal_answer(question.answers, str),
        "answers": answers,
        "answer_type": question.kind.answer_type,
    }
