"""When an answer counts as correct, and how many groups are answered correctly as a whole.

The binary decision is what RAD, consensus, CARETS and flips use; paired benchmarks count groups, or named parts of
them, whose answers are all correct.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, TypeAlias

from askew.answers.extract import REFUSAL
from askew.answers.normalise import modal_answer, normalise, yes_no_other
from askew.errors import BadOption
from askew.metrics.accuracy import accuracy, check_mode
from askew.types import Mode, Outcome, Prediction, Question, Row
from askew.verbs import CountsCorrect, Metric

Correct: TypeAlias = str
"""``modal``: equals people's most frequent answer after normalisation (RAD's formula has one answer per example).
``any``: has an accuracy above 0 (as in the consensus score). ``>=0.5``, ``>0.3``: has at least or more than that.
``modal-or-unsure``: modal, or neither yes nor no if the question has no image (HallusionBench's own evaluator).
"""
UNSURE = "modal-or-unsure"

_THRESHOLD = re.compile(r"(>=?)\s*(0(?:\.\d+)?|1(?:\.0+)?|\.\d+)")


def right(question: Question, prediction: Prediction, correct: Correct = "modal", mode: Mode = "official") -> bool:
    """Whether this prediction counts as correct; never for a missing answer or a question without reference answers.

    In mode ``exact`` the modal answer is also compared character by character.

    >>> asked = Question(1, None, "How many?", ("2", "2", "2", "3"))
    >>> three = Prediction(1, "three")
    >>> right(asked, three), right(asked, three, "any"), right(asked, three, ">=0.5")
    (False, True, False)
    """
    return judged(question, prediction, 0.0, correct, mode) == 1.0


def judged(
    question: Question, prediction: Prediction, failed: float | None, correct: Correct, mode: Mode
) -> float | None:
    """1.0 if correct, 0.0 if wrong, ``failed`` if the answer is missing, None if there are no reference answers."""
    if not question.answers:
        return None
    if correct == UNSURE and is_unsure(prediction):
        return float(question.image is None)
    if prediction.answer is None:
        return failed
    return _judged(prediction.answer, question.answers, correct, mode)


def is_unsure(prediction: Prediction) -> bool:
    """Whether a reply to a yes/no question says neither. A refusal is such a reply, a failed request is not.

    >>> [is_unsure(Prediction(1, reply)) for reply in ("I'm not sure", "Yes.")]
    [True, False]
    """
    if prediction.answer is None:
        return prediction.error == REFUSAL
    return yes_no_other(prediction.answer) == "other"


def judged_pairs(outcome: Outcome, failed: float | None, correct: Correct, mode: Mode) -> list[tuple[float, float]]:
    """(original correct, variant correct) for each variant for which both can be decided."""
    if not outcome.variants:
        return []
    first = judged(outcome.group.original, outcome.original, failed, correct, mode)
    if first is None:
        return []
    seconds = (judged(variant.question, prediction, failed, correct, mode) for variant, prediction in outcome.pairs())
    return [(first, second) for second in seconds if second is not None]


def check_correct(correct: Correct, mode: Mode) -> None:
    """Refuse an unknown rule for correct answers when a metric is constructed, rather than when it is first used."""
    check_mode(mode)
    if correct not in ("modal", "any", UNSURE):
        _threshold(correct)


class CorrectMetric(Metric, CountsCorrect):
    """A metric that counts answers as correct by a rule and in a mode, which are checked when it is constructed."""

    def __post_init__(self) -> None:
        check_correct(self.correct, self.mode)


@lru_cache(maxsize=1 << 14)
def _judged(answer: str, answers: tuple[str, ...], correct: Correct, mode: Mode) -> float:
    if correct in ("modal", UNSURE):
        if mode == "exact":
            return accuracy(answer, answers, mode)
        return float(normalise(answer) == modal_answer(answers, normalise))
    value = accuracy(answer, answers, mode)
    if correct == "any":
        return float(value > 0)
    sign, least = _threshold(correct)
    return float(value >= least if sign == ">=" else value > least)


def _threshold(correct: Correct) -> tuple[str, float]:
    match = _THRESHOLD.fullmatch(correct)
    if match is None:
        raise BadOption(f"{correct!r} is not a rule for correct answers. Try 'modal', 'any' or e.g. '>=0.5'.")
    return match[1], float(match[2])


@dataclass(frozen=True)
class AllCorrect(CorrectMetric):
    """Share of groups whose questions are all answered correctly, the original and every variant.

    It is G-Acc of NaturalBench, qAcc and fAcc of HallusionBench, circular accuracy of MMBench, pair accuracy of MMVP
    and Perf-Con of ConVQA. With ``by``, the questions of a group are first divided by their value of that tag, and each
    part counts: Q-Acc of NaturalBench by ``question``, I-Acc by ``image``. A group (or part) with a missing answer is
    left out, even if another answer is wrong: keeping only such groups would bias the share. With ``only``, just groups
    whose original has that tag (``grouping=figure``) count, for benchmarks that group their questions twice.

    A group of four with one wrong answer counts 0 of 1; in two parts of two it counts 1 of 2.
    """

    by: str = ""
    correct: Correct = "modal"
    mode: Mode = "official"
    only: str = ""

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(groups or parts that are all correct, groups or parts)."""
        if not has_tag(outcome, self.only):
            return None
        parts: dict[str, list[float | None]] = {}
        for question, prediction in members(outcome):
            is_correct = judged(question, prediction, failed, self.correct, self.mode)
            parts.setdefault(_tag(question, self.by), []).append(is_correct)
        known = [min(values) for values in map(_complete, parts.values()) if values]
        return (sum(known), float(len(known))) if known else None


@dataclass(frozen=True)
class AverageCorrect(CorrectMetric):
    """The share of correctly answered questions of a group, mean over groups: Avg-Con of ConVQA (Ray et al. 2019).

    Groups count alike, however many questions they have. A group with a missing answer is left out. A group of four
    with one wrong answer and a group of two with one wrong answer give (3/4 + 1/2) / 2.
    """

    title: ClassVar[str] = "Avg-Con"
    sentence: ClassVar[str] = "correct answers in a set, mean over sets"

    correct: Correct = "modal"
    mode: Mode = "official"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(share of correct answers, 1)."""
        values = [judged(q, p, failed, self.correct, self.mode) for q, p in members(outcome)]
        known = _complete(values)
        return (sum(known) / len(known), 1.0) if known else None


@dataclass(frozen=True)
class CorrectGivenParts(CorrectMetric):
    """Share of composed questions answered correctly among those whose parts are all answered correctly.

    For compositions such as *Is it red and is it round?* (VQA-LOL, Gokhale et al. 2020): the parts are the original and
    the variants whose test is ``part``; the other variants are composed of them. A composition with a missing answer,
    and a group with a missing answer to a part, is left out. A group whose parts are not all correct has a row of
    zeros: it adds nothing. With two compositions, one correct, of correct parts: 1/2.
    """

    conditional: ClassVar[bool] = True
    title: ClassVar[str] = "Given correct parts"
    sentence: ClassVar[str] = "of the compositions whose parts are answered correctly, those answered correctly too"

    part: str = "part"
    correct: Correct = "modal"
    mode: Mode = "official"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(correct compositions of correct parts, compositions of correct parts)."""
        parts = [judged(outcome.group.original, outcome.original, failed, self.correct, self.mode)]
        composed: list[float] = []
        for variant, prediction in outcome.pairs():
            value = judged(variant.question, prediction, failed, self.correct, self.mode)
            if variant.test == self.part:
                parts.append(value)
            elif value is not None:
                composed.append(value)
        known = _complete(parts)
        if not known or not composed:
            return None
        return min(known) * sum(composed), min(known) * len(composed)


def members(outcome: Outcome) -> Iterable[tuple[Question, Prediction]]:
    """Every question of a group with its answer, the original first."""
    yield outcome.group.original, outcome.original
    for variant, prediction in outcome.pairs():
        yield variant.question, prediction


def _complete(values: list[float | None]) -> list[float]:
    """The values if none is missing, otherwise an empty list."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def has_tag(outcome: Outcome, only: str) -> bool:
    """Whether the original of a group has this tag, given as ``name=value``; any group fits an empty text."""
    name, _, value = only.partition("=")
    return not name or _tag(outcome.group.original, name) == value


def _tag(question: Question, name: str) -> str:
    return dict(question.tags).get(name, "") if name else ""
