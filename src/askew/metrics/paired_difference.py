"""Two models on the same groups: the paired difference of their scores, its interval and its p value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.errors import BadRecord
from askew.metrics.group_rows import SLICES, GroupRows, Numbering, Part, Selected
from askew.metrics.interval import difference
from askew.metrics.scorer import part_name
from askew.metrics.sums import Floats, Ints, by_image, settled
from askew.significance import holm, mcnemar, resolvable, ten_digits
from askew.types import Outcome
from askew.verbs import Metric

HEADLINE = "headline"
"""The family of the suites' headline metrics."""


@dataclass(frozen=True)
class Difference:
    """The score of ``a`` minus the score of ``b`` over the groups that count for both."""

    suite: str
    part: str
    metric: str
    a: str
    b: str
    of_a: float = float("nan")
    """The score of ``a`` over these groups."""
    of_b: float = float("nan")
    difference: float = float("nan")
    low: float = float("nan")
    """95 % interval over the images that both models share; nan if there are fewer than ten."""
    high: float = float("nan")
    p: float = float("nan")
    """Two-sided; nan if there are fewer than ten images. See ``resolvable``."""
    p_holm: float = float("nan")
    """The p value corrected for all comparisons of its family (Holm 1979)."""
    n: int = 0
    """Groups that count for either."""
    family: str = ""
    """``headline``, ``other metrics of SUITE`` or ``parts of SUITE``; see ``corrected``."""
    family_size: int = 0
    """How many comparisons of the family could be tested."""
    p_mcnemar: float = float("nan")
    """Exact McNemar test on groups that succeed as a whole, for metrics of pairs; it treats groups as independent."""
    images: int = 0
    """Images that count for either."""


def compare(
    runs: Mapping[str, Iterable[Outcome]],
    metrics: Mapping[str, Metric],
    suite: str = "",
    parts: Sequence[str] = SLICES,
    headlines: Collection[str] = (),
) -> list[Difference]:
    """All pairs of runs compared by every metric in every part; groups are matched by id, in any order.

    ``headlines`` are the headline metrics of the suite: over the whole they are a family of their own. Only the rows of
    each run are kept in memory. A part or metric for which two runs share no group is left out.
    """
    groups = Numbering()
    rows = {name: GroupRows(metrics, parts, groups) for name in runs}
    for name, outcomes in runs.items():
        _read(name, outcomes, rows[name])
    compared = _compared(rows, metrics, suite)
    return corrected([replace(each, family=_family(each, headlines)) for each in compared])


def corrected(differences: Sequence[Difference]) -> list[Difference]:
    """The comparisons with p values corrected within each family, so that the many parts do not affect the headlines.

    The families are the headlines of all suites together, each suite's other metrics over the whole, and its parts.
    """
    families: dict[str, list[int]] = {}
    for place, compared in enumerate(differences):
        families.setdefault(compared.family, []).append(place)
    result = list(differences)
    for places in families.values():
        values = holm([result[place].p for place in places])
        size = sum(not isnan(p) for p in values)
        for place, p in zip(places, values, strict=True):
            result[place] = replace(result[place], p_holm=ten_digits(p), family_size=size)
    return result


def _family(compared: Difference, headlines: Collection[str]) -> str:
    if compared.part:
        return f"parts of {compared.suite}"
    return HEADLINE if compared.metric in headlines else f"other metrics of {compared.suite}"


@dataclass(frozen=True)
class _Aligned:
    """The rows of two runs for the groups they share."""

    images: Ints
    first: Floats
    second: Floats

    @property
    def counts(self) -> npt.NDArray[np.bool_]:
        """Which groups contribute to either score."""
        return np.asarray(self.first.any(axis=1) | self.second.any(axis=1))


def _compared(rows: Mapping[str, GroupRows], metrics: Mapping[str, Metric], suite: str) -> Iterator[Difference]:
    """All pairs of runs by every metric in every part."""
    parts = list(dict.fromkeys(part for table in rows.values() for part in table.parts()))
    for part, *selected in zip(parts, *(_select_each(table, parts) for table in rows.values()), strict=True):
        for (a, first), (b, second) in combinations(zip(rows, selected, strict=True), 2):
            for name, metric in metrics.items():
                aligned = _align([block[name] for block in first], [block[name] for block in second])
                if aligned is not None:
                    yield _difference(Difference(suite, part_name(part), name, a, b), metric, aligned)


def _select_each(table: GroupRows, parts: Sequence[Part]) -> Iterator[list[dict[str, Selected]]]:
    """The rows of each part."""
    for part, blocks in table.select_each(parts):
        yield list(table.select(part)) if blocks is None else blocks


def _difference(of: Difference, metric: Metric, aligned: _Aligned) -> Difference:
    """The comparison that ``of`` names, with its numbers."""
    first, second = (float(metric.combine(rows.sum(axis=0))) for rows in (aligned.first, aligned.second))
    _, images_of = np.unique(aligned.images, return_inverse=True)
    images = by_image(images_of, np.hstack([aligned.first, aligned.second]))
    ours, theirs = np.hsplit(images, 2)
    estimated = difference(metric, ours, theirs)
    low, high = estimated.interval()
    return replace(
        of,
        of_a=settled(first),
        of_b=settled(second),
        difference=settled(first - second),
        low=settled(low),
        high=settled(high),
        p=ten_digits(resolvable(estimated.p(), len(images))) if estimated.has_interval else float("nan"),
        n=int(aligned.counts.sum()),
        p_mcnemar=_mcnemar(aligned) if metric.pairwise else float("nan"),
        images=len(images),
    )


def _mcnemar(aligned: _Aligned) -> float:
    a, b = (rows[:, 0] == rows[:, 1] for rows in (aligned.first, aligned.second))
    return mcnemar(int((a & ~b).sum()), int((b & ~a).sum()))


def _read(name: str, outcomes: Iterable[Outcome], rows: GroupRows) -> None:
    seen: set[Any] = set()
    for outcome in outcomes:
        if outcome.group.id in seen:
            raise BadRecord(
                f"{name}: group {outcome.group.id!r} occurs twice, so it cannot be matched with another run's. "
                "Keep one of the two."
            )
        seen.add(outcome.group.id)
        rows.add(outcome)


def _align(first: Sequence[Selected], second: Sequence[Selected]) -> _Aligned | None:
    """The rows of the groups that both have; None if there are none."""
    ours, theirs = ([block for block in blocks if len(block.rows)] for blocks in (first, second))
    if not ours or not theirs:
        return None
    groups, their_groups = (np.concatenate([block.groups for block in blocks]) for blocks in (ours, theirs))
    rows, their_rows = (np.concatenate([block.rows for block in blocks]) for blocks in (ours, theirs))
    _, in_first, in_second = np.intersect1d(groups, their_groups, assume_unique=True, return_indices=True)
    images = np.concatenate([block.images for block in ours])[in_first]
    return _Aligned(images, rows[in_first], their_rows[in_second]) if len(images) else None
