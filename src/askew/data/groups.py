"""Files of groups: JSONL with one group per line, as ``askew.files.records`` writes them.

Paths of images below the file's folder are relative to it, so the folder can be moved; generated images are written to
``images/`` beside the file. Other paths are relative to the folder of images, which ``--images`` names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import orjson

from askew.answers.choices import as_asked
from askew.data.bad_records import EXACT, Sieve, distinct, identity, mapping, missing, short, text, wrong
from askew.data.find_images import ImagesByPath
from askew.data.jsonl import KNOWN_FIELDS, OneFile, checked, unread_fields, valid_lines
from askew.errors import BadRecord, DataError
from askew.files.output_folders import note_of
from askew.files.paths import ImageFolders, folders_of, remember, with_images
from askew.files.read_write import opened, replaced
from askew.files.records import Record, group_from, group_record, line, stored_image
from askew.types import Expect, Group, Id, ImageRef, Question

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

    @property
    def extract(self) -> str:
        """The rule of the benchmark from which ``askew build`` made the groups."""
        return str(note_of(Path(self.path).parent).get("of", {}).get("extract", "none"))

    def questions(self) -> Iterator[Question]:
        """The original questions."""
        return (group.original for group in self.groups())

    def groups(self) -> Iterator[Group]:
        """The groups in the order of the file."""
        self.begin()
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


def read_written(path: str, folders: Mapping[str, str]) -> Iterator[tuple[Group, Record]]:
    """The groups of a file that this process has just written, each with its record; they are not checked again."""
    place = _Places(path, ImageFolders(os.path.dirname(path), None, folders))
    with opened(path) as lines:
        for line in lines:
            record = orjson.loads(line)
            yield place.of(group_from(record)), record


def written_groups(groups: Iterable[Group], file: IO[bytes], path: str, folders: ImageFolders) -> Iterator[Group]:
    """Write groups to an open file that will be at ``path``; yields each as it will be read.

    ``folders`` records where the images named in the file are.
    """
    folder, place = os.path.dirname(path), _Places(path, folders)
    for group in groups:
        stored = with_images(group, lambda image: stored_image(folder, image, folders))
        file.write(line(group_record(stored)))
        yield place.of(stored)


def write_groups(groups: Iterable[Group], path: str) -> int:
    """Write groups to a file, which appears when it is complete; returns their number."""
    folders = ImageFolders(os.path.dirname(path))
    with replaced(path) as file:
        count = sum(1 for _ in written_groups(groups, file, path, folders))
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
    seen: dict[Id, tuple[tuple[object, ...], Id]] = {}
    for group in groups:
        for question in (group.original, *(variant.question for variant in group.variants)):
            found_by = key(question.id) if key else question.id
            asked = as_asked(question).text, question.context, *((str(one.id), one.path) for one in question.images)
            before, where = seen.setdefault(found_by, (asked, group.id))
            if before != asked:
                raise DataError(
                    f"{source}: the id {found_by!r} belongs to two questions, {short(before[0])} (of group {where!r}) "
                    f"and {short(question.text)} (of group {group.id!r}), so an answer to it would be ambiguous. "
                    "Rename one in the data. The id of a variant is its question's id, a slash and a suffix, so "
                    "variants of 1 and '1' have the same ids; so do 1 and '1' if the predictions only have '1'."
                )
        yield group


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


def checked_groups(groups: Iterable[Group], source: str) -> Iterator[Group]:
    """The same groups; raises BadRecord for one that a suite made wrongly, or whose id is not its own."""
    seen: set[tuple[str, Id]] = set()
    for group in groups:
        where = f"{source}: group {group.id!r}, made by suite {group.suite!r}"
        if fault := _fault(group):
            raise BadRecord(f"{where}: {fault}. Fix the suite.")
        if (group.suite, group.id) in seen:
            raise BadRecord(f"{where}: an earlier group has the same id. Rename one.")
        seen.add((group.suite, group.id))
        yield group


def _fault(group: Group) -> str:
    """What is wrong with a group; empty if nothing is."""
    if not (isinstance(group.suite, str) and _is_id(group.id)):
        return "its id must be text or a whole number, and its suite text"
    for question in (group.original, *(variant.question for variant in group.variants)):
        answers, kind = question.answers, question.kind
        try:
            "".join(
                (question.text, question.context, kind.answer_type, kind.question_type, *answers, *question.choices)
            )
            is_text = bool(question.text.strip())
        except (AttributeError, TypeError):
            is_text = False
        if not is_text:
            return f"question {question.id!r} needs a text, and all its texts must be str"
        if not _is_id(question.id) or not all(_is_id(image.id) for image in question.images):
            return f"the ids of question {question.id!r} and of its images must be text or whole numbers"
        if question.more_images and question.image is None:
            return f"question {question.id!r} has more_images without a first image"
        if question.confidences and len(question.confidences) != len(answers):
            return f"question {question.id!r} needs a confidence for each answer"
    for variant in group.variants:
        if not (isinstance(variant.expect, Expect) and isinstance(variant.test, str)):
            return f"variant {variant.question.id!r} needs an askew.Expect, and a test that is text"
    return ""


def _is_id(value: object) -> bool:
    return value != "" if isinstance(value, str) else type(value) is int and abs(value) < EXACT
