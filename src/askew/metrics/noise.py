"""Basic questions as noise: R_score, and how accuracy falls from one noise level to the next (Huang et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, Literal

import numpy as np

from askew.answers.normalise import normalise
from askew.errors import BadOption
from askew.metrics.accuracy import ModeMetric, check_mode, soft, summed
from askew.metrics.bounds import Fillable, correct_or_wrong
from askew.metrics.interval import Estimate, estimate
from askew.significance import Floats, ratio
from askew.types import Mode, Outcome, Row
from askew.verbs import Metric

_SAME = 1e-9
"""Accuracies that differ by less are equal: sums of tenths are not exact."""


def r_score(difference: Any, t: float = 5e-4, m: float = 0.2) -> Any:
    """clamp₀¹((√m − √difference) / (√m − √t)), for a difference of accuracies as a fraction (Huang et al. 2019, eq. 3).

    >>> round(float(r_score(0.0585)), 2), float(r_score(0.0001)), float(r_score(0.3))
    (0.48, 1.0, 0.0)
    """
    return np.clip((sqrt(m) - np.sqrt(difference)) / (sqrt(m) - sqrt(t)), 0.0, 1.0)


@dataclass(frozen=True)
class RScore(Metric):
    """R_score on one partition of noise: 1 up to a loss of ``t``, 0 from a loss of ``m`` on; a gain counts as a loss.

    The partition is ``level``: the variants with that ``level`` in their note; if a group has several, their mean.
    Clean and noisy accuracy are computed over the same groups. The paper's own accuracy is mode ``simple``.

    Its interval is that of the signed loss, mapped; where no answer changed, it is exactly 1. Since it takes the
    absolute value of a difference, it is too low in small samples, and it is 0 for every large loss: runs are compared
    by the loss (``NoiseLoss``), not by R_score.
    """

    least: ClassVar[float] = -1.0
    outer_bounds: ClassVar[bool] = True
    conditional: ClassVar[bool] = True
    unit: ClassVar[Literal[""]] = ""
    stands_for: ClassVar[str] = "robustness score"

    level: int = 1
    t: float = 5e-4
    m: float = 0.2
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if not 0 <= self.t < self.m <= 1:
            raise BadOption(f"R_score needs 0 <= t < m <= 1, but t = {self.t} and m = {self.m}.")

    @property
    def title(self) -> str:
        """R_score, and on which partition after the first."""
        return "R_score" if self.level == 1 else f"R_score, noise {self.level}"

    @property
    def sentence(self) -> str:
        """What its ends mean."""
        noise = "the weakest noise" if self.level == 1 else f"noise {self.level}"
        return f"1 when {noise} costs nothing, 0 when it costs {100 * self.m:g} points"

    @property
    def detail(self) -> bool:
        """Only the first partition is in every table."""
        return self.level != 1

    @property
    def parts(self) -> tuple[str, ...]:
        """The two accuracies that it compares."""
        return "accuracy.noise.0", f"accuracy.noise.{self.level}"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(clean accuracy, noisy accuracy, 1, whether an answer changed)."""
        clean = soft(outcome.group.original, outcome.original, failed, self.mode)
        noisy = noisy_accuracies(outcome, self.level, failed, self.mode)
        if clean is None or not noisy:
            return None
        return clean, sum(noisy) / len(noisy), 1.0, float(self._is_changed(outcome))

    def _is_changed(self, outcome: Outcome) -> bool:
        """Whether an answer at this level is another than that to the original, or missing."""
        said = [outcome.original, *(p for v, p in outcome.pairs() if v.note.get("level") == self.level)]
        answers = {None if one.answer is None else normalise(one.answer) for one in said}
        return len(answers) > 1 or None in answers

    def combine(self, sums: Any) -> Any:
        """The R_score of the two means' difference."""
        return r_score(np.abs(ratio(sums[0], sums[2]) - ratio(sums[1], sums[2])), self.t, self.m)

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """The accuracy lost, as one fraction."""
        return sums[0] - sums[1], sums[2]

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """At the largest possible loss or gain, and at the smallest; an outer bound if the smallest is 0."""
        ends = fillable.extremes(self.fraction)
        if ends is None:
            return float("nan"), float("nan")
        low, high = (float(top / bottom) for top, bottom in map(self.fraction, ends))
        return self.of_fraction(low, high)

    def interval(self, images: Floats, tails: float) -> tuple[float, float]:
        """That of the accuracy lost, mapped; exactly 1 where no answer changed."""
        low, high = estimate(self, images).interval(tails)
        if low == low and not images[:, 3].any():
            return 1.0, 1.0
        return self.of_fraction(low, high) if low == low else (low, high)

    def of_fraction(self, low: float, high: float) -> tuple[float, float]:
        """The lowest and highest R_score when the accuracy lost is between these.

        >>> RScore().of_fraction(-0.0001, 0.3)
        (0.0, 1.0)
        """
        least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        return float(r_score(max(abs(low), abs(high)), self.t, self.m)), float(r_score(least, self.t, self.m))

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Clean correct or wrong, and noisy correct or wrong."""
        return correct_or_wrong(outcome, self.mode, None)


@dataclass(frozen=True)
class NoiseAccuracy(ModeMetric):
    """A point of the severity curve: the accuracy on variants of one ``level``; level 0 is on their originals."""

    title: ClassVar[str] = "Accuracy, noise {self.level}"
    sentence: ClassVar[str] = "noise level {self.level} (0 is none)"

    level: int = 1
    mode: Mode = "official"

    @property
    def detail(self) -> bool:
        """Only the first level is in every table."""
        return self.level != 1

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(sum of accuracies, how many)."""
        if self.level:
            return summed(noisy_accuracies(outcome, self.level, failed, self.mode))
        value = soft(outcome.group.original, outcome.original, failed, self.mode) if outcome.variants else None
        return None if value is None else (value, 1.0)


