"""Flips under image edits: answers that do not change as they should (IV-VQA and CV-VQA, Agarwal et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from askew.answers.normalise import modal_answer, normalise
from askew.errors import BadOption
from askew.metrics.bounds import known_answers, pair_by_pair, unsaid
from askew.metrics.consistency import consistent
from askew.metrics.correct import Correct, check_correct, judged
from askew.metrics.sums import ratio
from askew.types import Expect, Mode, Outcome, Prediction, Question, Row, Variant
from askew.verbs import Metric

FlipKind: TypeAlias = Literal["any", "positive", "negative", "wrong", "right"]
"""``positive``: wrong before the edit, correct after; ``negative``: correct before, wrong after; ``wrong``: wrong both
times; ``right``: both answers accepted, though they differ (not with ``correct="modal"``). ``any`` is their sum.
"""

_NEVER_FLIP = {"many", "black"}
"""Answers after an edit that the authors' code leaves out of the flips, though not out of the pairs (*sic*)."""
_CORRECT_BEFORE_AND_AFTER = {"positive": (0.0, 1.0), "negative": (1.0, 0.0), "wrong": (0.0, 0.0), "right": (1.0, 1.0)}


@dataclass(frozen=True)
class Flips(Metric):
    """Share of pairs whose answers flip, of one kind or of any.

    Where something the question does not ask about was removed (``same``, ``noise``: IV-VQA) a flip is another answer.
    Where one of the counted things was removed (``given``: CV-VQA) it is a count that does not drop by ``drop``; an
    answer that is not a number flips. Such a pair asks the same question of the edited image, and people's most
    frequent answers are counts that drop by ``drop``. Any other pair is left out: with RAD's counterfactuals or with
    negations there is nothing to measure. A pair with a missing answer is left out too; counted as wrong it is a flip,
    counted as correct it is not. ``authors=True`` counts as the code of Agarwal et al. does: a pair of counts is never
    a flip, but still a pair, if the answer after the edit is "many" or "black", not before it.
    """

    kind: FlipKind = "any"
    drop: int = 1
    correct: Correct = "modal"
    mode: Mode = "official"
    authors: bool = False

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)
        if self.kind not in get_args(FlipKind):
            raise BadOption(f"No flip is called {self.kind!r}. Known: {', '.join(get_args(FlipKind))}.")

    @property
    def better(self) -> Literal[-1, 0]:
        """Fewer flips; a flip to a correct answer is neither better nor worse."""
        return -1 if self.kind in ("any", "negative", "wrong") else 0

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(flips of this kind, pairs)."""
        before = judged(outcome.group.original, outcome.original, failed, self.correct, self.mode)
        flips = pairs = 0
        for variant, prediction in outcome.pairs():
            if not self._has_meaning(outcome.group.original, variant):
                continue
            after = judged(variant.question, prediction, failed, self.correct, self.mode)
            follows = self._follows(outcome, variant, prediction, failed)
            if before is None or after is None or follows is None:
                continue
            pairs += 1
            flips += not follows and (self.kind == "any" or _CORRECT_BEFORE_AND_AFTER[self.kind] == (before, after))
        return (float(flips), float(pairs)) if pairs else None

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Missing answers filled in with people's answers, with the other answer of the pair, or with none of these."""
        known = known_answers(outcome)
        originals = {*known, *self._shifted(known, self.drop), *outcome.group.original.answers}

        def answers(variant: Variant, said: str) -> list[str]:
            likely = {said, *self._shifted([said], -self.drop), *variant.question.answers}
            return sorted({*likely, unsaid(likely)})

        return pair_by_pair(self, outcome, sorted({*originals, unsaid(originals)}), answers)

    def _shifted(self, answers: Iterable[str], by: int) -> Iterator[str]:
        """The numbers among these answers, plus ``by``."""
        return (str(count + by) for count in map(_count, answers) if count is not None)

    def _has_meaning(self, original: Question, variant: Variant) -> bool:
        if variant.expect is not Expect.GIVEN:
            return variant.expect is not Expect.DIFFERENT
        if original.text != variant.question.text or not original.answers or not variant.question.answers:
            return False
        before, after = (
            _count(modal_answer(answers, normalise)) for answers in (original.answers, variant.question.answers)
        )
        return before is not None and after is not None and after == before - self.drop

    def _follows(
        self, outcome: Outcome, variant: Variant, prediction: Prediction, failed: float | None
    ) -> float | None:
        if variant.expect is not Expect.GIVEN:
            return consistent(outcome.group.original, outcome.original, variant, prediction, failed)
        if outcome.original.answer is None or prediction.answer is None:
            return failed
        if self.authors and normalise(prediction.answer) in _NEVER_FLIP:
            return 1.0
        before, after = _count(outcome.original.answer), _count(prediction.answer)
        return float(before is not None and after is not None and after == before - self.drop)


def _count(answer: str) -> int | None:
    digits = normalise(answer)
    return int(digits) if digits.isdecimal() else None
