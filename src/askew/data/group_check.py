"""Groups checked while they are written, so that the reader of the same run need not check them again."""

from __future__ import annotations

from types import TracebackType

from askew.answers.choices import LETTERS
from askew.data.bad_records import EXACT
from askew.data.disk_index import SeenIds
from askew.types import Expect, Group, ImageRef, Question, Variant

_TEXT = frozenset((str,))


class GroupCheck:
    """Finds out whether all groups of a file would pass the checks of ``read_groups``.

    It only says that one would not, or may not; which one and why is said by reading the file.
    """

    def __init__(self) -> None:
        self.valid = True
        self._seen: dict[str, SeenIds] = {}
        """The ids of groups, by suite."""
        self._count = 0

    def __enter__(self) -> GroupCheck:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for seen in self._seen.values():
            seen.__exit__(kind, error, trace)

    def add(self, group: Group) -> None:
        """Check one group; after one that is not valid, no more are looked at."""
        if self.valid:
            self._count += 1
            self.valid = (
                type(group.suite) is str
                and _is_id(group.id)
                and self._is_new(group)
                and _is_question(group.original)
                and all(map(_is_variant, group.variants))
            )

    def _is_new(self, group: Group) -> bool:
        if group.suite not in self._seen:
            self._seen[group.suite] = SeenIds()
        return self._seen[group.suite].add(group.id, self._count) is None


def _is_variant(variant: Variant) -> bool:
    texts = (variant.test, variant.made_by)
    return _TEXT.issuperset(map(type, texts)) and isinstance(variant.expect, Expect) and _is_question(variant.question)


def _is_question(question: Question) -> bool:
    answers, confidences, kind = question.answers, question.confidences, question.kind
    texts = (question.text, question.context, kind.answer_type, kind.question_type, *answers, *confidences)
    return (
        _TEXT.issuperset(map(type, texts))
        and bool(question.text.strip())
        and (not confidences or len(confidences) == len(answers))
        and _is_id(question.id)
        and (question.image is None or _is_image(question.image))
        and (not question.tags or all(_TEXT.issuperset(map(type, tag)) for tag in question.tags))
        and (not question.choices or _has_options(question))
    )


def _has_options(question: Question) -> bool:
    options = question.choices
    return (
        _TEXT.issuperset(map(type, options))
        and 2 <= len(set(options)) == len(options) <= len(LETTERS)
        and all(map(str.strip, options))
        and set(question.answers) <= set(options)
    )


def _is_image(image: ImageRef) -> bool:
    whole = image.size is None or [type(side) for side in image.size] == [int, int]
    texts = [type(text) for text in (image.path, image.sha256) if text]
    return _is_id(image.id) and whole and _TEXT.issuperset(texts)


def _is_id(value: object) -> bool:
    return value != "" if type(value) is str else type(value) is int and abs(value) < EXACT
