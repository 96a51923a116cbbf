"""The table of a run: what was measured of each group of a suite, as columns of numbers in memory.

It is filled while answers are judged, one group after another, and saved as ``rows.npz`` beside ``results.json``.
Scores, comparisons, the gate, calibration and the counts of the report are computed from it alone: nothing is
measured twice.

A group has a *record* for everything, and one more for each part of the data in which only some of its variants count.
A *part* is ``""`` (everything), or a slice of the data such as ``test=Y/N←C`` or ``answer_type=number``. For
``answer_type`` and ``question_type`` the original decides the part; for ``test``, ``made_by`` and ``note.…`` its
variants do, and a group whose variants differ is measured again with only the variants of each part. ``tag.…`` is a tag
of the original.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
import orjson

from askew.errors import BadOption, DataError
from askew.files.read_write import replaced
from askew.metrics.bounds import Fillable, RowColumn, smallest
from askew.metrics.pairs import AnswerFlips, Judgement, Traits
from askew.metrics.saved_metric import metric_record, saved_metric
from askew.significance import Ints
from askew.types import Group, Outcome, Variant
from askew.verbs import Metric

SLICES = ("test", "made_by", "answer_type", "question_type", "round", "domain")
"""How results are sliced by default. ``note.level`` and the like slice by a field of the variants' notes."""
COMPARED = ("test", "answer_type")
"""Slices in which runs are compared, besides the whole; each further one makes Holm's correction stricter for all."""
WHOLE = ""
Part: TypeAlias = tuple[str, str]
"""A slice of the data and its value there; both are ``WHOLE`` for everything."""
EVERYTHING: Part = (WHOLE, WHOLE)
_OF_THE_ORIGINAL = ("answer_type", "question_type")
_TAGS = ("round", "domain")
"""Tags of the original by which scores are sliced, for benchmarks collected in rounds."""
_LARGE = 1 << 63

ALONE, ORIGINAL, VARIANT = 0, 1, 2
"""The sides of scored answers: an original without variants, an original with variants, a variant."""

_COLUMNS = {
    "key": "Q",  # of each group: a hash of its id
    "digest": "Q",  # a hash of its questions, answers and images
    "image": "q",  # the number of its original's image
    "offset": "q",  # where its line begins in samples.jsonl
    "variants": "i",  # how many it has
    "group": "i",  # of each record: the index of its group
    "combination": "i",  # the combination of parts that it counts in
    "incomplete": "b",  # whether an answer is missing
    "pair": "B",  # of each pair: three times the code of the original's answer plus that of the variant's
    "level": "i",  # of each pair: the level of noise or severity of its variant; 0 for none
    "trait_ids": "i",
    "trait_counts": "i",
    "scored_group": "i",  # of each answer with a score from 0 to 1: the index of its group
    "side": "b",
    "score": "d",
    "accuracy": "d",
}
_COUNTERS = ("answered", "unscored", "outside")


