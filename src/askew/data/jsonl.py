"""Our own files of questions: JSONL, a JSON list of the same records, CSV, TSV, or one question per line."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from askew.answers.choices import LETTERS
from askew.answers.no_option import NO_OPTION
from askew.data.bad_records import (
    DataFiles,
    Sieve,
    distinct,
    identity,
    mapping,
    missing,
    repeated,
    short,
    text,
    texts,
    wrong,
)
from askew.data.find_images import ImagesByPath, counting_missing
from askew.data.json_stream import decoded, first_character, items, lines, parsed
from askew.data.scene_graphs import check_scene
from askew.data.table_files import table_records
from askew.errors import BadRecord
from askew.files.paths import folders_of, stem_of
from askew.files.records import question_from
from askew.types import Id, Question

KNOWN_FIELDS = frozenset(
    (
        *("id", "question_id", "image", "image_id", "path", "sha256", "size", "question", "context", "choices"),
        *("answer", "answers", "confidences", "answer_type", "question_type", "tags", "scene", "images", "more_images"),
    )
)
"""The fields of a question's record that are read; others are named in ``remarks``."""
_OPTIONAL_TEXTS = frozenset(("path", "sha256", "answer_type", "question_type", "context"))
_OTHERS = KNOWN_FIELDS - {"id", "image", "question", "answer", "answers", "choices"}
"""The fields that most records do not have."""
_WORD = re.compile(r"\w+")
_BEGINNING = 60
"""An id made for a question uses words from this many of its first characters."""
_ALIASES = {"question_id": "id", "image_id": "image"}
_RENAMED = frozenset((*_ALIASES, "images"))


@dataclass(frozen=True, repr=False)
class OneFile(DataFiles):
    """A data set in one file: named after the file, identified by its content.

    >>> OneFile("pools/basic.txt.gz").name, OneFile("pools/basic.txt.gz")
    ('basic', OneFile(path='basic.txt.gz'))
    """

    @property
    def name(self) -> str:
        """The name of the file without its extension."""
        return stem_of(self.path)


@dataclass(frozen=True, repr=False)
class Jsonl(OneFile):
    """Questions in our own files: JSONL, or a JSON list of the same records; gzip or not."""

    images: str | None = None
    """The folder of images; without it they are expected beside the file, and may be absent."""
    skip_bad: bool = False
    """Leave out bad records and list them in ``skipped``."""

    @counting_missing
    def questions(self) -> Iterator[Question]:
        """The questions in the order of the file."""
        self.begin()
        listed = first_character(self.path) == "["
        sieve = Sieve(self.path, self.skip_bad, self.skipped, "record" if listed else "line")
        records = items(self.path, "questions") if listed else valid_lines(sieve)
        yield from questions_of(records, sieve, self.images, self.remarks)


def questions_of(
    records: Iterable[tuple[int, Any]], sieve: Sieve, images: str | None, remarks: list[str]
) -> Iterator[Question]:
    """The questions of numbered records; unknown fields are named in ``remarks`` at the end."""
    unread: dict[str, int] = {}
    placed = ImagesByPath(os.path.dirname(sieve.path), images, folders_of(sieve.path))
    for number, key, record in distinct(sieve, records, question_key, _again):
        question = sieve.sift(number, key, _question, key, record, placed)
        if question:
            yield question
            if not KNOWN_FIELDS.issuperset(record):
                for name in record.keys() - KNOWN_FIELDS:
                    unread[name] = unread.get(name, 0) + 1
    remarks.extend(unread_fields(sieve.path, unread))


def unread_fields(path: str, unread: Mapping[str, int]) -> list[str]:
    """A sentence about the fields of a file that are not read, if there are any.

    >>> unread_fields("a.jsonl", {"hint": 2, "source": 1})
    ["a.jsonl: unknown fields were not read: 'hint' (2 records), 'source' (1 record)."]
    """
    names = sorted(unread)
    shown = [f"{short(name)} ({unread[name]:,} record{'s' * (unread[name] > 1)})" for name in names[:8]]
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return [f"{path}: unknown fields were not read: {', '.join(shown)}{more}."] if names else []


