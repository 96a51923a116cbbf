"""Rank the questions of a pool for many main questions: the pool, its rankings, and where they are stored.

A pool has each distinct question once, in the order of the file; the YNBQD of Huang et al. (2019) is ranked from a pool
of questions that can be answered by yes or no. Each distinct main question is ranked once, in batches that are saved as
soon as they are ranked, on several cores. A ranking job of several hours can be killed at any moment; the next run
continues from the SQLite file of batches.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import orjson

import askew
from askew.answers.extract import asks_yes_no
from askew.errors import BadRecord, DataError
from askew.files.paths import cache_folder
from askew.registry import make
from askew.types import Question, Ranked
from askew.verbs import Executor, FitsByExecutor, FittedRanker, Ranker


def sameness(text: str) -> str:
    """A key that is equal for spellings of one question: lower case, single spaces, no punctuation at the end.

    >>> sameness("  Is it  Sunny ?") == sameness("is it sunny?")
    True
    """
    return " ".join(text.casefold().split()).rstrip(" ?.!")


@dataclass(frozen=True, repr=False)
class QuestionPool:
    """Distinct questions, each in the spelling first seen; a question's number in it is its index.

    >>> pool = QuestionPool.of(["Is it sunny?", "What is this?", "is it sunny"])
    >>> pool.texts
    ('Is it sunny?', 'What is this?')
    >>> pool.find("IS IT SUNNY"), pool.find("Why?")
    (0, None)
    """

    texts: tuple[str, ...]
    _index: dict[str, int] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, texts: Iterable[str]) -> QuestionPool:
        """The pool of these texts; duplicates and empty ones are left out."""
        kept: dict[str, str] = {}
        for text in texts:
            key = sameness(text)
            if key:
                kept.setdefault(key, text.strip())
        return cls(tuple(kept.values()), {key: number for number, key in enumerate(kept)})

    def __len__(self) -> int:
        return len(self.texts)

    def find(self, text: str) -> int | None:
        """The index of this question, in any spelling; None when it is not in the pool."""
        return self._index.get(sameness(text))


def is_yes_no(question: Question) -> bool:
    """True when the answer type is yes/no or, if the data has none, when the question has that form.

    >>> [is_yes_no(Question(1, None, text)) for text in ("Is it red?", "Is it red or blue?", "What is red?")]
    [True, False, False]
    """
    if question.kind.answer_type:
        return question.kind.answer_type == "yes/no"
    return asks_yes_no(question.text)


def pool_of(questions: Iterable[Question], yes_no: bool = False) -> QuestionPool:
    """The distinct questions of the data as a pool: all of them (GBQD), or the yes/no ones (YNBQD)."""
    return QuestionPool.of(question.text for question in questions if not yes_no or is_yes_no(question))


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
        """The result of a ranker, with the pool's texts in place of their numbers.

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

    def nearest(self, texts: Sequence[str]) -> dict[str, Nearest]:
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

    @contextmanager
    def _safely(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, orjson.JSONDecodeError, OSError) as trouble:
            raise DataError(
                f"{self.path}: the rankings stored there cannot be used ({trouble}). "
                "Delete the file to compute them again, or set another folder with ASKEW_CACHE."
            ) from trouble


BATCH = 256
"""Texts that are ranked and saved together; a kill loses at most this many (times the workers)."""


@dataclass(frozen=True, repr=False)
class Ranking:
    """The ``top`` nearest questions of a pool for any texts, computed on demand and cached in the cache folder.

    The ranker reads its pool only when there is something to rank. With an ``executor``, batches go to workers, each of
    which reads the pool or, for rankers with sentence vectors, gets it; the result is the same. Use it in a ``with``
    statement.
    """

    name: str
    """The name of the ranker in tables."""
    ranker: Ranker
    pool: QuestionPool
    pool_name: str = ""
    kind: str = "general"
    """Which questions the pool holds: ``general`` or ``yesno``."""
    top: int = 21
    executor: Executor | None = field(default=None, compare=False)
    """Ranks batches; by default, this process does."""
    on_ranked: Callable[[int], object] = field(default=lambda count: None, compare=False)
    """Called with the number of ranked texts after each batch."""

    def __repr__(self) -> str:
        return f"Ranking({self.name!r}, {self.signature!r})"

    @cached_property
    def header(self) -> Header:
        """What determines this ranking."""
        content = hashlib.sha256("\n".join(self.pool.texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        pool = {"name": self.pool_name, "kind": self.kind, "questions": len(self.pool), "sha256": content}
        return {
            "name": self.name,
            "ranker": repr(self.ranker),
            "pool": pool,
            "top": self.top,
            "askew": askew.__version__,
        }

    @cached_property
    def signature(self) -> str:
        """A hash of the header, 16 digits; it names the file of the ranking."""
        return hashlib.sha256(orjson.dumps(self.header, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]

    def nearest(self, texts: Sequence[str]) -> Mapping[str, Nearest]:
        """The basic questions of each of these texts."""
        distinct = list(dict.fromkeys(texts))
        found = self._store.nearest(distinct)
        missing = [text for text in distinct if text not in found]
        for batch in self._ranked(missing):
            self._store.put(batch)
            found.update((nearest.text, nearest) for nearest in batch)
            self.on_ranked(len(batch))
        return {text: found[text] for text in distinct}

    def missing(self, texts: Sequence[str]) -> int:
        """How many of these distinct texts are not ranked yet."""
        return len(texts) - len(self._store.nearest(texts))

    def __enter__(self) -> Ranking:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if "_store" in self.__dict__:
            self._store.close()

    def _ranked(self, texts: Sequence[str]) -> Iterator[list[Nearest]]:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        for ranked in self._executor.map(self._ranks, batches) if batches else ():
            yield [Nearest.of(item, self.pool.texts) for item in ranked]

    @cached_property
    def _store(self) -> RankingStore:
        return RankingStore(ranking_path(self.signature), self.header)

    @cached_property
    def _executor(self) -> Executor:
        here: Executor = make("executor", "local")
        return self.executor or here

    @cached_property
    def _ranks(self) -> _Ranks:
        if isinstance(self.ranker, FitsByExecutor):
            return _Ranks(self.ranker, (), self.top, self.ranker.fit_by(self.pool.texts, self._executor))
        return _Ranks(self.ranker, self.pool.texts, self.top)


@dataclass
class _Ranks:
    """In a worker: ranks batches of texts; reads the pool at the first one, unless it was read before."""

    ranker: Ranker
    pool: Sequence[str]
    top: int
    fitted: FittedRanker | None = None

    def __call__(self, texts: Sequence[str]) -> list[Ranked]:
        self.fitted = self.fitted or self.ranker.fit(self.pool)
        return self.fitted.top(texts, self.top)
