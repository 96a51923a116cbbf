"""VQA accuracy: agreement with people's answers, on originals, on variants, in the worst case; the official table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from askew.answers.normalise import clean, modal_answer, normalise, normalised
from askew.errors import BadOption, MissingPredictions
from askew.significance import ratio
from askew.types import Id, Mode, Outcome, Prediction, Question, Row
from askew.verbs import ComparesAnswers, Metric

ACCURACY = "accuracy.all"
"""The name in suites of the accuracy on the questions as they are; a headline of the suite that asks most of them."""

Side: TypeAlias = Literal["original", "paired", "variant", "all", "members"]
_SIDES = {
    "all": ("Accuracy", "the questions as they are, before any change"),
    "original": ("Accuracy on originals", "the questions that have variants, before the change; each counts once"),
    "paired": ("Accuracy before", "the original of each variant: with three variants, a question counts three times"),
    "variant": ("Accuracy on variants", "the changed questions"),
    "members": ("Accuracy on all questions", "originals and variants alike"),
}
"""For each side, the title of the accuracy on it, and the questions that count."""


def accuracy(answer: str, answers: tuple[str, ...], mode: Mode = "official") -> float:
    """How well this answer agrees with people's answers, from 0 to 1; nan if people gave no answers.

    With ten answers ``official`` and ``robust`` give 0, .3, .6, .9 or 1 for 0, 1, 2, 3 or more matches. With fewer
    than four there cannot be three others to agree with, so all the others (in ``simple``: all) must agree for a 1;
    the official evaluator, designed for ten, could never give 1 in that case.

    >>> accuracy("two", ("2", "2", *["3"] * 8))
    0.6
    >>> accuracy("Yes.", ("yes",) * 10), accuracy("Yes.", ("yes",) * 10, "robust")  # sic: unanimous, so not normalised
    (0.0, 1.0)
    """
    check_mode(mode)
    if not answers:
        return float("nan")
    return agreement(answer, answers, mode)


def compared(answer: str, answers: tuple[str, ...], mode: Mode = "official") -> tuple[str, list[str]]:
    """This answer and people's answers in the form in which they are compared.

    >>> compared("A dog.", ("dog", "the dog"))
    ('dog', ['dog', 'dog'])
    >>> compared("A dog.", ("dog", "dog"))
    ('A dog.', ['dog', 'dog'])
    """
    if mode == "exact" or (mode == "official" and _unanimous(answers)):
        return clean(answer), list(map(clean, answers))
    return normalise(answer), list(map(normalise, answers))


@cache
def leave_one_out(matching: int, people: int) -> float:
    """The mean of min(1, matches / 3) over the sets that leave one person out, as the nearest float.

    >>> [leave_one_out(matching, 10) for matching in range(6)]
    [0.0, 0.3, 0.6, 0.9, 1.0, 1.0]
    >>> leave_one_out(1, 1), leave_one_out(2, 2)
    (1.0, 1.0)
    """
    if people == 1:
        return float(matching)
    enough = min(3, people - 1)
    among_matching = matching * min(enough, matching - 1)
    among_others = (people - matching) * min(enough, matching)
    return (among_matching + among_others) / (people * enough)


def check_mode(mode: str) -> None:
    """Refuse an unknown mode when a metric is constructed, rather than when it is first used."""
    if mode not in get_args(Mode):
        raise BadOption(f"No accuracy mode is called {mode!r}. Known: {', '.join(get_args(Mode))}.")


class ModeMetric(Metric, ComparesAnswers):
    """A metric in a mode of accuracy, which is checked when it is constructed."""

    def __post_init__(self) -> None:
        check_mode(self.mode)


def soft(question: Question, prediction: Prediction, failed: float | None, mode: Mode) -> float | None:
    """The accuracy of this prediction: ``failed`` if it is missing, None if there are no reference answers."""
    if not question.answers:
        return None
    if prediction.answer is None:
        return failed
    return agreement(prediction.answer, question.answers, mode)


def soft_variants(outcome: Outcome, failed: float | None, mode: Mode) -> list[float]:
    """The accuracy of each variant that has one."""
    values = (soft(variant.question, prediction, failed, mode) for variant, prediction in outcome.pairs())
    return [value for value in values if value is not None]


@dataclass(frozen=True)
class Accuracy(Metric):
    """VQA accuracy on the originals that have variants, on the variants (each counts once), or on all originals.

    ``original`` is Accuracy(D) and ``variant`` Accuracy(D′) of RAD and *Pert* of VQA P2; its *Ori* is ``paired``: each
    original as often as it has variants, so that the two can be compared. ``all`` includes the originals without
    variants; ``members`` is over every question, originals and variants alike. nan if there is nothing to measure.
    """

    of: Side = "all"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if self.of not in get_args(Side):
            raise BadOption(f"Accuracy of what? {self.of!r} is not one of {', '.join(get_args(Side))}.")

    @property
    def title(self) -> str:
        """Accuracy, and on what."""
        return _SIDES[self.of][0]

    @property
    def sentence(self) -> str:
        """The questions that count."""
        return _SIDES[self.of][1]

    @property
    def limited_by_labels(self) -> bool:
        """On variants."""
        return self.of == "variant"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(sum of accuracies, how many)."""
        if self.of == "variant":
            return summed(soft_variants(outcome, failed, self.mode))
        if self.of == "paired":
            row = before_and_after(outcome, failed, self.mode)
            return row and row[:2]
        if self.of == "original" and not outcome.variants:
            return None
        value = soft(outcome.group.original, outcome.original, failed, self.mode)
        if self.of == "members":
            return summed((*([] if value is None else [value]), *soft_variants(outcome, failed, self.mode)))
        return None if value is None else (value, 1.0)