@dataclass(frozen=True)
class NoiseLoss(Metric):
    """The accuracy lost from noise level ``since`` to ``level``, over groups that have both; below zero is a gain.

    Level 0 is the original. From level 0 it is the column *Diff* of Huang et al. (2019, Tables 2 and 3); from the
    level before, one step of the noise curve.
    """

    least: ClassVar[float] = -1.0
    better: ClassVar[Literal[-1]] = -1
    zero_is_best: ClassVar[bool] = True
    signed: ClassVar[bool] = True
    detail: ClassVar[bool] = True
    title: ClassVar[str] = "Lost, noise {self.level}"

    level: int = 1
    since: int = 0
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if not 0 <= self.since < self.level:
            raise BadOption(f"noise-loss needs 0 <= since < level, but since = {self.since} and level = {self.level}.")

    @property
    def parts(self) -> tuple[str, ...]:
        """The two accuracies that it compares."""
        return f"accuracy.noise.{self.since}", f"accuracy.noise.{self.level}"

    @property
    def sentence(self) -> str:
        """From which level to which."""
        return (
            f"accuracy lost from {f'noise {self.since}' if self.since else 'no noise'} to noise {self.level}, in points"
        )

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(accuracy before, accuracy after, 1)."""
        before, after = (_at(outcome, level, failed, self.mode) for level in (self.since, self.level))
        return None if before is None or after is None else (before, after, 1.0)

    def combine(self, sums: Any) -> Any:
        """The difference of the two means."""
        return ratio(sums[0], sums[2]) - ratio(sums[1], sums[2])

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """The difference as one fraction, for intervals and bounds."""
        return sums[0] - sums[1], sums[2]

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Each of the two levels correct or wrong."""
        return correct_or_wrong(outcome, self.mode, None, lambda variant: variant.note.get("level") == self.level)


