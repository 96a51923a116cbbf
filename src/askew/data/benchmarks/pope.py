"""POPE and POPEv2 (Li et al. 2023): is an object in the image?

POPE: present objects, and absent ones chosen by three strategies. Files ``coco_pope_{random,popular,adversarial}.json``
(JSONL), ``{aokvqa,gqa}_pope_seem_{...}.json`` (JSON lists) with ``question_id``, ``image``, ``text``, ``label``. Rows
alternate: an object that is in the image (yes), one that is not (no); an early edition has the three present objects of
an image first, then the three absent ones. The present objects are the same in the three files of a set, so each is the
original of a group whose variants are the absent objects of the three strategies.

POPEv2: a question about an image, and about the same image without the object. ``POPEv2/dataset/annotations.json`` of
POPE's repository is a list of ``{image_id, image_name, target_object, query, label}``: consecutive pairs of the same
query, the edited image (No) first. The unedited image is the original of a group.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar

from askew.data.bad_records import Sieve, identity, mapping, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, Sizes, bad_label, missing_files
from askew.data.benchmarks.sniff import PathContents, match_name, names_of
from askew.data.records_by_id import distinct
from askew.errors import BadRecord, DataError
from askew.types import Expect, Group, Id, Kind, Question, Variant

STRATEGIES = ("random", "popular", "adversarial")
_FILE = names_of("pope:Pope")
_OFFICIAL = re.compile(r"(?:coco_pope|aokvqa_pope_seem|gqa_pope_seem)_[a-z]+\.json")

Pair = tuple[Question, Question]
"""A question about an object in the image, and one about an object that is not in it."""
Row = tuple[int, Id, Question | None]
"""The number of a row, its id and its question (None if it is bad)."""


@dataclass(frozen=True, repr=False)
class Pope(GroupBenchmark):
    """POPE: is an object in the image? Absent objects are random, popular or adversarial (Li et al. 2023)."""

    title: ClassVar[str] = "POPE"
    suites: ClassVar[Sequence[str]] = ("pope",)

    source: str | None = None
    """Which set of a folder with several: ``coco``, ``aokvqa`` or ``gqa``."""

    def files(self) -> Sequence[str]:
        """The files of one set, in the order of the strategies."""
        return list(self._by_strategy().values())

    def expected(self) -> Mapping[str, int]:
        """3,000 questions in each official file."""
        names = map(os.path.basename, self.files())
        return {f"questions in {name}": 3000 for name in names if _OFFICIAL.fullmatch(name)}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """One group for each object that is in an image; the files are read side by side."""
        by_strategy = self._by_strategy()
        if absent := [name for name in STRATEGIES if name not in by_strategy]:
            example = os.path.basename(next(iter(by_strategy.values())))
            self.remarks.append(
                f"{self.title}: there is no file for {' and '.join(absent)}; it belongs beside {example}."
            )
        streams = [self._pairs(path, counts) for path in by_strategy.values()]
        for row in zip_longest(*streams):
            yield from _grouped({name: pair for name, pair in zip(by_strategy, row, strict=True) if pair is not None})

    def _by_strategy(self) -> dict[str, str]:
        if not os.path.isdir(self.path):
            named = match_name(_FILE, self.path)
            return {named["strategy"] if named else STRATEGIES[0]: self.path}
        sets: dict[str, dict[str, str]] = {}
        for file in PathContents(self.path).named(_FILE):
            if match := match_name(_FILE, file):
                sets.setdefault(match["source"], {}).setdefault(match["strategy"], file)
        wanted = [self.source] if self.source else list(sets)
        if len(wanted) > 1:
            raise DataError(
                f"{self.path}: files of several sets are here: {', '.join(sets)}. Pick one, e.g. "
                f"pope:{self.path},source={wanted[0]}"
            )
        if not wanted or wanted[0] not in sets:
            names = f"{self.source or 'coco'}_pope_random.json, ..._popular.json and ..._adversarial.json"
            raise missing_files(self.path, self.title, names)
        found = sets[wanted[0]]
        return {name: found[name] for name in STRATEGIES if name in found}

    def _pairs(self, path: str, counts: Counter[str]) -> Iterator[Pair | None]:
        """The pairs of a file at their positions, two rows each; None for a pair with a bad row."""
        sieve, done = self.sieve(path), 0
        for rows, following in self._images(sieve, counts):
            for place, pair in _pairs_of(sieve, rows, following):
                for _ in range(done, place):
                    yield None
                done = place + 1
                yield pair

    def _images(self, sieve: Sieve, counts: Counter[str]) -> Iterator[tuple[list[Row], int]]:
        """The rows of each image, with the number of the row that follows."""
        home = os.path.basename(sieve.path)
        stem, counted, number = home.split(".")[0], f"questions in {home}", 0
        rows: list[Row] = []
        image = None
        for number, key, record in distinct(sieve, self.records(sieve), _key):
            question = sieve.sift(number, key, self._question, f"{stem}/{key}", record)
            counts[counted] += question is not None
            named = record.get("image")
            if rows and named != image:
                yield rows, number
                rows = []
            image = named
            rows.append((number, key, question))
        if rows:
            yield rows, number + 1

    def _question(self, key: Id, record: Mapping[str, Any]) -> Question:
        label = _label(record, "yes or no")
        return Question(key, self.image(text(record, "image")), text(record, "text"), (label,), Kind("yes/no"))


def _pairs_of(sieve: Sieve, rows: Sequence[Row], following: int) -> Iterator[tuple[int, Pair]]:
    """The pairs of one image, each with its place in the file: a present object and an absent one.

    Rows alternate between the two; or all present objects come first, then as many absent ones. A row whose partner was
    refused is left out.
    """
    labels = [row[2].answers[0] if row[2] else "" for row in rows]
    half = len(rows) // 2
    if half > 1 and labels == ["yes"] * half + ["no"] * half:
        for place, (first, second) in enumerate(zip(rows[:half], rows[half:], strict=True)):
            if first[2] is not None and second[2] is not None:
                yield (rows[0][0] - 1) // 2 + place, (first[2], second[2])
        return
    ends = [*(row[0] for row in rows[1:]), following]
    waiting: Row | None = None
    for row, label, end in zip(rows, labels, ends, strict=True):
        number, key, question = row
        if number % 2:
            if end > number + 1:
                continue  # the next row was refused
            if end == following and question is not None:
                _refuse(sieve, number, key)
            waiting = row
        elif waiting is not None and waiting[0] == number - 1:
            present = waiting[2]
            if present is None or question is None:
                continue  # the bad one was refused
            if (present.answers[0], label) == ("yes", "no"):
                yield number // 2 - 1, (present, question)
            else:
                _refuse(sieve, number, key)


def _refuse(sieve: Sieve, number: int, key: Id) -> None:
    fault = BadRecord(
        "the rows of an image must alternate, yes then no, or be all yes and then as many no. Put them in the "
        "published order."
    )
    sieve.refuse(number, fault, key)


def _grouped(pairs: Mapping[str, Pair]) -> Iterator[Group]:
    """One group of all strategies if they ask about the same present object, else one for each."""
    strategies_of: dict[tuple[object, str], list[str]] = {}
    for strategy, (present, _) in pairs.items():
        strategies_of.setdefault((present.image and present.image.id, present.text), []).append(strategy)
    for strategies in strategies_of.values():
        original = pairs[strategies[0]][0]
        variants = tuple(
            Variant(pairs[strategy][1], Expect.GIVEN, strategy, f"pope/{strategy}") for strategy in strategies
        )
        yield Group(original.id, "pope", original, variants)


def _key(record: object) -> Id:
    return identity(record if isinstance(record, dict) else {}, "question_id")


@dataclass(frozen=True, repr=False)
class PopeV2(GroupBenchmark):
    """POPEv2: is an object in the image, and in the same image without it? (Li et al. 2023)."""

    title: ClassVar[str] = "POPEv2"
    suites: ClassVar[Sequence[str]] = ("pope-v2",)
    sizes: ClassVar[Sizes] = {"annotations.json": {"pairs": 500}}

    def files(self) -> Sequence[str]:
        """The one file."""
        return self.marked_files("annotations.json (POPEv2/dataset)")[:1]

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The pairs in the order of the file."""
        sieve = self.sieve(self.files()[0])
        first: Question | None = None
        for number, record in self.records(sieve):
            question = sieve.sift(number, None, self._question, number, record)
            if number % 2:
                first = question
            elif first is not None and question is not None:
                pair = sorted((first, question), key=lambda one: one.answers, reverse=True)
                if pair[0].text != pair[1].text or pair[0].answers == pair[1].answers:
                    fault = BadRecord("two consecutive records must be a pair: one query, labels Yes and No. Fix them.")
                    sieve.refuse(number, fault)
                    continue
                counts["pairs"] += 1
                variant = Variant(pair[1], Expect.GIVEN, "edited", "pope-v2")
                yield Group(pair[0].id, "pope-v2", pair[0], (variant,))

    def _question(self, number: int, record: object) -> Question:
        fields: Mapping[str, Any] = mapping(record)
        label = _label(fields, "Yes or No")
        return Question(
            f"pope-v2/{number}",
            self.image(text(fields, "image_name")),
            text(fields, "query"),
            (label,),
            Kind("yes/no"),
            tags=(("object", text(fields, "target_object")),),
        )


def _label(record: Mapping[str, Any], wanted: str) -> str:
    """The label in lower case; ``wanted`` is how the file writes both labels."""
    label = text(record, "label").strip().lower()
    if label not in ("yes", "no"):
        raise bad_label(record["label"], wanted)
    return label
