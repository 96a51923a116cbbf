"""Rows of many groups in little memory: what every metric measured, and the parts of the data of each row.

A *part* is ``""`` (everything), or a slice of the data such as ``test=Y/N←C`` or ``answer_type=number``. For
``answer_type`` and ``question_type`` the original decides the part; for ``test``, ``made_by`` and ``note.…`` its
variants do, and a group whose variants differ is measured again with only the variants of each part. ``tag.…`` is a tag
of the original.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from askew.errors import BadOption
from askew.files.temp_blocks import TempObjects
from askew.metrics.bounds import Fillable, rows_of_fillings
from askew.metrics.sums import Floats, Ints
from askew.types import Outcome, Row, Variant
from askew.verbs import Metric

SLICES = ("test", "made_by", "answer_type", "question_type", "round", "domain")
"""How results are sliced by default. ``note.level`` and the like slice by a field of the variants' notes."""
WHOLE = ""
Part: TypeAlias = tuple[str, str]
"""A slice of the data and its value there; both are ``WHOLE`` for everything."""
_OF_THE_ORIGINAL = ("answer_type", "question_type")
_TAGS = ("round", "domain")
"""Tags of the original by which scores are sliced, for benchmarks collected in rounds."""
_LARGE = 1 << 63
_TOGETHER = 1 << 15
"""The number of rows in memory before they are written to the file."""


class Numbering(dict[Hashable, int]):
    """Numbers keys in the order of their first use.

    >>> index = Numbering()
    >>> index["b"], index["a"], index["b"]
    (0, 1, 0)
    """

    def __missing__(self, key: Hashable) -> int:
        self[key] = len(self)
        return self[key]


@dataclass(frozen=True)
class Selected:
    """The rows of one metric in one part: the number, image and row of each group that counts."""

    groups: Ints
    """Only positions in the block if groups are not numbered (see :class:`GroupRows`)."""
    images: Ints
    """See ``image_number``."""
    rows: Floats
    """Shape (groups, columns)."""
    failed: int
    """The number of groups left out because an answer that matters is missing."""
    fillable: Fillable
    """The possible column sums with the missing answers."""

    @property
    def counts(self) -> npt.NDArray[np.bool_]:
        """Which groups contribute; a row of zeros does not (RAD of a question answered incorrectly)."""
        return np.asarray(self.rows.any(axis=1))


