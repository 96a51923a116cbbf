"""Consistency: whether answers to a pair agree or differ as they should.

CARETS' scores over pairs of an original and its variant, the consensus score over whole groups, and flips under image
edits (IV-VQA and CV-VQA, Agarwal et al. 2020).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb
from typing import ClassVar, Literal, TypeAlias, get_args

from askew.answers.abstain import UNANSWERABLE
from askew.answers.no_option import NO_OPTION
from askew.answers.normalise import YesNoOther, modal_answer, normalise, yes_no_other
from askew.errors import BadOption
from askew.metrics.accuracy import summed
from askew.metrics.bounds import filled, known_answers, pair_by_pair, unsaid
from askew.metrics.correct import Correct, CorrectMetric, check_correct, has_tag, judged, judged_pairs
from askew.types import Expect, Mode, Outcome, Prediction, Question, Row, Variant
from askew.verbs import Metric

Among: TypeAlias = Literal["original", "variant", "both"]


@dataclass(frozen=True)
class PairAccuracy(CorrectMetric):
    """ACC: share of correct answers over both members of all pairs, so an original counts once for each variant."""

    title: ClassVar[str] = "ACC"
    stands_for: ClassVar[str] = "accuracy"
    sentence: ClassVar[str] = "over both questions of every pair"

    correct: Correct = "modal"
    mode: Mode = "official"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(correct answers, answers)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        return (sum(map(sum, pairs)), 2.0 * len(pairs)) if pairs else None


@dataclass(frozen=True)
class ComprehensiveAccuracy(CorrectMetric):
    """C-ACC: share of pairs with both answers correct."""

    pairwise: ClassVar[bool] = True
    limited_by_labels: ClassVar[bool] = True
    title: ClassVar[str] = "C-ACC"
    stands_for: ClassVar[str] = "comprehensive accuracy"
    sentence: ClassVar[str] = "pairs with both answers correct"

    correct: Correct = "modal"
    mode: Mode = "official"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(pairs correct on both sides, pairs)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        return (sum(first * second for first, second in pairs), float(len(pairs))) if pairs else None


@dataclass(frozen=True)
class SelfConsistency(Metric):
    """CONS: share of pairs whose answers are equal or different, as they should be.

    People's answers do not matter if the kind of change decides this (``same``, ``noise``: equal; ``different``: not
    equal). A variant with its own reference answers (``given``) should be answered like the original if people's most
    frequent answers to both are equal, otherwise differently. Answers are normalised before comparison. A pair with a
    missing answer is left out, or counts as ``failed``.
    """

    pairwise: ClassVar[bool] = True
    conditional: ClassVar[bool] = True
    consistency: ClassVar[bool] = True
    title: ClassVar[str] = "CONS"
    stands_for: ClassVar[str] = "self-consistency"
    sentence: ClassVar[str] = "pairs whose answers stay or change as they should, correct or not"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(consistent pairs, pairs)."""
        original = outcome.group.original
        values = (consistent(original, outcome.original, v, p, failed) for v, p in outcome.pairs())
        return summed(value for value in values if value is not None)

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """A missing original filled in like one of the variants, or like none; each missing variant like it, or not, or
        with the answer that there is none."""
        known = known_answers(outcome)
        return pair_by_pair(
            self, outcome, [*known, unsaid(known)], lambda _, answer: (answer, unsaid([answer]), UNANSWERABLE)
        )


def is_abstention(answer: str) -> bool:
    """Whether an answer says that there is none, as the rules of extraction write it."""
    return normalise(answer) in (UNANSWERABLE, NO_OPTION)


def consistent(
    original: Question, first: Prediction, variant: Variant, second: Prediction, failed: float | None
) -> float | None:
    """1.0 if the two answers are related as they should be, otherwise 0.0; ``failed`` if one is missing.

    None if a ``given`` variant or its original has no reference answers, so that the correct relation is unknown.
    """
    same = True
    if variant.expect is Expect.DIFFERENT:
        same = False
    elif variant.expect is Expect.GIVEN:
        if not original.answers or not variant.question.answers:
            return None
        same = modal_answer(original.answers, normalise) == modal_answer(variant.question.answers, normalise)
    if first.answer is None or second.answer is None:
        return failed
    if variant.expect is Expect.ABSTAIN:
        return float(is_abstention(second.answer) and not is_abstention(first.answer))
    return float((normalise(first.answer) == normalise(second.answer)) == same)


