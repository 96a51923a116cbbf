"""Files of groups: JSONL with one group per line, as ``askew.files.records`` writes them.

Paths of images below the file's folder are relative to it, so the folder can be moved; generated images are written to
``images/`` beside the file. Other paths are relative to the folder of images, which ``--images`` names. Groups are
checked while they are written, so that the reader of the same run need not check them again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import TracebackType
from typing import Any

import orjson

from askew.answers.choices import LETTERS, as_asked
from askew.data.bad_records import EXACT, Sieve, identity, mapping, missing, short, text, wrong
from askew.data.disk_index import Index, SeenIds
from askew.data.find_images import ImagesByPath
from askew.data.jsonl import KNOWN_FIELDS, OneFile, checked, unread_fields, valid_lines
from askew.data.records_by_id import distinct
from askew.data.write_questions import line, stored_image
from askew.errors import BadRecord, DataError
from askew.files.paths import ImageFolders, folders_of, remember, with_images
from askew.files.read_write import opened, write_joined
from askew.files.records import Record, group_from, group_record
from askew.types import Expect, Group, Id, ImageRef, Question, Variant

_GROUP_FIELDS = frozenset(("group", "suite", "original", "variants"))
_VARIANT_FIELDS = KNOWN_FIELDS | {"expect", "test", "made_by", "note", "same_image"}
"""The fields of a group's and of a variant's record that are read; others are named in ``remarks``."""
_EXPECTED = tuple(member.value for member in Expect)


@dataclass(frozen=True, repr=False)
class GroupFile(OneFile):
    """A file of groups; as a data set it yields their original questions."""

    images: str | None = None
    """The folder of images; without it, paths are relative to the folder of the file."""
    skip_bad: bool = False
    """Leave out bad groups and list them in ``skipped``."""
    folders: Mapping[str, str] | None = field(default=None, repr=False, compare=False, kw_only=True)
    """Where images outside the file's folder are; None: the folders remembered on this machine."""

    def questions(self) -> Iterator[Question]:
        """The original questions."""
        return (group.original for group in self.groups())

    def groups(self) -> Iterator[Group]:
        """The groups in the order of the file."""
        self.skipped.clear()
        self.remarks.clear()
        unread: dict[str, int] = {}
        sieve = Sieve(self.path, self.skip_bad, self.skipped, "line")
        folders = folders_of(self.path) if self.folders is None else self.folders
        images = ImagesByPath(os.path.dirname(self.path), self.images, folders)
        for number, key, record in distinct(sieve, valid_lines(sieve), _key):
            group = sieve.sift(number, key, _group, record, images)
            if group:
                yield group
                for name in _unknown_fields(record):
                    unread[name] = unread.get(name, 0) + 1
        self.remarks.extend(unread_fields(self.path, unread))


def read_groups(path: str, images: str | None = None, folders: Mapping[str, str] | None = None) -> Iterator[Group]:
    """The groups of a file, streamed; the first bad one raises an error. ``folders``: where images are."""
    return GroupFile(path, images, folders=folders).groups()


def read_written(
    path: str, folders: Mapping[str, str], keep: Callable[[Record], None] | None = None
) -> Iterator[Group]:
    """The groups of a file that this process has just written, each found valid by a ``GroupCheck``.

    They are not checked again. If one cannot be read, ``read_groups`` reads it and the rest, and says why. ``keep`` is
    called with the record of each group that ``read_groups`` does not read.
    """
    place = _Places(path, ImageFolders(os.path.dirname(path), None, folders))
    with opened(path) as lines:
        for number, record in enumerate(map(orjson.loads, lines)):
            try:
                group = place.of(group_from(record))
            except (AttributeError, KeyError, TypeError, ValueError):
                yield from islice(read_groups(path, folders=folders), number, None)
                return
            if keep is not None:
                keep(record)
            yield group


def write_groups(
    groups: Iterable[Group],
    path: str,
    folders: ImageFolders | None = None,
    see: Sequence[Callable[[Group], None]] = (),
    judge: Callable[[Group, Record], None] | None = None,
) -> int:
    """Write groups to a file, streamed; the file appears when it is complete. Returns their number.

    ``folders`` records where the images named in the file are. ``see``: functions that are called with each group as
    it will be read. ``judge`` is called with its record too, after them.
    """
    folder = os.path.dirname(path)
    folders = folders or ImageFolders(folder)
    place = _Places(path, folders)

    def lines() -> Iterator[bytes]:
        for group in groups:
            stored = _stored(folder, group, folders)
            record = group_record(stored)
            written = line(record)
            yield written
            placed = place.of(stored) if see else stored
            for function in see:
                function(placed)
            if judge is not None:
                if stored.variants:  # notes may hold values that JSON changes
                    record = orjson.loads(written)
                    placed = place.of(group_from(record))
                judge(placed, record)

    count = write_joined(path, lines())
    remember(path, folders)
    return count