@dataclass(frozen=True, repr=False)
class Lines(OneFile):
    """The questions of a text file, one per line, gzip or not; a question's id is the number of its line.

    They have neither images nor answers, and can be used as a pool of basic questions.
    """

    skip_bad: bool = False
    """Leave out lines that are not UTF-8 and list them in ``skipped``."""

    def questions(self) -> Iterator[Question]:
        """The questions in the order of the file; blank lines are skipped."""
        self.begin()
        sieve = Sieve(self.path, self.skip_bad, self.skipped, "line")
        for number, line in lines(self.path):
            try:
                yield Question(number, None, decoded(line))
            except BadRecord as fault:
                sieve.refuse(number, fault)


def valid_lines(sieve: Sieve) -> Iterator[tuple[int, Any]]:
    """The records of a JSONL file; lines that are not JSON are refused one by one."""
    for number, line in lines(sieve.path):
        try:
            record = parsed(line)
        except BadRecord as fault:
            sieve.refuse(number, fault)
        else:
            if record is not None:
                yield number, record


def question_key(record: object) -> Id:
    """The id of a record; if it has none, an id made of the name of its image, its first words and a hash of its
    content, so that a text search finds the record.

    >>> question_key({"id": "01", "question": "Is it?"})
    '01'
    >>> question_key({"image": "val/a.jpg", "question": "What color is the car on the left?"})
    'a.jpg:what-color-is-the-car-dc34594a'
    """
    if isinstance(record, dict) and record.get("id") is not None:
        return identity(record, "id")
    fields = plain(record)
    if "id" in fields:
        return identity(fields, "id")
    content = [fields.get(name) for name in ("image", "path", "question", "context")]
    content += [fields[name] for name in ("choices", "more_images") if name in fields]
    digest = hashlib.sha256(orjson.dumps(content)).hexdigest()
    first = "-".join(_WORD.findall(str(fields.get("question", "")).lower()[:_BEGINNING])[:5])
    image = os.path.basename(str(fields.get("image", fields.get("path", ""))))
    return f"{image}{':' if image else ''}{first or 'question'}-{digest[:8]}"


def checked(record: object) -> dict[str, Any]:
    """The fields of a question's record, each checked for its type."""
    fields = plain(record)
    asked = fields.get("question")
    if type(asked) is not str or not asked or asked.isspace():
        text(fields, "question")
    if "image" in fields:
        identity(fields, "image")
    elif "path" in fields:
        raise missing(fields, "image")
    answers: Sequence[str] = texts(fields, "answers")
    if "answers" not in fields and "answer" in fields:
        answers = fields["answers"] = [text(fields, "answer")]
    if "choices" in fields:
        choices = fields["choices"] = check_choices(texts(fields, "choices"))
        if NO_OPTION not in answers and not set(choices).issuperset(answers):
            fields["answers"] = [option_named(choices, answer) for answer in answers]
    if not _OTHERS.isdisjoint(fields):
        _check_others(fields)
    return fields


def _check_others(fields: Mapping[str, Any]) -> None:
    """Check the fields of ``_OTHERS``."""
    for name in _OPTIONAL_TEXTS & fields.keys():
        text(fields, name, "")
    given, rated = len(fields.get("answers", ())), len(texts(fields, "confidences"))
    if rated not in (0, given):
        raise BadRecord(f"there are {given} answers and {rated} confidences. Give one for each answer, or none.")
    tags = fields.get("tags", {})
    if not isinstance(tags, dict) or not all(isinstance(value, str) for value in tags.values()):
        raise wrong("tags", "an object of texts", tags)
    _check_size(fields)
    more = fields.get("more_images", [])
    if not isinstance(more, list) or (more and "image" not in fields):
        raise wrong("more_images", "a list of the images after the first", more)
    for image in more:
        identity(mapping(image), "image")
        for name in ("path", "sha256"):
            text(image, name, "")
        _check_size(image)


def _check_size(fields: Mapping[str, Any]) -> None:
    size = fields.get("size")
    if size is not None and not (isinstance(size, list) and [type(n) for n in size] == [int, int]):
        raise wrong("size", "[width, height]", size)


