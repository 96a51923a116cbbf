"""RAD: does a model that answers a question correctly answer its augmentation correctly too? And its sub-questions?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from askew.metrics.correct import Correct, check_correct, judged_pairs
from askew.metrics.sums import ratio
from askew.types import Mode, Outcome, Row
from askew.verbs import Metric


@dataclass(frozen=True)
class Rad(Metric):
    """Share of correctly answered originals whose variant is answered correctly too (Rosenberg et al. 2021, eq. 1).

    RAD(D, D′) = |J(D) ∩ J(D′)| / |J(D)|, where J are the indices answered correctly; ``backward`` is RAD(D′, D), over
    correctly answered variants. An index is a variant with its original, so an original with three variants counts
    three times on either side. A group outside J has a row of zeros: it adds nothing and is not in the score's n.
    Not defined, nan, when J is empty.

    >>> float(Rad().combine((3.0, 4.0)))  # four originals correct, three of their variants
    0.75
    """

    backward: bool = False
    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(pairs correct on both sides, pairs correct on this side)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        if not pairs:
            return None
        both = sum(original * variant for original, variant in pairs)
        return both, sum(variant if self.backward else original for original, variant in pairs)

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])


@dataclass(frozen=True)
class Introspect(Metric):
    """One cell of VQA-Introspect (Selvaraju et al. 2020): share of pairs with main and sub-question correct or wrong.

    Does a model that reasons correctly also see what the reasoning rests on? The main question is the original, its
    sub-questions are the variants. The four cells add up to one; the paper's consistency is RAD: the share of correct
    sub-questions among those whose main question is correct.
    """

    main: bool = True
    sub: bool = True
    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    @property
    def better(self) -> Literal[0, 1]:
        """More pairs of which both are correct; the other cells alone are neither better nor worse."""
        return 1 if self.main and self.sub else 0

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(pairs in the cell, pairs)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        return (float(pairs.count((float(self.main), float(self.sub)))), float(len(pairs))) if pairs else None

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])
