"""Compute scores from a stream of outcomes: values, intervals over images, and bounds for missing answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from askew.metrics.bounds import bounds
from askew.metrics.group_rows import SLICES, WHOLE, GroupRows, Numbering, Selected
from askew.metrics.interval import METHOD, interval
from askew.metrics.sums import Ints, by_image, settled
from askew.types import Outcome, Score
from askew.verbs import ComparesAnswers, Metric

_DIVISORS = {"official": "min(3, n - 1)", "robust": "min(3, n - 1)", "simple": "min(3, n)"}
"""How many of n reference answers must match for an accuracy of 1. In ``official`` and ``robust`` one of the n is left
out in turn; the official evaluator always divides by 3, so with one to three answers it cannot give 1."""


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
        rank = ranks(self._rows.clusters)
        return [
            self._score(name, part, selected, rank)
            for part in self._rows.parts()
            for name, selected in self._rows.select(part).items()
            if part[0] == WHOLE or len(selected.rows) or selected.failed
        ]

    def _score(self, name: str, part: tuple[str, str], selected: Selected, rank: Ints) -> Score:
        metric = self._rows.metrics[name]
        value, low, high, lowest, highest = (float("nan"),) * 5
        images = by_image(rank[selected.clusters], selected.rows)
        if selected.rows.shape[1]:
            value = settled(metric.combine(selected.rows.sum(axis=0)))
            low, high = map(settled, interval(metric, images))
            lowest, highest = map(settled, bounds(metric, selected.fillable))
        return Score(
            metric=name,
            value=value,
            low=low,
            high=high,
            n=int(selected.counts.sum()),
            failed=selected.failed,
            signature=signature(metric),
            suite=self._suite,
            part=part_name(part),
            lowest=lowest,
            highest=highest,
            images=len(images),
        )


def score(
    outcomes: Iterable[Outcome], metrics: Mapping[str, Metric], suite: str = "", parts: Sequence[str] = SLICES
) -> list[Score]:
    """The scores of these outcomes, read once."""
    scorer = Scorer(metrics, suite, parts)
    for outcome in outcomes:
        scorer.add(outcome)
    return scorer.scores()


def ranks(clusters: Numbering) -> Ints:
    """The rank of each cluster in the order of their keys, so that the order of reading does not matter."""
    rank = np.empty(len(clusters), dtype=np.int64)
    for place, key in enumerate(sorted(clusters, key=str)):
        rank[clusters[key]] = place
    return rank


def part_name(part: tuple[str, str]) -> str:
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
