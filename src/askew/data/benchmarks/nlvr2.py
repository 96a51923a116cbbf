"""NLVR2 (Suhr et al. 2019): is a sentence true of two photographs? Each sentence is asked about up to four pairs.

``dev.json``, ``test1.json``, ...: JSON lines of ``{"identifier": "dev-17-2-0", "sentence", "label": "True" | "False",
"left_url", "right_url", ...}``. An identifier is split, set of images, pair and sentence; the images of a pair are
``dev-17-2-img0.png`` and ``dev-17-2-img1.png``. A group is a sentence with all its pairs, over which consistency is
counted. There is no official wording for models that answer questions; in ours the labels are two options, since a
sentence with "or" would make another question of one for yes or no.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.data.bad_records import distinct, gathered, mapping, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, bad_label
from askew.errors import BadRecord, DataError
from askew.types import Expect, Group, Id, Kind, Question, Variant

_LABELS = ("True", "False")


@dataclass(frozen=True, repr=False)
class Nlvr2(GroupBenchmark):
    """NLVR2: is a sentence true of two photographs? (Suhr et al. 2019)."""

    title: ClassVar[str] = "NLVR2"
    suites: ClassVar[Sequence[str]] = ("nlvr2",)
    rule: ClassVar[str] = "short"

    split: str = ""
    """Which file of a folder: ``train``, ``dev``, ``test1`` or ``test2``."""

    def files(self) -> Sequence[str]:
        """The one file."""
        found = self.marked_files("dev.json, test1.json or another file of its folder data")
        fitting = [file for file in found if self.split in os.path.basename(file)]
        if len(fitting) != 1:
            names = ", ".join(map(os.path.basename, fitting or found))
            raise DataError(f"{self.path}: files of NLVR2 are here: {names}. Pick one: nlvr2:{self.path},split=dev")
        return fitting

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By the identifier."""
        return (record["identifier"],) if isinstance(record.get("identifier"), str) else None

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The sentences in the order of the file, each with all its pairs of images."""
        sieve = self.sieve(self.files()[0])
        records = distinct(sieve, self.records(sieve), _identifier)
        for members in gathered((number, _sentence(key), record) for number, key, record in records):
            asked = [sieve.sift(number, record["identifier"], self._question, record) for number, record in members]
            questions = [question for question in asked if question is not None]
            if questions:
                counts["questions"] += len(questions)
                counts["sentences"] += 1
                first, *rest = questions
                variants = tuple(Variant(question, Expect.GIVEN, "pair", "nlvr2") for question in rest)
                yield Group(first.id, "nlvr2", first, variants)

    def _question(self, record: Mapping[str, Any]) -> Question:
        key, label = text(record, "identifier"), str(record.get("label")).capitalize()
        if label not in _LABELS:
            raise bad_label(record.get("label"), "True or False")
        pair = key.rpartition("-")[0]
        images = [self.image(f"{pair}-img{number}.png") for number in (0, 1)]
        asked = f'Is this sentence true of the two images? "{text(record, "sentence").strip()}"'
        return Question(key, None, asked, (label,), Kind("choice"), choices=_LABELS).with_images(images)


def _identifier(record: object) -> Id:
    key = text(mapping(record), "identifier")
    if key.count("-") < 3:
        raise BadRecord(f"the identifier is {key!r}; it must have four parts, such as dev-17-2-0. Fix it.")
    return key


def _sentence(key: Id) -> str:
    """The set and the sentence of an identifier, without the pair.

    >>> _sentence("dev-17-2-0"), _sentence("dev-17-3-0")
    ('dev-17-0', 'dev-17-0')
    """
    split, images, _, sentence = str(key).rsplit("-", 3)
    return f"{split}-{images}-{sentence}"
