"""R_score: how much accuracy is lost to basic questions as noise, on a scale that is strict about small losses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from askew.errors import BadOption
from askew.metrics.accuracy import check_mode, soft, summed
from askew.metrics.bounds import Fillable
from askew.metrics.fillings import right_or_wrong
from askew.metrics.ratio import ratio
from askew.types import Mode, Outcome, Row


def r_score(difference: Any, t: float = 5e-4, m: float = 0.2) -> Any:
    """clamp₀¹((√m − √difference) / (√m − √t)), of a difference of accuracies as a fraction (Huang et al. 2019, eq. 3).

    >>> round(float(r_score(0.0585)), 2), float(r_score(0.0001)), float(r_score(0.3))
    (0.48, 1.0, 0.0)
    """
    return np.clip((sqrt(m) - np.sqrt(difference)) / (sqrt(m) - sqrt(t)), 0.0, 1.0)


@dataclass(frozen=True)
class RScore:
    """R_score on one partition of the noise: 1 up to a loss of ``t``, 0 from a loss of ``m`` on; a gain counts alike.

    The partition is ``level``: the variants whose note has that ``level``. Where a group has several, their mean.
    Clean and noisy accuracy are taken over the same groups. The paper's own accuracy is mode ``simple``.
    """

    least: ClassVar[float] = -1.0
    outer_bounds: ClassVar[bool] = True

    level: int = 1
    t: float = 5e-4
    m: float = 0.2
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if not 0 <= self.t < self.m <= 1:
            raise BadOption(f"R_score wants 0 <= t < m <= 1, but t = {self.t} and m = {self.m}.")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(clean accuracy, noisy accuracy, 1)."""
        clean = soft(outcome.group.original, outcome.original, failed, self.mode)
        noisy = noisy_accuracies(outcome, self.level, failed, self.mode)
        if clean is None or not noisy:
            return None
        return clean, sum(noisy) / len(noisy), 1.0

    def combine(self, sums: Any) -> Any:
        """The R_score of the two means' difference."""
        return r_score(np.abs(ratio(sums[0], sums[2]) - ratio(sums[1], sums[2])), self.t, self.m)

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """What is lost, as one fraction."""
        return sums[0] - sums[1], sums[2]

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """At the largest loss or gain that could be, and at the smallest: an outer bound where that is none at all."""
        ends = fillable.extremes(self.fraction)
        if ends is None:
            return float("nan"), float("nan")
        low, high = (float(top / bottom) for top, bottom in map(self.fraction, ends))
        return self.of_fraction(low, high)

    def of_fraction(self, low: float, high: float) -> tuple[float, float]:
        """The R_scores between which it is, when what is lost is between these.

        >>> RScore().of_fraction(-0.0001, 0.3)
        (0.0, 1.0)
        """
        least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        return float(r_score(max(abs(low), abs(high)), self.t, self.m)), float(r_score(least, self.t, self.m))

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Clean right or wrong, and noisy right or wrong."""
        return right_or_wrong(outcome, self.mode, None)


@dataclass(frozen=True)
class NoiseAccuracy:
    """A point of the severity curve: the accuracy on variants of one ``level``; level 0 is on their originals."""

    level: int = 1
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(sum of accuracies, how many)."""
        if self.level:
            return summed(noisy_accuracies(outcome, self.level, failed, self.mode))
        value = soft(outcome.group.original, outcome.original, failed, self.mode) if outcome.variants else None
        return None if value is None else (value, 1.0)

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])


def noisy_accuracies(outcome: Outcome, level: int, failed: float | None, mode: Mode) -> list[float]:
    """The accuracy of each variant whose note has this ``level``."""
    noisy = ((v.question, p) for v, p in outcome.pairs() if v.note.get("level") == level)
    values = (soft(question, prediction, failed, mode) for question, prediction in noisy)
    return [value for value in values if value is not None]