@dataclass(frozen=True)
class NoiseFalls(Metric):
    """The share of steps of the noise curve, level by level from 0 to ``levels``, at which accuracy falls.

    1 means that the curve falls at every step, which Huang et al. (2019, Figure 2) take as a sign that the ranking
    orders noise by its strength: it says more about the ranking than about the model. Over groups with every level.
    """

    share: ClassVar[bool] = False
    outer_bounds: ClassVar[bool] = True
    better: ClassVar[Literal[0]] = 0
    detail: ClassVar[bool] = True
    title: ClassVar[str] = "Falls"
    sentence: ClassVar[str] = "steps of the noise curve at which accuracy falls"

    levels: int = 7
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if self.levels < 1:
            raise BadOption(f"noise-falls needs at least one level, but levels = {self.levels}.")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(accuracy at each level from 0, 1)."""
        values = [_at(outcome, level, failed, self.mode) for level in range(self.levels + 1)]
        known = [value for value in values if value is not None]
        return (*known, 1.0) if len(known) == len(values) else None

    def combine(self, sums: Any) -> Any:
        """The share of differences between consecutive means that are negative."""
        means = ratio(np.asarray(sums[:-1]), sums[-1])
        falls = (np.diff(means, axis=0) < -_SAME).mean(axis=0)
        return np.where(np.isnan(means[0]), np.nan, falls)

    def interval(self, images: Floats, tails: float) -> tuple[float, float]:
        """The shares of steps at which accuracy certainly falls and at which it may fall (Bonferroni)."""
        steps = [self._step(images, level).interval(tails / self.levels) for level in range(self.levels)]
        if any(low != low for low, _ in steps):
            return float("nan"), float("nan")
        return sum(low > 0 for low, _ in steps) / self.levels, sum(high > 0 for _, high in steps) / self.levels

    def _step(self, images: Floats, level: int) -> Estimate:
        """The accuracy lost from one level to the next."""
        return estimate(NoiseLoss(level + 1, level, self.mode), images[:, [level, level + 1, -1]])

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """The shares of steps at which accuracy must fall and at which it can, each step separately: outer bounds."""
        ends = fillable.columns()
        if not ends[0][-1]:
            return float("nan"), float("nan")
        low, high = (sums[:-1] / sums[-1] for sums in ends)
        must, can = high[1:] - low[:-1] < -_SAME, low[1:] - high[:-1] < -_SAME
        return float(must.mean()), float(can.mean())


@dataclass(frozen=True)
class CorruptionError(ModeMetric):
    """The mean corruption error: 100 % minus the accuracy, the mean over severities and then over corruptions.

    mCE of Hendrycks & Dietterich (2019), but not divided by the errors of AlexNet, which answers no questions; divide
    two models' figures instead. With ``relative``, minus the error on the clean image: what corruption adds. A group
    with a missing answer is left out: keeping the rest would bias the mean.
    """

    least: ClassVar[float] = -1.0
    better: ClassVar[Literal[-1]] = -1

    relative: bool = False
    mode: Mode = "official"

    @property
    def title(self) -> str:
        """mCE, absolute or relative."""
        return "Relative mCE" if self.relative else "mCE"

    @property
    def stands_for(self) -> str:
        """What mCE stands for."""
        return f"{'relative ' * self.relative}mean corruption error"

    @property
    def sentence(self) -> str:
        """What it counts."""
        above = " above that on the clean image" if self.relative else ""
        return f"error{above}, the mean over severities and corruptions"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(mean error over the corruptions, 1)."""
        clean = soft(outcome.group.original, outcome.original, failed, self.mode)
        by_test: dict[str, list[float | None]] = {}
        for variant, said in outcome.pairs():
            by_test.setdefault(variant.test, []).append(soft(variant.question, said, failed, self.mode))
        errors = [[1 - value for value in values if value is not None] for values in by_test.values()]
        if not errors or clean is None or sum(map(len, errors)) < len(outcome.variants):
            return None
        mean = sum(sum(part) / len(part) for part in errors) / len(errors)
        return mean - (1 - clean) * self.relative, 1.0


def noisy_accuracies(outcome: Outcome, level: int, failed: float | None, mode: Mode) -> list[float]:
    """The accuracy of each variant whose note has this ``level``."""
    noisy = ((v.question, p) for v, p in outcome.pairs() if v.note.get("level") == level)
    values = (soft(question, prediction, failed, mode) for question, prediction in noisy)
    return [value for value in values if value is not None]


def _at(outcome: Outcome, level: int, failed: float | None, mode: Mode) -> float | None:
    """The accuracy at a level, the mean if there are several variants; None if there is none."""
    if level == 0:
        return soft(outcome.group.original, outcome.original, failed, mode) if outcome.variants else None
    values = noisy_accuracies(outcome, level, failed, mode)
    return sum(values) / len(values) if values else None
