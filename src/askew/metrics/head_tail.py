"""Frequent and rare answers: how much accuracy a model loses on questions whose answer is rare (GQA-OOD)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askew.metrics.accuracy import check_mode, soft
from askew.metrics.sums import ratio
from askew.types import Mode, Outcome, Row
from askew.verbs import Metric


@dataclass(frozen=True)
class HeadTailGap(Metric):
    """Δ = (head − tail) / tail: the accuracy on questions with frequent answers against that on rare ones.

    Kervadec et al. 2021. Questions have the tag ``tag`` with the value head or tail; others are left out. Accuracies
    of 60 % and 40 % give Δ = 0.5. Nothing to measure where no tail question is answered correctly: nan.
    """

    share: ClassVar[bool] = False
    least: ClassVar[float] = -1.0
    better: ClassVar[Literal[-1]] = -1

    tag: str = "part"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(accuracy if head, 1 if head, accuracy if tail, 1 if tail)."""
        part = dict(outcome.group.original.tags).get(self.tag)
        value = soft(outcome.group.original, outcome.original, failed, self.mode)
        if value is None or part not in ("head", "tail"):
            return None
        return (value, 1.0, 0.0, 0.0) if part == "head" else (0.0, 0.0, value, 1.0)

    def combine(self, sums: Any) -> Any:
        """The difference of the two means over the second."""
        head, tail = ratio(sums[0], sums[1]), ratio(sums[2], sums[3])
        return ratio(head - tail, tail)
