"""Rankings on disk: what one ranking holds, and the SQLite file that keeps each batch as soon as it is computed.

A ranking job of several hours can be killed at any moment; the next run continues from here.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from askew.errors import BadRecord, DataError
from askew.files.paths import cache_folder
from askew.types import Ranked


@dataclass(frozen=True, slots=True)
class Nearest:
    """A question of the data, the questions of the pool that are nearest to it, and the proof that they are."""

    text: str
    questions: tuple[str, ...]
    """Nearest first."""
    scores: tuple[float, ...]
    proof: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, ranked: Ranked, pool: Sequence[str]) -> Nearest:
        """What a ranker found, with the pool's texts in place of their numbers.

        >>> Nearest.of(Ranked("Is it hot?", (1,), (0.5,)), ["Why?", "Is it warm?"]).questions
        ('Is it warm?',)
        """
        return cls(ranked.text, tuple(pool[index] for index in ranked.indices), ranked.scores, ranked.proof)

    def record(self) -> dict[str, Any]:
        """The fields of a record in a file."""
        basic = [list(pair) for pair in zip(self.questions, self.scores, strict=True)]
        return {"question": self.text, "basic": basic, "proof": dict(self.proof)}


def nearest_from(record: object) -> Nearest:
    """The ranking of a record, as ``Nearest.record`` writes it.

    >>> nearest_from({"question": "Is it hot?", "basic": [["Is it warm?", 0.5]]}).scores
    (0.5,)
    >>> nearest_from({"question": "Is it hot?", "basic": ["Is it warm?"]})
    Traceback (most recent call last):
    askew.errors.BadRecord: this is not a record of basic questions: it needs 'question', and 'basic' as a list of \
[question, score]. Write the file again with askew build basic.
    """
    try:
        text, basic, proof = record["question"], record["basic"], record.get("proof", {})  # type: ignore[index, attr-defined]
        questions = tuple(question for question, _ in basic)
        scores = tuple(float(score) for _, score in basic)
        if all(isinstance(part, str) for part in (text, *questions)) and isinstance(proof, dict):
            return Nearest(text, questions, scores, proof)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise BadRecord(
        "this is not a record of basic questions: it needs 'question', and 'basic' as a list of [question, score]. "
        "Write the file again with askew build basic."
    )


_SCHEMA = """
CREATE TABLE IF NOT EXISTS ranked (text TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS header (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), record BLOB NOT NULL);
"""
_CHUNK = 500  # SQLite takes at least 999 variables in one statement

Header = Mapping[str, Any]
"""What determines a ranking: ``name``, ``ranker``, ``pool``, ``top`` and ``askew``, as plain JSON values."""


def signature(header: Header) -> str:
    """What determines a ranking, in 16 digits; its file is found by it.

    >>> signature({"ranker": "a"}) == signature({"ranker": "a"}) != signature({"ranker": "b"})
    True
    """
    return hashlib.sha256(orjson.dumps(header, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def ranking_path(key: str) -> Path:
    """The file of the ranking with this signature."""
    return cache_folder() / "basic" / f"{key}.sqlite"


class RankingStore:
    """The rankings of distinct texts by one ranker in one pool: an SQLite file, each batch one transaction.

    Two processes may fill the same file; what both computed is kept once.
    """

    def __init__(self, path: Path, header: Header | None = None) -> None:
        self.path = path
        with self._safely():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
            if header is not None:
                self._db.execute("INSERT OR REPLACE INTO header VALUES (1, ?)", (orjson.dumps(header),))

    @property
    def header(self) -> Header:
        """What determines these rankings; empty in a new file."""
        with self._safely():
            found = self._db.execute("SELECT record FROM header").fetchone()
        return orjson.loads(found[0]) if found else {}

    def known(self, texts: Sequence[str]) -> dict[str, Nearest]:
        """The rankings of these texts, as far as they are stored."""
        found = {}
        with self._safely():
            for start in range(0, len(texts), _CHUNK):
                part = texts[start : start + _CHUNK]
                query = f"SELECT record FROM ranked WHERE text IN ({','.join('?' * len(part))})"
                for (record,) in self._db.execute(query, part):
                    nearest = nearest_from(orjson.loads(record))
                    found[nearest.text] = nearest
        return found

    def put(self, rankings: Iterable[Nearest]) -> None:
        """Store these rankings in one transaction."""
        rows = [(nearest.text, orjson.dumps(nearest.record())) for nearest in rankings]
        with self._safely():
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO ranked VALUES (?, ?)", rows)
            self._db.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __len__(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM ranked").fetchone()[0])

    @contextmanager
    def _safely(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, orjson.JSONDecodeError, OSError) as trouble:
            raise DataError(
                f"{self.path}: the rankings stored there cannot be used ({trouble}). "
                "Delete the file, and they are computed again, or set another folder with ASKEW_CACHE."
            ) from trouble
