"""Reading and writing files as bytes: gzip, byte-order marks, atomic replacement, locks, hashes, safe CSV cells.

Also the YAML files in the package: word lists, rules and published figures next to the code that uses them.

Locks are released when their process ends, even if it is killed. They use flock, or msvcrt.locking on Windows;
a package such as filelock would need an additional file for each file it locks.
"""

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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import MISSING, fields
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, cast
from uuid import uuid4

import yaml

from askew.errors import DataError, RunError

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_POINTER = b"version https://git-lfs.github.com/spec/"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
FULL = frozenset((errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)))
"""Error numbers of a full disk."""
_PART = re.compile(r"\..+\.[0-9a-f]{32}\.part")
_BUFFER = 1 << 20
"""The number of bytes that are written to a file at once."""
_YOUNG = 5.0
"""A partial file younger than this many seconds may not have been locked by its writer yet."""
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
FOLDER_LOCK = ".askew.lock"
"""The file that is locked in place of a folder on Windows, where folders cannot be opened; it stays there, empty."""
_LOCKED_BYTE = 0x7FFF0000
"""The offset of the byte locked on Windows, beyond the end of files, because locked bytes cannot be read by others."""


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed if its first bytes are those of gzip, without a byte-order mark.

    Raises DataError if it is missing, empty, truncated or UTF-16.
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
            f"{path}: the gzip file is truncated or damaged ({damage}). Copy or download it again; 'gzip -t' checks it."
        ) from None
    except OSError as trouble:
        raise _unread(path, trouble) from None


@contextmanager
def opened_raw(path: str) -> Iterator[IO[bytes]]:
    """Open a file for reading, without decompression."""
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
    start = file.read(len(_POINTER))
    if start == _POINTER:
        raise DataError(
            f"{path}: this is a Git LFS pointer, which stands for the file. Fetch the file itself: git lfs pull "
            "(in its repository)."
        )
    if not start:
        raise DataError(f"{path}: the file is empty. Copy or download it again.")
    if start.startswith(_UTF16):
        raise DataError(
            f"{path}: the file is UTF-16, not UTF-8. Convert it: iconv -f UTF-16 -t UTF-8 {os.path.basename(path)}"
        )
    file.seek(len(_BOM) if start.startswith(_BOM) else 0)