class RunTable:
    """What was measured of the groups of one suite.

    ``metrics`` are measured in the run's mode of accuracy, ``robust`` in mode ``robust``, so that any two models can be
    compared in one mode; metrics that are equal in both are measured once.
    """

    def __init__(
        self,
        metrics: Mapping[str, Metric],
        slices: Sequence[str] = SLICES,
        robust: Mapping[str, Metric] | None = None,
    ) -> None:
        self.metrics = {name: checked_metric(name, metric) for name, metric in metrics.items()}
        self.robust = {**self.metrics, **(robust or {})}
        self.slices = tuple(slices)
        self._all_slices = (*self.slices, *(name for name in COMPARED if name not in self.slices))
        self.rows = {name: RowColumn() for name in self.metrics}
        self.robust_rows = {
            name: self.rows[name] if metric == self.metrics[name] else RowColumn()
            for name, metric in self.robust.items()
        }
        self._measured = [(metric, self.rows[name], True) for name, metric in self.metrics.items()]
        self._measured += [
            (self.robust[name], column, False)
            for name, column in self.robust_rows.items()
            if column is not self.rows[name]
        ]
        """What is measured of each record: a metric, its column, and whether its bounds for missing answers count."""
        self.traits, self.flips = Traits(), AnswerFlips()
        self.answered = 0
        """Answers that can be judged."""
        self.unscored = 0
        """Of these, those without a score."""
        self.outside = 0
        """Of these, those whose score is not from 0 to 1."""
        self._columns: dict[str, Any] = {name: array(code) for name, code in _COLUMNS.items()}
        self._columns["trait_ids"], self._columns["trait_counts"] = self.traits.ids, self.traits.counts
        self._combinations: dict[tuple[Part, ...], int] = {}
        """Numbers of the combinations of parts that a record counts in; there are few of them."""
        self._plain: dict[object, int] = {}
        """The combination of groups without variants, by what the original decides."""
        self._sorted: tuple[Ints, Ints] | None = None

    def column(self, name: str) -> npt.NDArray[Any]:
        """One of the columns, see ``_COLUMNS``; nothing can be added while it is in use."""
        return np.asarray(self._columns[name])

    def add(self, outcome: Outcome, judged: Sequence[Judgement] = (), offset: int = -1) -> None:
        """Add a group: measured in every part it counts in, and with how its answers are judged."""
        columns, group = self._columns, outcome.group
        index, self._sorted = len(columns["key"]), None
        columns["key"].append(key_of(group))
        columns["digest"].append(_digest(group))
        columns["image"].append(image_number(group))
        columns["offset"].append(offset)
        columns["variants"].append(len(group.variants))
        if outcome.variants:
            for places, parts in _measured_together(outcome, self._all_slices).items():
                whole = len(places) == len(outcome.variants)
                self._add_record(index, outcome if whole else keep(outcome, places), self._numbered(parts))
        else:
            self._add_record(index, outcome, self._plain_parts(outcome))
        if judged:
            self._add_judged(index, outcome, judged)

    def _plain_parts(self, outcome: Outcome) -> int:
        """The number of the combination of parts of a group without variants, which the original decides."""
        original = outcome.group.original
        key = original.kind.answer_type, original.kind.question_type, original.tags
        if (found := self._plain.get(key)) is None:
            ((_, parts),) = _measured_together(outcome, self._all_slices).items()
            found = self._plain[key] = self._numbered(parts)
        return found

    def _numbered(self, parts: Mapping[str, str]) -> int:
        return self._combinations.setdefault(tuple(parts.items()), len(self._combinations))

    def _add_record(self, group: int, outcome: Outcome, combination: int) -> None:
        columns = self._columns
        incomplete = outcome.original.answer is None or any(said.answer is None for said in outcome.variants)
        columns["group"].append(group)
        columns["combination"].append(combination)
        columns["incomplete"].append(incomplete)
        for metric, column, has_bounds in self._measured:
            column.add(metric, outcome, incomplete and has_bounds)

    def _add_judged(self, group: int, outcome: Outcome, judged: Sequence[Judgement]) -> None:
        """Add the pairs of a group, and the scores that the model gave its answers."""
        if outcome.variants:
            first = 3 * judged[0].code
            self._columns["pair"].extend(first + judgement.code for judgement in judged[1:])
            self._columns["level"].extend(map(_level, outcome.group.variants))
            self.traits.add(outcome.group)
            self.flips.add_outcome(outcome, judged)
        side = ORIGINAL if outcome.variants else ALONE
        for said, judgement in zip((outcome.original, *outcome.variants), judged, strict=True):
            if judgement.accuracy is not None and said.answer is not None:
                self.answered += 1
                if said.score is None:
                    self.unscored += 1
                elif 0.0 <= said.score <= 1.0:
                    values = group, side, said.score, judgement.accuracy
                    for name, value in zip(("scored_group", "side", "score", "accuracy"), values, strict=True):
                        self._columns[name].append(value)
                else:
                    self.outside += 1
            side = VARIANT

    def parts(self, slices: Collection[str] | None = None) -> list[Part]:
        """Each part as (slice, value), everything first, values in alphabetical order."""
        found = {part for parts in self._combinations for part in parts}
        return [
            EVERYTHING,
            *(
                part
                for name in (self.slices if slices is None else slices)
                for part in sorted(one for one in found if one[0] == name)
            ),
        ]

    def records_of(self, part: Part) -> Ints:
        """The indices of the records in this part, in order; each group has at most one."""
        if self._sorted is None:
            combination = self.column("combination")
            order = np.argsort(combination, kind="stable")
            self._sorted = order, np.searchsorted(combination[order], np.arange(len(self._combinations) + 1))
        order, starts = self._sorted
        wanted = [number for parts, number in self._combinations.items() if part in parts]
        found = [order[starts[number] : starts[number + 1]] for number in wanted]
        return np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)

    def fillable(self, name: str, records: Ints) -> tuple[Fillable, int]:
        """The possible column sums of a metric in these records, and how many were left out for missing answers."""
        column = self.rows[name]
        codes = column.codes[records]
        complete = (codes >= 0) & (self.column("incomplete")[records] == 0)
        fixed = column.rows[codes[complete]].sum(axis=0)
        return Fillable(fixed, *column.possible_in(records)), column.failed_in(records)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is saved."""
        about = {
            "slices": self.slices,
            "metrics": {name: metric_record(one, self.rows[name].total) for name, one in self.metrics.items()},
            "robust": {name: metric_record(one, self.robust_rows[name].total) for name, one in self.robust.items()},
            "combinations": list(self._combinations),
            "traits": list(self.traits.number_of),
            "flips": self.flips.record(),
            **{name: getattr(self, name) for name in _COUNTERS},
        }
        found = {"about": np.frombuffer(orjson.dumps(about), np.uint8)}
        found |= {name: smallest(self.column(name)) for name in _COLUMNS}
        for number, (name, column) in enumerate(self.rows.items()):
            found |= {f"rows.{number}.{key}": values for key, values in column.arrays().items()}
            if (robust := self.robust_rows[name]) is not column:
                found |= {f"robust.{number}.{key}": values for key, values in robust.arrays().items()}
        return found

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> RunTable:
        """A table that was saved; its metrics have the facts that a comparison needs, and cannot measure."""
        about = orjson.loads(arrays["about"].tobytes())
        metrics, robust = (
            {name: saved_metric(record) for name, record in about[key].items()} for key in ("metrics", "robust")
        )
        made = cls(metrics, about["slices"], robust)
        made.traits.number_of = {(dimension, value): n for n, (dimension, value) in enumerate(about["traits"])}
        made.flips = AnswerFlips.of(about["flips"])
        made._combinations = {tuple(map(tuple, parts)): n for n, parts in enumerate(about["combinations"])}
        made._columns = {name: arrays[name] for name in _COLUMNS}
        for number, name in enumerate(made.metrics):
            columns = {
                kind: {key.rpartition(".")[2]: arrays[key] for key in arrays if key.startswith(f"{kind}.{number}.")}
                for kind in ("rows", "robust")
            }
            made.rows[name] = RowColumn.of(columns["rows"])
            made.robust_rows[name] = RowColumn.of(columns["robust"]) if columns["robust"] else made.rows[name]
        for name in _COUNTERS:
            setattr(made, name, about[name])
        return made


def checked_metric(name: str, metric: Metric) -> Metric:
    """The metric; refuses other objects before anything is measured."""
    if not isinstance(metric, Metric):
        raise BadOption(
            f"{name}: {type(metric).__name__} is not a metric. Make it a subclass of askew.verbs.Metric, "
            "which has a default for all but measure and combine."
        )
    return metric


def image_number(group: Group) -> int:
    """The number of the original's first image, or of the group itself if it has none: 64 bits, the same anywhere.

    An integer id is its own number; others are hashed, and two of them are equal with a probability of about 1 in 10¹⁹.
    """
    image = group.original.image
    kind, found = ("group", group.id) if image is None else ("image", image.id)
    if kind == "image" and type(found) is int and -_LARGE <= found < _LARGE:
        return found
    return int.from_bytes(_hash(f"{kind} {type(found).__name__} {found}"), "big", signed=True)


def key_of(group: Group) -> int:
    """A hash of the group's id; 1 and "1" are different ids."""
    return int.from_bytes(_hash(f"{type(group.id).__name__} {group.id}"), "big")


