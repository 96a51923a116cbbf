"""Groups and outcomes as plain JSON records: the lines of ``groups.jsonl`` and ``samples.jsonl``.

Absent fields are left out of a record, so a line written by hand may be as short as
``{"image": "a.jpg", "question": "What is this?", "answer": "a dog"}``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from askew.errors import DataError
from askew.files.output_folders import save_image
from askew.files.paths import ImageFolders
from askew.types import (
    Expect,
    Group,
    ImageRef,
    Kind,
    Outcome,
    Prediction,
    Question,
    Relation,
    Scene,
    Thing,
    Variant,
)

Record = dict[str, Any]


def question_record(question: Question) -> Record:
    """Convert a question to a record."""
    image, kind = question.image, question.kind
    record: Record = {"id": question.id}
    if image is not None:
        record |= _image_record(image)
    for name, value in (
        ("question", question.text),
        ("answers", question.answers),
        ("answer_type", kind.answer_type),
        ("question_type", kind.question_type),
        ("context", question.context),
        ("confidences", question.confidences),
        ("tags", question.tags and dict(question.tags)),
        ("choices", question.choices),
        ("more_images", question.more_images and list(map(_image_record, question.more_images))),
        ("scene", question.scene and scene_record(question.scene)),
    ):
        if value:
            record[name] = value
    return record


def question_from(record: Mapping[str, Any], like: Question | None = None) -> Question:
    """Convert a record written by ``question_record`` to a question; without an image or scene, it has ``like``'s."""
    get = record.get
    tags = get("tags")
    image, more, scene = (like.image, like.more_images, like.scene) if like else (None, (), None)
    if "image" in record:
        image = _image_from(record)
        more = tuple(map(_image_from, record["more_images"])) if "more_images" in record else ()
    if "scene" in record:
        scene = scene_from(record["scene"])
    return Question(
        record["id"],
        image,
        record["question"],
        tuple(get("answers", ())),
        kind_of(get("answer_type", ""), get("question_type", "")),
        scene,
        get("context", ""),
        tuple(get("confidences", ())),
        tuple(sorted(tags.items())) if tags else (),
        tuple(get("choices", ())),
        more,
    )


def _image_record(image: ImageRef) -> Record:
    return _present(image=image.id, path=image.path, sha256=image.sha256, size=image.size)


def _image_from(record: Mapping[str, Any]) -> ImageRef:
    size = record.get("size")
    whole = (int(size[0]), int(size[1])) if size else None
    return ImageRef(record["image"], record.get("path"), None, record.get("sha256"), whole)


kind_of = lru_cache(maxsize=4096)(Kind)
"""One object for each distinct kind: there are few, and many questions of each."""


def scene_record(scene: Scene) -> Record:
    """Convert a scene to a record."""
    return _present(
        id=scene.id,
        size=scene.size,
        facts=dict(scene.facts),
        things=[_present(id=t.id, name=t.name, attributes=t.attributes, box=t.box) for t in scene.things],
        relations=[[r.subject, r.name, r.object] for r in scene.relations],
    )


def scene_from(record: Mapping[str, Any]) -> Scene:
    """Convert a record to a scene."""
    size = record.get("size")
    things = tuple(
        Thing(t["id"], t["name"], tuple(t.get("attributes") or ()), tuple(t["box"]) if t.get("box") else None)
        for t in record.get("things") or ()
    )
    return Scene(
        id=record["id"],
        things=things,
        relations=tuple(Relation(*relation) for relation in record.get("relations") or ()),
        size=(int(size[0]), int(size[1])) if size else None,
        facts=record.get("facts") or {},
    )


def group_record(group: Group) -> Record:
    """Convert a group to a record; variants omit the image and scene that they share with the original."""
    original = question_record(group.original)
    variants = []
    for variant in group.variants:
        made = _present(
            expect=variant.expect.value, test=variant.test, made_by=variant.made_by, note=dict(variant.note)
        )
        record = question_record(variant.question) | made
        if variant.question.images == group.original.images:
            record = {key: value for key, value in record.items() if key not in _IMAGE_KEYS} | {"same_image": True}
        elif variant.question.image is None:
            record["same_image"] = False
        if variant.question.scene == group.original.scene:
            record.pop("scene", None)
        variants.append(record)
    return {"group": group.id, "suite": group.suite, "original": original, "variants": variants}


def group_from(record: Mapping[str, Any]) -> Group:
    """Convert a record to a group; a variant without an image has the original's, unless ``same_image`` is false."""
    original = question_from(record["original"])
    variants = []
    for variant in record.get("variants", ()):
        get = variant.get
        question = question_from(variant, original if get("same_image", "image" not in variant) else None)
        variants.append(
            Variant(question, Expect(variant["expect"]), get("test", ""), get("made_by", ""), get("note", {}))
        )
    return Group(record["group"], record.get("suite", ""), original, tuple(variants))


def prediction_record(prediction: Prediction) -> Record:
    """Convert a prediction to a record."""
    record: Record = {} if prediction.answer is None else {"answer": prediction.answer}
    if prediction.score is not None:
        record["score"] = prediction.score
    if prediction.error:
        record["error"] = prediction.error
    if prediction.tries != 1:
        record["tries"] = prediction.tries
    record["seconds"] = round(prediction.seconds, 6)
    if prediction.raw:
        record["raw"] = prediction.raw
    if prediction.tokens != (0, 0):
        record["tokens"] = prediction.tokens
    return record


def prediction_from(question_id: str | int, record: Mapping[str, Any]) -> Prediction:
    """Convert a record to a prediction."""
    return Prediction(
        question_id,
        record.get("answer"),
        record.get("score"),
        record.get("error"),
        record.get("tries", 1),
        record.get("seconds", 0.0),
        record.get("raw"),
        tuple(record.get("tokens", (0, 0))),
    )


def with_predictions(record: Record, outcome: Outcome) -> Record:
    """Add the predictions of an outcome to the record of its group."""
    record["original"]["prediction"] = prediction_record(outcome.original)
    for variant, prediction in zip(record["variants"], outcome.variants, strict=True):
        variant["prediction"] = prediction_record(prediction)
    return record


def outcome_from(record: Mapping[str, Any]) -> Outcome:
    """Convert a record to an outcome."""
    group = group_from(record)
    original = prediction_from(group.original.id, record["original"]["prediction"])
    variants = tuple(
        prediction_from(variant.question.id, part["prediction"])
        for variant, part in zip(group.variants, record.get("variants", ()), strict=True)
    )
    return Outcome(group, original, variants)


_IMAGE_KEYS = ("image", "path", "sha256", "size", "more_images")


def _present(**fields: Any) -> Record:
    return {key: value for key, value in fields.items() if value or value == 0}


def stored_image(folder: str, image: ImageRef, folders: ImageFolders) -> ImageRef:
    """The image with a path that a file in this folder can refer to."""
    return folders.public(image if image.data is None else _saved(folder, image))


def line(record: Any) -> bytes:
    """A record as one line of JSON."""
    return encoded(record) + b"\n"


def encoded(record: Any) -> bytes:
    """A record as JSON; strings that are not valid Unicode are refused."""
    try:
        return orjson.dumps(record)
    except TypeError as trouble:
        raise DataError(f"a record cannot be written as JSON ({trouble}): {str(record)[:80]!a}. Fix it.") from None


def _saved(folder: str, image: ImageRef) -> ImageRef:
    """A generated image as a file of this folder."""
    named = save_image(folder, image)
    return replace(named, path=os.path.join(folder, str(named.path)))
