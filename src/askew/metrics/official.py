"""The public VQA evaluator's table: accuracy overall, per answer type and per question type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from askew.errors import MissingPredictions
from askew.metrics.accuracy import compared, leave_one_out
from askew.types import Id, Question


@dataclass(frozen=True)
class OfficialTable:
    """Percentages, rounded to two decimals as the evaluator prints them; nan overall when there are no questions."""

    overall: float
    answer_types: Mapping[str, float]
    question_types: Mapping[str, float]
    questions: int


def official_table(questions: Iterable[Question], answers: Mapping[Id, str]) -> OfficialTable:
    """What the public evaluator (Antol et al. 2015) prints for these answers, by question id.

    A question without an answer is an error, as it is there; so that a set can be scored in part, pass only its
    answered questions.

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
        value = _accuracy(*compared(answer, question.answers))
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


def _accuracy(answer: str, people: list[str]) -> float:
    matches = people.count(answer)
    if matches in (1, 2, 3):
        return _as_the_evaluator_adds_up(tuple([answer == one for one in people]))
    return 1.0 if matches else 0.0


@lru_cache(maxsize=1 << 14)
def _as_the_evaluator_adds_up(matching: tuple[bool, ...]) -> float:
    """The accuracy with the evaluator's own rounding errors, person by person: they decide ties in the last decimal."""
    people, matches = len(matching), sum(matching)
    if people < 4:
        return leave_one_out(matches, people)
    return _added(min(1.0, (matches - one) / 3) for one in matching) / people


def _percent(values: list[float]) -> float:
    return round(100 * _added(values) / len(values), 2)


def _added(values: Iterable[float]) -> float:
    """One by one, as ``sum`` did before Python 3.12."""
    total = 0.0
    for value in values:
        total += value
    return total