class _Places:
    """The images of a file of groups, from the names in it."""

    def __init__(self, path: str, folders: ImageFolders) -> None:
        self._home, self._folders = os.path.dirname(path), folders

    def of(self, group: Group) -> Group:
        """The group with the paths of its images."""
        return with_images(group, self._image)

    def _image(self, image: ImageRef) -> ImageRef:
        if image.path is None:
            return image
        found = self._folders.find(image.path) or os.path.normpath(os.path.join(self._home, image.path))
        return replace(image, path=found)


def unique_by_id(groups: Iterable[Group], source: str, key: Callable[[Id], Id] | None = None) -> Iterator[Group]:
    """The same groups; raises an error if one id belongs to two questions, since an answer to it would be ambiguous.

    ``key`` returns the id by which an existing answer is found.
    """
    with Index() as seen:
        for group in groups:
            for question in (group.original, *(variant.question for variant in group.variants)):
                image = question.image
                asked = [as_asked(question).text, question.context, image and str(image.id), image and image.path]
                found_by = key(question.id) if key else question.id
                if seen.add(found_by, record=[asked, repr(group.id)]):
                    continue
                _, (before, where) = seen.get(found_by) or (0, (asked, ""))
                if before != asked:
                    raise DataError(
                        f"{source}: the id {found_by!r} belongs to two questions, {short(before[0])} (of group "
                        f"{where}) and {short(question.text)} (of group {group.id!r}), so an answer to it would be "
                        "ambiguous. Rename one in the data. The id of a variant is its question's id, a slash and a "
                        "suffix, so variants of 1 and '1' have the same ids; so do 1 and '1' if the predictions only "
                        "have '1'."
                    )
            yield group


def _stored(folder: str, group: Group, folders: ImageFolders) -> Group:
    return with_images(group, lambda image: stored_image(folder, image, folders))


def _key(record: object) -> Id:
    """The key of a group: its suite and its id; several suites may ask the same questions.

    >>> _key({"group": "7", "suite": "rad"}), _key({"group": 7})
    ("rad '7'", '7')
    """
    fields = mapping(record)
    return f"{text(fields, 'suite', '')} {identity(fields, 'group')!r}".strip()


def _unknown_fields(record: Mapping[str, Any]) -> set[str]:
    """The fields of a group's record that are not read; those of its questions and variants with their path.

    >>> sorted(_unknown_fields({"group": 1, "by": "me", "original": {"id": 1, "hint": ""}, "variants": [{"why": 2}]}))
    ['by', 'original.hint', 'variants.why']
    """
    found = set(record.keys() - _GROUP_FIELDS)
    found.update(f"original.{name}" for name in record["original"].keys() - KNOWN_FIELDS)
    for variant in record.get("variants", ()):
        if not _VARIANT_FIELDS.issuperset(variant):
            found.update(f"variants.{name}" for name in variant.keys() - _VARIANT_FIELDS)
    return found


def _group(record: object, images: ImagesByPath) -> Group:
    fields = dict(mapping(record))
    if "original" not in fields:
        raise missing(fields, "original")
    variants = fields.get("variants", [])
    if not isinstance(variants, list):
        raise wrong("variants", "a list", variants)
    fields["original"] = checked(fields["original"])
    identity(fields["original"], "id")
    fields["variants"] = [checked(variant) for variant in variants]
    for variant in fields["variants"]:
        identity(variant, "id")
        for name in ("test", "made_by"):
            text(variant, name, "")
        if not isinstance(variant.get("note", {}), dict):
            raise wrong("note", "an object {...}", variant["note"])
        if variant.get("expect") not in _EXPECTED:
            raise wrong("expect", " or ".join(_EXPECTED), variant.get("expect"))
    try:
        group = group_from(fields)
    except (AttributeError, KeyError, TypeError, ValueError) as trouble:
        raise BadRecord(f"the group cannot be read ({trouble!r}). Fix it.") from None
    return with_images(group, images.place)


_TEXT = frozenset((str,))


class GroupCheck:
    """Checks whether all groups of a file would pass the checks of ``read_groups``.

    It only reports that a group would or might fail; reading the file says which one and why.
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
        """Check one group; after an invalid one, the others are skipped."""
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
