"""Calibration: whether a model's scores say how often its answers are correct, before and after the change.

A model is calibrated when of its answers with score 0.8 eight in ten are correct (Guo et al. 2017). Accuracy here is
VQA accuracy in the run's mode, so an answer may be partly correct.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeGuard, get_args

import numpy as np

from askew.errors import BadOption
from askew.metrics.accuracy import Side, check_mode, soft
from askew.metrics.bounds import Fillable, best_and_worst, filled
from askew.metrics.sums import ratio
from askew.types import Mode, Outcome, Prediction, Question, Row
from askew.verbs import Metric

BINS = 10
_EDGE = 1e-9


@dataclass(frozen=True)
class CalibrationError(Metric):
    """Expected calibration error: how far scores are from accuracy, over bins of equal width (Guo et al. 2017, eq. 3).

    Answers are sorted into bins by their score; the distance between mean score and mean accuracy of a bin counts by
    its share of the answers. Answers without a score from 0 to 1 are left out. By chance alone it is above 0, the more
    the fewer answers there are.

    >>> from askew.types import Group
    >>> asked = Question(1, None, "Is it?", ("yes",) * 10)
    >>> group = lambda said, score: Outcome(Group(1, "s", asked), Prediction(1, said, score))
    >>> metric, some = CalibrationError(), [group("yes", 0.9), group("no", 0.9), group("yes", 0.25)]
    >>> round(float(metric.combine(np.sum([metric.measure(one) for one in some], axis=0))), 6)  # (0.8 + 0.75) / 3
    0.516667
    """

    outer_bounds: ClassVar[bool] = True

    of: Side = "all"
    bins: int = BINS
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if self.of not in get_args(Side):
            raise BadOption(f"Calibration error of what? {self.of!r} is none of {', '.join(get_args(Side))}.")
        if not 1 <= self.bins <= 100:
            raise BadOption(f"calibration-error: bins={self.bins}; 1 to 100 are possible.")

    @property
    def better(self) -> Literal[-1]:
        """Less error."""
        return -1

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(answers, accuracy minus score summed over each bin ...); missing answers are left out, having no score."""
        row = [0.0] * (self.bins + 1)
        for question, prediction, times in members(outcome, self.of):
            accuracy, score = soft(question, prediction, None, self.mode), prediction.score
            if accuracy is not None and is_probability(score):
                row[0] += times
                row[1 + bin_of(score, self.bins)] += times * (accuracy - score)
        return tuple(row) if row[0] else None

    def combine(self, sums: Any) -> Any:
        """The distances of all bins over the answers."""
        return ratio(np.abs(np.asarray(sums)[1:]).sum(axis=0), np.asarray(sums)[0])

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Missing answers correct at the lower end of each bin, and wrong at its upper end."""
        original = best_and_worst(outcome.group.original.answers, self.mode, None)
        variants = [best_and_worst(v.question.answers, self.mode, None) for v in outcome.group.variants]
        for number in range(self.bins):
            ends = number / self.bins, (number + 1) / self.bins - (_EDGE if number + 1 < self.bins else 0.0)
            for side, score in enumerate(ends):
                given = filled(outcome, original[side], [pair[side] for pair in variants])
                scored = (
                    replace(after, score=score) if before.answer is None else after
                    for before, after in zip(
                        (outcome.original, *outcome.variants), (given.original, *given.variants), strict=True
                    )
                )
                first, *others = scored
                yield Outcome(outcome.group, first, tuple(others))

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """Each bin as near to and as far from calibration as it can be by itself."""
        low, high = fillable.columns()
        least = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))[1:].sum()
        most = np.maximum(np.abs(low), np.abs(high))[1:].sum()
        return float(ratio(least, high[0])), float(np.minimum(1.0, ratio(most, low[0])))


def is_probability(score: float | None) -> TypeGuard[float]:
    """Whether a score can be taken for a probability.

    >>> [is_probability(score) for score in (0.0, 1.0, None, 1.5, float("nan"))]
    [True, True, False, False, False]
    """
    return score is not None and 0.0 <= score <= 1.0


def bin_of(score: float, bins: int = BINS) -> int:
    """The bin of a score; its lower end belongs to a bin, and 1 to the last.

    >>> [bin_of(score) for score in (0.0, 0.05, 0.1, 0.99, 1.0)]
    [0, 0, 1, 9, 9]
    """
    return min(bins - 1, int(score * bins))


def members(outcome: Outcome, of: Side) -> Iterator[tuple[Question, Prediction, int]]:
    """The questions of one side, with how often each counts."""
    if of == "variant":
        yield from ((variant.question, prediction, 1) for variant, prediction in outcome.pairs())
    elif of == "all" or outcome.variants:
        yield outcome.group.original, outcome.original, len(outcome.variants) if of == "paired" else 1
