"""CARETS' three scores over pairs of an original and its variant; every pair counts (Jimenez et al. 2022, §5.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from askew.answers.normalise import modal_answer, normalise
from askew.metrics.accuracy import summed
from askew.metrics.correct import Correct, check_correct, judged_pairs
from askew.metrics.fillings import known_answers, pair_by_pair, unsaid
from askew.metrics.ratio import ratio
from askew.types import Expect, Mode, Outcome, Prediction, Question, Row, Variant


@dataclass(frozen=True)
class PairAccuracy:
    """ACC: share of right answers over both members of all pairs, so an original counts once for each variant."""

    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(right answers, answers)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        return (sum(map(sum, pairs)), 2.0 * len(pairs)) if pairs else None

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])


@dataclass(frozen=True)
class ComprehensiveAccuracy:
    """C-ACC: share of pairs of which both are right. Both labels are checked."""

    pairwise: ClassVar[bool] = True

    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(pairs right on both sides, pairs)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        return (sum(first * second for first, second in pairs), float(len(pairs))) if pairs else None

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])


@dataclass(frozen=True)
class SelfConsistency:
    """CONS: share of pairs whose answers are equal where they should be, and different where they should be.

    What people answered is not looked at where the change says what should happen (``same``, ``noise``: equal;
    ``different``: not equal). A variant that carries its own answers (``given``) should be answered like the original
    when people's most frequent answers to both are equal, else differently. Answers are compared normalised.
    A pair with a missing answer is left out, or counts as ``failed`` says.
    """

    pairwise: ClassVar[bool] = True

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(consistent pairs, pairs)."""
        original = outcome.group.original
        found = (consistent(original, outcome.original, v, p, failed) for v, p in outcome.pairs())
        return summed(value for value in found if value is not None)

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """A missing original answered like one of the variants, or like none; each missing variant like it or not."""
        known = known_answers(outcome)
        return pair_by_pair(self, outcome, [*known, unsaid(known)], lambda variant, said: (said, unsaid([said])))


def consistent(
    original: Question, first: Prediction, variant: Variant, second: Prediction, failed: float | None
) -> float | None:
    """1.0 when the two answers relate as they should, else 0.0; ``failed`` when one is missing.

    None when a ``given`` variant or its original has no people's answers to say what should happen.
    """
    same = True
    if variant.expect is Expect.DIFFERENT:
        same = False
    elif variant.expect is Expect.GIVEN:
        if not original.answers or not variant.question.answers:
            return None
        same = modal_answer(original.answers) == modal_answer(variant.question.answers)
    if first.answer is None or second.answer is None:
        return failed
    return float((normalise(first.answer) == normalise(second.answer)) == same)
