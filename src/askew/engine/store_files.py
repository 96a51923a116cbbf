"""Files of answer stores: recover the intact rows of a damaged store, and merge several stores.

SQLite gives up at the first page that it cannot follow, so the pages are read here one by one, as its file format has
them (https://www.sqlite.org/fileformat2.html): the answers are an index b-tree, whose pages begin with 2 or 10, and the
write-ahead log holds newer versions of pages. Only rows with a correct checksum are trusted.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askew.engine.ask import chunks
from askew.engine.store import COLUMNS, Row, Store, checksum
from askew.errors import DataError
from askew.files.limits import MAX_RECORD
from askew.files.read_write import alone_in

_PAGE_SIZE = 4096
"""SQLite's default, for files whose header does not say."""
_INTERIOR, _LEAF = 2, 10
_BEFORE_CHECKSUMS = len(COLUMNS) - 1


@dataclass
class Recovered:
    """What was found in a damaged store."""

    rows: dict[bytes, Row] = field(default_factory=dict)
    unchecked: int = 0
    """Rows of an older version, which have no checksum; they are kept."""
    damaged: int = 0
    """Rows with a wrong checksum, which are left out."""
    pages: int = 0
    """Pages of answers whose rows cannot be found at all."""


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
    """The intact rows of a store and of its write-ahead log; of the possible page sizes, the one that finds most rows
    is used."""
    with open(file, "rb") as header:
        said = int.from_bytes(header.read(18)[16:], "big")
    sizes = {65536 if said == 1 else said, _PAGE_SIZE}
    tried = [_rows_by(file, size) for size in sizes if size >= 512 and size & (size - 1) == 0]
    return max(tried, key=lambda found: len(found.rows))


def _rows_by(file: Path, size: int) -> Recovered:
    pages = _read_pages(file, size)
    found = Recovered()
    for number in sorted(pages):
        page = pages[number]
        start = 100 if number == 1 else 0
        if page[start] not in (_INTERIOR, _LEAF):
            continue
        cells = list(_cells(page, start))
        found.pages += not cells and page[start + 3 : start + 5] != b"\0\0"
        for cell in cells:
            _take(found, _values(_payload(pages, page, cell)))
    return found


def _take(found: Recovered, values: list[Any] | None) -> None:
    if values is None or len(values) not in (len(COLUMNS), _BEFORE_CHECKSUMS) or not _is_row(values):
        found.damaged += 1
        return
    key, answer, score, tries, seconds, read, written = values[:_BEFORE_CHECKSUMS]
    real = None if score is None else float(score)  # SQLite writes 1.0 as 1
    row: Row = (key, answer, real, tries, float(seconds), read, written)
    if len(values) == len(COLUMNS) and values[-1] != checksum(row):
        found.damaged += 1
        return
    found.unchecked += len(values) == _BEFORE_CHECKSUMS
    found.rows[key] = row


def _is_row(values: list[Any]) -> bool:
    key, answer, score, *numbers = values[:_BEFORE_CHECKSUMS]
    counts = all(isinstance(number, (int, float)) for number in numbers)
    return isinstance(key, bytes) and isinstance(answer, str) and isinstance(score, (int, float, type(None))) and counts


def _names(file: Path, word: str) -> Iterator[Path]:
    """``answers.sqlite.damaged``, ``answers.sqlite.damaged-2`` and so on."""
    yield file.with_name(f"{file.name}.{word}")
    yield from (file.with_name(f"{file.name}.{word}-{number}") for number in range(2, 1 << 20))


def _read_pages(file: Path, size: int) -> dict[int, bytes]:
    """The pages by number, as the write-ahead log leaves them."""
    content = file.read_bytes()
    pages = {place // size + 1: content[place : place + size] for place in range(0, len(content), size)}
    log = Path(f"{file}-wal")
    frames = log.read_bytes() if log.is_file() else b""
    for place in range(32, len(frames) - 24 - size + 1, 24 + size):
        if frames[place + 8 : place + 16] == frames[16:24]:  # a frame of this log, not of an earlier one
            (number,) = struct.unpack_from(">I", frames, place)
            pages[number] = frames[place + 24 : place + 24 + size]
    return {number: page.ljust(size, b"\0") for number, page in pages.items() if page}


def _cells(page: bytes, start: int) -> Iterator[int]:
    """The offsets of the rows in a page."""
    (count,) = struct.unpack_from(">H", page, start + 3)
    inner = page[start] == _INTERIOR
    first = start + (12 if inner else 8)
    for number in range(min(count, (len(page) - first) // 2)):
        (place,) = struct.unpack_from(">H", page, first + 2 * number)
        if first <= place < len(page):
            yield place + 4 * inner


def _payload(pages: dict[int, bytes], page: bytes, place: int) -> bytes:
    """The bytes of a row, from its page and its overflow pages."""
    length, place = _varint(page, place)
    room = len(page)
    most, least = (room - 12) * 64 // 255 - 23, (room - 12) * 32 // 255 - 23
    if length <= most:
        return page[place : place + length]
    if length > MAX_RECORD:
        return b""
    local = least + (length - least) % (room - 4)
    local = local if local <= most else least
    parts = [page[place : place + local]]
    (number,) = struct.unpack_from(">I", page.ljust(place + local + 4, b"\0"), place + local)
    left = length - local
    while left > 0 and number in pages:
        parts.append(pages[number][4 : 4 + min(left, room - 4)])
        left -= room - 4
        (number,) = struct.unpack_from(">I", pages[number])
    return b"".join(parts)


def _values(payload: bytes) -> list[Any] | None:
    """The columns of a row; None if the bytes are not a row."""
    size, place = _varint(payload, 0)
    if not place <= size <= len(payload):
        return None
    kinds = []
    while place < size:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    values = []
    for kind in kinds:
        length = _LENGTHS.get(kind, (kind - 12) // 2 if kind >= 12 else 0)
        if size + length > len(payload):
            return None
        values.append(_value(kind, payload[size : size + length]))
        size += length
    return values


_LENGTHS = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Bytes of a value by its kind: nothing, whole numbers, a fraction, 0, 1; from 12 on bytes (even) and texts (odd)."""


def _value(kind: int, content: bytes) -> Any:
    if kind in (0, 10, 11):
        return None
    if kind == 7:
        return struct.unpack(">d", content)[0]
    if kind < 10:
        return kind - 8 if kind >= 8 else int.from_bytes(content, "big", signed=True)
    try:
        return content.decode() if kind % 2 else content
    except UnicodeDecodeError:
        return None


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """A variable-length integer of one to nine bytes, and the offset after it; 0 past the end.

    >>> _varint(b"\\x81\\x00", 0), _varint(b"", 0)
    ((128, 2), (0, 1))
    """
    value = 0
    for count in range(9):
        byte = content[place + count] if place + count < len(content) else 0
        if count == 8:
            return value << 8 | byte, place + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value, place + count + 1


_ROWS = 500
"""The number of rows that are looked up and written at once."""


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
                for rows in chunks(read.rows(), _ROWS):
                    known = store.get({row[0]: 0 for row in rows})
                    merged.known += len(known)
                    merged.differing += sum(row[0] in known and known[row[0]].answer != row[1] for row in rows)
                    fresh = [row for row in rows if row[0] not in known]
                    store.put_rows(fresh)
                    merged.copied += len(fresh)
    return merged
