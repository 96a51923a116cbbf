"""A ranker for tests: by the number of shared words, then the pool's order; can be slow and log its batches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from askew.answers.normalise import tokens
from askew.rank.ranking import QuestionPool
from askew.types import Ranked


@dataclass(frozen=True)
class Words:
    """Share of words in common. Writes each batch it ranks to ``log``, and takes ``seconds`` for it."""

    log: str = ""
    seconds: float = 0.0

    def __repr__(self) -> str:
        return "Words()"

    def fit(self, pool: Sequence[str]) -> FittedWords:
        return FittedWords(self, QuestionPool.of(pool))


@dataclass(frozen=True)
class FittedWords:
    ranker: Words
    pool: QuestionPool

    def top(self, texts: Sequence[str], k: int) -> list[Ranked]:
        if self.ranker.log:
            with Path(self.ranker.log).open("a") as file:
                file.write(f"{len(texts)}\n")
        time.sleep(self.ranker.seconds)
        return [self._one(text, k) for text in texts]

    def _one(self, text: str, k: int) -> Ranked:
        words, itself = set(tokens(text)), self.pool.find(text)
        shared = [
            (-len(words & set(tokens(other))) / len(words | set(tokens(other))), index)
            for index, other in enumerate(self.pool.texts)
            if index != itself
        ]
        best = sorted(shared)[:k]
        return Ranked(text, tuple(i for _, i in best), tuple(-s for s, _ in best), {"ties": float(len(best))})
