"""POPE and POPEv2 (Li et al. 2023): is an object in the image?

POPE: present objects, and absent ones chosen by three strategies. Files ``coco_pope_{random,popular,adversarial}.json``
(JSONL), ``{aokvqa,gqa}_pope_seem_{...}.json`` (JSON lists) with ``question_id``, ``image``, ``text``, ``label``; or one
table (VLMEvalKit's ``POPE.tsv``, Parquet of lmms-lab) with ``question``, ``answer`` and ``category``, the strategies of
a row. The edition that LLaVA distributes has 2,910 random questions: 90 absent objects are missing.

Questions are grouped in two ways, under the tag ``grouping``: ``single`` (each alone, once for each of its strategies,
as the evaluator counts them) and ``pair``: a present object, which the files of a set share, with the absent objects of
the three strategies. The objects of an image are paired in their order, so it does not matter whether they alternate.

POPEv2: a question about an image, and about the same image without the object. ``POPEv2/dataset/annotations.json`` of
POPE's repository is a list of ``{image_id, image_name, target_object, query, label}``: consecutive pairs of the same
query, the edited image (No) first. The unedited image is the original of a group.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from askew.data.bad_records import distinct, identity, mapping, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark, Sizes, missing_files, yes_or_no
from askew.data.benchmarks.sniff import PathContents, match_name, names_of
from askew.data.benchmarks.vlmevalkit import answered_by_index, index_key
from askew.data.table_files import TableImages, parquet_image, parquet_records, table_records
from askew.errors import BadRecord, DataError
from askew.files.paths import is_table, stem_of
from askew.types import Expect, Group, Id, ImageRef, Kind, Question, Variant

STRATEGIES = ("random", "popular", "adversarial")
_FILE = names_of("pope:Pope")
_OFFICIAL = re.compile(r"(?:coco_pope|aokvqa_pope_seem|gqa_pope_seem)_[a-z]+\.json")
_TABLE = re.compile(r"\.(?:tsv|tsv\.gz|parquet)$", re.IGNORECASE)
_LLAVA = "coco_pope_random.json"


_KIND = Kind("yes/no")
_SINGLE = {strategy: (("grouping", "single"), ("strategy", strategy)) for strategy in STRATEGIES}
_PAIR = (("grouping", "pair"),)


class PopeRow(NamedTuple):
    """A question of POPE, with the strategies in whose files it is."""

    strategies: Sequence[str]
    id: Id
    image: ImageRef
    text: str
    label: str

    def question(self, tags: tuple[tuple[str, str], ...]) -> Question:
        """The question, with the tags of the grouping it is in."""
        return Question(self.id, self.image, self.text, (self.label,), _KIND, tags=tags)


@dataclass(frozen=True, repr=False)
class Pope(GroupBenchmark):
    """POPE: is an object in the image? Absent objects are random, popular or adversarial (Li et al. 2023)."""

    title: ClassVar[str] = "POPE"
    suites: ClassVar[Sequence[str]] = ("pope",)
    sizes: ClassVar[Sizes] = {"POPE.tsv": {"questions in POPE.tsv": 5127}}

    source: str | None = None
    """Which set of a folder with several: ``coco``, ``aokvqa`` or ``gqa``."""

    @property
    def extract(self) -> str:
        """The rule of the authors, or that of VLMEvalKit for its table."""
        return "vlmevalkit" if self._tables and is_table(self.path) else "pope"

    def files(self) -> Sequence[str]:
        """The table; or the files of one set, in the order of the strategies."""
        return self._tables or list(self._by_strategy().values())

    @cached_property
    def _tables(self) -> Sequence[str]:
        """The TSV, or the Parquet files of one folder."""
        found = [file for file in PathContents(self.path).of("pope:Pope") if _TABLE.search(file)]
        return [file for file in found if os.path.dirname(file) == os.path.dirname(found[0])]

    def expected(self) -> Mapping[str, int | tuple[int, ...]]:
        """3,000 questions in each official file, 2,910 random ones in LLaVA's edition."""
        names = map(os.path.basename, self.files())
        official = {f"questions in {n}": (3000, 2910) if n == _LLAVA else 3000 for n in names if _OFFICIAL.fullmatch(n)}
        return {**super().expected(), **official}

    def answered(self, record: Mapping[str, Any], file: str) -> Sequence[Id] | None:
        """By strategy and ``question_id``; the strategy is the ``category``, or that of the only file."""
        if self._tables and is_table(self.path):
            return answered_by_index(record)
        if self._tables:
            return (_hub_key(record),) if {"category", "question_id"} <= record.keys() else None
        by_strategy = self._by_strategy()
        strategy = record.get("category") or (next(iter(by_strategy)) if len(by_strategy) == 1 else "")
        if strategy not in by_strategy or "question_id" not in record:
            return None
        return (f"{stem_of(by_strategy[strategy])}/{record['question_id']}",)

    def in_order(self) -> Mapping[str, Sequence[Question]]:
        """The questions of each strategy."""
        found: dict[str, list[Question]] = {}
        for row in self._rows(Counter()):
            for strategy in row.strategies:
                found.setdefault(strategy, []).append(row.question(_SINGLE[strategy]))
        return found

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """Every question alone, then a group for each object that is in an image."""
        rows = []
        for row in self._rows(counts):
            rows.append(row)
            for strategy in row.strategies:
                yield Group(f"{strategy}/{row.id}", "pope", row.question(_SINGLE[strategy]))
        for pairs in _pairs(rows):
            present = pairs[0][1].question(_PAIR)
            variants = tuple(
                Variant(absent.question(_PAIR), Expect.GIVEN, strategy, f"pope/{strategy}")
                for strategy, _, absent in pairs
            )
            counts["pairs"] += len(variants)
            yield Group(f"pair/{present.id}", "pope", present, variants)

    def _rows(self, counts: Counter[str]) -> Iterator[PopeRow]:
        if self._tables:
            return (row for path in self._tables for row in self._table_rows(path, counts))
        by_strategy = self._by_strategy()
        if absent := [name for name in STRATEGIES if name not in by_strategy]:
            example = os.path.basename(next(iter(by_strategy.values())))
            self.remarks.append(
                f"{self.title}: there is no file for {' and '.join(absent)}; it belongs beside {example}."
            )
        return (row for strategy, path in by_strategy.items() for row in self._file_rows(strategy, path, counts))

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

    def _file_rows(self, strategy: str, path: str, counts: Counter[str]) -> Iterator[PopeRow]:
        sieve, name = self.sieve(path), os.path.basename(path)
        for number, key, record in distinct(sieve, self.records(sieve), _key):
            row = sieve.sift(number, key, self._row, strategy, f"{stem_of(path)}/{key}", record)
            if row is not None:
                counts[f"questions in {name}"] += 1
                yield row

    def _row(self, strategy: str, key: str, record: Mapping[str, Any]) -> PopeRow:
        label = yes_or_no(text(record, "label"), "yes or no")
        return PopeRow((strategy,), key, self.image(text(record, "image")), text(record, "text"), label)

    def _table_rows(self, path: str, counts: Counter[str]) -> Iterator[PopeRow]:
        """The rows of a table; those with equal images share one."""
        sieve, images = self.sieve(path, "row"), TableImages(path)
        if is_table(path):
            rows = distinct(sieve, table_records(sieve), index_key)
            find = lambda row: images.find(row["index"], text(row, "image"))  # noqa: E731
        else:
            rows = distinct(sieve, parquet_records(path), _hub_key)
            find = lambda row: parquet_image(row["image_source"], row["image"])  # noqa: E731
        for number, key, record in rows:
            row = sieve.sift(number, key, self._table_row, key, record, find)
            if row is not None:
                counts["questions"] += 1
                yield row

    @cached_property
    def _shared(self) -> dict[bytes | None, ImageRef]:
        return {}

    def _table_row(self, key: Id, record: Mapping[str, Any], find: Callable[[Any], ImageRef]) -> PopeRow:
        strategies = text(record, "category").split(",")
        if unknown := set(strategies) - set(STRATEGIES):
            raise BadRecord(
                f"the category is {min(unknown)!r}; it must be random, popular or adversarial. Fix the record."
            )
        image = find(record)
        image = self._shared.setdefault(image.data, image)
        label = yes_or_no(text(record, "answer"))
        return PopeRow([name for name in STRATEGIES if name in strategies], key, image, text(record, "question"), label)


