"""VQA-LOL (Gokhale et al. 2020): yes/no questions composed with *and*, *or* and *not*.

A list of ``{sent, img_id: "COCO_val2014_000000000042", label: {answer: score}, question_id, q1, q2, q1_label, q2_label,
op}``. ``op`` names the composition (``notQ1``, ``Q1_or_notQ2``, ...; ``Q1`` and ``Q2`` are not compositions).
``question_id`` repeats, so a record is known by its position in the file. Compositions of the same questions about the
same image are one group: the first question is the original, the second one and the compositions are its variants.
Compose: both questions are from VQA v2; Supplement: the second is made from COCO's objects or captions.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson

from askew.data.bad_records import Sieve, gathered, mapping, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, bad_label, missing_files, wrong_file
from askew.data.benchmarks.sniff import PathContents, first_keys
from askew.errors import DataError
from askew.files.paths import stem_of
from askew.types import Expect, Group, Id, ImageRef, Kind, Question, Variant

_KEYS = {"sent", "img_id", "q1", "op"}
_READ = {"sent", "img_id", "label", "q1", "q2", "q1_label", "q2_label", "op"}
_PARTS = ("Q1", "Q2")
"""``op`` of records that are one of the two questions itself, in the authors' mixed files."""
_MISSPELT = {"notQ_and_notQ2": "notQ1_and_notQ2", "notQ_or_notQ2": "notQ1_or_notQ2"}


@dataclass(frozen=True, repr=False)
class VqaLol(GroupBenchmark):
    """VQA-LOL: questions composed with and, or and not, and the questions they consist of (Gokhale et al. 2020)."""

    title: ClassVar[str] = "VQA-LOL"
    suites: ClassVar[Sequence[str]] = ("vqa-lol",)

    @property
    def name(self) -> str:
        """The title and the name of the file, which distinguishes Compose from Supplement."""
        return f"{self.title} {stem_of(self.files()[0])}"

    def files(self) -> Sequence[str]:
        """The one file."""
        if not os.path.isdir(self.path):
            if not first_keys(self.path) >= _KEYS:
                raise wrong_file(self.path, self.title, f"a JSON list with {', '.join(sorted(_KEYS))}")
            return [self.path]
        found = [file for file in PathContents(self.path).files if first_keys(file) >= _KEYS]
        if not found:
            raise missing_files(self.path, self.title, f"a JSON list with {', '.join(sorted(_KEYS))}")
        if len(found) > 1:
            raise DataError(f"{self.path}: {len(found)} files of {self.title} are here. Give one, e.g. {found[0]}")
        return found

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The groups in the order of their first record; their records may be anywhere in the file."""
        path = self.files()[0]
        sieve = self.sieve(path)
        for members in gathered(self._keyed(sieve)):
            group = self._group(sieve, members, counts)
            if group is not None:
                counts["groups"] += 1
                yield group

    def _keyed(self, sieve: Sieve) -> Iterator[tuple[int, Id, Any]]:
        for number, record in self.records(sieve):
            key = sieve.sift(number, None, _group_key, record)
            if key is not None:
                yield number, key, {name: value for name, value in record.items() if name in _READ}

    def _group(self, sieve: Sieve, members: Sequence[tuple[int, Any]], counts: Counter[str]) -> Group | None:
        first, record = members[0]
        key = f"{stem_of(sieve.path)}/{first}"
        image = sieve.sift(first, key, self._image, record)
        if image is None:
            return None
        original = sieve.sift(first, key, _part, f"{key}/q1", image, record, "q1")
        second = sieve.sift(first, key, _part, f"{key}/q2", image, record, "q2") if record.get("q2") else None
        if original is None:
            return None
        variants = [Variant(second, Expect.GIVEN, "part", "vqa-lol/q2")] if second else []
        for number, member in members:
            if member["op"] in _PARTS:
                counts["records that repeat a question, asked once"] += 1
                continue
            own = f"{stem_of(sieve.path)}/{number}"
            variant = sieve.sift(number, own, _composed, own, image, member)
            if variant is not None and not variant.question.answers:
                counts["compositions without an answer, left out"] += 1
            elif variant is not None:
                counts["compositions"] += 1
                variants.append(variant)
        return Group(key, "vqa-lol", original, tuple(variants))

    def _image(self, record: Mapping[str, Any]) -> ImageRef:
        name = text(record, "img_id")
        return self.image_of(name, f"{name}.jpg", f"{name}.png", name)


def _group_key(record: object) -> str:
    fields = mapping(record)
    parts = [text(fields, "img_id"), text(fields, "q1"), text(fields, "q2", "")]
    text(fields, "op")
    return orjson.dumps(parts).decode()


def _part(key: Id, image: ImageRef, record: Mapping[str, Any], name: str) -> Question:
    return Question(key, image, text(record, name), _answers(record, f"{name}_label"), Kind("yes/no"))


def _composed(key: Id, image: ImageRef, record: Mapping[str, Any]) -> Variant:
    composition = _MISSPELT.get(record["op"], text(record, "op"))
    question = Question(key, image, text(record, "sent"), _answers(record, "label"), Kind("yes/no", composition))
    return Variant(question, Expect.GIVEN, "composition", f"vqa-lol/{composition}", {"op": composition})


def _answers(record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The answer of a label: the one with the highest score, or the text itself; none if it is empty.

    >>> _answers({"label": {"yes": 1.0}}, "label"), _answers({"q1_label": "no"}, "q1_label"), _answers({}, "label")
    (('yes',), ('no',), ())
    """
    label = record.get(key)
    if isinstance(label, dict) and all(isinstance(score, int | float) for score in label.values()):
        return (max(label, key=lambda answer: label[answer]),) if label else ()
    if label is None or isinstance(label, str):
        return (label,) if label else ()
    raise bad_label(label, f"{{answer: score}} or an answer ({key})")