def check_choices(choices: tuple[str, ...]) -> tuple[str, ...]:
    """The options of a question: at least two, at most 26, none blank and no two the same.

    >>> check_choices(("a cat", "a cat"))
    Traceback (most recent call last):
    askew.errors.BadRecord: two of 'choices' are 'a cat'. Options must differ; fix the record.
    """
    if not 2 <= len(choices) <= len(LETTERS):
        raise BadRecord(f"'choices' has {len(choices)} options. Give 2 to {len(LETTERS)}.")
    if len(set(choices)) == len(choices) and all(map(str.strip, choices)):
        return choices
    for place, option in enumerate(choices):
        if not option.strip():
            raise BadRecord("one of 'choices' is blank. Fill it in, or leave it out.")
        if option in choices[:place]:
            raise BadRecord(f"two of 'choices' are {short(option)}. Options must differ; fix the record.")
    return choices


def option_named(choices: tuple[str, ...], answer: str) -> str:
    """The option that an answer in the data names, by its text or its letter.

    >>> option_named(("a cat", "a dog"), "a dog"), option_named(("a cat", "a dog"), "B")
    ('a dog', 'a dog')
    """
    if answer in choices:
        return answer
    place = LETTERS.find(answer) if len(answer) == 1 else -1
    if not 0 <= place < len(choices):
        last = LETTERS[len(choices) - 1]
        raise BadRecord(
            f"the answer {short(answer)} is not in 'choices'. Give the text of an option, or its letter (A to {last})."
        )
    return choices[place]


def plain(record: object) -> dict[str, Any]:
    """The fields of a record that are not null; ``question_id`` and ``image_id`` are synonyms of ``id`` and ``image``.

    ``images``, a list of names, becomes ``image`` and ``more_images``.

    >>> plain({"question_id": 1, "question": "Is it?", "answer": None})
    {'id': 1, 'question': 'Is it?'}
    >>> plain({"images": ["a.jpg", "b.jpg"]})
    {'image': 'a.jpg', 'more_images': [{'image': 'b.jpg'}]}
    """
    fields = mapping(record)
    if None not in fields.values() and _RENAMED.isdisjoint(fields):
        return dict(fields)
    renamed = {_ALIASES[key]: value for key, value in fields.items() if key in _ALIASES and value is not None}
    found = renamed | {key: value for key, value in fields.items() if key not in _ALIASES and value is not None}
    names = found.pop("images", None)
    if names is None:
        return found
    if not isinstance(names, list) or not names or "image" in found:
        raise wrong("images", "a list of names, without 'image' beside it", names)
    more = {"more_images": [{"image": name} for name in names[1:]]} if names[1:] else {}
    return found | {"image": names[0]} | more


def _again(key: Id, record: object, first: str) -> BadRecord:
    if "id" in plain(record):
        return repeated(key, record, first)
    return BadRecord(
        f"it asks the same as {first} (image, question and context are identical), and neither has an id. "
        "Remove one, or give each an id."
    )


def _question(key: Id, record: object, images: ImagesByPath) -> Question:
    fields = checked(record)
    if "scene" in fields:
        check_scene(fields["scene"])
    try:
        fields["id"] = key
        question = question_from(fields)
    except (AttributeError, KeyError, TypeError, ValueError) as trouble:
        raise BadRecord(f"its scene cannot be read ({trouble!r}). Fix it.") from None
    return images.placed(question)


_LISTS = frozenset(("answers", "choices", "confidences", "images"))


@dataclass(frozen=True, repr=False)
class QuestionTable(OneFile):
    """Questions in a CSV or TSV file whose columns are named like the fields of JSONL; gzip or not.

    Blank cells are absent fields; several ``answers``, ``choices`` or ``images`` in a cell are separated by ``|``.
    """

    images: str | None = None
    """The folder of images; without it they are expected beside the file, and may be absent."""
    skip_bad: bool = False
    """Leave out bad rows and list them in ``skipped``."""

    @counting_missing
    def questions(self) -> Iterator[Question]:
        """The questions in the order of the file."""
        self.begin()
        sieve = Sieve(self.path, self.skip_bad, self.skipped, "row")
        records = ((number, _record(cells)) for number, cells in table_records(sieve))
        return questions_of(records, sieve, self.images, self.remarks)


def _record(cells: Mapping[str, str]) -> dict[str, Any]:
    """The record of a row.

    >>> _record({"image": "a.jpg", "question": " Is it? ", "answers": "yes|yes|no", "choices": ""})
    {'image': 'a.jpg', 'question': 'Is it?', 'answers': ['yes', 'yes', 'no']}
    """
    return {
        name: [part.strip() for part in cell.split("|")] if name in _LISTS else cell
        for name, text in cells.items()
        if (cell := text.strip())
    }