@dataclass(frozen=True)
class AbstainRate(Metric):
    """Share of replies that say that there is no answer: to the originals, which have one, or to the variants."""

    better: ClassVar[Literal[0]] = 0
    title: ClassVar[str] = "Abstains, {self.of}"
    sentence: ClassVar[str] = "replies that say there is no answer, to the {self.of}"

    of: Literal["original", "variant"] = "variant"

    def __post_init__(self) -> None:
        if self.of not in ("original", "variant"):
            raise BadOption(f"abstain-rate: of is {self.of!r}. Give original or variant.")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(replies that abstain, replies)."""
        said = outcome.variants if self.of == "variant" else (outcome.original,) if outcome.variants else ()
        values = (failed if one.answer is None else float(is_abstention(one.answer)) for one in said)
        return summed(value for value in values if value is not None)


@dataclass(frozen=True)
class AnswerRate(Metric):
    """Share of answers that are yes, no or other, among originals, variants or both, correct or not (CARETS Table 3).

    With ``only``, just groups whose original has that tag count (``grouping=single``).
    A missing answer is left out; if ``failed`` is set, it counts as an answer of another kind (0) or of this kind (1).
    """

    better: ClassVar[Literal[0]] = 0
    title: ClassVar[str] = "Says {self.says}"
    sentence: ClassVar[str] = "answers that are {self.says}, correct or not"

    says: YesNoOther = "yes"
    of: Among = "both"
    only: str = ""

    def __post_init__(self) -> None:
        if self.says not in get_args(YesNoOther) or self.of not in get_args(Among):
            raise BadOption(
                f"No rate of {self.says!r} among {self.of!r}. "
                f"Known: {', '.join(get_args(YesNoOther))} among {', '.join(get_args(Among))}."
            )

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(answers of this kind, answers)."""
        if not has_tag(outcome, self.only):
            return None
        first: tuple[Prediction, ...] = () if self.of == "variant" else (outcome.original,)
        predictions = first if self.of == "original" else (*first, *outcome.variants)
        values = (failed if p.answer is None else float(yes_no_other(p.answer) == self.says) for p in predictions)
        return summed(value for value in values if value is not None)

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """All missing answers of this kind, and all of another kind."""
        for kind in ("yes", "no", "other"):
            yield filled(outcome, kind, [kind] * len(outcome.variants))


