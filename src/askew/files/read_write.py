"""Reading and writing files as bytes: gzip and byte-order marks, atomic replacement, content hashes, safe CSV cells."""

from __future__ import annotations

import csv
import errno
import gzip
import hashlib
import io
import os
import re
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import MISSING, fields
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast
from uuid import uuid4

from askew.errors import DataError
from askew.files.locks import try_lock

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
FULL = frozenset((errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)))
"""Error numbers of a full disk."""
_PART = re.compile(r"\..+\.[0-9a-f]{32}\.part")
_YOUNG = 5.0
"""Seconds within which the writer of a partial file may not have locked it yet."""


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """The content of a file, unzipped when it is gzip (by its first bytes, whatever its name), without a UTF-8 mark.

    Raises DataError when it is missing, empty, truncated or UTF-16.
    """
    try:
        with open(path, "rb") as raw:
            zipped = raw.read(2) == _GZIP
            raw.seek(0)
            file = cast(IO[bytes], gzip.GzipFile(fileobj=raw) if zipped else raw)
            _skip_mark(path, file)
            yield file
    except (EOFError, zlib.error, gzip.BadGzipFile) as damage:
        raise DataError(
            f"{path}: the gzip file is cut off or damaged ({damage}). Copy or download it again; 'gzip -t' checks it."
        ) from None
    except OSError as trouble:
        raise _unread(path, trouble) from None


@contextmanager
def opened_raw(path: str) -> Iterator[IO[bytes]]:
    """The bytes of a file as they are on disk."""
    try:
        with open(path, "rb") as file:
            yield file
    except OSError as trouble:
        raise _unread(path, trouble) from None


def _unread(path: str, trouble: OSError) -> DataError:
    if isinstance(trouble, FileNotFoundError):
        return DataError(f"{path}: there is no such file. Put it there, or give the path where it is.")
    if isinstance(trouble, IsADirectoryError):
        return DataError(f"{path}: this is a folder, not a file. Give one of the files in it.")
    return DataError(f"{path}: cannot be read ({trouble.strerror or trouble}). Check its permissions.")


def _skip_mark(path: str, file: IO[bytes]) -> None:
    start = file.read(3)
    if not start:
        raise DataError(f"{path}: the file is empty. Copy or download it again.")
    if start.startswith(_UTF16):
        raise DataError(
            f"{path}: the file is UTF-16, not UTF-8. Convert it: iconv -f UTF-16 -t UTF-8 {os.path.basename(path)}"
        )
    if start != _BOM:
        file.seek(0)


@contextmanager
def replaced(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write that replaces ``path`` only when everything is written; gzip if the name ends in .gz.

    Until then, and after any error, whatever was at ``path`` stays as it was.
    """
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.{uuid4().hex}.part")
    try:
        with part.open("xb") as raw:
            try_lock(raw.fileno())
            if place.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as zipped:
                    yield cast(IO[bytes], zipped)
            else:
                yield raw
        part.replace(place)
    except OSError as trouble:
        if trouble.errno in (*FULL, errno.EFBIG) and trouble.filename is None:
            trouble.filename = str(part)
        raise
    finally:
        part.unlink(missing_ok=True)


def clear_parts(folder: Path) -> None:
    """Delete partial files left by killed writers in a folder.

    A part is locked by its writer, and the lock ends with the process however that ends; so files that
    are being written stay. Where the file system has no locks everything stays.
    """
    for part in _parts(folder):
        with suppress(OSError):
            with part.open("r+b") as left:
                old = time.time() - os.fstat(left.fileno()).st_mtime > _YOUNG
                left_alone = old and try_lock(left.fileno())
            if left_alone:  # closed first, since Windows deletes no open file
                part.unlink()


def has_parts(folder: Path) -> bool:
    """True when a process is writing to a file of this folder, or was killed a moment ago."""
    return any(_parts(folder))


def _parts(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob(".*.part") if _PART.fullmatch(path.name))


def write_joined(
    path: str | Path, parts: Iterable[bytes], start: bytes = b"", between: bytes = b"", end: bytes = b""
) -> int:
    """Write parts one after another to a file that appears when it is complete; returns the number of parts."""
    count = 0
    with replaced(path) as file:
        file.write(start)
        for part in parts:
            file.write(between + part if count else part)
            count += 1
        file.write(end)
    return count


def fingerprint(*paths: str) -> str:
    """The fingerprint of these files' contents, as 16 hexadecimal digits: the same for the same bytes at any path.

    Hashes are cached until a file changes.
    """
    whole = hashlib.sha256()
    for path in paths:
        whole.update(file_sha256(path).encode())
    return whole.hexdigest()[:16]


def file_sha256(path: str) -> str:
    """The SHA-256 of a file as it is on disk, cached until its size or time changes."""
    try:
        state = os.stat(path)
    except OSError as trouble:
        raise DataError(f"{path}: cannot be read ({trouble.strerror}). Put the file there.") from None
    return _sha256(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4096)
def _sha256(path: str, size: int, changed: int) -> str:
    digest = hashlib.sha256()
    with opened_raw(path) as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def signature(reader: Any) -> str:
    """A reader as its class and the options that differ from their defaults, with file names but no folders.

    The same data gives the same signature on every machine; ``fingerprint`` tells contents apart.
    """
    said = []
    for part in fields(reader):
        value = getattr(reader, part.name)
        if not part.repr or (part.default is not MISSING and value == part.default):
            continue
        shown = os.path.basename(os.path.normpath(value)) if isinstance(value, str) and value else value
        said.append(f"{part.name}={shown!r}")
    return f"{type(reader).__name__}({', '.join(said)})"


FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(text: str) -> str:
    """Text as a cell of a CSV or XLSX file for people.

    >>> safe_cell("=HYPERLINK(A1)"), safe_cell("a-b"), safe_cell("-1")
    ("'=HYPERLINK(A1)", 'a-b', "'-1")
    """
    return f"'{text}" if text.startswith(FORMULA_SIGNS) else text


def csv_line(cells: Sequence[str | int | float | None]) -> bytes:
    """One line of a CSV file for people; numbers stay numbers."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(
        [safe_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    )
    return line.getvalue().encode()
