"""The vectors of a pool, each distinct vector once, their products with a question's vector, and the nearest of them.

Products are taken in float32; whatever float32 cannot decide is recomputed in float64.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from askew.errors import need
from askew.rank.numba_loops import vectorised
from askew.rank.ranking import QuestionPool
from askew.rank.sentence_encoders import embedded, encoder_of
from askew.types import Ranked
from askew.verbs import Encoder, Executor


@dataclass(frozen=True, repr=False)
class Columns:
    """Distinct unit vectors of a pool, in its order, and which of its texts have each of them.

    Texts with identical vectors ("it's" and "its" for some encoders) would make a solution ambiguous; they are one
    column, represented by the first of them.
    """

    pool: QuestionPool
    vectors: Any
    """float32, one row per column."""
    representative: Any
    """The number in the pool of each column's first text."""
    twins: Mapping[int, tuple[int, ...]]
    """The other texts of a column, for the columns that have any."""
    column: Mapping[bytes, int]
    """From the content of a vector to its column."""

    @classmethod
    def of(cls, pool: QuestionPool, encoder: Encoder, executor: Executor | None = None) -> Columns:
        """Encode the pool, with workers if there are any, and merge identical vectors."""
        vectors = embedded(encoder, pool.texts, executor)
        column: dict[bytes, int] = {}
        representative: list[int] = []
        twins: dict[int, list[int]] = {}
        for number, row in enumerate(vectors):
            place = column.setdefault(_digest(row), len(representative))
            if place == len(representative):
                representative.append(number)
            else:
                twins.setdefault(place, []).append(number)
        if twins:
            vectors = vectors[representative]
        return cls(
            pool,
            np.ascontiguousarray(vectors),
            np.array(representative, np.int64),
            {place: tuple(others) for place, others in twins.items()},
            column,
        )

    def __len__(self) -> int:
        return len(self.representative)

    def same(self, text: str, vector: Any) -> list[int]:
        """The columns that are this text: the one it is listed in, and the one with the same vector."""
        number = self.pool.find(text)
        columns = set() if number is None else {self._column_of(number)}
        twin = self.column.get(_digest(vector))
        return sorted(columns if twin is None else columns | {twin})

    def _column_of(self, number: int) -> int:
        place = int(np.searchsorted(self.representative, number))
        if place < len(self) and self.representative[place] == number:
            return place
        return next(place for place, others in self.twins.items() if number in others)

    def listed(self, columns: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Each text of these columns: the place in ``columns`` and the text's number in the pool."""
        for place, column in enumerate(columns):
            yield place, int(self.representative[column])
            for twin in self.twins.get(int(column), ()):
                yield place, twin


@contextmanager
def one_thread() -> Iterator[None]:
    """Matrix products on one thread: faster for small ones, and independent of the number of processors."""
    with need("threadpoolctl", "rank").threadpool_limits(limits=1, user_api="blas"):
        yield


def _digest(row: Any) -> bytes:
    return hashlib.blake2b((row + np.float32(0)).tobytes(), digest_size=16).digest()  # + 0 makes -0 and 0 the same


ROUNDING = 2.0**-24
"""Half a unit in the last place of float32, relative."""


def rounding(vector: Any) -> float:
    """A bound on the float32 rounding error of the product of a unit row with this vector.

    >>> round(rounding(np.array([1.0] + [0.0] * 383)), 8)
    2.303e-05
    """
    return float((len(vector) + 2) * ROUNDING * 1.001 * np.sqrt(vector @ vector))


def candidates(rows: Any, vector: Any, out: Sequence[int], count: int, digits: int) -> Any:
    """The rows not in ``out`` that can be among the ``count`` best, including ties at ``digits`` decimals.

    >>> candidates(np.array([[0.9], [0.1], [0.5], [0.5]], np.float32), np.array([1.0]), [0], 1, 10).tolist()
    [2, 3]
    """
    scores = rows @ vector.astype(np.float32)
    scores[np.asarray(out, np.int64)] = -np.inf
    count = min(count, len(scores) - len(set(out)))
    if count <= 0:
        return np.empty(0, np.int64)
    last = float(np.partition(scores, -count)[-count])
    return np.flatnonzero(scores >= last - 2 * rounding(vector) - 10.0**-digits)


def reaching(rows: Any, vector: Any, scores: Any, out: Any, level: float) -> tuple[Any, Any]:
    """The rows not in ``out`` whose product with the vector may exceed ``level`` in absolute value, and the products.

    That of any other row is below ``level`` by at least ``rounding(vector)``. ``scores`` are the products in float32;
    they only select what is computed in float64, so their last bits make no difference.
    """
    error = rounding(vector)
    numbers = np.flatnonzero(np.abs(scores) > level - 2 * error)
    numbers = numbers[~np.isin(numbers, out)]
    c = correlations(rows, numbers, vector)
    listed = np.abs(c) > level - error
    return numbers[listed], c[listed]


@vectorised
def exact_dot(row, vector):  # type: ignore[no-untyped-def]
    """Product of a float32 row and a float64 vector, in float64."""
    total = 0.0
    for place in range(len(vector)):
        total += np.float64(row[place]) * vector[place]
    return total


@vectorised
def correlations(rows, numbers, vector):  # type: ignore[no-untyped-def]
    """The products of the rows of these numbers with the vector, in float64."""
    result = np.empty(len(numbers))
    for place in range(len(numbers)):
        result[place] = exact_dot(rows[numbers[place]], vector)
    return result


DIGITS = 10
"""Scores are rounded to this many decimals; equal scores rank by their place in the pool."""


@dataclass(frozen=True)
class Cosine:
    """Basic questions by the cosine of their vector with the main question's, the baseline of the LASSO.

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
        listed.sort(key=lambda item: (-item[0], item[1]))
        best = listed[:k]
        tied = sum(score >= best[-1][0] for score, _ in listed) if best else 0
        return Ranked(text, tuple(n for _, n in best), tuple(s for s, _ in best), {"tied": tied})
