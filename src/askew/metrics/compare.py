"""Two models on the same groups: by how much one is better, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import erfc, exp, isnan, lgamma, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.errors import BadRecord
from askew.metrics.bootstrap import Block, Bootstrap, by_cluster, interval, settled, side_by_side, ten_digits
from askew.metrics.resample import part_name, ranks
from askew.metrics.rows import SLICES, Floats, Index, Ints, Rows, Selected
from askew.types import Outcome
from askew.verbs import Metric

HEADLINE = "headline"
"""The family of what sums the suites up."""


@dataclass(frozen=True)
class Difference:
    """The score of ``a`` minus the score of ``b`` over the groups for which both have one."""

    suite: str
    part: str
    metric: str
    a: str
    b: str
    of_a: float
    """The score of ``a`` over these groups."""
    of_b: float
    difference: float
    low: float
    """95 % percentile interval, from drawings of images that both models share."""
    high: float
    p: float
    """Two-sided, from the same drawings; see ``bootstrap_p``."""
    p_holm: float
    """The same, corrected for all comparisons of its family (Holm 1979)."""
    n: int
    """Groups that count for either."""
    family: str = ""
    """``headline``, ``other metrics of SUITE`` or ``parts of SUITE``; see ``corrected``."""
    family_size: int = 0
    """How many comparisons of the family could be tested."""
    p_mcnemar: float = float("nan")
    """Exact McNemar test on groups right as a whole, for metrics that count pairs; it takes groups as independent."""


def compare(
    runs: Mapping[str, Iterable[Outcome]],
    metrics: Mapping[str, Metric],
    suite: str = "",
    parts: Sequence[str] = SLICES,
    resamples: int = 2000,
    seed: int = 0,
    headlines: Collection[str] = (),
) -> list[Difference]:
    """Every two runs compared by every metric in every part; groups are matched by id, in any order.

    ``headlines`` are the metrics that sum the suite up: over the whole they are a family of their own. Of each run only
    its rows are kept. A part or metric for which two runs share no group is left out.
    """
    groups, clusters = Index(), Index()
    rows = {name: Rows(metrics, parts, groups, clusters) for name in runs}
    for name, outcomes in runs.items():
        _read(name, outcomes, rows[name])
    rank = ranks(clusters)
    points: list[_Point] = []
    drawn = Bootstrap(len(rank), resamples, seed).sums(_blocks(rows, metrics, suite, rank, points))
    found = [_with_interval(point, sums) for point, sums in zip(points, drawn, strict=True)]
    return corrected([replace(one, family=_family(one, headlines)) for one in found])


def corrected(differences: Sequence[Difference]) -> list[Difference]:
    """The same with p values corrected within each family, so that hundreds of parts do not drown the headlines.

    The families are the headlines of all suites together, each suite's other metrics over the whole, and its parts.
    """
    families: dict[str, list[int]] = {}
    for place, one in enumerate(differences):
        families.setdefault(one.family, []).append(place)
    found = list(differences)
    for places in families.values():
        values = holm([found[place].p for place in places])
        size = sum(not isnan(p) for p in values)
        for place, p in zip(places, values, strict=True):
            found[place] = replace(found[place], p_holm=ten_digits(p), family_size=size)
    return found


def _family(one: Difference, headlines: Collection[str]) -> str:
    if one.part:
        return f"parts of {one.suite}"
    return HEADLINE if one.metric in headlines else f"other metrics of {one.suite}"


def bootstrap_p(difference: float, samples: Floats) -> float:
    """How often the drawings put the difference on the other side of zero, twice (two-sided).

    A drawing at zero counts on both sides. Where none is beyond zero the drawings cannot resolve the tail; there it is
    the normal's with the drawings' standard deviation, at most 2 / (drawings + 1) and never below 1e-12.
    """
    samples = samples[~np.isnan(samples)]
    if isnan(difference) or not len(samples):
        return float("nan")
    beyond = int(min((samples <= 0).sum(), (samples >= 0).sum()))
    resolution = 2 / (len(samples) + 1)
    if beyond:
        return min(1.0, resolution * (beyond + 1))
    spread = float(samples.std())
    return min(resolution, max(1e-12, erfc(abs(difference) / (spread * sqrt(2))))) if spread else resolution


def resolvable(p: float, images: int) -> float:
    """A p value that so few images can bear: when all of them point one way, the sign test says 2 / 2ⁿ, and no less.

    Drawings from a handful of images that all changed alike do not vary, and would make sure of anything.

    >>> resolvable(0.001, 4), resolvable(0.001, 40)
    (0.125, 0.001)
    """
    return max(p, 2.0 ** (1 - images))


def mcnemar(only_a: int, only_b: int) -> float:
    """The exact two-sided McNemar test (1947): how likely a fair coin splits the disagreements at least so unevenly.

    >>> mcnemar(5, 1), mcnemar(0, 0)  # 2 (1 + 6) / 2⁶
    (0.21875, 1.0)
    """
    n, least = only_a + only_b, min(only_a, only_b)
    log_terms = (lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * log(2) for i in range(least + 1))
    return ten_digits(min(1.0, 2 * sum(map(exp, log_terms))))


def holm(p_values: Sequence[float]) -> list[float]:
    """p values corrected for being many (Holm 1979); those that are nan do not count and stay nan.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted((place for place, p in enumerate(p_values) if not isnan(p)), key=lambda place: p_values[place])
    corrected = [float("nan")] * len(p_values)
    highest = 0.0
    for done, place in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - done) * p_values[place]))
        corrected[place] = highest
    return corrected