class GroupRows:
    """Collects the rows of a stream of outcomes; keeps a few numbers per group and metric, not the outcomes.

    Only the last rows are in memory, the others are in a temporary file. Runs whose rows are compared group by group
    share ``groups``; otherwise the ids of groups are not kept.
    """

    def __init__(
        self, metrics: Mapping[str, Metric], slices: Sequence[str] = SLICES, groups: Numbering | None = None
    ) -> None:
        self.metrics = {name: checked_metric(name, metric) for name, metric in metrics.items()}
        self.slices = tuple(slices)
        self.groups = groups
        self._parts = {name: Numbering() for name in (WHOLE, *self.slices)}
        self._combinations = Numbering()
        """Numbers of the combinations of parts that a row counts in; there are few of them, with many rows each."""
        self._codes = {name: array("q") for name in (WHOLE, *self.slices)}
        """For each slice, the number of the part that a combination has in it; -1 for none."""
        self._counts = array("q")
        """The number of rows of each combination."""
        self._plain: dict[Hashable, int] = {}
        """The combination of groups without variants, by what the original decides."""
        self._block = _Block(list(self.metrics))
        self._written = TempObjects[_Block]()
        self._last: tuple[type, object, int] = (type(None), None, -1)
        """Type, id and number of the last image; groups about one image usually stand together."""

    def add(self, outcome: Outcome) -> None:
        """Measure this outcome for every part it counts in."""
        if not outcome.variants:
            original = outcome.group.original
            key = original.kind.answer_type, original.kind.question_type, original.tags
            if (combination := self._plain.get(key)) is None:
                ((_, parts),) = _measured_together(outcome, self.slices).items()
                combination = self._plain[key] = self._numbered(parts)
            self._add(outcome, combination)
            return
        for places, parts in _measured_together(outcome, self.slices).items():
            whole = len(places) == len(outcome.variants)
            self._add(outcome if whole else keep(outcome, places), self._numbered(parts))

    def parts(self) -> Iterator[Part]:
        """Each part as (slice, value), everything first, values in alphabetical order."""
        yield WHOLE, WHOLE
        for name in self.slices:
            for value in sorted(map(str, self._parts[name])):
                yield name, value

    def images(self, part: Part = (WHOLE, WHOLE)) -> Ints:
        """The numbers of all images in this part, in order."""
        found: Ints = np.zeros(0, dtype=np.int64)
        waiting: list[Ints] = []
        for block, chosen in self._chosen(part):
            waiting.append(np.unique(np.asarray(block.image)[chosen]))
            if sum(map(len, waiting)) > len(found):  # merged when they have doubled, so that time stays linear
                found, waiting = np.unique(np.concatenate([found, *waiting])), []
        return np.unique(np.concatenate([found, *waiting]))

    def select(self, part: Part, metrics: Sequence[str] | None = None) -> Iterator[dict[str, Selected]]:
        """The rows of each metric, or of these, in this part, block by block; those of one group are in one block."""
        for block, chosen in self._chosen(part):
            yield block.select(chosen, list(self.metrics) if metrics is None else metrics)

    def select_each(self, parts: Iterable[Part]) -> Iterator[tuple[Part, list[dict[str, Selected]] | None]]:
        """The rows of each part as from ``select``; None for a part with too many rows to hold all of them.

        Small parts are read together: there can be a thousand of them, such as P2's rules.
        """
        batch: list[Part] = []
        rows = 0
        for part in parts:
            size = int(np.asarray(self._counts)[self._wanted(part)].sum())
            if batch and rows + size > _TOGETHER:  # also before a large part: the order stays
                yield from self._select_all(batch)
                batch, rows = [], 0
            if size > _TOGETHER:
                yield part, None
            else:
                batch.append(part)
                rows += size
        yield from self._select_all(batch)

    def _select_all(self, parts: Sequence[Part]) -> Iterator[tuple[Part, list[dict[str, Selected]]]]:
        """The rows of these parts, in one pass over the blocks."""
        found: dict[Part, list[dict[str, Selected]]] = {part: [] for part in parts}
        masks = {part: self._wanted(part) for part in parts}
        for block in self._blocks() if parts else ():
            tables, combination = block.unpacked(list(self.metrics)), np.asarray(block.combination)
            for part, wanted in masks.items():
                if (chosen := wanted[combination]).any():
                    found[part].append(block.select_from(tables, chosen))
        yield from found.items()

    def _wanted(self, part: Part) -> npt.NDArray[np.bool_]:
        """Which combinations are in this part."""
        name, value = part
        return np.asarray(np.asarray(self._codes[name]) == self._parts[name].get(value, -2))

    def _chosen(self, part: Part) -> Iterator[tuple[_Block, npt.NDArray[np.bool_]]]:
        """The blocks with rows in this part, and which of their rows these are."""
        wanted = self._wanted(part)
        for block in self._blocks():
            chosen = wanted[np.asarray(block.combination)]
            if chosen.any():
                yield block, chosen

    def _blocks(self) -> Iterator[_Block]:
        yield from self._written
        if self._block.combination:
            yield self._block

    def _numbered(self, parts: Mapping[str, str]) -> int:
        """The number of this combination of parts."""
        number = self._combinations[tuple(parts.items())]
        if number == len(self._codes[WHOLE]):
            for name, codes in self._codes.items():
                codes.append(self._parts[name][parts[name]] if name in parts else -1)
            self._counts.append(0)
        return number

    def _add(self, outcome: Outcome, combination: int) -> None:
        block = self._block
        record = len(block.combination)
        self._counts[combination] += 1
        block.combination.append(combination)
        block.group.append(record if self.groups is None else self.groups[outcome.group.id])
        block.image.append(self._image_of(outcome))
        incomplete = outcome.original.answer is None
        if outcome.variants and not incomplete:
            incomplete = any(prediction.answer is None for prediction in outcome.variants)
        block.incomplete.append(incomplete)
        for name, metric in self.metrics.items():
            block.tables[name].add(record, metric, outcome, incomplete)
        if record + 1 == _TOGETHER:
            block.pack()
            self._written.append(block)
            self._block = _Block(list(self.metrics))

    def _image_of(self, outcome: Outcome) -> int:
        """The number of the group's image."""
        image = outcome.group.original.image
        if image is None:
            return image_number(outcome)
        kind, known, number = self._last
        if type(image.id) is not kind or image.id != known:
            number = image_number(outcome)
            self._last = type(image.id), image.id, number
        return number


def checked_metric(name: str, metric: Metric) -> Metric:
    """The metric; refuses other objects before anything is measured."""
    if not isinstance(metric, Metric):
        raise BadOption(
            f"{name}: {type(metric).__name__} is not a metric. Make it a subclass of askew.verbs.Metric, "
            "which has a default for all but measure and combine."
        )
    return metric


def image_number(outcome: Outcome) -> int:
    """The number of the original's image, or of the group itself if it has no image: 64 bits, the same on any machine.

    An integer id is its own number; others are hashed, and two of them are equal with a probability of about 1 in 10¹⁹.
    """
    image = outcome.group.original.image
    kind, found = ("group", outcome.group.id) if image is None else ("image", image.id)
    if kind == "image" and type(found) is int and -_LARGE <= found < _LARGE:
        return found
    text = f"{kind} {type(found).__name__} {found}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)


