"""Runs side by side: the paired differences between models that answered the same groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from askew.metrics.compare import compare
from askew.records import outcome_from
from askew.registry import make
from askew.report.load import Run, labels
from askew.types import Outcome

PARTS = ("test", "answer_type")
"""What is compared besides the whole; each further part makes the Holm correction stricter for all."""


def compare_runs(runs: Sequence[Run], resamples: int = 2000, seed: int = 0) -> list[dict[str, Any]]:
    """Every two runs compared, by every metric of the suites they share."""
    differences: list[dict[str, Any]] = []
    for suite in runs[0].suites:
        sharing = {
            name: run
            for name, run in zip(labels(runs), runs, strict=True)
            if suite["name"] in {other["name"] for other in run.suites}
        }
        if len(sharing) > 1:
            outcomes = {name: _outcomes(run.folder, suite["name"]) for name, run in sharing.items()}
            metrics = dict(make("suite", suite["spec"]).metrics)
            metrics.update((spec, make("metric", spec)) for spec in runs[0].results["config"]["metrics"])
            found = compare(outcomes, metrics, suite["name"], PARTS, resamples, seed)
            differences += [asdict(difference) for difference in found]
    return differences


def _outcomes(folder: Path, suite: str) -> Iterator[Outcome]:
    with (folder / "samples.jsonl").open("rb") as lines:
        for line in lines:
            record = orjson.loads(line)
            if record["suite"] == suite:
                yield outcome_from(record)
