"""The answer store: every answer is written to disk as soon as it arrives.

One SQLite file. A row is found by what was asked and of whom: model signature, image content, question, context
(:func:`key_of`); so an image that was changed on disk, or another model, is never answered from the store. Failures
are not kept: the next run asks again.

Each row has a checksum, so an answer that a disk changed is never taken for the model's; ``askew recover`` keeps what
is intact of a damaged file.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from askew.errors import RunError, first_line
from askew.files.limits import token_counts
from askew.types import Id, Prediction

COLUMNS = (
    ("key", "BLOB"),
    ("answer", "TEXT"),
    ("score", "REAL"),
    ("tries", "INTEGER"),
    ("seconds", "REAL"),
    ("read", "INTEGER"),
    ("written", "INTEGER"),
    ("checksum", "BLOB"),
)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key BLOB PRIMARY KEY, answer TEXT NOT NULL, score REAL, tries INTEGER, seconds REAL, read INTEGER, written INTEGER,
    checksum BLOB
) WITHOUT ROWID;
"""
FIELDS = ", ".join(name for name, _ in COLUMNS)
_CHUNK = 500  # SQLite takes at least 999 variables in one statement
_CACHE_KB = 16 << 10
"""Memory for pages of the file: with SQLite's default of 2 MB, unordered keys would read and write the same pages
often. More than this saves no time, even with two million answers."""
PREFIX = 8
"""The number of leading bytes by which the keys of a run are distinguished."""


def key_of(start: bytes, image: str, text: str, context: str = "", by: str = "") -> bytes:
    """The key of one request: 32 bytes. ``start`` is the model's signature, framed; ``by`` the question's id for models
    that answer by id alone."""
    image_bytes, text_bytes = image.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass")
    sizes = len(image_bytes).to_bytes(8, "big"), len(text_bytes).to_bytes(8, "big")
    rest = framed(context) + framed(by) if context or by else _NO_REST
    return hashlib.sha256(b"".join((start, sizes[0], image_bytes, sizes[1], text_bytes, rest))).digest()


def framed(part: str) -> bytes:
    """A text as bytes, after their number."""
    encoded = part.encode("utf-8", "surrogatepass")
    return len(encoded).to_bytes(8, "big") + encoded


_NO_REST = framed("") * 2


Row: TypeAlias = tuple[bytes, str, float | None, int, float, int, int]
"""Key, answer, score, tries, seconds, tokens read and written."""


def checksum(row: Row) -> bytes:
    """The checksum of a row: eight bytes that depend on every value."""
    return hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=8).digest()


