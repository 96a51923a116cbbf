"""The cosine ranker, the baseline of the LASSO: the nearest vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askew.rank.pool_vectors import Columns, candidates, correlations, one_thread
from askew.rank.question_pool import QuestionPool
from askew.rank.sentence_encoders import embedded, encoder_of
from askew.types import Ranked
from askew.verbs import Encoder, Executor

DIGITS = 10
"""Scores are rounded to so many decimals; equal scores rank by the place in the pool."""


@dataclass(frozen=True)
class Cosine:
    """Basic questions by the cosine of their vector with the main question's.

    Candidates are found in float32 and ordered in float64, so the order is that of exact cosines. ``proof`` holds
    ``tied``, how many texts of the pool have at least the last listed score.
    """

    encoder: str | Encoder = "use"

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoder", encoder_of(self.encoder))

    def fit(self, pool: Sequence[str]) -> FittedCosine:
        """Encode the pool; identical vectors are compared once."""
        return self.fit_by(pool)

    def fit_by(self, pool: Sequence[str], executor: Executor | None = None) -> FittedCosine:
        """The same, with sentence vectors from workers."""
        return FittedCosine(self, Columns.of(QuestionPool.of(pool), encoder_of(self.encoder), executor))


@dataclass(frozen=True, repr=False)
class FittedCosine:
    """Cosines with the vectors of one pool."""

    cosine: Cosine
    columns: Columns

    def top(self, texts: Sequence[str], k: int) -> list[Ranked]:
        """The ``k`` nearest of the pool for each text, which itself is left out."""
        distinct = list(dict.fromkeys(texts))
        with one_thread():
            targets = embedded(encoder_of(self.cosine.encoder), distinct)
            ranked = {}
            for number, text in enumerate(distinct):
                target = targets[number].astype(np.float64)
                out = self.columns.same(text, targets[number])
                columns = candidates(self.columns.vectors, target, out, k, DIGITS)
                scores = np.round(correlations(self.columns.vectors, columns, target), DIGITS)
                ranked[text] = self._ranked(text, columns, scores, k)
        return [ranked[text] for text in texts]

    def _ranked(self, text: str, columns: Any, scores: Any, k: int) -> Ranked:
        listed = [(float(scores[place]), number) for place, number in self.columns.listed(columns)]
        listed.sort(key=lambda one: (-one[0], one[1]))
        best = listed[:k]
        tied = sum(score >= best[-1][0] for score, _ in listed) if best else 0
        return Ranked(text, tuple(n for _, n in best), tuple(s for s, _ in best), {"tied": tied})
