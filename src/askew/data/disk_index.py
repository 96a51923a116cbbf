"""Indexes of records on disk, for what a reader must remember of a whole file without holding it in memory."""

from __future__ import annotations

import marshal
import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import accumulate, groupby, islice
from operator import itemgetter
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
import orjson

from askew.data.bad_records import Sieve, known_id, repeated
from askew.errors import BadRecord, DataError
from askew.files.temp_blocks import DistinctNumbers, TempBlocks
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


class RecordFile:
    """Records by id in a temporary file, to be removed in any order; takes a quarter of the time of an :class:`Index`.

    Ids must be distinct. Records are JSON values; a tuple may become a list. Memory: 25 bytes per record.

    >>> with closing(RecordFile([(1, 7, {"answer": "yes"}), ("1", 8, (2,))])) as records:
    ...     records.pop("1"), records.pop("1"), records.pop(2), list(records.numbers())
    ((8, [2]), None, None, [(7, 1)])
    """

    def __init__(self, entries: Iterable[tuple[Id, int, Any]]) -> None:
        self._blocks = TempBlocks()
        try:
            columns = self._write_all(entries)
        except BaseException:
            self.close()
            raise
        order = np.argsort(np.asarray(columns[0]), kind="stable")
        self._hashes, self._starts, self._sizes, self._numbers = (
            array(column.typecode, np.asarray(column)[order].tobytes()) for column in columns
        )
        self._left = bytearray(b"\x01") * len(order)

    def _write_all(self, entries: Iterable[tuple[Id, int, Any]]) -> tuple[array[int], ...]:
        """The hash of the id, the offset in the file, the size and the number of each record."""
        hashes, starts, sizes, numbers = array("q"), array("q"), array("i"), array("i")
        rest = iter(entries)
        while some := list(islice(rest, _PER_WRITE)):
            keys, places, records = zip(*some, strict=True)
            packed = _dumped(list(zip(keys, records, strict=True)))
            lengths = list(map(len, packed))
            starts.extend(accumulate(lengths[:-1], initial=self._blocks.append(b"".join(packed))))
            sizes.extend(lengths)
            hashes.extend(map(hash, keys))
            numbers.extend(places)
        return hashes, starts, sizes, numbers

    def close(self) -> None:
        """Delete the file."""
        self._blocks.close()

    def pop(self, key: Id) -> tuple[int, Any] | None:
        """Remove the record with this id; returns its number and content, or None if there is none."""
        return self.pop_all([key]).get(key)

    def pop_all(self, keys: Sequence[Id]) -> dict[Id, tuple[int, Any]]:
        """Remove the records with these ids; returns the number and content of those that are there.

        Removing many at once takes half the time.
        """
        if not self._left:
            return {}
        wanted = np.fromiter(map(hash, keys), np.int64, len(keys))
        places = np.searchsorted(np.asarray(self._hashes), wanted)
        places[places == len(self._left)] = 0
        starts, sizes = (np.asarray(column)[places].tolist() for column in (self._starts, self._sizes))
        read = _loaded(self._blocks.read_all(sizes, starts))
        found, left, numbers = {}, self._left, self._numbers
        for key, place, (named, record) in zip(keys, places.tolist(), read, strict=True):
            if named != key and (place := self._same_hash(key, place)) is not None:
                record = self._read(place)[1]
            if place is not None and left[place]:
                left[place] = 0
                found[key] = numbers[place], record
        return found

    def _same_hash(self, key: Id, place: int) -> int | None:
        """The place of this id among ids with the same hash, which begin at ``place``; None if it is not there."""
        while place < len(self._left) and self._hashes[place] == hash(key):
            if self._read(place)[0] == key:
                return place
            place += 1
        return None

    def _read(self, place: int) -> tuple[Id, Any]:
        ((named, record),) = _loaded([self._blocks.read(self._sizes[place], self._starts[place])])
        return named, record

    def numbers(self) -> Iterator[tuple[int, Id]]:
        """The number and id of all remaining records, by number."""
        left = [place for place, there in enumerate(self._left) if there]
        for place in sorted(left, key=self._numbers.__getitem__):
            yield self._numbers[place], self._read(place)[0]


def _dumped(values: list[tuple[Id, Any]]) -> list[bytes]:
    """The values as JSON, or in Python's marshal format if a text in them is not valid Unicode."""
    try:
        return list(map(orjson.dumps, values))
    except TypeError:
        return list(map(marshal.dumps, values))


def _loaded(blocks: list[bytes]) -> list[Any]:
    """The values that ``_dumped`` wrote."""
    try:
        return list(map(orjson.loads, blocks))
    except orjson.JSONDecodeError:
        return [orjson.loads(block) if block.startswith(b"[") else marshal.loads(block) for block in blocks]


_PER_WRITE = 128
"""The number of records that are written at once."""


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


def distinct(
    sieve: Sieve,
    records: Iterable[tuple[int, T]],
    identify: Callable[[T], Id],
    again: Callable[[Id, T, str], BadRecord] = repeated,
) -> Generator[tuple[int, Id, T], None, None]:
    """The number, id and content of each record with a valid and new id; the others are refused.

    ``again`` returns the error for a repeated id, given the id, its record, and where it first occurred.
    """
    with SeenIds() as seen:
        for number, record in records:
            try:
                key = identify(record)
                if (first := seen.add(key, number)) is not None:
                    raise again(key, record, f"{sieve.word} {first}")
            except BadRecord as fault:
                sieve.refuse(number, fault, known_id(record, "id", "question_id", "questionId"))
            else:
                yield number, key, record


def _id(text: str) -> Id:
    return int(text[1:]) if text[0] == "i" else text[1:]


def _text(key: Id) -> str:
    return f"i{key}" if isinstance(key, int) else f"s{key}"


def gathered(records: Iterable[tuple[int, Id, Any]]) -> Iterator[list[tuple[int, Any]]]:
    """The records of each key, in the order in which the keys first appear; kept in a temporary file.

    Only the records of one key are in memory at a time. Records must be JSON values.

    >>> list(gathered([(1, "a", "x"), (2, "b", "y"), (3, "a", "z")]))
    [[(1, 'x'), (3, 'z')], [(2, 'y')]]
    """
    # With an empty name SQLite uses its own file in the temporary folder.
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    rows = ((_text(key), number, orjson.dumps(record)) for number, key, record in records)
    with closing(database), _explained():
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("CREATE TABLE row (key TEXT, number INT, record BLOB)")
        database.execute("BEGIN")
        database.executemany("INSERT INTO row VALUES (?, ?, ?)", rows)
        database.execute("CREATE INDEX place ON row (key)")
        database.execute("CREATE TABLE begun (first INTEGER PRIMARY KEY, key TEXT)")
        database.execute("INSERT INTO begun SELECT MIN(rowid), key FROM row GROUP BY key")
        together = database.execute(_TOGETHER)
        for _, group in groupby(together, key=itemgetter(0)):
            yield [(number, orjson.loads(record)) for _, number, record in group]


_TOGETHER = """
SELECT row.key, row.number, row.record FROM begun CROSS JOIN row ON row.key = begun.key ORDER BY begun.first, row.rowid
"""
"""The rows of each key, in the order of the keys' first rows. SQLite follows two indexes and sorts nothing."""
