"""Measures that several suites have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from askew.metrics.accuracy import Accuracy, Gap
from askew.metrics.consistency import ComprehensiveAccuracy, PairAccuracy, SelfConsistency
from askew.metrics.correct import Correct
from askew.registry import make
from askew.types import Mode
from askew.verbs import Metric


def both_sides(mode: Mode) -> dict[str, Metric]:
    """Accuracy on the originals and on the variants, and what the change costs.

    >>> list(both_sides("robust"))
    ['accuracy.original', 'accuracy.variant', 'accuracy.gap']
    """
    return {
        "accuracy.original": Accuracy("original", mode),
        "accuracy.variant": Accuracy("variant", mode),
        "accuracy.gap": Gap(mode, change=True),
    }


def with_more(metrics: Mapping[str, Metric], specs: Iterable[str]) -> dict[str, Metric]:
    """A suite's metrics, and those that a person named besides; what the suite has already keeps the suite's meaning.

    >>> with_more({"worst": Accuracy()}, ["worst", "mu"])
    {'worst': Accuracy(of='all', mode='official'), 'mu': Mu(mode='official')}
    """
    return {**metrics, **{spec: make("metric", spec) for spec in specs if spec not in metrics}}


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