@contextmanager
def replaced(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces ``path`` when it is completely written; gzip if the name ends in .gz.

    Until then, and after any error, an existing file at ``path`` is unchanged.
    """
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.{uuid4().hex}.part")
    try:
        with part.open("xb", buffering=_BUFFER) as raw:
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

    A partial file is locked by its writer, and the lock is released when the process ends; so files that are being
    written are kept. If the file system has no locks, nothing is deleted.
    """
    for part in _parts(folder):
        with suppress(OSError):
            with part.open("r+b") as file:
                old = time.time() - os.fstat(file.fileno()).st_mtime > _YOUNG
                abandoned = old and try_lock(file.fileno())
            if abandoned:  # closed first, since Windows cannot delete open files
                part.unlink()


def has_parts(folder: Path) -> bool:
    """Whether a process is writing to a file in this folder, or was killed a moment ago."""
    return any(_parts(folder))


def _parts(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob(".*.part") if _PART.fullmatch(path.name))


def write_joined(
    path: str | Path, parts: Iterable[bytes], start: bytes = b"", between: bytes = b"", end: bytes = b""
) -> int:
    """Write parts to a file that appears only when it is complete; returns the number of parts."""
    count = 0
    with replaced(path) as file:
        file.write(start)
        for part in parts:
            file.write(between + part if count else part)
            count += 1
        file.write(end)
    return count


def fingerprint(*paths: str) -> str:
    """A hash of the contents of files, as 16 hexadecimal digits; independent of their paths.

    Hashes are cached until a file changes.
    """
    whole = hashlib.sha256()
    for path in paths:
        whole.update(file_sha256(path).encode())
    return whole.hexdigest()[:16]


def file_sha256(path: str) -> str:
    """The SHA-256 of a file as it is on disk, cached until its size or one of its times changes."""
    try:
        state = os.stat(path)
    except OSError as trouble:
        raise DataError(f"{path}: cannot be read ({trouble.strerror}). Put the file there.") from None
    return _sha256(path, state.st_size, state.st_mtime_ns, state.st_ctime_ns)  # a copy may keep the first two


@lru_cache(maxsize=4096)
def _sha256(path: str, size: int, modified: int, changed: int) -> str:
    digest = hashlib.sha256()
    with opened_raw(path) as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def signature(reader: Any) -> str:
    """The signature of a reader: its class and the options that differ from the defaults, without folders.

    It is the same on every machine; ``fingerprint`` distinguishes contents.
    """
    said = []
    for part in fields(reader):
        value = getattr(reader, part.name)
        if not part.repr or (part.default is not MISSING and value == part.default):
            continue
        shown = os.path.basename(os.path.normpath(value)) if isinstance(value, str) and value else value
        said.append(f"{part.name}={shown!r}")
    return f"{type(reader).__name__}({', '.join(said)})"


def safe_cell(text: str) -> str:
    """Text as a CSV or XLSX cell that spreadsheet programs do not take as a formula.

    >>> safe_cell("=HYPERLINK(A1)"), safe_cell("a-b"), safe_cell("-1")
    ("'=HYPERLINK(A1)", 'a-b', "'-1")
    """
    return f"'{text}" if text.startswith(FORMULA_SIGNS) else text


def csv_line(cells: Sequence[str | int | float | None]) -> bytes:
    """One line of a CSV file that is safe to open in spreadsheet programs; numbers stay numbers."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(
        [safe_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    )
    return line.getvalue().encode()


@contextmanager
def alone_in(*folders: Path) -> Iterator[None]:
    """Lock folders against other writers; RunError if another process is writing to one of them.

    The lock is released when the process ends, even if it is killed. No-op if the file system has no locks.
    """
    with ExitStack() as open_descriptors:
        for folder in dict.fromkeys(folders):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                descriptor = open_folder(folder)
                open_descriptors.callback(os.close, descriptor)
                try_lock(descriptor)
            except BlockingIOError:
                raise RunError(
                    f"{folder}: another askew is writing to this folder. Wait until it is done, or give another."
                ) from None
            except OSError:  # a folder that can be neither read nor written
                continue
        yield


def try_lock(file: int) -> bool:
    """Lock an open file for this process; False if the system or disk has no locks.

    Raises BlockingIOError if another process, or another open handle, holds the lock.
    """
    try:
        fcntl: Any = import_module("fcntl")
    except ImportError:
        return _try_msvcrt(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def _try_msvcrt(file: int) -> bool:
    try:
        msvcrt: Any = import_module("msvcrt")
    except ImportError:
        return False
    place = os.lseek(file, 0, os.SEEK_CUR)
    try:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    except PermissionError as held:
        raise BlockingIOError(held.errno, held.strerror) from None
    except OSError:
        return False
    finally:
        os.lseek(file, place, os.SEEK_SET)
    return True


def open_folder(folder: Path) -> int:
    """A file descriptor by which a folder can be locked: the folder itself, or ``FOLDER_LOCK`` in it on Windows."""
    try:
        return os.open(folder, os.O_RDONLY)
    except PermissionError:
        return os.open(folder / FOLDER_LOCK, os.O_RDWR | os.O_CREAT)


def end_with_parent() -> None:
    """End this process when its parent ends, even if the parent is killed; no-op in the main process."""
    from multiprocessing import parent_process  # imported here because most commands start no workers
    from threading import Thread

    parent = parent_process()
    if parent is not None:
        Thread(target=_exit_after, args=(parent.sentinel,), daemon=True).start()


def _exit_after(sentinel: int) -> None:
    from multiprocessing import connection

    connection.wait([sentinel])
    os._exit(1)


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C loader is ten times as fast, if PyYAML was built with it."""


@cache
def resource(name: str) -> Any:
    """Load a YAML file of the package, once: what is returned must not be changed.

    >>> resource("suites/rad.yaml")["rad"]["BUTD (VQA)"][0]
    67.15
    """
    return yaml.load(files("askew").joinpath(name).read_text(encoding="utf-8"), _LOADER)


@cache
def word_sets(name: str) -> Mapping[str, frozenset[str]]:
    """The lists of words in a YAML file, by name.

    >>> "wearing" in word_sets("perturb/rad/grammar_words.yaml")["transitive"]
    True
    """
    return {key: frozenset(map(str, words)) for key, words in resource(name).items() if isinstance(words, list)}


@cache
def package_digest() -> str:
    """A hash of all files of the package, 16 digits: equal for equal copies of askew, wherever they are installed.

    ``__pycache__`` does not count: compiled code, Python's and Numba's, depends on what has run on a host.
    """
    root, digest = Path(str(files("askew"))), hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".part":
            digest.update(str(path.relative_to(root).as_posix()).encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
