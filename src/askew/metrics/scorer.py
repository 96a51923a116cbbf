"""Compute scores from a stream of outcomes: values, intervals over images, and bounds for missing answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from askew.metrics.bounds import Fillable, bounds
from askew.metrics.group_rows import SLICES, WHOLE, GroupRows, Part, Selected
from askew.metrics.interval import METHOD, interval
from askew.metrics.sums import Floats, Ints, settled
from askew.types import Outcome, Score
from askew.verbs import ComparesAnswers, Metric

_DIVISORS = {"official": "min(3, n - 1)", "robust": "min(3, n - 1)", "simple": "min(3, n)"}
"""How many of n reference answers must match for an accuracy of 1. In ``official`` and ``robust`` one of the n is left
out in turn; the official evaluator always divides by 3, so with one to three answers it cannot give 1."""

_TOGETHER = 1 << 20
"""The product of metrics and images whose sums are in memory at a time, about 20 bytes each."""


class Scorer:
    """Scores of all metrics over everything and over each part, from outcomes added one by one in any order.

    ``scores`` returns, for each part and metric with something to measure, the value, its 95 % interval over images
    (see ``interval``; nan for fewer than ten), the number of groups and images it rests on, the number of groups left
    out because of a missing answer, and the lowest and highest value that the missing answers could have given.
    The score over everything is always present, as nan if nothing could be measured.
    """

    def __init__(self, metrics: Mapping[str, Metric], suite: str = "", parts: Sequence[str] = SLICES) -> None:
        self._rows = GroupRows(metrics, parts)
        self._suite = suite

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics, by name."""
        return self._rows.metrics

    def add(self, outcome: Outcome) -> None:
        """Measure this outcome; the caller need not keep it."""
        self._rows.add(outcome)

    def scores(self) -> list[Score]:
        """All scores so far."""
        return [
            self._score(name, part, sums)
            for part, blocks in self._rows.select_each(self._rows.parts())
            for name, sums in (self._sums_of_many(part) if blocks is None else self._sums(blocks))
            if part[0] == WHOLE or sums.rows or sums.failed
        ]

    def _sums(self, blocks: Sequence[Mapping[str, Selected]]) -> Iterator[tuple[str, _ImageSums]]:
        """The sums of each metric."""
        for name in self._rows.metrics:
            images = [block[name].images for block in blocks]
            sums = _ImageSums(np.unique(np.concatenate(images)) if images else np.zeros(0, dtype=np.int64))
            for block in blocks:
                sums.add(block[name])
            yield name, sums

    def _sums_of_many(self, part: Part) -> Iterator[tuple[str, _ImageSums]]:
        """The sums of each metric in a part with many rows; all metrics at once, or a few at a time for many images."""
        images, names = self._rows.images(part), list(self._rows.metrics)
        together = max(1, _TOGETHER // (len(images) + 1))
        for start in range(0, len(names), together):
            found = {name: _ImageSums(images) for name in names[start : start + together]}
            for block in self._rows.select(part, list(found)):
                for name, selected in block.items():
                    found[name].add(selected)
            yield from found.items()

    def _score(self, name: str, part: Part, sums: _ImageSums) -> Score:
        metric = self._rows.metrics[name]
        value, low, high, lowest, highest = (float("nan"),) * 5
        images = sums.by_image()
        if sums.columns:
            value = settled(metric.combine(sums.total))
            low, high = map(settled, interval(metric, images))
            lowest, highest = map(settled, bounds(metric, Fillable.joined(sums.fillable)))
        return Score(
            metric=name,
            value=value,
            low=low,
            high=high,
            n=sums.counting,
            failed=sums.failed,
            signature=signature(metric),
            suite=self._suite,
            part=part_name(part),
            lowest=lowest,
            highest=highest,
            images=len(images),
        )


class _ImageSums:
    """The rows of one metric in one part, summed by image as they come."""

    def __init__(self, images: Ints) -> None:
        self._images = images
        self._sums: list[Floats] = []
        """For each column, its sum for each image."""
        self.total: Floats = np.zeros(0)
        self.rows = self.counting = self.failed = self.columns = 0
        """``counting``: the rows that contribute."""
        self.fillable: list[Fillable] = []

    def add(self, selected: Selected) -> None:
        """Add some rows."""
        self.failed += selected.failed
        if columns := selected.rows.shape[1]:
            if not self.columns:
                self.columns, self.total = columns, np.zeros(columns)
                self._sums = [np.zeros(len(self._images)) for _ in range(columns)]
            self.rows += len(selected.rows)
            self.counting += int(selected.counts.sum())
            self.total += selected.rows.sum(axis=0)
            self.fillable.append(selected.fillable)
            places = np.searchsorted(self._images, selected.images)
            for sums, column in zip(self._sums, selected.rows.T, strict=True):
                np.add.at(sums, places, column)

    def by_image(self) -> Floats:
        """The sums of the images where they are not all zero, shape (images, columns)."""
        if not self.columns:
            return np.zeros((0, 0))
        kept = np.logical_or.reduce([sums != 0 for sums in self._sums])
        return np.column_stack([sums[kept] for sums in self._sums])


def score(
    outcomes: Iterable[Outcome], metrics: Mapping[str, Metric], suite: str = "", parts: Sequence[str] = SLICES
) -> list[Score]:
    """The scores of these outcomes, read once."""
    scorer = Scorer(metrics, suite, parts)
    for outcome in outcomes:
        scorer.add(outcome)
    return scorer.scores()


def part_name(part: Part) -> str:
    """The name of a part.

    >>> part_name(("", "")), part_name(("test", "Y/N←C"))
    ('', 'test=Y/N←C')
    """
    name, value = part
    return f"{name}={value}" if name else WHOLE


def signature(metric: Metric) -> str:
    """The signature of a score: the metric with its options, and what else determines its value and interval.

    The metric is followed by ``; NAME=VALUE``; ``report.load`` lists the names.

    >>> from askew.metrics.accuracy import Accuracy
    >>> signature(Accuracy("all", "simple"))
    "Accuracy(of='all', mode='simple'); references=matches/min(3, n); interval=score-t"
    """
    divisor = _DIVISORS.get(metric.mode) if isinstance(metric, ComparesAnswers) else None
    references = f"; references=matches/{divisor}" if divisor else ""
    bounds = "; bounds=outer" if metric.outer_bounds else ""
    return f"{metric!r}{references}{bounds}; interval={METHOD}"
