"""The distinct questions of groups, each with all ids that its answer belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import orjson

from askew.answers.choices import as_asked
from askew.answers.normalise import modal_answer
from askew.errors import DataError
from askew.files.images import content_hash
from askew.types import Group, Id, ImageRef, Question

ANSWER_PROMPT = "\nAnswer the question using a single word or phrase."
"""The prompt after every question, so that models answer as briefly as people did."""

IDS = "askew_ids"
"""The column with the ids of a row as JSON, so that 7 stays 7 and "7" stays "7"."""

_Content = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One question of an export."""

    question: Question
    ids: tuple[Id, ...]
    """The ids of the questions with this text and image."""
    category: str
    """``original``, or the test of the variant that it occurred as first."""

    @property
    def encoded_ids(self) -> str:
        """The ids as a string for a cell of a table.

        >>> ExportRow(Question(7, None, "Is it?"), (7, "7/rad"), "original").encoded_ids
        '[7,"7/rad"]'
        """
        return orjson.dumps(self.ids).decode()

    @property
    def answer(self) -> str:
        """The most frequent answer of people."""
        return modal_answer(self.question.answers, str)

    @property
    def prompt(self) -> str:
        """The context and the question.

        >>> ExportRow(Question(7, None, "Is it red?", context="There is a bus."), (7,), "original").prompt
        'There is a bus.\\nIs it red?'
        """
        return "\n".join(part for part in (self.question.context, self.question.text) if part)

    def image_file(self) -> str:
        """The full path of its image file."""
        image = self.question.image
        if image is None or image.path is None:
            raise DataError(
                f"question {self.question.id!r} has no image, and a harness needs one. "
                "Give the folder of images (--images)."
            )
        return os.path.abspath(image.path)


def each_question(groups: Iterable[Group]) -> Iterator[ExportRow]:
    """Every id once, in the order of the groups."""
    seen: dict[Id, _Content] = {}
    for question, category in _members(groups):
        if _is_new(seen, question, _content(question)):
            yield ExportRow(question, (question.id,), category)


def distinct_questions(groups: Iterable[Group]) -> list[ExportRow]:
    """Every distinct image, question and context once, in the order of the groups.

    >>> cat = Question(1, ImageRef("a"), "Is it a cat?")
    >>> groups = [Group(1, "x", cat), Group(2, "x", replace(cat, id="1")), Group(3, "y", cat)]
    >>> [asked.ids for asked in distinct_questions(groups)]
    [(1, '1')]
    """
    seen: dict[Id, _Content] = {}
    found: dict[_Content, ExportRow] = {}
    for question, category in _members(groups):
        content = _content(question)
        if not _is_new(seen, question, content):
            continue
        first = found.get(content)
        if first is None:
            found[content] = ExportRow(question, (question.id,), category)
        else:
            found[content] = replace(first, ids=(*first.ids, question.id))
    return list(found.values())


def _members(groups: Iterable[Group]) -> Iterator[tuple[Question, str]]:
    for group in groups:
        yield replace(as_asked(group.original), scene=None), "original"
        for variant in group.variants:
            yield replace(as_asked(variant.question), scene=None), variant.test or "variant"


def _content(question: Question) -> _Content:
    image = "" if question.image is None else content_hash(question.image)
    return image, question.text, question.context


def _is_new(seen: dict[Id, _Content], question: Question, content: _Content) -> bool:
    """Whether this id is new; an id must always belong to the same question."""
    before = seen.setdefault(question.id, content)
    if before is content:
        return True
    if before != content:
        raise DataError(
            f"the id {question.id!r} asks two things: {before[1]!r} and {question.text!r} (or the same about two "
            "images), so an answer to it would be ambiguous. Give questions different ids."
        )
    return False


def image_name(image: ImageRef | None) -> Id | None:
    """The path of the image, or its id if the path is unknown; None without an image."""
    if image is None:
        return None
    return image.id if image.path is None else os.path.abspath(image.path)
