"""VQA-Introspect: does a model that reasons rightly also see what the reasoning rests on? (Selvaraju et al. 2020)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askew.metrics.correct import Correct, check_correct, judged_pairs
from askew.metrics.ratio import ratio
from askew.types import Mode, Outcome, Row


@dataclass(frozen=True)
class Introspect:
    """One of four cells: share of (main question, sub-question) pairs with main and sub right or wrong as said.

    The main question is the original, its sub-questions are the variants. The four cells add up to one; the paper's
    consistency is RAD, the sub-questions right among those whose main question is.
    """

    main: bool = True
    sub: bool = True
    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(pairs in the cell, pairs)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        return (float(pairs.count((float(self.main), float(self.sub)))), float(len(pairs))) if pairs else None

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])