def _hub_key(record: Mapping[str, Any]) -> Id:
    return f"{record.get('category')}/{record.get('question_id')}"


def _pairs(rows: Sequence[PopeRow]) -> Iterator[list[tuple[str, PopeRow, PopeRow]]]:
    """For each object that is in an image, the strategies with its row and that of the absent object there."""
    by_image: dict[tuple[str, Id], dict[str, list[PopeRow]]] = {}
    for row in rows:
        for strategy in row.strategies:
            by_image.setdefault((strategy, row.image.id), {"yes": [], "no": []})[row.label].append(row)
    found: dict[tuple[Id, str], list[tuple[str, PopeRow, PopeRow]]] = {}
    for (strategy, image), sides in by_image.items():
        for present, absent in zip(sides["yes"], sides["no"], strict=False):  # 90 objects of LLaVA's edition have none
            found.setdefault((image, present.text), []).append((strategy, present, absent))
    yield from found.values()


def _key(record: object) -> Id:
    return identity(record if isinstance(record, dict) else {}, "question_id")


@dataclass(frozen=True, repr=False)
class PopeV2(GroupBenchmark):
    """POPEv2: is an object in the image, and in the same image without it? (Li et al. 2023)."""

    title: ClassVar[str] = "POPEv2"
    suites: ClassVar[Sequence[str]] = ("pope-v2",)
    rule: ClassVar[str] = "pope"
    wanted: ClassVar[str] = "annotations.json (POPEv2/dataset)"
    sizes: ClassVar[Sizes] = {"annotations.json": {"pairs": 500}}

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
        label = yes_or_no(text(fields, "label"))
        return Question(
            f"pope-v2/{number}",
            self.image(text(fields, "image_name")),
            text(fields, "query"),
            (label,),
            Kind("yes/no"),
            tags=(("object", text(fields, "target_object")),),
        )