@dataclass(frozen=True)
class _Aligned:
    """The rows of two runs for the groups they share."""

    clusters: Ints
    first: Floats
    second: Floats

    @property
    def counts(self) -> npt.NDArray[np.bool_]:
        """Which of the groups add anything to either score."""
        return np.asarray(self.first.any(axis=1) | self.second.any(axis=1))


@dataclass(frozen=True)
class _Point:
    """A difference that still lacks its interval, and how many images it rests on."""

    difference: Difference
    metric: Metric
    clusters: int


def _blocks(
    rows: Mapping[str, Rows], metrics: Mapping[str, Metric], suite: str, rank: Ints, points: list[_Point]
) -> Iterator[Block]:
    """The sums over clusters of both runs for each comparison; what needs no drawing goes to ``points`` on the way."""
    for part in dict.fromkeys(part for table in rows.values() for part in table.parts()):
        selected = [(run, table.select(part)) for run, table in rows.items()]
        for (a, first), (b, second) in combinations(selected, 2):
            for name, metric in metrics.items():
                aligned = _align(first[name], second[name])
                if not len(aligned.clusters):
                    continue
                clusters = rank[aligned.clusters]
                block = side_by_side([by_cluster(clusters, aligned.first), by_cluster(clusters, aligned.second)])
                difference = _difference(suite, part, name, metric, a, b, aligned)
                points.append(_Point(difference, metric, len(np.unique(clusters[aligned.counts]))))
                yield block


def _difference(
    suite: str, part: tuple[str, str], name: str, metric: Metric, a: str, b: str, aligned: _Aligned
) -> Difference:
    nan = float("nan")
    first, second = (metric.combine(rows.sum(axis=0)) for rows in (aligned.first, aligned.second))
    return Difference(
        suite=suite,
        part=part_name(part),
        metric=name,
        a=a,
        b=b,
        of_a=settled(first),
        of_b=settled(second),
        difference=settled(first - second),
        low=nan,
        high=nan,
        p=nan,
        p_holm=nan,
        n=int(aligned.counts.sum()),
        p_mcnemar=_mcnemar(aligned) if getattr(metric, "pairwise", False) else nan,
    )


def _mcnemar(aligned: _Aligned) -> float:
    a, b = (rows[:, 0] == rows[:, 1] for rows in (aligned.first, aligned.second))
    return mcnemar(int((a & ~b).sum()), int((b & ~a).sum()))


def _with_interval(point: _Point, sums: Floats) -> Difference:
    if point.clusters < 2:
        return point.difference
    first, second = np.split(sums, 2)
    samples = np.round(point.metric.combine(first) - point.metric.combine(second), 12)
    low, high = interval(samples)
    p = resolvable(bootstrap_p(point.difference.difference, samples), point.clusters)
    return replace(point.difference, low=settled(low), high=settled(high), p=ten_digits(p))


def _read(name: str, outcomes: Iterable[Outcome], rows: Rows) -> None:
    seen: set[Any] = set()
    for outcome in outcomes:
        if outcome.group.id in seen:
            raise BadRecord(
                f"{name}: group {outcome.group.id!r} is there twice, so it cannot be matched with another run's. "
                "Keep one of the two."
            )
        seen.add(outcome.group.id)
        rows.add(outcome)


def _align(first: Selected, second: Selected) -> _Aligned:
    _, in_first, in_second = np.intersect1d(first.groups, second.groups, assume_unique=True, return_indices=True)
    return _Aligned(first.clusters[in_first], first.rows[in_first], second.rows[in_second])
