"""Indexes of records on disk, for what a reader must remember of a whole file without holding it in memory."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
import orjson

from askew.errors import DataError
from askew.files.temp_blocks import DistinctNumbers
from askew.types import Id

T = TypeVar("T")

_INSERT = "INSERT OR IGNORE INTO entry VALUES (?, ?, ?)"


@contextmanager
def _explained() -> Iterator[None]:
    """Turn errors of SQLite into DataErrors that say what to do."""
    try:
        yield
    except sqlite3.OperationalError as trouble:
        raise DataError(
            f"the index cannot be written to the temporary folder ({trouble}). Free some disk space there, or "
            "use another folder: SQLITE_TMPDIR=FOLDER."
        ) from None


class Index:
    """Records by id, in a temporary SQLite file that is deleted when closed. ``1`` and ``"1"`` are different ids.

    >>> with Index() as index:
    ...     index.add(1, 7, {"answer": "yes"}), index.add(1, 8), index.pop("1"), index.pop(1), index.pop(1)
    (True, False, None, (7, {'answer': 'yes'}), None)
    """

    def __init__(self) -> None:
        # With an empty name SQLite uses its own file in the temporary folder, with a cache of 2 MB.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("CREATE TABLE entry (key TEXT PRIMARY KEY, number INT, record BLOB)")
        self._database.execute("BEGIN")

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete the file."""
        self._database.close()

    def add(self, key: Id, number: int = 0, record: Any = None) -> bool:
        """Add a record with this id; returns False and changes nothing if the id is already there."""
        blob = None if record is None else orjson.dumps(record)
        with _explained():
            done = self._database.execute(_INSERT, (_text(key), number, blob))
        return done.rowcount == 1

    def add_all(self, entries: Iterable[tuple[Id, int]]) -> None:
        """Add ids with their numbers; ids that are already there do not change."""
        with _explained():
            self._database.executemany(_INSERT, ((_text(key), number, None) for key, number in entries))

    def get(self, key: Id) -> tuple[int, Any] | None:
        """The number and record with this id; None if there is none."""
        row = self._database.execute("SELECT number, record FROM entry WHERE key = ?", (_text(key),)).fetchone()
        return row and (row[0], None if row[1] is None else orjson.loads(row[1]))

    def pop(self, key: Id) -> tuple[int, Any] | None:
        """Remove the record with this id; returns its number and content, or None if there is none."""
        found = self.get(key)
        if found:
            self._database.execute("DELETE FROM entry WHERE key = ?", (_text(key),))
        return found

    def numbers(self) -> Iterator[tuple[int, Id]]:
        """The number and id of all remaining records, by number."""
        for number, key in self._database.execute("SELECT number, key FROM entry ORDER BY number"):
            yield number, _id(key)


