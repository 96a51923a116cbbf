"""RAD: does a model that gets the question right get its augmentation right too?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askew.metrics.correct import Correct, check_correct, judged_pairs
from askew.metrics.ratio import ratio
from askew.types import Mode, Outcome, Row


@dataclass(frozen=True)
class Rad:
    """Share of rightly answered originals whose variant is answered rightly too (Rosenberg et al. 2021, eq. 1).

    RAD(D, D′) = |J(D) ∩ J(D′)| / |J(D)|, where J are the indices answered rightly; ``backward`` is RAD(D′, D), over
    rightly answered variants. An index is a variant with its original, so an original with three variants counts
    three times on either side. A group outside J has a row of zeros: it adds nothing and is not in the score's n.
    Not defined, nan, when J is empty.

    >>> float(Rad().combine((3.0, 4.0)))  # four originals right, of those three variants
    0.75
    """

    backward: bool = False
    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(pairs right on both sides, pairs right on this side)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        if not pairs:
            return None
        both = sum(original * variant for original, variant in pairs)
        return both, sum(variant if self.backward else original for original, variant in pairs)

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])
