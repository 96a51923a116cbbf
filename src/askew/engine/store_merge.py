"""Answers of several stores in one, e.g. those of runs that asked one shard each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from askew.engine.ask import chunks
from askew.engine.store import Store
from askew.errors import DataError

_ROWS = 500
"""Rows that are looked up and written at once."""


@dataclass
class Merged:
    """What was read and written."""

    stores: int
    copied: int = 0
    """Answers that the target did not have."""
    known: int = 0
    """Answers that it had, from before or from a store named earlier."""
    differing: int = 0
    """Those of them with another answer; the first is kept."""


def store_files(place: Path) -> list[Path]:
    """The stores of a path: the file itself, or that of a run, or those of a run of several models."""
    if place.is_file():
        return [place]
    own = place / "answers.sqlite"
    found = [own] if own.is_file() else sorted(place.glob("*/answers.sqlite"))
    if not found:
        raise DataError(f"{place}: there is no answer store. Give the folder of a run, or the file of --store.")
    return found


def merge_stores(places: Sequence[Path], target: Path) -> Merged:
    """Copy all answers into the store ``target``; of two answers to one request the first stays."""
    sources = [file for place in places for file in store_files(place)]
    if target.resolve() in {source.resolve() for source in sources}:
        raise DataError(f"{target}: this store is among those to be merged. Name a new file as --store.")
    merged = Merged(len(sources))
    with Store(target) as store:
        for source in sources:
            with Store(source) as read:
                for rows in chunks(read.rows(), _ROWS):
                    known = store.get({row[0]: 0 for row in rows})
                    merged.known += len(known)
                    merged.differing += sum(row[0] in known and known[row[0]].answer != row[1] for row in rows)
                    fresh = [row for row in rows if row[0] not in known]
                    store.put_rows(fresh)
                    merged.copied += len(fresh)
    return merged
