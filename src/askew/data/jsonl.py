"""Our own files: one question per line, as short as ``{"image": "a.jpg", "question": "...", "answer": "..."}``.

A JSON list of the same records is read too. The fields are those of ``files/records.py``; ``answer`` is short for one
of ``answers``, and ``image`` is the picture's file, relative to the file's folder, unless ``path`` says another.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from askew.data.faults import Sieve, identity, mapping, missing, repeated, text, texts, wrong
from askew.data.index import distinct
from askew.data.one_file import OneFile
from askew.data.scenes import check_scene
from askew.data.stream import first_sign, items, lines, parsed
from askew.errors import BadImage, BadRecord, DataError
from askew.files.image_folders import ImageFolders, folders_of
from askew.files.records import question_from
from askew.types import Id, ImageRef, Question

_ALIASES = {"question_id": "id", "image_id": "image"}


@dataclass(frozen=True, repr=False)
class Jsonl(OneFile):
    """Questions of our own files: JSONL, or a JSON list of the same records; gzip or not."""

    images: str | None = None
    """The folder of pictures; without it they are looked for beside the file, and may be absent."""
    skip_bad: bool = False
    """Leave bad records out, and list them in ``skipped``."""

    def questions(self) -> Iterator[Question]:
        """The questions in the order of the file."""
        self.skipped.clear()
        listed = first_sign(self.path) == "["
        sieve = Sieve(self.path, self.skip_bad, self.skipped, "record" if listed else "line")
        album = Album(os.path.dirname(self.path), self.images, folders_of(self.path))
        records = items(self.path, "questions") if listed else sound_lines(sieve)
        for number, key, record in distinct(sieve, records, question_key, _again):
            question = sieve.sift(number, key, _question, key, record, album)
            if question:
                yield question


def sound_lines(sieve: Sieve) -> Iterator[tuple[int, Any]]:
    """The records of a JSONL file; lines that are no JSON are refused one by one."""
    for number, line in lines(sieve.path):
        record = sieve.sift(number, None, parsed, line)
        if record is not None:
            yield number, record


def question_key(record: object) -> Id:
    """The id of a record, or one made from its image and question, the same wherever in the file it stands.

    >>> question_key({"id": "01", "question": "Is it?"})
    '01'
    >>> question_key({"image": "a.jpg", "question": "Is it?"})
    'q-064358254cbc'
    """
    fields = plain(record)
    if "id" in fields:
        return identity(fields, "id")
    content = orjson.dumps([fields.get(name) for name in ("image", "path", "question", "context")])
    return f"q-{hashlib.sha256(content).hexdigest()[:12]}"


def checked(record: object) -> Mapping[str, Any]:
    """The fields of a question's record, if each is of the right type."""
    fields = plain(record)
    text(fields, "question")
    for name in ("path", "sha256", "answer_type", "question_type", "context"):
        text(fields, name, "")
    if "image" in fields:
        identity(fields, "image")
    elif "path" in fields:
        raise missing(fields, "image")
    if "answers" not in fields and "answer" in fields:
        fields["answers"] = [text(fields, "answer")]
    given, rated = len(texts(fields, "answers")), len(texts(fields, "confidences"))
    if rated not in (0, given):
        raise BadRecord(f"there are {given} answers and {rated} confidences. Give one for each answer, or none.")
    tags = fields.get("tags", {})
    if not isinstance(tags, dict) or not all(isinstance(value, str) for value in tags.values()):
        raise wrong("tags", "an object of texts", tags)
    size = fields.get("size")
    if size is not None and not (isinstance(size, list) and [type(n) for n in size] == [int, int]):
        raise wrong("size", "[width, height]", size)
    return fields


class Album:
    """The pictures of our own files: where the file says, from its own folder, or in a folder given for them.

    Only a folder that is given must have every picture, but for those beside the file. Without one, a picture is looked
    for when it is opened, and an ``image`` that is no file beside ours is an id.
    """

    def __init__(self, home: str, folder: str | None, folders: Mapping[str, str] | None = None) -> None:
        if folder is not None and not os.path.isdir(folder):
            raise DataError(
                f"{folder}: there is no such folder of images. Give the folder they lie in (--images DIR; images=...)."
            )
        self._home, self._folder = home, folder
        self._folders = ImageFolders(home, None, folders)

    def placed(self, question: Question) -> Question:
        """The question with the path of its picture's file."""
        if question.image is None:
            return question
        place = self._beside if self._folder is None else self._inside
        return replace(question, image=place(question.image))

    def _beside(self, image: ImageRef) -> ImageRef:
        if image.path and (known := self._folders.find(image.path)):
            return replace(image, path=known)
        path = os.path.normpath(os.path.join(self._home, image.path or str(image.id)))
        return replace(image, path=path) if image.path or os.path.isfile(path) else image

    def _inside(self, image: ImageRef) -> ImageRef:
        said = image.path or str(image.id)
        names = dict.fromkeys((said, os.path.basename(said), f"{image.id}.jpg", f"{image.id}.png"))
        tried = [os.path.normpath(os.path.join(self._folder or "", name)) for name in names]
        own = [os.path.normpath(os.path.join(self._home, image.path))] if image.path else []  # made with the file
        for path in (*tried, *own):
            if os.path.isfile(path):
                return replace(image, path=path)
        wanted = tried[1] if os.path.isabs(said) else tried[0]
        raise BadImage(
            f"the picture of image {image.id!r} is not at {wanted}. "
            "Put it there, or give the folder it lies in (--images DIR; images=...)."
        )


def plain(record: object) -> dict[str, Any]:
    """The fields of a record that are not null; ``question_id`` and ``image_id`` are taken for ``id`` and ``image``.

    >>> plain({"question_id": 1, "question": "Is it?", "answer": None})
    {'id': 1, 'question': 'Is it?'}
    """
    fields = mapping(record)
    named = {_ALIASES[key]: value for key, value in fields.items() if key in _ALIASES and value is not None}
    return named | {key: value for key, value in fields.items() if key not in _ALIASES and value is not None}


def _again(key: Id, record: object, first: str) -> BadRecord:
    if "id" in plain(record):
        return repeated(key, record, first)
    return BadRecord(
        f"it asks the same as {first} (image, question and context are identical), and neither has an id. "
        "Remove one, or give each an id."
    )


def _question(key: Id, record: object, album: Album) -> Question:
    fields = checked(record)
    if "scene" in fields:
        check_scene(fields["scene"])
    try:
        question = question_from({**fields, "id": key})
    except (AttributeError, KeyError, TypeError, ValueError) as trouble:
        raise BadRecord(f"its scene cannot be read ({trouble!r}). Mend it.") from None
    return album.placed(question)
