"""The LASSO ranker: a main question as a sparse combination of basic questions, ranked by their weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from askew.errors import BadOption
from askew.rank.lasso.certificate import Solution, certified_positions
from askew.rank.lasso.nonnegative import solve
from askew.rank.lasso.signed import SignedPool
from askew.rank.pool_vectors import DIGITS, Columns, candidates, correlations, one_thread
from askew.rank.ranking import QuestionPool
from askew.rank.sentence_encoders import embedded, encoder_of
from askew.types import Ranked
from askew.verbs import Encoder, Executor

_NONNEG_GAP = 1e-12
_FREE_GAP = 1e-6
"""Relative to the objective, which is about λ when the sign is free."""


@dataclass(frozen=True)
class Lasso:
    """Basic questions by their weight in  min ½‖Ax − b‖² + λ‖x‖₁  (Huang et al. 2019, eq. 1), solved exactly.

    ``b`` is the main question's vector, the columns of ``A`` are those of the pool, all of unit length. ``sign`` says
    whether weights may be negative (``free``, the equation as printed) or not (``nonneg``); the paper does not say, and
    the two agree on less than half of the first 21. Questions are ordered by weight, then by their correlation with
    the residual (a·r), then by their place in the pool.

    ``proof`` holds the duality ``gap``, the ``objective``, the ``support``, ``sigma_min`` of the columns that could
    have a weight, and how many positions from the top are ``certified``; 0 when the gap is not small enough to call the
    solution exact (1e-12 for ``nonneg``, a millionth of the objective for ``free``).
    """

    sign: Literal["nonneg", "free"] = "nonneg"
    lambda_: float = 1e-6
    encoder: str | Encoder = "use"

    def __post_init__(self) -> None:
        if self.sign not in ("nonneg", "free"):
            raise BadOption(f"lasso: sign={self.sign!r} is not one of nonneg, free.")
        if not 0 < self.lambda_ < 1:
            raise BadOption(f"lasso: lambda={self.lambda_!r} is not between 0 and 1. The paper uses 1e-6.")
        object.__setattr__(self, "encoder", encoder_of(self.encoder))

    def fit(self, pool: Sequence[str]) -> FittedLasso:
        """Encode the pool; identical vectors become one column."""
        return self.fit_by(pool)

    def fit_by(self, pool: Sequence[str], executor: Executor | None = None) -> FittedLasso:
        """The same, with sentence vectors from workers."""
        return FittedLasso(self, Columns.of(QuestionPool.of(pool), encoder_of(self.encoder), executor))


@dataclass(frozen=True, repr=False)
class FittedLasso:
    """A LASSO over the vectors of one pool."""

    lasso: Lasso
    columns: Columns

    def top(self, texts: Sequence[str], k: int) -> list[Ranked]:
        """The ``k`` questions with the largest weights for each text, which itself is left out, and the proof."""
        distinct = list(dict.fromkeys(texts))
        with one_thread():
            targets = embedded(encoder_of(self.lasso.encoder), distinct)
            excluded = [self.columns.same(text, target) for text, target in zip(distinct, targets, strict=True)]
            ranked = {
                distinct[number]: self.ranked(distinct[number], solution, excluded[number], k)
                for number, solution in (
                    solve(self.columns.vectors, targets, excluded, self.lasso.lambda_)
                    if self.lasso.sign == "nonneg"
                    else self._signed.solve(targets, excluded, self.lasso.lambda_)
                )
            }
        return [ranked[text] for text in texts]

    @cached_property
    def _signed(self) -> SignedPool:
        return SignedPool.of(self.columns.vectors)

    def ranked(self, text: str, solution: Solution, excluded: Sequence[int], k: int) -> Ranked:
        """The first ``k`` of one solution, which was computed without the columns ``excluded``."""
        columns, x, c = self._ordered(solution, excluded, k + 1)
        listed = list(self.columns.listed(columns))
        proof, signed = solution.certificate, self.lasso.sign == "free"
        places = 0
        if proof.gap <= (_FREE_GAP * proof.objective if signed else _NONNEG_GAP):
            ends = len(columns) <= k
            places = certified_positions(x, c, proof.error, proof.gap, self.lasso.lambda_, ends, signed)
        return Ranked(
            text,
            tuple(number for _, number in listed[:k]),
            tuple(float(x[place]) for place, _ in listed[:k]),
            {
                "gap": proof.gap,
                "objective": proof.objective,
                "support": proof.support,
                "sigma_min": proof.sigma_min,
                "certified": sum(place < places for place, _ in listed[:k]),
            },
        )

    def _ordered(self, solution: Solution, excluded: Sequence[int], k: int) -> tuple[Any, Any, Any]:
        """The first ``k`` columns by (x, a·r, place in the pool), with their x and a·r."""
        x = np.round(solution.x, DIGITS)
        columns = solution.columns
        if (x > 0).sum() < k:
            rest = candidates(self.columns.vectors, solution.residual, [*columns, *excluded], k, DIGITS)
            columns, x = np.concatenate([columns, rest]), np.concatenate([x, np.zeros(len(rest))])
        c = correlations(self.columns.vectors, columns, solution.residual)
        order = np.lexsort((columns, -np.round(c, DIGITS), -x))[:k]
        return columns[order], x[order] + 0.0, c[order]
