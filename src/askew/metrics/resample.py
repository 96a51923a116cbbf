"""From a stream of outcomes to scores: values, intervals by resampling images, what missing answers could change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from askew.metrics.bootstrap import Block, Bootstrap, by_cluster, interval, settled, side_by_side
from askew.metrics.bounds import bounds
from askew.metrics.rows import SLICES, WHOLE, Floats, Index, Ints, Rows, Selected
from askew.metrics.signature import signature
from askew.types import Outcome, Score
from askew.verbs import Metric

Z = 1.959963984540054
"""The standard normal's 97.5 % point."""


class Scorer:
    """Scores of all metrics over everything and over each part, from outcomes added one by one in any order.

    ``scores`` gives, for each part and metric that has something to say there, the value, its 95 % percentile interval
    from one resampling of the images shared by all of them, the number of groups it rests on, the number left out for a
    missing answer, and the lowest and highest value that any answers in the place of missing ones could give.
    Everything together is always there, as nan where nothing could be measured. A score that rests on a single image
    has no interval (nan). Where all images are alike (a share of exactly 0 or 1, a gap of nothing) resampling varies
    nothing; there it is ``of_equal_images``.
    A metric that can be below 0 says how far with ``least``; one that has no such bounds says that it is no ``share``,
    and may have an ``of_equal_images`` of its own.
    """

    def __init__(self, metrics: Mapping[str, Metric], suite: str = "", parts: Sequence[str] = SLICES) -> None:
        self._rows = Rows(metrics, parts)
        self._suite = suite

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What is measured, by name."""
        return self._rows.metrics

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
        value, lowest, highest = (float("nan"),) * 3
        if columns:
            value = settled(metric.combine(selected.rows.sum(axis=0)))
            lowest, highest = map(settled, bounds(metric, selected.fillable))
        score = Score(
            metric=name,
            value=value,
            low=float("nan"),
            high=float("nan"),
            n=int(selected.counts.sum()),
            failed=selected.failed,
            signature=signature(metric),
            suite=self._suite,
            part=part_name(part),
            lowest=lowest,
            highest=highest,
        )
        return _Point(score, columns, len(np.unique(selected.clusters[selected.counts])))

    def _with_interval(self, point: _Point, sums: Floats) -> Score:
        if point.clusters < 2:
            return point.score
        metric = self._rows.metrics[point.score.metric]
        low, high = map(settled, interval(metric.combine(sums)))
        if low == high == point.score.value:
            low, high = map(settled, _of_equal_images(metric, low, point.clusters))
        return replace(point.score, low=low, high=high)


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


def of_equal_images(value: float, images: int, least: float = 0.0) -> tuple[float, float]:
    """The interval of a score from ``least`` to 1 that is the same for every image, so that no resampling varies it.

    As many images as Wilson's interval (1927) leaves room for may be unlike these, and have the lowest or the highest
    score. For a share of exactly 0 or 1 that is Wilson's interval itself.

    >>> of_equal_images(1.0, 10), of_equal_images(0.0, 10)  # 10 / (10 + 1.96²)
    ((0.7224672001371109, 1.0), (0.0, 0.2775327998628892))
    >>> low, high = of_equal_images(0.0, 10, least=-1.0)
    >>> round(low, 3), round(high, 3)
    (-0.278, 0.278)
    """
    if not least <= value <= 1.0:
        return value, value
    unlike = Z * Z / (images + Z * Z)
    return value - unlike * (value - least), value + unlike * (1.0 - value)


def _of_equal_images(metric: Metric, value: float, images: int) -> tuple[float, float]:
    if own := getattr(metric, "of_equal_images", None):
        low, high = own(value, of_equal_images(0.0, images)[1])
        return low, high
    if not getattr(metric, "share", True):
        return value, value
    return of_equal_images(value, images, getattr(metric, "least", 0.0))


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
