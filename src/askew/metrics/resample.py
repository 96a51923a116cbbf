"""From a stream of outcomes to scores: values, intervals by resampling images, what missing answers could change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from askew.metrics.bootstrap import Block, Bootstrap, by_cluster, interval, settled, side_by_side
from askew.metrics.rows import SLICES, WHOLE, Floats, Index, Ints, Rows, Selected
from askew.types import Outcome, Score
from askew.verbs import Metric

Z = 1.959963984540054
"""The standard normal's 97.5 % point."""


class Scorer:
    """Scores of all metrics over everything and over each part, from outcomes added one by one in any order.

    ``scores`` gives, for each part and metric that has something to say there, the value, its 95 % percentile interval
    from one resampling of the images shared by all of them, the number of groups it rests on, the number left out for a
    missing answer, and the value if all missing answers were wrong or right. Everything together is always there, as
    nan where nothing could be measured. A score that rests on a single image has no interval (nan). A share of exactly
    0 or 1 does not vary in resampling; it gets Wilson's interval for as many images (``at_the_edge``), unless the
    metric says that it is no ``share``.
    """

    def __init__(self, metrics: Mapping[str, Metric], suite: str = "", parts: Sequence[str] = SLICES) -> None:
        self._rows = Rows(metrics, parts)
        self._suite = suite

    def add(self, outcome: Outcome) -> None:
        """Take this outcome in; it need not be kept."""
        self._rows.add(outcome)

    def scores(self, resamples: int = 2000, seed: int = 0) -> list[Score]:
        """All scores so far."""
        rank = ranks(self._rows.clusters)
        points: list[list[_Point]] = []
        drawn = Bootstrap(len(rank), resamples, seed).sums(self._blocks(rank, points))
        scores: list[Score] = []
        for together, sums in zip(points, drawn, strict=True):
            start = 0
            for point in together:
                stop = start + point.columns
                scores.append(self._with_interval(point, sums[start:stop]))
                start = stop
        return scores

    def _blocks(self, rank: Ints, points: list[list[_Point]]) -> Iterator[Block]:
        """The sums over clusters of each part; what needs no drawing is noted in ``points`` on the way."""
        for part in self._rows.parts():
            found = self._rows.select(part)
            if part[0] != WHOLE:
                found = {name: selected for name, selected in found.items() if len(selected.rows) or selected.failed}
            if found:
                points.append([self._point(name, part, selected) for name, selected in found.items()])
                yield side_by_side([by_cluster(rank[s.clusters], s.rows) for s in found.values()])

    def _point(self, name: str, part: tuple[str, str], selected: Selected) -> _Point:
        metric = self._rows.metrics[name]
        columns = selected.rows.shape[1]
        sums = (selected.rows.sum(axis=0), selected.if_wrong, selected.if_right)
        value, if_wrong, if_right = (settled(metric.combine(one)) if columns else float("nan") for one in sums)
        score = Score(
            metric=name,
            value=value,
            low=float("nan"),
            high=float("nan"),
            n=int(selected.counts.sum()),
            failed=selected.failed,
            signature=repr(metric),
            suite=self._suite,
            part=part_name(part),
            if_wrong=if_wrong,
            if_right=if_right,
        )
        return _Point(score, columns, len(np.unique(selected.clusters[selected.counts])))

    def _with_interval(self, point: _Point, sums: Floats) -> Score:
        if point.clusters < 2:
            return point.score
        metric = self._rows.metrics[point.score.metric]
        low, high = interval(metric.combine(sums))
        if low == high == point.score.value and getattr(metric, "share", True):
            low, high = at_the_edge(low, point.clusters)
        return replace(point.score, low=settled(low), high=settled(high))


@dataclass(frozen=True)
class _Point:
    """A score that still lacks its interval, how many columns it is made of, and how many images it rests on."""

    score: Score
    columns: int
    clusters: int


def score(
    outcomes: Iterable[Outcome],
    metrics: Mapping[str, Metric],
    suite: str = "",
    parts: Sequence[str] = SLICES,
    resamples: int = 2000,
    seed: int = 0,
) -> list[Score]:
    """The scores of these outcomes, read once."""
    scorer = Scorer(metrics, suite, parts)
    for outcome in outcomes:
        scorer.add(outcome)
    return scorer.scores(resamples, seed)


def at_the_edge(value: float, images: int) -> tuple[float, float]:
    """The interval of a share that is exactly 0 or 1, which no resampling can vary: Wilson's (1927), for the images.

    >>> at_the_edge(1.0, 10), at_the_edge(0.0, 10)  # 10 / (10 + 1.96²)
    ((0.7224672001371109, 1.0), (0.0, 0.2775327998628892))
    """
    unseen = Z * Z / (images + Z * Z)
    if value == 1.0:
        return 1.0 - unseen, 1.0
    return (0.0, unseen) if value == 0.0 else (value, value)


def ranks(clusters: Index) -> Ints:
    """The place of each numbered cluster in the order of their keys, so that the order of reading does not matter."""
    rank = np.empty(len(clusters), dtype=np.int64)
    for place, key in enumerate(sorted(clusters, key=str)):
        rank[clusters[key]] = place
    return rank


def part_name(part: tuple[str, str]) -> str:
    """What tables call a part.

    >>> part_name(("", "")), part_name(("test", "Y/N←C"))
    ('', 'test=Y/N←C')
    """
    name, value = part
    return f"{name}={value}" if name else WHOLE
