"""The cache of sentence vectors: one SQLite file per encoder in the cache folder, with texts as keys."""

from __future__ import annotations

import hashlib
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from askew.files.paths import cache_folder
from askew.rank.numba_loops import compiled
from askew.verbs import Executor

_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
_METHOD = "2: each text by itself"
"""How vectors are computed; part of the file's name, so that vectors of other versions are not mixed in."""
_CHUNK = 500
_AT_ONCE = 2000
"""New texts that are encoded and saved together."""
_SLOW = 2000
"""From this many new texts on, a progress bar is shown."""


def cached_vectors(
    signature: str,
    texts: Sequence[str],
    encode: Callable[[list[str]], Sequence[Any]],
    executor: Executor | None = None,
) -> Any:
    """One row of unit length per text: from the cache, else encoded, by workers if there are any, and saved at once."""
    keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
    first: dict[bytes, int] = {}
    for number, key in enumerate(keys):
        first.setdefault(key, number)
    rows: Any = None
    with closing(_VectorFile(_path_of(signature))) as file:
        for key, vector in _vectors_by_key(
            file, {key: texts[number] for key, number in first.items()}, encode, executor
        ):
            rows = np.empty((len(texts), len(vector)), np.float32) if rows is None else rows
            rows[first[key]] = vector
    for number, key in enumerate(keys):
        if first[key] != number:
            rows[number] = rows[first[key]]
    return rows


def _vectors_by_key(
    file: _VectorFile,
    texts: Mapping[bytes, str],
    encode: Callable[[list[str]], Sequence[Any]],
    executor: Executor | None,
) -> Iterator[tuple[bytes, Any]]:
    """Each key with its vector: first those in the cache, then the others as they are encoded and saved."""
    wanted, unknown = list(texts), []
    for start in range(0, len(wanted), _CHUNK):
        part = wanted[start : start + _CHUNK]
        known = file.known(part)
        unknown += [key for key in part if key not in known]
        yield from known.items()
    bar = tqdm(total=len(unknown), desc="encoding", disable=None if len(unknown) >= _SLOW else True)
    parts = [unknown[start : start + _AT_ONCE] for start in range(0, len(unknown), _AT_ONCE)]
    wanted_texts = ([texts[key] for key in part] for part in parts)
    shared = executor is not None and len(parts) > 1
    encoded = executor.map(encode, wanted_texts) if executor is not None and shared else map(encode, wanted_texts)
    for part, rows in zip(parts, encoded, strict=True):
        fresh = list(zip(part, _unit(np.array(rows, np.float32)), strict=True))
        file.keep(fresh)
        yield from fresh
        bar.update(len(part))
    bar.close()


def _unit(rows: Any) -> Any:
    lengths = row_lengths(rows)
    return (rows / np.where(lengths > 0, lengths, 1)[:, None]).astype(np.float32)


def _path_of(signature: str) -> Path:
    digest = hashlib.sha256(f"{_METHOD} {signature}".encode()).hexdigest()
    return cache_folder() / "vectors" / f"{digest[:24]}.sqlite"


class _VectorFile:
    """The vectors of one encoder on disk. When the disk or the file fails, it warns and is not used any more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None
        with self._disabled_on_error():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(str(path), timeout=60, isolation_level=None)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(_SCHEMA)

    def known(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """The vectors of those keys that are stored and valid."""
        found: dict[bytes, Any] = {}
        if self._database is not None:
            marks = ",".join("?" * len(keys))
            query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
            with self._disabled_on_error():
                found = {key: np.frombuffer(vector, "<f4") for key, vector in self._database.execute(query, keys)}
        return {key: vector for key, vector in found.items() if _valid(vector)}

    def keep(self, fresh: Sequence[tuple[bytes, Any]]) -> None:
        """Save these keys and vectors in one transaction."""
        if self._database is None:
            return
        packed = [(key, vector.astype("<f4").tobytes()) for key, vector in fresh]
        with self._disabled_on_error():
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", packed)
            self._database.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            with suppress(sqlite3.Error):  # what was committed is safe, and a full disk cannot take a checkpoint
                self._database.close()
            self._database = None

    @contextmanager
    def _disabled_on_error(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error, ValueError) as trouble:  # ValueError: not a whole number of float32
            self.close()
            warnings.warn(
                f"{self._path}: vectors cannot be cached ({trouble}). Continuing without them. "
                "Make room on the disk or delete the file, or set another folder with ASKEW_CACHE.",
                RuntimeWarning,
                stacklevel=4,
            )


def _valid(vector: Any) -> bool:
    """Whether this is a valid stored vector: of unit length, or all zeros."""
    length = float(vector @ vector)
    return abs(length - 1) < 1e-4 or not vector.any()


@compiled
def row_lengths(rows: Any) -> Any:
    """The Euclidean length of each float32 row, summed from left to right in float64: the same on every processor.

    >>> row_lengths(np.array([[3, 4], [0, 0]], np.float32)).tolist()
    [5.0, 0.0]
    """
    result = np.empty(len(rows))
    for number in range(len(rows)):
        total = 0.0
        for value in rows[number]:
            total += np.float64(value) * np.float64(value)
        result[number] = np.sqrt(total)
    return result
