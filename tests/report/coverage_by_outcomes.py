"""The model-coverage matrix of CARETS computed from outcomes, to check the report's, which counts columns of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from askew.metrics.correct import Correct, check_correct, judged
from askew.types import Id, Mode, Outcome

Pair = tuple[Id, int]
"""A group's id and the place of a variant in it."""


def coverage(
    runs: Mapping[str, Iterable[Outcome]], correct: Correct = "modal", mode: Mode = "official"
) -> dict[str, dict[str, float]]:
    """``coverage(runs)[i][j]``: of the pairs that model j answers correctly, the share that model i does too.

    A pair is correct if both of its answers are (Jimenez et al. 2022). Only pairs that both models answered count; nan
    if none of j's is correct. The diagonal is one.
    """
    check_correct(correct, mode)
    pairs = {name: _pairs(outcomes, correct, mode) for name, outcomes in runs.items()}
    return {i: {j: _covered(pairs[i], pairs[j]) for j in pairs} for i in pairs}


def _pairs(outcomes: Iterable[Outcome], correct: Correct, mode: Mode) -> dict[Pair, bool]:
    found: dict[Pair, bool] = {}
    for outcome in outcomes:
        first = judged(outcome.group.original, outcome.original, None, correct, mode)
        for place, (variant, prediction) in enumerate(outcome.pairs()):
            second = judged(variant.question, prediction, None, correct, mode)
            if first is not None and second is not None:
                found[outcome.group.id, place] = first == second == 1.0
    return found


def _covered(ours: Mapping[Pair, bool], theirs: Mapping[Pair, bool]) -> float:
    shared = [ours[pair] for pair, right in theirs.items() if right and pair in ours]
    return sum(shared) / len(shared) if shared else float("nan")
