"""The worst case: how a model does when each question is asked in the way that suits it least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askew.metrics.accuracy import check_mode, soft
from askew.metrics.ratio import ratio
from askew.types import Mode, Outcome, Row


@dataclass(frozen=True)
class Worst:
    """The lowest accuracy over a group's variants, mean over groups; with ``original=True`` the original counts too.

    A group with a missing answer is left out, also where another of its answers has accuracy 0 already: to keep just
    those would make the mean too low.
    """

    mode: Mode = "official"
    original: bool = False

    def __post_init__(self) -> None:
        check_mode(self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(lowest accuracy, 1)."""
        asked = [(variant.question, prediction) for variant, prediction in outcome.pairs()]
        if self.original and asked:
            asked.append((outcome.group.original, outcome.original))
        asked = [(question, prediction) for question, prediction in asked if question.answers]
        values = [soft(question, prediction, failed, self.mode) for question, prediction in asked]
        known = [value for value in values if value is not None]
        return (min(known), 1.0) if known and len(known) == len(values) else None

    def combine(self, sums: Any) -> Any:
        """The mean over groups."""
        return ratio(sums[0], sums[1])