class Store:
    """The answers of one or many runs. Use it in a ``with`` statement.

    Answers that it does not have are looked up in the store ``earlier``, which is only read.
    """

    def __init__(self, path: Path, earlier: Path | None = None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        with ExitStack() as on_failure, self._explained("the answer store cannot be opened"):
            self._db = sqlite3.connect(path, timeout=60, isolation_level=None)
            on_failure.callback(self._db.close)
            self._prepare()
            self._earlier = Store(earlier) if earlier is not None and earlier.resolve() != path.resolve() else None
            on_failure.pop_all()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()
        if self._earlier is not None:
            self._earlier._db.close()

    def get(self, keys: Mapping[bytes, Id]) -> dict[bytes, Prediction]:
        """The known answers, as predictions for the given question ids."""
        return {
            key: Prediction(keys[key], answer, score, None, tries, seconds, tokens=token_counts(read, written))
            for key, answer, score, tries, seconds, read, written in self._rows(list(keys))
        }

    def known(self, keys: Sequence[bytes]) -> dict[bytes, tuple[int, int]]:
        """Which of these have an answer, with the tokens read and written for it."""
        return {row[0]: token_counts(*row[-2:]) for row in self._rows(keys)}

    def tokens_of(self, prefixes: Iterable[bytes]) -> dict[bytes, tuple[int, int]]:
        """Which keys have an answer, each given by its first ``PREFIX`` bytes, with the tokens read and written."""
        found: dict[bytes, tuple[int, int]] = {}
        with self._explained("answers cannot be read"):
            has_rows = self._db.execute("SELECT 1 FROM answers LIMIT 1").fetchone() is not None
            wanted = list(prefixes) if has_rows or self._earlier is not None else []
            query = f"SELECT {FIELDS} FROM answers WHERE key BETWEEN ? AND ?"
            for prefix in wanted if has_rows else ():
                for row in self._intact(self._db.execute(query, (prefix, prefix.ljust(32, b"\xff")))):
                    found[prefix] = token_counts(*row[-2:])
        if self._earlier is not None:
            found.update(self._earlier.tokens_of(prefix for prefix in wanted if prefix not in found))
        return found

    def put(self, items: Iterable[tuple[bytes, Prediction]]) -> None:
        """Write these answers in one transaction; failures are skipped."""
        self.put_rows(_row(key, said) for key, said in items if said.answer is not None)

    def put_rows(self, rows: Iterable[Row]) -> None:
        """Write these rows in one transaction."""
        summed = sorted((*row, checksum(row)) for row in rows)  # neighbouring keys share a page
        with self._explained("answers cannot be kept"):
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(f"INSERT OR REPLACE INTO answers VALUES ({_marks(COLUMNS)})", summed)
            self._db.execute("COMMIT")

    def __len__(self) -> int:
        with self._explained("answers cannot be counted"):
            return int(self._db.execute("SELECT count(*) FROM answers").fetchone()[0])

    def rows(self) -> Iterator[Row]:
        """All rows of this file, in the order of their keys."""
        with self._explained("answers cannot be read"):
            yield from self._intact(self._db.execute(f"SELECT {FIELDS} FROM answers ORDER BY key"))

    def _intact(self, found: Iterable[tuple[Any, ...]]) -> Iterator[Row]:
        """Rows without their checksums; an error when one does not match."""
        for *row, summed in found:
            if summed != checksum(tuple(row)):
                raise _damaged(self.path, "an answer is not the one that was written")
            yield tuple(row)

    def _rows(self, keys: Sequence[bytes]) -> Iterator[Row]:
        """The existing rows of these keys."""
        wanted, own = set(keys), set[bytes]()
        with self._explained("answers cannot be read"):
            for start in range(0, len(keys), _CHUNK):
                part = keys[start : start + _CHUNK]
                query = f"SELECT {FIELDS} FROM answers WHERE key IN ({_marks(part)})"
                for row in self._intact(self._db.execute(query, part)):
                    own.add(row[0])
                    yield row
        if self._earlier is not None:
            yield from self._earlier._rows(list(wanted - own))

    def _prepare(self) -> None:
        """Create the table; refuse other databases."""
        if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            columns = tuple(self._db.execute("SELECT name, type FROM pragma_table_info('answers') ORDER BY cid"))
            if columns != COLUMNS:
                raise _damaged(self.path, "it is a database without askew's table 'answers'")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute(f"PRAGMA cache_size=-{_CACHE_KB}")
        self._db.executescript(_SCHEMA)

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        """An error of SQLite as an AskewError that says what to do."""
        try:
            yield
        except sqlite3.Error as error:
            said = first_line(str(error), 120)
            if "disk I/O" in said and shutil.disk_usage(self.path.parent).free < _LITTLE:
                said = f"{said}; the disk is full"
            if "full" in said:
                raise RunError(
                    f"{self.path}: {what} ({said}). Make room there; answers stored so far are kept, and the same "
                    "command resumes from there."
                ) from error
            if isinstance(error, sqlite3.OperationalError) and any(word in said for word in _ELSEWHERE):
                raise RunError(
                    f"{self.path}: {what} ({said}). Check its permissions and which process uses the file, or name "
                    "another; answers stored so far are kept."
                ) from error
            raise _damaged(self.path, said) from error


_LITTLE = 1 << 20
"""With fewer free bytes than this, SQLite cannot write its own files."""
_ELSEWHERE = ("unable to open", "locked", "readonly", "read-only", "disk I/O")
"""Words in SQLite's errors for an intact file that cannot be accessed."""


def _damaged(path: Path, why: str) -> RunError:
    return RunError(
        f"{path}: not an answer store, or a damaged one ({why}). Move the file away to start afresh, name another, or "
        f"keep what is intact: askew recover {shlex.quote(str(path))}"
    )


def _row(key: bytes, said: Prediction) -> Row:
    """An answer as SQLite returns it: without nan and negative zero."""
    score = None if said.score is None or said.score != said.score else float(said.score) + 0.0
    return (key, str(said.answer), score, said.tries, float(said.seconds) + 0.0, *said.tokens)


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
