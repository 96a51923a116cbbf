"""The consensus score: are all ways of asking a question answered correctly together?"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

from askew.errors import BadOption
from askew.metrics.correct import Correct, check_correct, judged
from askew.metrics.sums import ratio
from askew.types import Mode, Outcome, Row
from askew.verbs import Metric


@dataclass(frozen=True)
class Consensus(Metric):
    """CS(k): share of a group's k-subsets whose answers are all correct, mean over groups (Shah et al. 2019).

    A group is the original with its variants; a question without an answer is left out of it, and a group of fewer
    than k says nothing. With ``anchored`` only the subsets that contain the original count: for k = 2 the pairs
    (original, perturbed) of VQA P2, even where an original has several variants.

    A group of four of which three are correct has C(3, 2) = 3 correct pairs out of C(4, 2) = 6: its CS(2) is one half.
    """

    k: int = 2
    correct: Correct = "any"
    mode: Mode = "official"
    anchored: bool = False

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)
        if self.k < 1:
            raise BadOption(f"A consensus is of k = 1 question or more, not of {self.k}.")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(share of the group's subsets that are correct, 1)."""
        original = judged(outcome.group.original, outcome.original, failed, self.correct, self.mode)
        found = (judged(v.question, p, failed, self.correct, self.mode) for v, p in outcome.pairs())
        variants = [value for value in found if value is not None]
        if self.anchored:
            subsets = comb(len(variants), self.k - 1) if original is not None else 0
            whole = comb(round(sum(variants)), self.k - 1) * (original or 0.0)
        else:
            known = variants if original is None else [original, *variants]
            subsets = comb(len(known), self.k)
            whole = comb(round(sum(known)), self.k)
        return (whole / subsets, 1.0) if subsets else None

    def combine(self, sums: Any) -> Any:
        """The mean over groups."""
        return ratio(sums[0], sums[1])
