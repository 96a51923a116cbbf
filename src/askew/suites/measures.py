"""Metrics that several suites have."""

from __future__ import annotations

from askew.metrics.accuracy import Accuracy, Gap
from askew.metrics.consistency import ComprehensiveAccuracy, PairAccuracy, SelfConsistency
from askew.metrics.correct import Correct
from askew.types import Mode
from askew.verbs import Metric


def before_after(mode: Mode) -> dict[str, Metric]:
    """Accuracy on the originals and on the variants, and what the change costs.

    >>> list(before_after("robust"))
    ['accuracy.original', 'accuracy.variant', 'accuracy.gap']
    """
    return {
        "accuracy.original": Accuracy("original", mode),
        "accuracy.variant": Accuracy("variant", mode),
        "accuracy.gap": Gap(mode, change=True),
    }


def carets_scores(correct: Correct, mode: Mode) -> dict[str, Metric]:
    """ACC, CONS and C-ACC of CARETS (Jimenez et al. 2022, §5.3).

    >>> list(carets_scores("modal", "exact"))
    ['carets.acc', 'carets.cons', 'carets.cacc']
    """
    return {
        "carets.acc": PairAccuracy(correct, mode),
        "carets.cons": SelfConsistency(),
        "carets.cacc": ComprehensiveAccuracy(correct, mode),
    }
