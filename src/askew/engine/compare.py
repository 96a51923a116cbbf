"""Compare runs: paired differences on the same groups, in one mode of accuracy, Holm-corrected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from askew.engine.run_metrics import metrics_of, unknown_metrics
from askew.metrics.paired_difference import Difference, compare, corrected
from askew.report.load import Run, labels

PARTS = ("test", "answer_type")
"""Slices that are compared besides the whole; each further slice makes Holm's correction stricter for all."""

ACCURACY = "accuracy.all"
"""A metric that counts as a headline of the first suite that has it, in addition to the suites' own headlines."""


def compare_runs(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Compare every two runs by every metric of the suites they share, with the metrics of the first such run.

    The suites' headline metrics, and accuracy over all questions, are one family of Holm's correction.
    """
    differences: list[Difference] = []
    for name in dict.fromkeys(suite["name"] for run in runs for suite in run.suites):
        sharing = {
            label: (run, suite)
            for label, run in zip(labels(runs), runs, strict=True)
            for suite in run.suites
            if suite["name"] == name
        }
        if len(sharing) > 1:
            outcomes = {label: run.outcomes_of(name) for label, (run, _) in sharing.items()}
            first, _ = next(iter(sharing.values()))
            headlines = {_headline(first, name)}
            if not any(one.metric == ACCURACY for one in differences):
                headlines.add(ACCURACY)
            metrics = metrics_of(*_reference(sharing.values()))
            differences += compare(outcomes, metrics, name, PARTS, headlines)
    return [asdict(difference) for difference in corrected(differences)]


def _headline(run: Run, suite: str) -> str:
    (found,) = (one for one in run.suites if one["name"] == suite)
    return str((found.get("headline") or {}).get("metric", ""))


def not_compared(runs: Sequence[Run]) -> list[str]:
    """A sentence for each metric of these runs that is not compared because its code is not available."""
    found = {name: path for run in runs for suite in run.suites for name, path in unknown_metrics(suite).items()}
    return [f"{name} is not compared: {why_unknown(path)}" for name, path in found.items()]


def why_unknown(path: str) -> str:
    """Why a metric of this class cannot be computed here, and what to do."""
    if path.startswith("askew."):
        return (
            f"its record of {path} in results.json does not fit this version of askew. Run 'askew run' with this "
            "--output again; answers that are stored are not asked twice."
        )
    return (
        f"its class {path} is not known here. Register it as an entry point of your package (askew.metric), or "
        "compare from a Python program that imports it."
    )


def _reference(sharing: Iterable[tuple[Run, Mapping[str, Any]]]) -> tuple[Run, Mapping[str, Any]]:
    """The run whose metrics are used to compare runs of a suite: the first one scored ``robust``, otherwise the first.

    A model with free text is scored ``robust``, a classifier as the suite says; both are compared in one mode.
    """
    found = list(sharing)
    return next((one for one in found if one[1].get("accuracy") == "robust"), found[0])