@dataclass(frozen=True)
class Gap(ModeMetric):
    """How accuracy changes: on variants minus on originals, over pairs of the two; negative where the change costs.

    What VQA P2 prints as Δ = Pert − Ori (Whitehead et al. 2020, Table 2).
    """

    least: ClassVar[float] = -1.0
    zero_is_best: ClassVar[bool] = True
    signed: ClassVar[bool] = True
    title: ClassVar[str] = "Gap"
    sentence: ClassVar[str] = "accuracy on variants minus that on originals, in points"

    mode: Mode = "official"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(accuracy of the original for each variant, how many, sum of the variants' accuracies, how many)."""
        return before_and_after(outcome, failed, self.mode)

    def combine(self, sums: Any) -> Any:
        """The difference of the two means."""
        return ratio(sums[2], sums[3]) - ratio(sums[0], sums[1])

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """The gap as one fraction, since both sides have the same count; for intervals and bounds."""
        return sums[2] - sums[0], sums[1]


@dataclass(frozen=True)
class Mu(ModeMetric):
    """μ of VQA P2: the mean of the accuracy on originals and the accuracy on variants, over pairs (Table 4)."""

    title: ClassVar[str] = "μ"
    stands_for: ClassVar[str] = "mean accuracy"
    sentence: ClassVar[str] = "mean of accuracy on originals and on variants"

    mode: Mode = "official"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(accuracy of the original for each variant, how many, sum of the variants' accuracies, how many)."""
        return before_and_after(outcome, failed, self.mode)

    def combine(self, sums: Any) -> Any:
        """The mean of the two means."""
        return (ratio(sums[0], sums[1]) + ratio(sums[2], sums[3])) / 2

    def fraction(self, sums: Any) -> tuple[Any, Any]:
        """μ as one fraction, since both sides have the same count; for intervals and bounds."""
        return sums[0] + sums[2], 2 * sums[1]


@dataclass(frozen=True)
class Worst(ModeMetric):
    """The lowest accuracy over a group's variants, mean over groups; with ``original=True`` the original counts too.

    The worst case: each question in its least favourable form. A group with a missing answer is left out, even if
    another of its answers has accuracy 0: keeping only such groups would bias the mean.
    """

    title: ClassVar[str] = "Worst case"
    sentence: ClassVar[str] = "the lowest accuracy in each group"

    mode: Mode = "official"
    original: bool = False

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(lowest accuracy, 1)."""
        members = [(variant.question, prediction) for variant, prediction in outcome.pairs()]
        if self.original and members:
            members.append((outcome.group.original, outcome.original))
        values = [soft(question, prediction, failed, self.mode) for question, prediction in members if question.answers]
        known = [value for value in values if value is not None]
        return (min(known), 1.0) if known and len(known) == len(values) else None


def before_and_after(outcome: Outcome, failed: float | None, mode: Mode) -> Row | None:
    """Sums and counts of originals (each once for each of its variants) and of variants; None unless there are both."""
    if not outcome.variants:
        return None
    original = soft(outcome.group.original, outcome.original, failed, mode)
    variants = soft_variants(outcome, failed, mode)
    if original is None or not variants:
        return None
    count = float(len(variants))
    return original * count, count, sum(variants), count


def summed(values: Iterable[float]) -> Row | None:
    """(sum, how many), or None if empty."""
    values = tuple(values)
    return (sum(values), float(len(values))) if values else None


@lru_cache(maxsize=1 << 14)
def agreement(answer: str, answers: tuple[str, ...], mode: Mode) -> float:
    """Like ``accuracy``, for a valid mode and at least one reference answer."""
    if mode == "exact":
        ours, people = compared(answer, answers, mode)
        return float(ours == modal_answer(people, str))
    if mode == "official":
        if not _unanimous(answers):
            return agreement(answer, answers, "robust")  # a run needs both, and finds it in the cache
        matching = len(answers) if clean(answer) == clean(answers[0]) else 0
    else:
        matching = normalised(answers).count(normalise(answer))
    if mode == "simple":
        return min(1.0, matching / min(3, len(answers)))
    return leave_one_out(matching, len(answers))


def _unanimous(answers: tuple[str, ...]) -> bool:
    """Whether people gave the same answer; if not even its normalised form is the same, they did not."""
    distinct = set(answers)
    if len(distinct) > 1 and len(set(normalised(answers))) == 1:
        distinct = set(map(clean, distinct))
    return len(distinct) == 1


@dataclass(frozen=True)
class OfficialTable:
    """Percentages with two decimals, as the evaluator prints them; ``overall`` is nan if there are no questions."""

    overall: float
    answer_types: Mapping[str, float]
    question_types: Mapping[str, float]
    questions: int


def official_table(questions: Iterable[Question], answers: Mapping[Id, str]) -> OfficialTable:
    """The table that the official evaluator (Antol et al. 2015) prints for these answers, by question id.

    A question without an answer is an error, as in the official evaluator; to score a part of a data set, pass only
    its answered questions.

    >>> from askew.types import Kind
    >>> asked = Question(7, None, "Is it red?", ("yes",) * 3 + ("no",) * 7, Kind("yes/no", "is it"))
    >>> official_table([asked], {7: "Yes"})
    OfficialTable(overall=90.0, answer_types={'yes/no': 90.0}, question_types={'is it': 90.0}, questions=1)
    """
    everything: list[float] = []
    by_answer_type: defaultdict[str, list[float]] = defaultdict(list)
    by_question_type: defaultdict[str, list[float]] = defaultdict(list)
    missing: list[Id] = []
    for question in questions:
        answer = answers.get(question.id)
        if answer is None or not question.answers:
            missing.append(question.id)
            continue
        value = _official_accuracy(*compared(answer, question.answers))
        everything.append(value)
        by_answer_type[question.kind.answer_type].append(value)
        by_question_type[question.kind.question_type].append(value)
    if missing:
        raise MissingPredictions(
            f"{len(missing)} questions have no prediction or no people's answers, e.g. {missing[0]!r}. "
            "The official evaluator scores complete files only: leave these questions out, or answer them."
        )
    return OfficialTable(
        overall=_percent(everything) if everything else float("nan"),
        answer_types={name: _percent(values) for name, values in by_answer_type.items()},
        question_types={name: _percent(values) for name, values in by_question_type.items()},
        questions=len(everything),
    )


def _official_accuracy(answer: str, people: list[str]) -> float:
    matches = people.count(answer)
    if matches in (1, 2, 3):
        return _as_the_evaluator_adds_up(tuple([answer == other for other in people]))
    return 1.0 if matches else 0.0


@lru_cache(maxsize=1 << 14)
def _as_the_evaluator_adds_up(matching: tuple[bool, ...]) -> float:
    """The accuracy with the official evaluator's rounding errors, which decide ties in the last decimal."""
    people, matches = len(matching), sum(matching)
    if people < 4:
        return leave_one_out(matches, people)
    return _added(min(1.0, (matches - match) / 3) for match in matching) / people


def _percent(values: list[float]) -> float:
    return round(100 * _added(values) / len(values), 2)


def _added(values: Iterable[float]) -> float:
    """The sum, one by one, as ``sum`` did before Python 3.12."""
    total = 0.0
    for value in values:
        total += value
    return total
