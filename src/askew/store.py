"""Every answer on disk as soon as it is given.

One SQLite file. A row is found by what was asked and of whom: model signature, image content, question, context
(:func:`ask_key`); so an image that was changed on disk, or another model, is never answered from memory. Failures are
not kept: the next run asks again.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from types import TracebackType
from typing import Any, TypeGuard

from askew.errors import RunError
from askew.types import Id, Prediction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key BLOB PRIMARY KEY, answer TEXT NOT NULL, score REAL, tries INTEGER, seconds REAL, read INTEGER, written INTEGER
) WITHOUT ROWID;
"""
MOST_TOKENS = 10**9
"""Tokens that one answer may be said to have taken; a larger count is a fault of whoever counted."""
_CHUNK = 500  # SQLite takes at least 999 variables in one statement


def ask_key(model: str, image: str, text: str, context: str = "", by: str = "") -> bytes:
    """What one asking is known by: 32 bytes. ``by`` is the question's id for models that answer by id alone."""
    parts = [part.encode("utf-8", "surrogatepass") for part in (model, image, text, context, by)]
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return hashlib.sha256(framed).digest()


def token_counts(read: Any, written: Any) -> tuple[int, int]:
    """Both counts, each 0 where it is not a count of tokens that one answer can have.

    >>> token_counts(510, 2), token_counts(2**63 - 1, -1), token_counts(float("nan"), True)
    ((510, 2), (0, 0), (0, 0))
    """
    return int(read) if is_token_count(read) else 0, int(written) if is_token_count(written) else 0


def is_token_count(value: Any) -> TypeGuard[int]:
    """True for a whole number from 0 to :data:`MOST_TOKENS`."""
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) <= MOST_TOKENS


class Store:
    """The answers of one or many runs. Use it in a ``with`` statement."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        try:
            self._db = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise RunError(
                f"{path}: the answer store cannot be opened ({error}). Move the file away to start afresh, "
                "or name another."
            ) from error

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()

    def get(self, keys: Mapping[bytes, Id]) -> dict[bytes, Prediction]:
        """The answers that are known, as predictions for the question ids given."""
        known: dict[bytes, Prediction] = {}
        wanted = list(keys)
        for start in range(0, len(wanted), _CHUNK):
            part = wanted[start : start + _CHUNK]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, answer, score, tries, seconds, read, written FROM answers WHERE key IN ({marks})"
            for key, answer, score, tries, seconds, read, written in self._db.execute(query, part):
                known[key] = Prediction(
                    keys[key], answer, score, None, tries, seconds, tokens=token_counts(read, written)
                )
        return known

    def known(self, keys: Sequence[bytes]) -> dict[bytes, tuple[int, int]]:
        """Which of these have an answer, with the tokens read and written for it."""
        found: dict[bytes, tuple[int, int]] = {}
        for start in range(0, len(keys), _CHUNK):
            part = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(part))
            rows = self._db.execute(f"SELECT key, read, written FROM answers WHERE key IN ({marks})", part)
            found.update((key, token_counts(read, written)) for key, read, written in rows)
        return found

    def put(self, items: Iterable[tuple[bytes, Prediction]]) -> None:
        """Keep these answers, in one transaction; failures are passed over."""
        rows = [(key, p.answer, p.score, p.tries, p.seconds, *p.tokens) for key, p in items if p.answer is not None]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            raise RunError(
                f"{self.path}: answers cannot be kept ({error}). Make room, or see what else holds the file; answers "
                "kept before stay, and the same command goes on from there."
            ) from error

    def __len__(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM answers").fetchone()[0])
