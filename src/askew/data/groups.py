"""Ready-made groups: a JSONL file with one group per line, as ``askew.records`` writes them.

Pictures below the file's folder are named relative to it, so the folder can be moved; pictures made on the fly are
put into ``images/`` beside the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from askew.data.faults import Sieve, identity, mapping, missing, text, wrong
from askew.data.index import distinct
from askew.data.jsonl import Album, checked, sound_lines
from askew.data.one_file import OneFile
from askew.data.write import kept_beside, line
from askew.errors import BadRecord
from askew.files import write_joined
from askew.records import group_from, group_record
from askew.types import Expect, Group, Id, Question


@dataclass(frozen=True, repr=False)
class GroupFile(OneFile):
    """A file of ready-made groups; as a data set it gives their original questions."""

    images: str | None = None
    """The folder of pictures; without it they are looked for as the file says, from its own folder."""
    skip_bad: bool = False
    """Leave bad groups out, and list them in ``skipped``."""

    def questions(self) -> Iterator[Question]:
        """The original questions."""
        return (group.original for group in self.groups())

    def suites(self) -> list[str]:
        """The suites whose groups are in the file, in order of appearance."""
        return list(dict.fromkeys(group.suite for group in self.groups()))

    def groups(self) -> Iterator[Group]:
        """The groups in the order of the file."""
        self.skipped.clear()
        sieve = Sieve(self.path, self.skip_bad, self.skipped, "line")
        album = Album(os.path.dirname(self.path), self.images)
        for number, key, record in distinct(sieve, sound_lines(sieve), _key):
            group = sieve.sift(number, key, _group, record, album)
            if group:
                yield group


def read_groups(path: str, images: str | None = None) -> Iterator[Group]:
    """The groups of a file, streamed; the first bad one stops."""
    return GroupFile(path, images).groups()


def write_groups(groups: Iterable[Group], path: str) -> int:
    """Write groups to a file, streamed; the file appears when it is whole. Gives how many there were."""
    folder = os.path.dirname(path)
    return write_joined(path, (line(group_record(_stored(folder, group))) for group in groups))


def _stored(folder: str, group: Group) -> Group:
    variants = tuple(replace(v, question=kept_beside(folder, v.question)) for v in group.variants)
    return replace(group, original=kept_beside(folder, group.original), variants=variants)


def _key(record: object) -> Id:
    """What tells a group from the others: its suite and its id; several suites may ask the same questions.

    >>> _key({"group": "7", "suite": "rad"}), _key({"group": 7})
    ("rad '7'", '7')
    """
    fields = mapping(record)
    return f"{text(fields, 'suite', '')} {identity(fields, 'group')!r}".strip()


def _group(record: object, album: Album) -> Group:
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
        if variant.get("expect") not in {member.value for member in Expect}:
            raise wrong("expect", " or ".join(member.value for member in Expect), variant.get("expect"))
    try:
        group = group_from(fields)
    except (AttributeError, KeyError, TypeError, ValueError) as trouble:
        raise BadRecord(f"the group cannot be read ({trouble!r}). Mend it.") from None
    variants = tuple(replace(variant, question=album.placed(variant.question)) for variant in group.variants)
    return replace(group, original=album.placed(group.original), variants=variants)
