"""Answers in the place of missing ones: the few ways to fill a group in among which a metric's extremes lie.

What a model would have answered is not known, so a score with missing answers has bounds: its lowest and highest value
over everything that could have been answered. A missing answer is filled in with a text, so bounds are what a model
could really have reached: to a question on which people disagree no answer has accuracy 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product

from askew.answers.normalise import normalise
from askew.metrics.accuracy import accuracy
from askew.metrics.correct import Correct, judged
from askew.types import Mode, Outcome, Prediction, Question, Row, Variant
from askew.verbs import Metric


def rows_of_fillings(metric: Metric, outcome: Outcome) -> list[Row]:
    """The rows of the fillings that count for the bounds of this metric; empty when it has nothing to say of the group.

    A metric may say which with a method ``fillings``. One with a ``mode`` gets answers that are right or wrong; any
    other is asked what a missing answer that ``failed`` as 0.0 or 1.0 would give.
    """
    own = getattr(metric, "fillings", None)
    mode: Mode | None = getattr(metric, "mode", None)
    if own is None and mode is None:
        found = [metric.measure(outcome, 0.0), metric.measure(outcome, 1.0)]
    else:
        filled = own(outcome) if own else right_or_wrong(outcome, mode or "official", getattr(metric, "correct", None))
        found = [metric.measure(one) for one in filled]
    return list(dict.fromkeys(row for row in found if row is not None))


def right_or_wrong(
    outcome: Outcome, mode: Mode, correct: Correct | None, side: Callable[[Variant], object] = lambda variant: True
) -> Iterator[Outcome]:
    """Original right or wrong, and all variants of a ``side`` right or wrong: each combination.

    Where the rest is fixed, most metrics only rise or only fall with a right answer on one side.
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
    for said in originals if outcome.original.answer is None else [outcome.original.answer]:
        asked = Outcome(outcome.group, replace(outcome.original, answer=said), outcome.variants)
        ranked = [_ranked(metric, asked, variant, answers(variant, said)) for variant in outcome.group.variants]
        for end in (0, -1):
            yield filled(asked, said, [answers_to[end] for answers_to in ranked])


def _ranked(metric: Metric, outcome: Outcome, variant: Variant, answers: Iterable[str]) -> list[str]:
    """These answers to a variant, the one that gives the pair least first."""
    return sorted(answers, key=lambda answer: _first(metric, outcome, variant, answer))


def _first(metric: Metric, outcome: Outcome, variant: Variant, answer: str) -> float:
    """The first number of the row of this pair alone."""
    group = replace(outcome.group, variants=(variant,))
    row = metric.measure(Outcome(group, outcome.original, (Prediction(variant.question.id, answer),)))
    return row[0] if row else 0.0


def filled(outcome: Outcome, original: str, variants: Sequence[str]) -> Outcome:
    """The outcome with these answers where there are none."""
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
    """A text that is none of these, whichever way they are compared; ``other`` makes more than one.

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
