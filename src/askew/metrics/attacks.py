"""Success of attacks: how often the answer becomes wrong, after how many tries (Li et al. 2021, Tables 1 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askew.metrics.correct import Correct, check_correct, judged_pairs
from askew.metrics.sums import ratio
from askew.types import Mode, Outcome, Row
from askew.verbs import Metric


@dataclass(frozen=True)
class AttackErrorRate(Metric):
    """Share of attacked examples whose answer became wrong: correct on the original, wrong on some variant.

    The attacked examples are those with a variant and a correct original; with ``all_attacked`` also those that were
    wrong from the start, and every one with a wrong variant counts (the model error rate of Table 1).
    A missing answer counted as wrong is an error.
    """

    better: ClassVar[Literal[-1]] = -1

    correct: Correct = "modal"
    mode: Mode = "official"
    all_attacked: bool = False

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(became wrong, attacked)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        if not pairs:
            return None
        attacked = 1.0 if self.all_attacked else pairs[0][0]
        return attacked * (1.0 - min(variant for _, variant in pairs)), attacked

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])


@dataclass(frozen=True)
class AttackTries(Metric):
    """Model calls per attacked example: the mean over groups of the ``tries`` in the variants' notes."""

    share: ClassVar[bool] = False
    better: ClassVar[Literal[0]] = 0

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(tries, 1); failed attempts count too."""
        tries = [float(variant.note["tries"]) for variant in outcome.group.variants if "tries" in variant.note]
        return (sum(tries), 1.0) if tries else None

    def combine(self, sums: Any) -> Any:
        """The mean over groups."""
        return ratio(sums[0], sums[1])
