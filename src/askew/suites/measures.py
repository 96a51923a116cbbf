"""Measures that several suites have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from askew.metrics.accuracy import Accuracy, Gap
from askew.metrics.consistency import ComprehensiveAccuracy, PairAccuracy, SelfConsistency
from askew.metrics.correct import Correct
from askew.registry import make
from askew.types import Mode
from askew.verbs import Metric, Suite


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


def with_more(metrics: Mapping[str, Metric], specs: Iterable[str], mode: Mode | None = None) -> dict[str, Metric]:
    """A suite's metrics, and those that a person named besides; what the suite has already keeps the suite's meaning.

    ``mode`` is that of the metrics which a person named without one.

    >>> with_more({"worst": Accuracy()}, ["worst", "mu"])
    {'worst': Accuracy(of='all', mode='official'), 'mu': Mu(mode='official')}
    >>> with_more({}, ["mu", "gap:mode=exact"], "robust")
    {'mu': Mu(mode='robust'), 'gap:mode=exact': Gap(mode='exact', change=False)}
    """
    more = {spec: make("metric", spec) for spec in specs if spec not in metrics}
    if mode is not None:
        more = {
            spec: _in_mode(metric, "mode", mode) if "mode=" not in spec else metric for spec, metric in more.items()
        }
    return {**metrics, **more}


def with_mode(suite: Suite, mode: Mode) -> Suite:
    """The suite with another mode of accuracy; one without such an option stays as it is.

    >>> from askew.suites.accuracy import AccuracySuite
    >>> with_mode(AccuracySuite(), "robust")
    AccuracySuite(accuracy='robust')
    """
    made: Suite = _in_mode(suite, "accuracy", mode)
    return made


def measured_by(suite: Suite, mode: Mode, specs: Iterable[str]) -> dict[str, Metric]:
    """The metrics of a run with this suite, scored in this mode, and those named besides."""
    made = with_mode(suite, mode)
    return with_more(made.metrics, specs, None if made is suite else made.accuracy)


def _in_mode(part: Any, name: str, mode: Mode) -> Any:
    options = {option.name for option in fields(part) if option.init} if is_dataclass(part) else set()
    return replace(part, **{name: mode}) if name in options and getattr(part, name) != mode else part


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
