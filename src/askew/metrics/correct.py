"""When an answer counts as correct, a binary decision that RAD, consensus, CARETS and flips use."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

from askew.answers.normalise import modal_answer, normalise
from askew.errors import BadOption
from askew.metrics.accuracy import accuracy, check_mode
from askew.types import Mode, Outcome, Prediction, Question

Correct: TypeAlias = str
"""``modal``: equals people's most frequent answer after normalisation (RAD's formula has one answer per example).
``any``: has an accuracy above 0 (as in the consensus score). ``>=0.5``, ``>0.3``: has at least or more than that.
"""

_THRESHOLD = re.compile(r"(>=?)\s*(0(?:\.\d+)?|1(?:\.0+)?|\.\d+)")


def right(question: Question, prediction: Prediction, correct: Correct = "modal", mode: Mode = "official") -> bool:
    """Whether this prediction counts as correct; never for a missing answer or a question without reference answers.

    In mode ``exact`` the modal answer is also compared character by character.

    >>> asked = Question(1, None, "How many?", ("2", "2", "2", "3"))
    >>> said = Prediction(1, "three")
    >>> right(asked, said), right(asked, said, "any"), right(asked, said, ">=0.5")
    (False, True, False)
    """
    return judged(question, prediction, 0.0, correct, mode) == 1.0


def judged(
    question: Question, prediction: Prediction, failed: float | None, correct: Correct, mode: Mode
) -> float | None:
    """1.0 if correct, 0.0 if wrong, ``failed`` if the answer is missing, None if there are no reference answers."""
    if not question.answers:
        return None
    if prediction.answer is None:
        return failed
    return _judged(prediction.answer, question.answers, correct, mode)


def judged_pairs(outcome: Outcome, failed: float | None, correct: Correct, mode: Mode) -> list[tuple[float, float]]:
    """(original correct, variant correct) for each variant for which both can be decided."""
    first = judged(outcome.group.original, outcome.original, failed, correct, mode)
    if first is None:
        return []
    seconds = (judged(variant.question, prediction, failed, correct, mode) for variant, prediction in outcome.pairs())
    return [(first, second) for second in seconds if second is not None]


def check_correct(correct: Correct, mode: Mode) -> None:
    """Refuse an unknown rule for correct answers when a metric is constructed, rather than when it is first used."""
    check_mode(mode)
    if correct not in ("modal", "any"):
        _threshold(correct)


@lru_cache(maxsize=1 << 14)
def _judged(answer: str, answers: tuple[str, ...], correct: Correct, mode: Mode) -> float:
    if correct == "modal":
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
