"""Compute scores from the table of a run: values, intervals over images, and bounds for missing answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from askew.metrics.bounds import bounds
from askew.metrics.interval import METHOD, interval
from askew.metrics.run_table import EVERYTHING, SLICES, WHOLE, Part, RunTable
from askew.significance import Ints, by_image, settled
from askew.types import Outcome, Score
from askew.verbs import ComparesAnswers, Metric

_DIVISORS = {"official": "min(3, n - 1)", "robust": "min(3, n - 1)", "simple": "min(3, n)"}
"""How many of n reference answers must match for an accuracy of 1. In ``official`` and ``robust`` one of the n is left
out in turn; the official evaluator always divides by 3, so with one to three answers it cannot give 1."""


def scores(table: RunTable, suite: str = "") -> list[Score]:
    """Scores of all metrics over everything and over each part.

    For each part and metric with something to measure: the value, its 95 % interval over images (see ``interval``; nan
    for fewer than ten), the number of groups and images it rests on, the number of groups left out because of a missing
    answer, and the lowest and highest value that the missing answers could have given. The score over everything is
    always present, as nan if nothing could be measured.
    """
    found = []
    _, images = np.unique(table.column("image"), return_inverse=True)
    signatures = {name: signature(metric) for name, metric in table.metrics.items()}
    for part in table.parts():
        records = table.records_of(part)
        image_of = images[table.column("group")[records]]
        for name, column in table.rows.items():
            score = _score(table, name, part, records, image_of)
            score = replace(score, suite=suite, signature=signatures[name])
            if part == EVERYTHING or score.failed or (column.codes[records] >= 0).any():
                found.append(score)
    return found


def _score(table: RunTable, name: str, part: Part, records: Ints, image_of: Ints) -> Score:
    """The score of one metric in one part, unsigned. ``image_of``: the image of each record."""
    metric, column = table.metrics[name], table.rows[name]
    codes = column.codes[records]
    rows = column.rows[codes[codes >= 0]]
    images = by_image(image_of[codes >= 0], rows)
    fillable, failed = table.fillable(name, records)
    value, low, high, lowest, highest = (float("nan"),) * 5
    if len(column.rows):
        value = settled(metric.combine(rows.sum(axis=0)))
        low, high = map(settled, interval(metric, images))
        lowest, highest = map(settled, bounds(metric, fillable))
    return Score(
        metric=name,
        value=value,
        low=low,
        high=high,
        n=int(rows.any(axis=1).sum()),
        failed=failed,
        part=part_name(part),
        lowest=lowest,
        highest=highest,
        images=len(images),
    )


def score(
    outcomes: Iterable[Outcome], metrics: Mapping[str, Metric], suite: str = "", parts: Sequence[str] = SLICES
) -> list[Score]:
    """The scores of these outcomes, read once."""
    table = RunTable(metrics, parts)
    for outcome in outcomes:
        table.add(outcome)
    return scores(table, suite)


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