class SeenIds:
    """Ids with the number of their first record. Memory stays flat for texts, which are in an :class:`Index` on disk.

    An integer larger than all before it is new. Of consecutive integers, such as the ids of one image's questions, only
    the first is stored with their count, in sixteen bytes. Integers in no order are sorted into blocks, and blocks of
    similar size are merged. A bitmap of hashes shows for most ids that they are new.

    >>> with SeenIds() as seen:
    ...     [seen.add(key, number) for number, key in enumerate((1, "1", 3, 2, 1, 2))]
    [None, None, None, None, 0, 3]
    """

    def __init__(self) -> None:
        self._starts, self._numbers, self._lengths = array("q"), array("I"), array("I")
        self._largest, self._last = -1, -2
        """The largest integer so far and the number of its record; the arrays hold runs of consecutive integers."""
        self._recent: dict[int, int] = {}
        self._blocks: list[tuple[Any, Any, Any]] = []
        self._index = Index()
        self._bitmap = bytearray((_BITS >> 3) + 1)
        self._waiting: list[tuple[Id, int]] = []

    def __enter__(self) -> SeenIds:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._index.close()

    def add(self, key: Id, number: int) -> int | None:
        """Add an id; returns the number of its first record if it was already present."""
        whole = key if isinstance(key, int) and -_LARGE < key < _LARGE else None
        if whole is not None:
            if (largest := self._largest) < whole:
                if whole == largest + 1 and number == self._last + 1:
                    self._lengths[-1] += 1
                else:
                    self._starts.append(whole)
                    self._numbers.append(number)
                    self._lengths.append(1)
                self._largest, self._last = whole, number
                return None
            run = bisect_right(self._starts, whole) - 1
            if run >= 0 and whole - self._starts[run] < self._lengths[run]:
                return self._numbers[run] + whole - self._starts[run]
        place = (hash(key) if whole is None else whole) % _BITS
        byte, bit = place >> 3, 1 << (place & 7)
        if (bits := self._bitmap[byte]) & bit:
            first = self._first_text(key) if whole is None else self._first_number(whole)
            if first is not None:
                return first
        self._bitmap[byte] = bits | bit
        if whole is not None:
            self._recent[whole] = number
            if len(self._recent) >= _RECENT:
                self._merge()
        else:
            self._waiting.append((key, number))
            if len(self._waiting) >= _BATCH:
                self._flush()
        return None

    def _first_number(self, key: int) -> int | None:
        if key in self._recent:
            return self._recent[key]
        for starts, numbers, lengths in self._blocks:
            run = int(np.searchsorted(starts, key, side="right")) - 1
            if run >= 0 and (place := key - int(starts[run])) < lengths[run]:
                return int(numbers[run]) + place
        return None

    def _first_text(self, key: Id) -> int | None:
        self._flush()
        entry = self._index.get(key)
        return entry and entry[0]

    def _merge(self) -> None:
        """Make a block of the recent integers: the start, record number and length of each run."""
        keys, numbers = (np.fromiter(column, np.int64) for column in (self._recent, self._recent.values()))
        order = np.argsort(keys)
        keys, numbers = keys[order], numbers[order]
        first = np.flatnonzero((np.diff(keys, prepend=keys[0]) != 1) | (np.diff(numbers, prepend=numbers[0]) != 1))
        lengths = np.diff(first, append=len(keys))
        block = keys[first], numbers[first].astype(np.int32), lengths.astype(np.int32)
        self._recent.clear()
        while self._blocks and len(self._blocks[-1][0]) <= len(block[0]):  # each block stays larger than the next
            earlier = self._blocks.pop()
            columns = [np.concatenate([earlier[column], block[column]]) for column in range(3)]
            order = np.argsort(columns[0])
            block = columns[0][order], columns[1][order], columns[2][order]
        self._blocks.append(block)

    def _flush(self) -> None:
        self._index.add_all(self._waiting)
        self._waiting.clear()


class DistinctIds:
    """Counts distinct ids; memory stays flat.

    >>> images = DistinctIds()
    >>> for key in (7, 7, "7", 8, 7):
    ...     images.add(key)
    >>> len(images)
    3
    """

    def __init__(self) -> None:
        self._numbers = DistinctNumbers()
        self._last: Id | None = None

    def add(self, key: Id) -> None:
        """Count this id if it is new."""
        if key != self._last:  # questions about one image are usually adjacent
            self._last = key
            self._numbers.add(key if isinstance(key, int) and -_LARGE < key < _LARGE else hash(key))

    def __len__(self) -> int:
        return len(self._numbers)


_BITS = (1 << 26) - 5
"""A prime number, so that ids in steps of a power of two do not share bits."""
_BATCH = 4096
"""The number of texts that are written to the index at once."""
_RECENT = 1 << 15
"""The number of integers in no order that are sorted into a block at once."""
_LARGE = 1 << 63
"""Integers of this size are handled like texts: arrays cannot hold them."""


def _id(text: str) -> Id:
    return int(text[1:]) if text[0] == "i" else text[1:]


def _text(key: Id) -> str:
    return f"i{key}" if isinstance(key, int) else f"s{key}"
