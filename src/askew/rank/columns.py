"""The vectors of a pool, each distinct one once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from askew.errors import need
from askew.rank.embed import embedded
from askew.rank.pool import Pool
from askew.verbs import Encoder


@dataclass(frozen=True, repr=False)
class Columns:
    """Distinct unit vectors of a pool, in its order, and which of its texts have each of them.

    Texts that an encoder cannot tell apart ("it's" and "its" for some) make a solution ambiguous; they are one column,
    represented by the first of them.
    """

    pool: Pool
    vectors: Any
    """float32, one row per column."""
    representative: Any
    """The number in the pool of each column's first text."""
    twins: Mapping[int, tuple[int, ...]]
    """The other texts of a column, for the columns that have any."""
    column: Mapping[bytes, int]
    """From the content of a vector to its column."""

    @classmethod
    def of(cls, pool: Pool, encoder: Encoder) -> Columns:
        """Encode the pool and collapse what is identical."""
        vectors = embedded(encoder, pool.texts)
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
        """The columns that are this text: the one it is listed in, and the one with the very same vector."""
        found = self.pool.find(text)
        columns = set() if found is None else {self._column_of(found)}
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
    """Matrix products on one thread: faster for small ones, and not split otherwise by the number of processors."""
    with need("threadpoolctl", "rank").threadpool_limits(limits=1, user_api="blas"):
        yield


def _digest(row: Any) -> bytes:
    return hashlib.blake2b((row + np.float32(0)).tobytes(), digest_size=16).digest()  # + 0 makes -0 and 0 the same
