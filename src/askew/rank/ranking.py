"""Ranks many main questions: each distinct text once, in batches saved as soon as they are ranked, on several cores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from multiprocessing import get_context
from types import TracebackType
from typing import Any

import askew
from askew.rank.question_pool import QuestionPool
from askew.rank.ranking_store import Header, Nearest, RankingStore, ranking_path, signature
from askew.types import Ranked
from askew.verbs import FittedRanker, Ranker
from askew.worker import end_with_parent

BATCH = 256
"""Texts that are ranked and saved together; a kill loses at most this many (times the workers)."""


@dataclass(frozen=True, repr=False)
class Ranking:
    """The ``top`` nearest questions of a pool for any texts, computed on demand and cached in the cache folder.

    The ranker reads its pool only when there is something to rank. With ``workers`` above one, batches go to that many
    processes, each of which fits the pool itself; the result is the same. Use it in a ``with`` statement.
    """

    name: str
    """What tables call the ranker."""
    ranker: Ranker
    pool: QuestionPool
    pool_name: str = ""
    kind: str = "general"
    """Which questions the pool holds: ``general`` or ``yesno``."""
    top: int = 21
    workers: int = 1
    on_ranked: Callable[[int], object] = field(default=lambda count: None, compare=False)
    """Called with the number of ranked texts after each batch."""

    def __repr__(self) -> str:
        return f"Ranking({self.name!r}, {self.signature!r})"

    @cached_property
    def header(self) -> Header:
        """What determines this ranking."""
        pool = {"name": self.pool_name, "kind": self.kind, "questions": len(self.pool), "sha256": pool_hash(self.pool)}
        return {
            "name": self.name,
            "ranker": repr(self.ranker),
            "pool": pool,
            "top": self.top,
            "askew": askew.__version__,
        }

    @cached_property
    def signature(self) -> str:
        """The header in 16 digits."""
        return signature(self.header)

    def nearest(self, texts: Sequence[str]) -> Mapping[str, Nearest]:
        """The basic questions of each of these texts."""
        distinct = list(dict.fromkeys(texts))
        found = self._store.known(distinct)
        missing = [text for text in distinct if text not in found]
        for batch in self._ranked(missing):
            self._store.put(batch)
            found.update((nearest.text, nearest) for nearest in batch)
            self.on_ranked(len(batch))
        return found

    def missing(self, texts: Sequence[str]) -> int:
        """How many of these distinct texts are not ranked yet."""
        return len(texts) - len(self._store.known(texts))

    def __enter__(self) -> Ranking:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if "_processes" in self.__dict__:
            self._processes.shutdown(cancel_futures=True)
        if "_store" in self.__dict__:
            self._store.close()

    def _ranked(self, texts: Sequence[str]) -> Iterator[list[Nearest]]:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        if not batches:
            return
        if self.workers > 1:
            batches_ranked: Iterator[list[Ranked]] = self._processes.map(_top, batches, [self.top] * len(batches))
        else:
            batches_ranked = (self._fitted.top(batch, self.top) for batch in batches)
        for ranked in batches_ranked:
            yield [Nearest.of(one, self.pool.texts) for one in ranked]

    @cached_property
    def _store(self) -> RankingStore:
        return RankingStore(ranking_path(self.signature), self.header)

    @cached_property
    def _fitted(self) -> FittedRanker:
        return self.ranker.fit(self.pool.texts)

    @cached_property
    def _processes(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.workers,
            mp_context=get_context("spawn"),
            initializer=_begin,
            initargs=(self.ranker, self.pool.texts),
        )


def pool_hash(pool: QuestionPool) -> str:
    """The texts of a pool in 16 digits."""
    return hashlib.sha256("\n".join(pool.texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


_worker: dict[str, Any] = {}
"""In a worker process: the fitted ranker."""


def _begin(ranker: Ranker, texts: Sequence[str]) -> None:
    """Start a worker: end when the parent ends, and fit the pool."""
    end_with_parent()
    _worker["fitted"] = ranker.fit(texts)


def _top(texts: Sequence[str], k: int) -> list[Ranked]:
    fitted: FittedRanker = _worker["fitted"]
    return fitted.top(texts, k)