def keep(outcome: Outcome, places: Sequence[int]) -> Outcome:
    """The outcome with only the variants at these positions."""
    group = replace(outcome.group, variants=tuple(outcome.group.variants[place] for place in places))
    return Outcome(group, outcome.original, tuple(outcome.variants[place] for place in places))


def _measured_together(outcome: Outcome, slices: Sequence[str]) -> dict[tuple[int, ...], dict[str, str]]:
    """The parts that an outcome counts in, by the positions of the variants that they have in common."""
    variants = outcome.group.variants
    everything = tuple(range(len(variants)))
    together = {everything: {WHOLE: WHOLE}}
    for name in slices:
        if name in _OF_THE_ORIGINAL:
            if value := getattr(outcome.group.original.kind, name):
                together[everything][name] = value
            continue
        if name in _TAGS or name.startswith("tag."):
            tags = outcome.group.original.tags
            if tags and (value := dict(tags).get(name.removeprefix("tag."), "")):
                together[everything][name] = value
            continue
        by_value: dict[str, list[int]] = {}
        for place, variant in enumerate(variants):
            by_value.setdefault(_part_of(variant, name), []).append(place)
        for value, places in by_value.items():
            if value:
                together.setdefault(tuple(places), {})[name] = value
    return together


def _part_of(variant: Variant, name: str) -> str:
    if name.startswith("note."):
        return str(variant.note.get(name.removeprefix("note."), ""))
    return str(getattr(variant, name))


class _Block:
    """The rows of some groups."""

    def __init__(self, metrics: Sequence[str]) -> None:
        self.combination, self.group, self.image = array("i"), array("i"), array("q")
        self.incomplete = array("b")
        self.tables = {name: _MetricRows() for name in metrics}
        self._packed: dict[str, bytes] = {}

    def pack(self) -> None:
        """Pickle each metric's rows by itself, so that those of few metrics can be read; nothing can be added then."""
        self._packed = {name: pickle.dumps(table) for name, table in self.tables.items()}
        self.tables = {}

    def unpacked(self, metrics: Sequence[str]) -> dict[str, _MetricRows]:
        """The rows of these metrics."""
        return {name: pickle.loads(self._packed[name]) if self._packed else self.tables[name] for name in metrics}

    def select(self, chosen: npt.NDArray[np.bool_], metrics: Sequence[str]) -> dict[str, Selected]:
        return self.select_from(self.unpacked(metrics), chosen)

    def select_from(self, tables: Mapping[str, _MetricRows], chosen: npt.NDArray[np.bool_]) -> dict[str, Selected]:
        incomplete = np.asarray(self.incomplete).astype(bool)
        group, image = np.asarray(self.group), np.asarray(self.image)
        return {name: table.select(chosen, incomplete, group, image) for name, table in tables.items()}


class _MetricRows:
    """The rows of one metric, and the possible rows of groups with missing answers."""

    def __init__(self) -> None:
        self._measured = _Growing()
        self._possible = _Growing()
        self._failed = array("i")

    def add(self, record: int, metric: Metric, outcome: Outcome, incomplete: bool) -> None:
        row = metric.measure(outcome)
        self._measured.add(record, row)
        if incomplete:
            possible = rows_of_fillings(metric, outcome)
            for one in possible:
                self._possible.add(record, one)
            if row is None and any(map(any, possible)):
                self._failed.append(record)

    def select(
        self, chosen: npt.NDArray[np.bool_], incomplete: npt.NDArray[np.bool_], group: Ints, image: Ints
    ) -> Selected:
        columns = max(self._measured.columns, self._possible.columns)
        records, rows = self._measured.where(chosen, columns)
        return Selected(
            groups=group[records],
            images=image[records],
            rows=rows,
            failed=int(chosen[np.asarray(self._failed)].sum()) if self._failed else 0,
            fillable=Fillable(rows[~incomplete[records]].sum(axis=0), *self._possible.where(chosen, columns)),
        )


class _Growing:
    """Rows as they come, each with the number of its record."""

    def __init__(self) -> None:
        self.columns = 0
        self._records = array("i")
        self._values = array("d")

    def add(self, record: int, row: Row | None) -> None:
        if row is not None:
            self.columns = len(row)
            self._records.append(record)
            self._values.extend(row)

    def where(self, chosen: npt.NDArray[np.bool_], columns: int) -> tuple[Ints, Floats]:
        if not self._records:
            return np.zeros(0, dtype=np.int64), np.zeros((0, columns))
        records = np.asarray(self._records)
        kept = chosen[records]
        return records[kept].astype(np.int64), np.asarray(self._values).reshape(-1, self.columns)[kept]
