"""Benchmarks in the format of VQA v2: questions joined with annotations, and with the questions they come from."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from askew.data.bad_records import distinct, identity, mapping, text
from askew.data.benchmarks.benchmark_reader import BenchmarkFiles, folder_of, missing_files
from askew.data.benchmarks.sniff import PathContents
from askew.data.benchmarks.vqa import Annotations, Vqa, annotated_answers, question_id, split_of, unanswered
from askew.data.json_stream import items
from askew.errors import BadRecord, DataError
from askew.types import Expect, Group, Id, ImageRef, Kind, Question, Variant

VqaPair = tuple[str, str | None]
"""A questions file, and its annotations file if there is one."""
Fields = Mapping[str, Any]
_ORIGINALS = r"v2_OpenEnded_mscoco_{split}2014_questions\.json|v2_OpenEnded_mscoco_originals_questions\.json"


def vqa_records(
    data: BenchmarkFiles, pair: VqaPair, identify: Callable[[object], Id] = question_id
) -> Iterator[tuple[int, Id, Fields, Fields]]:
    """Record number, id, question and annotation of each question; annotations are empty if their file is missing."""
    asked, answered = data.sieve(pair[0]), data.sieve(pair[1] or "")
    annotations = Annotations(answered, identify) if pair[1] else None
    for number, key, record in distinct(asked, items(asked.path, "questions"), identify):
        entry = annotations.take(key) if annotations else (0, {})
        if entry is None:
            asked.refuse(number, unanswered(answered.path), key)
        else:
            yield number, key, mapping(record), entry[1]
    if annotations:
        annotations.refuse_left_over()


def vqa_question(key: Id, image: ImageRef, record: Fields, annotation: Fields) -> Question:
    """A question with people's answers; AdVQA's answer type ``numbers`` is read as ``number``."""
    named = annotation.get("image_id")
    if named is not None and named != record.get("image_id"):
        raise BadRecord(
            f"'image_id' is {record.get('image_id')!r} and the annotation's is {named!r}. "
            "Use the annotations file of the same split."
        )
    answers, confidences = annotated_answers(annotation) if annotation else ((), ())
    answer_type = text(annotation, "answer_type", "").replace("numbers", "number")
    kind = Kind(answer_type, text(annotation, "question_type", ""))
    return Question(key, image, text(record, "question"), answers, kind, confidences=confidences)


def coco_image(data: BenchmarkFiles, key: Id, subset: str) -> ImageRef:
    """The image of a COCO id: ``COCO_val2014_000000000042.jpg``, ``000000000042.jpg``, or the id as a name.

    Without a ``subset``, the names in both subsets of 2014 are tried.
    """
    plain = (f"{key}.jpg", f"{key}.png", f"{key}.webp", f"{key}.jpeg", str(key))
    if not isinstance(key, int):
        return data.image_of(key, *plain)
    long = f"{key:012d}.jpg"
    coco = [f"COCO_{one}_{long}" for one in ([subset] if subset else ["val2014", "train2014"])]
    return data.image_of(key, *((*coco, long) if "2014" in subset else (long, *coco)), *plain)


def placed_questions(
    data: BenchmarkFiles, source: Vqa, subset: str, wanted: Callable[[Question], object] = lambda question: True
) -> Iterator[Question]:
    """The wanted questions of VQA, with images found by name as in other benchmarks."""
    sieve, has_images = data.sieve(source.path), data.has_images
    for number, question in enumerate(source.questions(), 1):
        if not wanted(question):
            continue
        if has_images and question.image:
            image = sieve.sift(number, question.id, coco_image, data, question.image.id, subset)
            if image is None:
                continue
            question = replace(question, image=image)
        yield question
    data.skipped.extend(source.skipped)


def annotations_of(questions: str) -> str | None:
    """The annotations file beside a questions file: the same name with ``annotations``, without ``OpenEnded_``."""
    folder, name = os.path.split(questions)
    other = re.sub(r"questions(?=\.json)", "annotations", name)
    for wanted in (other.replace("OpenEnded_", ""), other):
        for path in (os.path.join(folder, wanted), os.path.join(folder, re.sub(r"\.gz$", "", wanted))):
            if wanted != name and os.path.isfile(path):
                return path
    return None


def answered_pair(questions: str, title: str) -> tuple[str, str]:
    """A questions file and its annotations file, which must be there."""
    found = annotations_of(questions)
    if found is None:
        name = re.sub(r"questions(?=\.json)", "annotations", os.path.basename(questions))
        raise missing_files(folder_of(questions), f"{title} with answers", name.replace("OpenEnded_", ""))
    return questions, found


def original_questions(data: BenchmarkFiles, given: str | None, split: str) -> Vqa:
    """The questions of VQA v2 that the variants come from: those at ``given``, else those in the folder of the data."""
    if given is None:
        found = PathContents(folder_of(data.path)).named(_ORIGINALS.format(split=split))
        if not found:
            raise DataError(
                f"{data.path}: the questions that {data.title} changes are not here. Put "
                f"v2_OpenEnded_mscoco_{split}2014_questions.json and v2_mscoco_{split}2014_annotations.json there, or "
                "name the folder that has them: vqa=FOLDER after the data."
            )
        given = found[0]
    elif os.path.isdir(given):
        named = PathContents(given).named(_ORIGINALS.format(split=split))
        given = named[0] if len(named) == 1 else given  # other questions files may lie beside them
    several = split if os.path.isdir(given) else None
    return Vqa(given, split=several, skip_bad=data.skip_bad)


def linked_groups(
    data: BenchmarkFiles,
    originals: Vqa,
    pairs: Sequence[VqaPair],
    variant: Callable[[str, Question, Fields, Fields], Variant],
    counts: Counter[str],
) -> Iterator[Group]:
    """The original questions, in their order, with the questions that were made from each.

    A question was made from the one with its ``original_id`` or, without this field, from the one with its own id.
    """
    sieves = [data.sieve(asked) for asked, _ in pairs]
    changed: dict[Id, list[tuple[int, int, Fields, Fields]]] = {}
    """By the id of the original: the place of the pair of files, and the number, question and annotation."""
    for place, pair in enumerate(pairs):
        for number, key, record, annotation in vqa_records(data, pair):
            original = sieves[place].sift(number, key, _original, key, record)
            if original is not None:
                changed.setdefault(original, []).append((place, number, record, annotation))
    taken: list[tuple[int, int, Fields, Fields]] = []

    def is_changed(question: Question) -> bool:
        taken[:] = changed.pop(question.id, ())
        return bool(taken)

    for question in placed_questions(data, originals, split_of(originals.path), is_changed):
        made = [
            sieves[place].sift(number, question_id(record), variant, pairs[place][0], question, record, annotation)
            for place, number, record, annotation in taken
        ]
        variants = [one for one in made if one is not None]
        for found in variants:
            counts[f"questions of {found.test}"] += 1
        if variants:
            yield Group(question.id, data.suites[0], question, tuple(variants))
    left = ((place, number, key, record) for key, some in changed.items() for place, number, record, _ in some)
    for place, number, key, record in sorted(left, key=lambda one: one[1]):
        fault = BadRecord(
            f"the question {key!r}, which it was made from, is not in {originals.path}. Use the file of the same "
            "split, and name it: vqa=FILE after the data."
        )
        sieves[place].refuse(number, fault, question_id(record))


def variant_of(
    original: Question, key: Id, record: Fields, annotation: Fields, expect: Expect, test: str, made_by: str
) -> Variant:
    """A changed question about the image of its original."""
    image = original.image
    if image is None or identity(record, "image_id") != image.id:
        raise BadRecord(
            f"its image {record['image_id']!r} is not that of question {original.id!r}, which it was made from. "
            "Use the files of the same split."
        )
    question = replace(vqa_question(key, image, record, annotation), tags=original.tags)
    return Variant(question, expect, test, made_by)


def _original(key: Id, record: Fields) -> Id:
    return identity(record, "original_id") if "original_id" in record else key