def _hash(text: str) -> bytes:
    """64 bits that are the same on any machine."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def keep(outcome: Outcome, places: Sequence[int]) -> Outcome:
    """The outcome with only the variants at these positions."""
    group = replace(outcome.group, variants=tuple(outcome.group.variants[place] for place in places))
    return Outcome(group, outcome.original, tuple(outcome.variants[place] for place in places))


def _digest(group: Group) -> int:
    """A hash of the questions, answers and images of a group, without the paths of the images."""
    parts = [variant.expect.value for variant in group.variants]
    for question in (group.original, *[variant.question for variant in group.variants]):
        image = "+".join(repr(image.id) for image in question.images)
        parts += (question.text, question.context, image, str(len(question.answers)), *question.answers)
    return int.from_bytes(_hash("\0".join(parts)), "big")


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


def _level(variant: Variant) -> int:
    level = variant.note.get("level")
    return level if type(level) is int and 0 < level < 1 << 31 else 0


def save_tables(path: Path, tables: Mapping[str, RunTable]) -> None:
    """Write the tables of a run, by the names of its suites; the file appears when it is complete."""
    arrays: dict[str, Any] = {}
    for suite, table in tables.items():
        arrays |= {f"{suite}/{name}": values for name, values in table.arrays().items()}
    with replaced(path) as file:
        np.savez(file, **arrays)  # hashes are most of it, which cannot be compressed


def load_tables(path: Path) -> dict[str, RunTable]:
    """The tables of a run, by the names of its suites; raises DataError if the file is missing or damaged."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            suites = dict.fromkeys(name.rpartition("/")[0] for name in file)
            return {
                suite: RunTable.of(
                    {name.rpartition("/")[2]: file[name] for name in file if name.startswith(f"{suite}/")}
                )
                for suite in suites
            }
    except (BadZipFile, EOFError, KeyError, OSError, TypeError, ValueError, zlib.error):
        raise DataError(
            f"{path}: missing or damaged. Run 'askew run' with this --output again; answers that are stored are not "
            "asked twice."
        ) from None
