"""How much accuracy depends on which of several equivalent forms a question has: the spread, and the worst form.

A form is a test of the suite (a prompt template), or the question as it is. The best and the worst are chosen after
the fact, so their intervals allow for the choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar, Literal

import numpy as np

from askew.answers.normalise import normalise
from askew.metrics.accuracy import check_mode, soft
from askew.metrics.bounds import Fillable
from askew.metrics.interval import Estimate, proportion
from askew.significance import Floats, ratio
from askew.types import Expect, Mode, Outcome, Row
from askew.verbs import ComparesAnswers, Metric


@dataclass(frozen=True)
class _OverForms(Metric, ComparesAnswers):
    """A metric of the accuracy on the originals and on the variants of each test."""

    tests: str = ""
    """The tests that count, joined with +; if empty, all variants are one form."""
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(sum of accuracies, how many) of the original and of each other form, one after the other."""
        if not outcome.variants:
            return None
        sums = {form: [0.0, 0.0] for form in ("as asked", *(self.tests or "changed").split("+"))}
        members = [("as asked", outcome.group.original, outcome.original)]
        members += [(v.test if self.tests else "changed", v.question, said) for v, said in outcome.pairs()]
        for form, question, prediction in members:
            value = soft(question, prediction, failed, self.mode)
            if value is not None and form in sums:
                sums[form][0] += value
                sums[form][1] += 1.0
        row = tuple(value for pair in sums.values() for value in pair)
        return row if any(row[1::2]) else None

    def _estimates(self, images: Floats) -> list[Estimate]:
        """The accuracy of each form that was asked."""
        places = range(0, images.shape[1], 2)
        return [proportion(images[:, [place, place + 1]]) for place in places if images[:, place + 1].any()]


@dataclass(frozen=True)
class PromptSpread(_OverForms):
    """The accuracy under the best form minus that under the worst: the performance spread of Sclar et al. (2024).

    It is never below 0 and grows with the number of forms, even if none matters; so its interval is that of the largest
    difference of two forms: at least the highest lower limit of one (corrected for their number), at most the highest
    upper limit.
    """

    better: ClassVar[Literal[-1]] = -1
    title: ClassVar[str] = "Spread"
    sentence: ClassVar[str] = "accuracy under the best prompt minus that under the worst, in points"

    outer_bounds: ClassVar[bool] = True
    """No answers may make the forms exactly as equal as the lower bound says."""

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """Each form as good or as bad as its missing answers allow."""
        lows, highs = map(_means, fillable.columns())
        return float(np.fmax(0.0, np.fmax.reduce(lows) - np.fmin.reduce(highs))), float(
            np.fmax.reduce(highs) - np.fmin.reduce(lows)
        )

    def combine(self, sums: Any) -> Any:
        """The range of the means."""
        means = _means(sums)
        return np.fmax.reduce(means, axis=0) - np.fmin.reduce(means, axis=0)

    def interval(self, images: Floats, tails: float) -> tuple[float, float]:
        """The limits of the largest difference."""
        pairs = [one.minus(other) for one, other in permutations(self._estimates(images), 2)]
        limits = [(pair.interval(tails / len(pairs))[0], pair.interval(tails)[1]) for pair in pairs]
        if not limits or any(low != low for low, _ in limits):
            return float("nan"), float("nan")
        return max(0.0, *(low for low, _ in limits)), max(high for _, high in limits)


@dataclass(frozen=True)
class WorstForm(_OverForms):
    """The accuracy under the form in which it is lowest."""

    title: ClassVar[str] = "Worst prompt"
    sentence: ClassVar[str] = "accuracy under the prompt in which it is lowest"

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """All missing answers wrong, and all correct."""
        low, high = map(self.combine, fillable.columns())
        return float(low), float(high)

    def combine(self, sums: Any) -> Any:
        """The lowest of the means."""
        return np.fmin.reduce(_means(sums), axis=0)

    def interval(self, images: Floats, tails: float) -> tuple[float, float]:
        """At least the lowest lower limit of a form, at most the lowest upper limit, corrected for their number."""
        found = self._estimates(images)
        lows, highs = [one.interval(tails)[0] for one in found], [one.interval(tails / len(found))[1] for one in found]
        if not found or any(low != low for low in lows):
            return float("nan"), float("nan")
        return min(lows), min(highs)


@dataclass(frozen=True)
class AnyChange(Metric):
    """Share of groups whose answers are not all equal, where the changes should keep the answer (``same``, ``noise``).

    A group with a missing answer is left out, even if two of its answers differ: keeping only such groups would bias
    the share.
    """

    better: ClassVar[Literal[-1]] = -1
    title: ClassVar[str] = "Changed at all"
    sentence: ClassVar[str] = "questions whose answer is another one in at least one form, correct or not"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(whether an answer differs, 1)."""
        said = [p.answer for v, p in outcome.pairs() if v.expect in (Expect.SAME, Expect.NOISE)]
        if not said:
            return None
        answers = {normalise(answer) for answer in (outcome.original.answer, *said) if answer is not None}
        if None in (outcome.original.answer, *said):
            return None if failed is None else (1.0 if len(answers) > 1 else failed, 1.0)
        return float(len(answers) > 1), 1.0


def _means(sums: Any) -> Any:
    """The accuracy of each form; nan for one that was not asked."""
    return ratio(np.asarray(sums[0::2]), np.asarray(sums[1::2]))
