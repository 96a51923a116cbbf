"""The mean accuracy over parts of the data, and how often an answer is the one that a tag names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from askew.answers.normalise import normalise
from askew.metrics.accuracy import check_mode, soft
from askew.metrics.sums import ratio
from askew.types import Mode, Outcome, Row
from askew.verbs import Metric


@dataclass(frozen=True)
class PartMean(Metric):
    """The mean over halves of the mean accuracy of their parts, however many questions each has.

    CV-Bench (Tong et al. 2024) is ``tag=source,of=ADE20K+COCO|Omni3D``: the mean of its two 2D sources, and of that
    and the 3D source. With accuracies 1, 1/2 and 1/4 it is ((1 + 1/2) / 2 + 1/4) / 2 = 1/2. nan if a part is missing.
    """

    tag: str = "source"
    of: str = "ADE20K+COCO|Omni3D"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)

    @property
    def _names(self) -> list[str]:
        return self.of.replace("|", "+").split("+")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """For each part: (sum of accuracies, how many)."""
        part = dict(outcome.group.original.tags).get(self.tag)
        value = soft(outcome.group.original, outcome.original, failed, self.mode)
        if value is None or part not in self._names:
            return None
        row = np.zeros((len(self._names), 2))
        row[self._names.index(part)] = value, 1.0
        return tuple(row.ravel())

    def combine(self, sums: Any) -> Any:
        """The mean of the means."""
        found = np.asarray(sums, dtype=float)
        accuracy = {name: ratio(found[2 * at], found[2 * at + 1]) for at, name in enumerate(self._names)}
        halves = [half.split("+") for half in self.of.split("|")]
        return sum(sum(accuracy[name] for name in half) / len(half) for half in halves) / len(halves)


@dataclass(frozen=True)
class TaggedAnswer(Metric):
    """Share of answers that are what a tag of the question says: the bias rate of VLMs Are Biased (Vo et al. 2025)."""

    better: ClassVar[Literal[-1]] = -1
    title: ClassVar[str] = "Bias"
    sentence: ClassVar[str] = "answers that are the expected wrong one"

    tag: str = "expected_bias"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(answers that are it, answers)."""
        expected = dict(outcome.group.original.tags).get(self.tag)
        said = outcome.original.answer
        if expected is None or (said is None and failed is None):
            return None
        return float(failed or 0.0) if said is None else float(normalise(said) == normalise(expected)), 1.0
