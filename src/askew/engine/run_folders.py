"""The folders of a run: one for each model, cleared of an earlier run's results, never taken from something else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from askew.engine.build import Coverage, fingerprint_of
from askew.engine.settings import Named, Settings
from askew.errors import DataError
from askew.files.limits import bounded_read, load_json
from askew.files.output_folders import MEMBERS, check_run_output, note_output, run_of
from askew.files.paths import public_word
from askew.files.read_write import clear_parts, write_joined
from askew.verbs import HoldsGroups

MADE = ("results.json", "samples.jsonl", "report.html", "tables.md", "tables.tex", "differences.json")
"""Files that a finished run leaves in its folder, and that the next one deletes first."""


def begin(folder: Path, members: Sequence[Path] = ()) -> None:
    """Prepare a folder for a run: delete the results of an earlier one, so that they are not mistaken for new ones.

    Answers stay, so nothing is asked twice. ``members`` are the folders within, one for each model, of a run of
    several; those of an earlier such run are cleared too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / MEMBERS
    earlier = _members(listed) if listed.is_file() else []
    within = [place for place in folder.iterdir() if place.name in earlier]
    for place in (folder, *within, *members):
        clear_parts(place)
        for name in MADE:
            (place / name).unlink(missing_ok=True)
    listed.unlink(missing_ok=True)
    if members:
        write_joined(listed, [orjson.dumps([member.name for member in members])])


def _members(listed: Path) -> list[Any]:
    try:
        earlier = load_json(bounded_read(listed))
    except orjson.JSONDecodeError:
        earlier = None
    if not isinstance(earlier, list):
        raise DataError(
            f"{listed}: damaged, so the folders of an earlier run are not known. Delete this file to keep them, "
            "or give another --output."
        )
    return earlier


def claim_folder(
    folder: Path, models: Sequence[Named], data: Named, suites: Sequence[Named], settings: Settings
) -> None:
    """Claim a folder for the runs of these models; refuse one that holds something else, unless told to overwrite."""
    ready = isinstance(data.what, HoldsGroups)
    signatures = [{"signature": Coverage(suite.what, ready).signature} for suite in suites]
    record = {"signature": data.signature, "fingerprint": fingerprint_of(data.what), "ready": ready}
    common = {"data": record, "suites": signatures, "config": {"limit": settings.limit}, "seed": settings.seed}
    runs = [run_of({"model": {"signature": model.signature}, **common}) for model in models]
    check_run_output(folder, runs, settings.overwrite)
    note_output(folder, "a run", {})


def model_folders(models: Sequence[Named], output: Path) -> list[Path]:
    """Where the files of each model lie: in ``output``, or for several models in a folder each."""
    if len(models) == 1:
        return [output]
    return [output / slug for slug in slugs([public_word(model.spec) for model in models])]


def slugs(names: Sequence[str]) -> list[str]:
    """Folder names for models, all different.

    >>> slugs(["constant:yes", "constant:yes", "hf:org/Model"])
    ['constant-yes', 'constant-yes-2', 'hf-org-Model']
    """
    taken: list[str] = []
    for name in names:
        base = re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.") or "model"
        slug, count = base, 1
        while slug in taken:
            count += 1
            slug = f"{base}-{count}"
        taken.append(slug)
    return taken
