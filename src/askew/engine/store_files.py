"""Files of answer stores: recover the intact rows of a damaged store, and merge several stores.

SQLite reads the rows of a damaged file that it can reach, and only rows with a correct checksum are kept. The others
are asked again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from askew.engine.ask import chunks
from askew.engine.store import COLUMNS, FIELDS, Row, Store, checksum
from askew.errors import DataError
from askew.files.read_write import alone_in

_ALL_KEYS = 1 << 256
_NARROW = _ALL_KEYS >> 12
"""Narrower ranges of keys than this, between two places that cannot be read, are not searched for rows."""


@dataclass
class Recovered:
    """What was found in a damaged store."""

    rows: dict[bytes, Row] = field(default_factory=dict)
    damaged: set[bytes] = field(default_factory=set)
    """Keys of rows with a wrong checksum, which are left out."""
    unread: float = 0.0
    """The share of keys, which are evenly distributed, that SQLite cannot look for."""
    trouble: str = ""
    """What SQLite says about the file."""

    @property
    def lost(self) -> int:
        """About how many rows cannot be read."""
        return round((len(self.rows) + len(self.damaged)) * self.unread / (1 - self.unread)) if self.unread < 1 else 0


def recover(path: Path) -> tuple[Recovered, Path]:
    """Replace a damaged store by a new one with its intact rows; returns what was found, and the path of the old file.

    ``path`` is the store, or the folder of a run. The damaged file stays beside the new one as ``*.damaged``.
    """
    file = path / "answers.sqlite" if path.is_dir() else path
    if not file.is_file():
        raise DataError(f"{file}: there is no such file. Give the answer store, or the folder of a run.")
    with alone_in(file.parent):
        found = intact_rows(file)
        aside = next(name for name in _names(file, "damaged") if not name.exists())
        fresh = next(name for name in _names(file, "recovered") if not name.exists())
        try:
            with Store(fresh) as store:
                store.put_rows(found.rows.values())
            for end in ("", "-wal", "-shm"):
                if os.path.exists(f"{file}{end}"):
                    os.replace(f"{file}{end}", f"{aside}{end}")
            os.replace(fresh, file)
        finally:
            for end in ("", "-wal", "-shm"):
                Path(f"{fresh}{end}").unlink(missing_ok=True)
    return found, aside


def intact_rows(file: Path) -> Recovered:
    """The intact rows that SQLite can read of a store and its write-ahead log, which stay as they are."""
    found = Recovered()
    with TemporaryDirectory(dir=file.parent, prefix=".askew-recover-") as folder:
        copy = Path(folder, "copy.sqlite")
        for end in ("", "-wal"):
            if os.path.exists(f"{file}{end}"):
                shutil.copyfile(f"{file}{end}", f"{copy}{end}")
        if not _is_described(copy, file):
            _replace_first_page(copy)
        with closing(_opened(copy)) as database:
            try:
                found.trouble = str(database.execute("PRAGMA integrity_check(1)").fetchone()[0]).splitlines()[-1]
            except sqlite3.DatabaseError as trouble:
                found.trouble = str(trouble)
            ranges = [(0, _ALL_KEYS)]
            while ranges:
                low, high = _read_range(database, *ranges.pop(), found)
                middle = (low + high) // 2
                if high - low > _NARROW:
                    ranges += [(low, middle), (middle, high)]
                else:
                    found.unread += (high - low) / _ALL_KEYS
    return found


def _opened(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA writable_schema = ON")  # otherwise SQLite refuses files that are cut off
    database.text_factory = lambda content: content.decode("utf-8", "replace")
    return database


def _is_described(copy: Path, file: Path) -> bool:
    """Whether the first page, which describes the table, can be read; refuses other databases."""
    try:
        with closing(_opened(copy)) as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            columns = [name for (name,) in database.execute("SELECT name FROM pragma_table_info('answers')")]
    except sqlite3.DatabaseError:
        return False
    if tables and columns != [name for name, _ in COLUMNS]:
        raise DataError(
            f"{file}: this is not an answer store of this version of askew (its tables: {', '.join(tables)}). Give the "
            "answers.sqlite of a run, or the file of --store."
        )
    return bool(tables)


def _replace_first_page(file: Path) -> None:
    """Write the first page of a new store, which is the same in every store, except for counters."""
    new = file.with_name("new.sqlite")
    with Store(new):
        pass
    with open(new, "rb") as whole, open(file, "r+b") as damaged:
        header = whole.read(100)
        damaged.write(header[:92] + bytes(4) + header[96:])  # so that the file's own size counts
        damaged.write(whole.read(int.from_bytes(header[16:18], "big") - len(header)))


def _read_range(database: sqlite3.Connection, low: int, high: int, found: Recovered) -> tuple[int, int]:
    """Read the rows with keys from ``low`` up to ``high`` from both ends; returns the range between that is left."""
    for order in ("ASC", "DESC"):
        query = f"SELECT {FIELDS} FROM answers WHERE key BETWEEN ? AND ? ORDER BY key {order}"
        try:
            for values in database.execute(query, (low.to_bytes(32, "big"), (high - 1).to_bytes(32, "big"))):
                key = _take(found, values)
                if low <= key < high:
                    low, high = (key + 1, high) if order == "ASC" else (low, key)
            return low, low
        except sqlite3.DatabaseError:
            if low == high:
                break
    return low, high


def _take(found: Recovered, values: Sequence[Any]) -> int:
    """Keep a row if its checksum is correct; returns its key as a number."""
    row: Row = values[:-1]  # type: ignore[assignment]
    key = row[0] if isinstance(row[0], bytes) else b""
    if key and values[-1] == checksum(row):
        found.rows[key] = row
    else:
        found.damaged.add(key)
    return int.from_bytes(key, "big")


def _names(file: Path, word: str) -> Iterator[Path]:
    """``answers.sqlite.damaged``, ``answers.sqlite.damaged-2`` and so on."""
    yield file.with_name(f"{file.name}.{word}")
    yield from (file.with_name(f"{file.name}.{word}-{number}") for number in range(2, 1 << 20))


@dataclass
class Merged:
    """What was read and written."""

    stores: int
    copied: int = 0
    """Answers that the target did not have."""
    known: int = 0
    """Answers that it had, from before or from a store named earlier."""
    differing: int = 0
    """Of these, the answers that differ; the first is kept."""


def store_files(place: Path) -> list[Path]:
    """The stores at a path: the file itself, the store of a run, or those of a run of several models."""
    if place.is_file():
        return [place]
    own = place / "answers.sqlite"
    found = [own] if own.is_file() else sorted(place.glob("*/answers.sqlite"))
    if not found:
        raise DataError(f"{place}: there is no answer store. Give the folder of a run, or the file of --store.")
    return found


def merge_stores(places: Sequence[Path], target: Path) -> Merged:
    """Copy all answers into the store ``target``; of two answers to one request, the first is kept."""
    sources = [file for place in places for file in store_files(place)]
    if target.resolve() in {source.resolve() for source in sources}:
        raise DataError(f"{target}: this store is among those to be merged. Name a new file as --store.")
    merged = Merged(len(sources))
    with Store(target) as store:
        for source in sources:
            with Store(source) as read:
                for rows in chunks(read.rows(), 500):
                    known = store.get({row[0]: 0 for row in rows})
                    merged.known += len(known)
                    merged.differing += sum(row[0] in known and known[row[0]].answer != row[1] for row in rows)
                    fresh = [row for row in rows if row[0] not in known]
                    store.put_rows(fresh)
                    merged.copied += len(fresh)
    return merged
