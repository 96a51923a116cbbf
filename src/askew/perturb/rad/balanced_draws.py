"""Draws that keep the text from giving the label away: an answer is asked about as often with "no" as with "yes".

Drawn by its frequency, a frequent answer would be drawn too rarely, since it is never drawn if it is correct. Also,
where most people count three, somebody often says two, so two is not certainly wrong and a rare number would be drawn
instead. So each answer has two weights, as a correct and as a wrong one. A question is asked about its correct answer
or about one that nobody gave, in proportion to these weights, which are scaled until "no" and "yes" balance for each
answer, as in the scaling of matrices by Sinkhorn & Knopp (1967).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from askew.perturb.rad.yes_no_template import AnswerPool

_STEPS = 30
_FARTHEST = 20.0
"""A weight may change by this factor, so that no label is certain even if one answer is nearly always correct."""
_PARTS = 10**9
_NONE = 1e-9
"""A smaller number of questions is a rounding error."""


class AskedState(NamedTuple):
    """Questions with the same answers: the correct one, all that may be correct (including it), and their number."""

    right: str
    possible: Sequence[str]
    questions: float


@dataclass(frozen=True)
class BalancedDraws:
    """The weights of answers as wrong and as correct ones."""

    wrong: AnswerPool
    right: Mapping[str, int]
    share: float
    """The share of "yes" for a correct answer without a weight."""

    def yes(self, value: str, wrong: AnswerPool) -> float:
        """The probability of "yes" for a question with this correct answer and these wrong ones."""
        right = self.right.get(value)
        if right is None:
            return self.share
        return right / (right + wrong.total)


def balanced_draws(states: Sequence[AskedState], shares: Mapping[str, float], yes: float) -> BalancedDraws:
    """The draws for these questions. ``shares``: how often each answer is correct; ``yes``: the share answered "yes".

    Only +, -, ×, ÷ and √ are used, which give the same bits on every processor.

    If 2 is the correct answer to four of eight questions, each "no" to the other four must be about 2:

    >>> shares = {"1": 3 / 8, "2": 4 / 8, "3": 1 / 8}
    >>> states = [AskedState(v, [v], share) for v, share in shares.items()]
    >>> draws = balanced_draws(states, shares, 0.5)
    >>> wrong = draws.wrong.without("1".__eq__)
    >>> dict(wrong.counts)["2"] / wrong.total > 0.9, round(draws.yes("1", wrong), 1)
    (True, 0.5)
    """
    odds = yes / (1 - yes)
    wrong = dict(shares)
    start = {name: odds * (1 - share) for name, share in shares.items()}
    right = dict(start)
    for _ in range(_STEPS):
        yeses, noes = _expected(states, right, wrong)
        for name in shares:
            if yeses[name] > 0 and noes[name] > _NONE:
                ratio = min(4.0, max(0.25, yeses[name] / (odds * noes[name])))
                wrong[name] = _near(shares[name], wrong[name] * sqrt(ratio))
                right[name] = _near(start[name], right[name] / sqrt(ratio))
    pool = AnswerPool(tuple((name, max(1, int(_PARTS * weight))) for name, weight in wrong.items()))
    return BalancedDraws(pool, {name: max(1, int(_PARTS * weight)) for name, weight in right.items()}, yes)


def _near(start: float, weight: float) -> float:
    return min(start * _FARTHEST, max(start / _FARTHEST, weight))


def _expected(
    states: Sequence[AskedState], right: Mapping[str, float], wrong: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    """How many questions are expected to ask about each answer with "yes", and with "no"."""
    yeses, open_to = dict.fromkeys(right, 0.0), dict.fromkeys(right, 0.0)
    sum_of_wrong, questions = sum(wrong.values()), 0.0
    for state in states:
        total = right[state.right] + sum_of_wrong
        for name in state.possible:
            total -= wrong[name]
        if total <= _NONE:  # there is no other answer to ask about
            continue
        part = state.questions / total
        yeses[state.right] += part * right[state.right]
        questions += part
        for name in state.possible:
            open_to[name] -= part
    return yeses, {name: weight * (questions + open_to[name]) for name, weight in wrong.items()}
