"""The level of chance: what a model scores that picks one of a question's possible answers at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np

from askew.answers.normalise import modal_answer
from askew.significance import Floats, settled
from askew.types import Group, Outcome, Prediction, Question
from askew.verbs import Metric

MEASURED = 500
"""The number of groups over which the expected score is computed."""
_MOST_WAYS = 64
"""Groups that can be answered in more ways have no level of chance."""


class ChanceLevel:
    """The expected score of guesses over a stream of groups; defined if all their questions have known possibilities.

    Questions with options are answered with one of them, yes/no questions with yes or no. A conditional score is about
    answers that were correct before the change, so their originals are taken to be answered correctly.

    >>> from askew.metrics.accuracy import Accuracy
    >>> level = ChanceLevel(Accuracy())
    >>> level.add(Group(1, "s", Question(1, None, "Is it red?", ("no",) * 10)))
    >>> level.value
    0.5
    >>> level.add(Group(2, "s", Question(2, None, "What is it?", ("dog",) * 10)))
    >>> level.value is None
    True
    """

    def __init__(self, metric: Metric, alone: bool = False) -> None:
        self.metric = metric
        self.alone = alone
        """Whether only the originals count."""
        self._defined = metric.share and not metric.signed and metric.better > 0
        self._sums: Floats | None = None
        self._groups = 0

    @property
    def value(self) -> float | None:
        """The expected score; None if it is not defined."""
        if not self._defined or self._sums is None:
            return None
        found = settled(self.metric.combine(self._sums))
        return found if found == found else None

    def add(self, group: Group) -> None:
        """Add a group."""
        if not self._defined or (self.metric.conditional and not group.variants):
            return
        if self.alone and group.variants:
            group = replace(group, variants=())
        questions = (group.original, *(variant.question for variant in group.variants))
        possible = [_possible(question) for question in questions]
        if self.metric.conditional:
            possible[0] = (modal_answer(group.original.answers, str),) if group.original.answers else ()
        self._defined = 0 < prod(map(len, possible)) <= _MOST_WAYS
        self._groups += 1
        if not self._defined or self._groups > MEASURED:
            return
        rows = [row for row in map(self.metric.measure, _outcomes(group, questions, possible)) if row is not None]
        if rows:
            mean = np.mean(np.array(rows, dtype=float), axis=0)
            self._sums = mean if self._sums is None else self._sums + mean


def _possible(question: Question) -> Sequence[str]:
    """The answers that a question can have; none if they are not known."""
    if question.choices:
        return question.choices
    if question.kind.answer_type == "yes/no" or modal_answer(question.answers, str.lower) in ("yes", "no"):
        return "yes", "no"
    return ()


def _outcomes(group: Group, questions: Sequence[Question], possible: Sequence[Sequence[str]]) -> Iterator[Outcome]:
    for answers in product(*possible):
        first, *others = (Prediction(one.id, answer) for one, answer in zip(questions, answers, strict=True))
        yield Outcome(group, first, tuple(others))
