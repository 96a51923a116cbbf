"""Bounds: the lowest and highest value that a score could have, whatever the missing answers would have been.

What a model would have answered is not known. A missing answer is filled in with a text, so bounds are what a model
could really have reached: to a question on which people disagree no answer has accuracy 1. A metric's extremes are
among few ways to fill in a group, and ``Fillable`` finds them over all groups exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from askew.answers.normalise import normalise
from askew.metrics.accuracy import accuracy
from askew.metrics.correct import Correct, judged
from askew.metrics.sums import Floats, Ints
from askew.types import Mode, Outcome, Prediction, Question, Row, Variant
from askew.verbs import ComparesAnswers, CountsCorrect, FillsMissing, GivesBounds, Metric, TellsFraction


@dataclass(frozen=True)
class Fillable:
    """What the column sums of a metric can be: for each incomplete group one of its rows is added to those fixed."""

    fixed: Floats
    """Column sums over the groups with all answers."""
    groups: Ints
    """For each row the number of its group; rows of a group stand together."""
    rows: Floats
    """Shape (rows, columns): a row for each way to fill a group in."""

    def extremes(self, fraction: Callable[[Any], tuple[Any, Any]]) -> tuple[Floats, Floats] | None:
        """The sums at which a fraction of two linear functions of them is lowest and highest, by Dinkelbach (1967).

        The denominator may not be below zero. None when it is zero in any case. Exact: a fraction is highest, with
        value λ, where numerator - λ denominator is highest, which each group decides for itself; λ then rises until it
        does so no more.
        """
        starts = self._starts()
        low, high = (self._extreme(fraction, starts, sign) for sign in (-1, 1))
        return None if low is None or high is None else (low, high)

    def columns(self) -> tuple[Floats, Floats]:
        """The lowest and the highest sum of each column by itself."""
        starts = self._starts()
        if not len(starts):
            return self.fixed, self.fixed
        low, high = (end.reduceat(self.rows, starts).sum(axis=0) for end in (np.minimum, np.maximum))
        return self.fixed + low, self.fixed + high

    def _starts(self) -> Ints:
        """Where the rows of each group begin."""
        return np.flatnonzero(np.diff(self.groups, prepend=-1)) if len(self.rows) else np.zeros(0, dtype=np.int64)

    def _extreme(self, fraction: Callable[[Any], tuple[Any, Any]], starts: Any, sign: int) -> Floats | None:
        top, bottom = fraction(self.rows.T)
        sums = self._sums(bottom, starts)
        found_top, found_bottom = fraction(sums)
        if found_bottom <= 0:
            return None
        while True:
            value = found_top / found_bottom
            better = self._sums(sign * (top - value * bottom), starts)
            found_top, found_bottom = fraction(better)
            if found_bottom <= 0 or sign * (found_top / found_bottom - value) <= 1e-13:
                return sums
            sums = better

    def _sums(self, worth: Floats, starts: Any) -> Floats:
        """The column sums with the row that is worth most in each group."""
        if not len(starts):
            return self.fixed
        most = np.repeat(np.maximum.reduceat(worth, starts), np.diff(starts, append=len(worth)))
        places = np.flatnonzero(worth >= most)
        chosen = places[np.unique(self.groups[places], return_index=True)[1]]
        return np.asarray(self.fixed + self.rows[chosen].sum(axis=0))


def bounds(metric: Metric, fillable: Fillable) -> tuple[float, float]:
    """The lowest and highest score over all ways to fill in the missing answers; nan where it is not defined.

    Most metrics are the ratio of their first two sums. Others ``TellsFraction`` or ``GivesBounds``; one of more columns
    that does neither has no bounds.
    """
    if isinstance(metric, GivesBounds):
        low, high = metric.bounds(fillable)
        return float(low), float(high)
    fraction = metric.fraction if isinstance(metric, TellsFraction) else tuple if len(fillable.fixed) == 2 else None
    sums = fillable.extremes(fraction) if fraction else None
    if sums is None:
        return float("nan"), float("nan")
    low, high = sorted(float(metric.combine(one)) for one in sums)
    return low, high


def rows_of_fillings(metric: Metric, outcome: Outcome) -> list[Row]:
    """The rows of the fillings that count for the bounds of this metric; empty when the group says nothing here."""
    if isinstance(metric, FillsMissing):
        found = [metric.measure(one) for one in metric.fillings(outcome)]
    elif isinstance(metric, ComparesAnswers):
        correct = metric.correct if isinstance(metric, CountsCorrect) else None
        found = [metric.measure(one) for one in correct_or_wrong(outcome, metric.mode, correct)]
    else:
        found = [metric.measure(outcome, 0.0), metric.measure(outcome, 1.0)]
    return list(dict.fromkeys(row for row in found if row is not None))


def correct_or_wrong(
    outcome: Outcome, mode: Mode, correct: Correct | None, side: Callable[[Variant], object] = lambda variant: True
) -> Iterator[Outcome]:
    """Original correct or wrong, and all variants of a ``side`` correct or wrong: each combination.

    Where the rest is fixed, most metrics only rise or only fall with a correct answer on one side.
    """
    sides = list(dict.fromkeys(side(v) for v, p in outcome.pairs() if p.answer is None))
    for choice in product((0, 1), repeat=len(sides) + 1):
        of_side = dict(zip(sides, choice, strict=False))
        variants = [
            best_and_worst(variant.question.answers, mode, correct)[of_side.get(side(variant), 0)]
            for variant in outcome.group.variants
        ]
        yield filled(outcome, best_and_worst(outcome.group.original.answers, mode, correct)[choice[-1]], variants)


def pair_by_pair(
    metric: Metric,
    outcome: Outcome,
    originals: Iterable[str],
    answers: Callable[[Variant, str], Iterable[str]],
) -> Iterator[Outcome]:
    """For each answer that the original could have, every variant at its lowest and every one at its highest.

    For metrics whose row is a sum over pairs, of which the first number alone depends on the answers.
    """
    for original in originals if outcome.original.answer is None else [outcome.original.answer]:
        answered = Outcome(outcome.group, replace(outcome.original, answer=original), outcome.variants)
        ranked = [_ranked(metric, answered, variant, answers(variant, original)) for variant in outcome.group.variants]
        for end in (0, -1):
            yield filled(answered, original, [answers_to[end] for answers_to in ranked])


def _ranked(metric: Metric, outcome: Outcome, variant: Variant, answers: Iterable[str]) -> list[str]:
    """These answers to a variant, the one that gives the pair least first."""
    return sorted(answers, key=lambda answer: _first(metric, outcome, variant, answer))


def _first(metric: Metric, outcome: Outcome, variant: Variant, answer: str) -> float:
    """The first number of the row of this pair alone."""
    group = replace(outcome.group, variants=(variant,))
    row = metric.measure(Outcome(group, outcome.original, (Prediction(variant.question.id, answer),)))
    return row[0] if row else 0.0


def filled(outcome: Outcome, original: str, variants: Sequence[str]) -> Outcome:
    """The outcome with these answers in the place of missing ones."""
    first = outcome.original if outcome.original.answer is not None else replace(outcome.original, answer=original)
    others = tuple(
        replace(prediction, answer=answer) if prediction.answer is None else prediction
        for prediction, answer in zip(outcome.variants, variants, strict=True)
    )
    return Outcome(outcome.group, first, others)


@lru_cache(maxsize=1 << 14)
def best_and_worst(answers: tuple[str, ...], mode: Mode, correct: Correct | None) -> tuple[str, str]:
    """An answer to a question with these reference answers that no other beats, and one that is just wrong.

    >>> best_and_worst(("red", "blue", "red"), "official", None)[0], best_and_worst(("1", "2"), "official", ">0.9")[0]
    ('red', '1')
    """

    def value(answer: str) -> float:
        if correct is None:
            return accuracy(answer, answers, mode)
        return judged(Question(0, None, "", answers), Prediction(0, answer), 0.0, correct, mode) or 0.0

    return max(answers, key=value, default=""), unsaid(answers)


def unsaid(taken: Iterable[str], other: int = 0) -> str:
    """A text that is none of these, however they are compared; ``other`` gives further such texts.

    >>> unsaid(["yes", "unsaid"]), unsaid(["yes"], 1)
    ('unsaidunsaid', 'unsaid unsaid')
    """
    known = set(map(normalise, taken))
    text = "unsaid"
    while normalise(" ".join([text] * (other + 1))) in known:
        text += "unsaid"
    return " ".join([text] * (other + 1))


def known_answers(outcome: Outcome) -> Sequence[str]:
    """What was answered to the variants."""
    return [prediction.answer for prediction in outcome.variants if prediction.answer is not None]
