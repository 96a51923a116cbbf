"""Gaps between two parts of the data: frequent and rare answers (GQA-OOD), base data and collected data (AVQA)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from askew.metrics.accuracy import ModeMetric, soft
from askew.metrics.bounds import Fillable
from askew.significance import ratio
from askew.types import Mode, Outcome, Row


class TwoParts(ModeMetric):
    """Accuracy on two parts of the data, which are samples of their own: questions with one of two values of a tag.

    Other questions are left out. A question is in one part only, so the bounds for missing answers are exact.
    """

    tag: str

    @property
    @abstractmethod
    def first(self) -> str:
        """The value of the tag in the first part."""

    @property
    @abstractmethod
    def second(self) -> str:
        """The value of the tag in the second part."""

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(accuracy if in the first part, 1 if so, accuracy if in the second part, 1 if so)."""
        part = dict(outcome.group.original.tags).get(self.tag)
        value = soft(outcome.group.original, outcome.original, failed, self.mode)
        if value is None or part not in (self.first, self.second):
            return None
        return (value, 1.0, 0.0, 0.0) if part == self.first else (0.0, 0.0, value, 1.0)

    def samples(self, images: Any) -> tuple[int, int]:
        """The number of images in each part."""
        return int(np.count_nonzero(images[:, 1])), int(np.count_nonzero(images[:, 3]))

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """The first part at its worst with the second at its best, and the reverse."""
        low, high = fillable.columns()
        return float(self.combine((*low[:2], *high[2:]))), float(self.combine((*high[:2], *low[2:])))


@dataclass(frozen=True)
class HeadTailGap(TwoParts):
    """Δ = (head − tail) / tail: the accuracy on questions with frequent answers compared with that on rare ones.

    Kervadec et al. 2021. Accuracies of 60 % and 40 % give Δ = 0.5. nan if no tail question is answered correctly.
    """

    share: ClassVar[bool] = False
    least: ClassVar[float] = -1.0
    better: ClassVar[Literal[-1]] = -1
    signed: ClassVar[bool] = True
    title: ClassVar[str] = "Δ"
    stands_for: ClassVar[str] = "relative gap"
    sentence: ClassVar[str] = "accuracy on frequent answers minus that on rare ones, relative to the latter"

    first: ClassVar[str] = "head"
    second: ClassVar[str] = "tail"

    tag: str = "part"
    mode: Mode = "official"

    def combine(self, sums: Any) -> Any:
        """The difference of the two means over the second."""
        head, tail = ratio(sums[0], sums[1]), ratio(sums[2], sums[3])
        return ratio(head - tail, tail)


@dataclass(frozen=True)
class PartGap(TwoParts):
    """Accuracy on one part of the data minus that on another: by default on base data minus on a release.

    The rows *(v2, AVQA)* of Li et al. 2021, Table 2: 67.60 % on VQA v2 and 19.60 % on AVQA give a gap of 48.00 points.
    nan if a part has no questions.
    """

    least: ClassVar[float] = -1.0
    better: ClassVar[Literal[-1]] = -1
    zero_is_best: ClassVar[bool] = True
    signed: ClassVar[bool] = True
    title: ClassVar[str] = "Gap"

    tag: str = "part"
    first: str = "base"
    second: str = "release"
    mode: Mode = "official"

    @property
    def sentence(self) -> str:
        """The parts that are compared."""
        return f"accuracy on the part {self.first} minus that on the part {self.second}, in points"

    def combine(self, sums: Any) -> Any:
        """The difference of the two means."""
        return ratio(sums[0], sums[1]) - ratio(sums[2], sums[3])
