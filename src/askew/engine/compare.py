"""Compare runs: paired differences on the same groups, in one mode of accuracy, Holm-corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from askew.metrics.accuracy import ACCURACY
from askew.metrics.paired_difference import Difference, compare, corrected, uncompared_metrics
from askew.metrics.run_table import RunTable
from askew.report.load import Run, labels, references, widest_suite

AGAINST_REFERENCES = "against references"
"""What is added to the families of comparisons with people and with models that see no image."""


def compare_runs(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The records of ``paired_differences``."""
    return [difference.record() for difference in paired_differences(runs)]


def paired_differences(runs: Sequence[Run], estimates: bool = False) -> list[Difference]:
    """Compare every two runs by every metric of the suites they share.

    The suites' headline metrics, and accuracy over all questions, are one family of Holm's correction. Comparisons with
    references are families of their own, so that a reference more changes nothing about the others. Runs that were
    scored in different modes of accuracy are compared in mode ``robust``. ``estimates``: keep the estimates.
    """
    differences: list[Difference] = []
    counted = headlines(runs)
    for name, tables in _shared(runs).items():
        of_suite = {metric for suite, metric in counted if suite == name}
        differences += compare(tables, name, of_suite, _in_several_modes(runs, name), estimates=estimates)
    names = labels(runs)
    aside = {names[number] for number in references(runs)}
    return corrected(
        [
            replace(one, family=f"{one.family} {AGAINST_REFERENCES}") if {one.a, one.b} & aside else one
            for one in differences
        ]
    )


def headlines(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Suite and metric of the headlines of the suites these runs share; accuracy over all questions is one, once."""
    shared, wide = _shared(runs), widest_suite(runs, ACCURACY)
    has_accuracy = wide in shared and all(ACCURACY in table.metrics for table in shared[wide].values())
    found = [(wide, ACCURACY)] if has_accuracy else []
    for suite in shared:
        own = next(one for run in runs for one in run.suites if one["name"] == suite)
        found.append((suite, str((own.get("headline") or {}).get("metric", ""))))
    return list(dict.fromkeys(found))


def not_compared(runs: Sequence[Run]) -> dict[str, str]:
    """The metrics by which some of these runs are not compared, each with the reason and what to do."""
    found: dict[str, str] = {}
    for suite, tables in _shared(runs).items():
        found = uncompared_metrics(tables, _in_several_modes(runs, suite)) | found
    return found


def _shared(runs: Sequence[Run]) -> dict[str, dict[str, RunTable]]:
    """The tables of each suite that several runs have, by the labels of the runs."""
    tables: dict[str, dict[str, RunTable]] = {}
    for label, run in zip(labels(runs), runs, strict=True):
        for suite in run.suites:
            tables.setdefault(suite["name"], {})[label] = run.tables[suite["name"]]
    return {suite: found for suite, found in tables.items() if len(found) > 1}


def _in_several_modes(runs: Sequence[Run], suite: str) -> bool:
    return len({one["accuracy"] for run in runs for one in run.suites if one["name"] == suite}) > 1
