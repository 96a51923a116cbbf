"""How accuracy goes down as noise goes up: the loss from one level to another, and whether every step is a loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from askew.errors import BadOption
from askew.metrics.accuracy import check_mode, soft
from askew.metrics.bounds import Fillable
from askew.metrics.fillings import right_or_wrong
from askew.metrics.interval import Estimate, estimate
from askew.metrics.ratio import ratio
from askew.metrics.rows import Floats
from askew.metrics.rscore import noisy_accuracies
from askew.types import Mode, Outcome, Row

_SAME = 1e-9
"""Accuracies that differ by less than this are the same: sums of tenths are not exact."""


@dataclass(frozen=True)
class NoiseLoss:
    """The accuracy lost from noise level ``since`` to ``level``, over groups that have both; below zero is a gain.

    Level 0 is the original. From level 0 it is the column *Diff* of Huang et al. (2019, Tables 2 and 3); from the
    level before, one step of the noise curve.
    """

    least: ClassVar[float] = -1.0

    level: int = 1
    since: int = 0
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if not 0 <= self.since < self.level:
            raise BadOption(f"noise-loss wants 0 <= since < level, but since = {self.since} and level = {self.level}.")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(accuracy before, accuracy after, 1)."""
        before, after = (_at(outcome, level, failed, self.mode) for level in (self.since, self.level))
        return None if before is None or after is None else (before, after, 1.0)

    def combine(self, sums: Any) -> Any:
        """The difference of the two means."""
        return ratio(sums[0], sums[2]) - ratio(sums[1], sums[2])

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """The same as one fraction; for intervals and bounds."""
        return sums[0] - sums[1], sums[2]

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Each of the two levels right or wrong."""
        return right_or_wrong(outcome, self.mode, None, lambda variant: variant.note.get("level") == self.level)


@dataclass(frozen=True)
class NoiseFalls:
    """The share of steps of the noise curve, level by level from 0 to ``levels``, at which accuracy falls.

    1 is a curve that falls at every step, which Huang et al. (2019, Figure 2) take as the sign that the ranking orders
    noise by its strength. Over groups that have every level.
    """

    share: ClassVar[bool] = False
    outer_bounds: ClassVar[bool] = True

    levels: int = 7
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if self.levels < 1:
            raise BadOption(f"noise-falls wants at least one level, but levels = {self.levels}.")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(accuracy at each level from 0, 1)."""
        values = [_at(outcome, level, failed, self.mode) for level in range(self.levels + 1)]
        known = [value for value in values if value is not None]
        return (*known, 1.0) if len(known) == len(values) else None

    def combine(self, sums: Any) -> Any:
        """How many of the differences of neighbouring means are below zero, as a share."""
        means = ratio(np.asarray(sums[:-1]), sums[-1])
        falls = (np.diff(means, axis=0) < -_SAME).mean(axis=0)
        return np.where(np.isnan(means[0]), np.nan, falls)

    def interval(self, images: Floats, tails: float) -> tuple[float, float]:
        """At how many steps accuracy falls surely, and at how many it may, all steps taken together (Bonferroni)."""
        steps = [self._step(images, level).interval(tails / self.levels) for level in range(self.levels)]
        if any(low != low for low, _ in steps):
            return float("nan"), float("nan")
        return sum(low > 0 for low, _ in steps) / self.levels, sum(high > 0 for _, high in steps) / self.levels

    def _step(self, images: Floats, level: int) -> Estimate:
        """What is lost from one level to the next."""
        return estimate(NoiseLoss(level + 1, level, self.mode), images[:, [level, level + 1, -1]])

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """At how many steps accuracy must fall, and at how many it can, each step by itself: outer bounds."""
        ends = fillable.columns()
        if not ends[0][-1]:
            return float("nan"), float("nan")
        low, high = (sums[:-1] / sums[-1] for sums in ends)
        must, can = high[1:] - low[:-1] < -_SAME, low[1:] - high[:-1] < -_SAME
        return float(must.mean()), float(can.mean())


def _at(outcome: Outcome, level: int, failed: float | None, mode: Mode) -> float | None:
    """The accuracy at a level; the mean of several variants; None for nothing."""
    if level == 0:
        return soft(outcome.group.original, outcome.original, failed, mode) if outcome.variants else None
    values = noisy_accuracies(outcome, level, failed, mode)
    return sum(values) / len(values) if values else None