@dataclass(frozen=True)
class Consensus(Metric):
    """CS(k): share of a group's k-subsets whose answers are all correct, mean over groups (Shah et al. 2019).

    A group is the original with its variants; a question without an answer is left out of it, and a group with fewer
    than k is ignored. With ``anchored`` only the subsets that contain the original count: for k = 2 the pairs
    (original, perturbed) of VQA P2, even if an original has several variants.

    A group of four with three correct answers has C(3, 2) = 3 correct pairs out of C(4, 2) = 6: its CS(2) is one half.
    """

    consistency: ClassVar[bool] = True
    title: ClassVar[str] = "CS({self.k})"

    k: int = 2
    correct: Correct = "any"
    mode: Mode = "official"
    anchored: bool = False

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)
        if self.k < 1:
            raise BadOption(f"k is {self.k}; a consensus needs k = 1 or more.")

    @property
    def stands_for(self) -> str:
        """What CS stands for."""
        return f"consensus score of {'pairs' if self.k == 2 else self.k}"

    @property
    def sentence(self) -> str:
        """What it counts."""
        if self.k == 2:
            return "pairs of a group with both answers correct"
        return f"sets of {self.k} questions of a group with all answers correct"

    @property
    def limited_by_labels(self) -> bool:
        """Each of its sets has a variant, unless a single question is a set."""
        return self.k > 1

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(share of the group's subsets that are correct, 1)."""
        if len(outcome.variants) + 1 < self.k:
            return None
        original = judged(outcome.group.original, outcome.original, failed, self.correct, self.mode)
        values = (judged(v.question, p, failed, self.correct, self.mode) for v, p in outcome.pairs())
        variants = [value for value in values if value is not None]
        if self.anchored:
            subsets = comb(len(variants), self.k - 1) if original is not None else 0
            whole = comb(round(sum(variants)), self.k - 1) * (original or 0.0)
        else:
            known = variants if original is None else [original, *variants]
            subsets = comb(len(known), self.k)
            whole = comb(round(sum(known)), self.k)
        return (whole / subsets, 1.0) if subsets else None


FlipKind: TypeAlias = Literal["any", "positive", "negative", "wrong", "right"]
"""``positive``: wrong before the edit, correct after; ``negative``: correct before, wrong after; ``wrong``: wrong both
times; ``right``: both answers accepted, though they differ (not with ``correct="modal"``). ``any`` is their sum.
"""

_NEVER_FLIP = {"many", "black"}
"""Answers after an edit that the authors' code leaves out of the flips, though not out of the pairs (*sic*)."""
_FLIPS = {
    "any": "answers that do not stay or change as they should after the edit",
    "positive": "answers that flip and are wrong before the edit, correct after it",
    "negative": "answers that flip and are correct before the edit, wrong after it",
    "wrong": "answers that flip and are wrong both times",
    "right": "answers that flip and are accepted both times",
}
_CORRECT_BEFORE_AND_AFTER = {"positive": (0.0, 1.0), "negative": (1.0, 0.0), "wrong": (0.0, 0.0), "right": (1.0, 1.0)}


@dataclass(frozen=True)
class Flips(Metric):
    """Share of pairs whose answers flip, of one kind or of any.

    If something the question does not ask about was removed (``same``, ``noise``: IV-VQA), a flip is another answer. If
    one of the counted things was removed (``given``: CV-VQA), it is a count that does not drop by ``drop``, or an
    answer that is not a number. Such a pair asks the same question of the edited image, and people's most
    frequent answers are counts that drop by ``drop``. Any other pair is left out: with RAD's counterfactuals or with
    negations there is nothing to measure. A pair with a missing answer is left out too; counted as wrong it is a flip,
    counted as correct it is not. ``authors=True`` counts as the code of Agarwal et al. does: a pair of counts is never
    a flip, but still a pair, if the answer after the edit (not the one before) is "many" or "black".
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

    @property
    def title(self) -> str:
        """Flips, and of which kind."""
        return "Flips" if self.kind == "any" else f"Flips, {self.kind}"

    @property
    def sentence(self) -> str:
        """What it counts."""
        return _FLIPS[self.kind]

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(flips of this kind, pairs)."""
        before = judged(outcome.group.original, outcome.original, failed, self.correct, self.mode)
        flips = pairs = 0
        for variant, prediction in outcome.pairs():
            if not self._is_measurable(outcome.group.original, variant):
                continue
            after = judged(variant.question, prediction, failed, self.correct, self.mode)
            follows = self._follows(outcome, variant, prediction, failed)
            if before is None or after is None or follows is None:
                continue
            pairs += 1
            flips += not follows and (self.kind == "any" or _CORRECT_BEFORE_AND_AFTER[self.kind] == (before, after))
        return (float(flips), float(pairs)) if pairs else None

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Missing answers filled in with people's answers, with the other answer of the pair, or with none of these."""
        known = known_answers(outcome)
        originals = {*known, *self._shifted(known, self.drop), *outcome.group.original.answers}

        def answers(variant: Variant, before: str) -> list[str]:
            likely = {before, *self._shifted([before], -self.drop), *variant.question.answers}
            return sorted({*likely, unsaid(likely)})

        return pair_by_pair(self, outcome, sorted({*originals, unsaid(originals)}), answers)

    def _shifted(self, answers: Iterable[str], by: int) -> Iterator[str]:
        """The numbers among these answers, plus ``by``."""
        return (str(count + by) for count in map(_count, answers) if count is not None)

    def _is_measurable(self, original: Question, variant: Variant) -> bool:
        if variant.expect is not Expect.GIVEN:
            return variant.expect in (Expect.SAME, Expect.NOISE)
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
