"""Products of many float32 rows with one vector: found in float32, decided in float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from askew.rank.compiled import compiled, vectorised

ROUNDING = 2.0**-24
"""Half a unit in the last place of float32, relative."""


def rounding(vector: Any) -> float:
    """No product of a unit row with this vector is further off when it is taken in float32.

    >>> round(rounding(np.array([1.0] + [0.0] * 383)), 8)
    2.303e-05
    """
    return float((len(vector) + 2) * ROUNDING * 1.001 * np.sqrt(vector @ vector))


def candidates(rows: Any, vector: Any, out: Sequence[int], count: int, digits: int) -> Any:
    """The rows, but for those in ``out``, that can be among the ``count`` best, ties at ``digits`` decimals included.

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


def reaching(rows: Any, vector: Any, out: Sequence[int], level: float) -> tuple[Any, Any]:
    """The rows, but for those in ``out``, whose product with the vector may exceed ``level`` in size, and the products.

    That of any other row is below ``level`` by at least ``rounding(vector)``.
    """
    scores = rows @ vector.astype(np.float32)
    np.abs(scores, out=scores)
    scores[np.asarray(out, np.int64)] = -np.inf
    numbers = np.flatnonzero(scores > level - 2 * rounding(vector))
    return numbers, correlations(rows, numbers, vector)


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


@compiled
def row_lengths(rows: Any) -> Any:
    """The Euclidean length of each float32 row, summed from left to right in float64: the same on every processor.

    >>> row_lengths(np.array([[3, 4], [0, 0]], np.float32)).tolist()
    [5.0, 0.0]
    """
    result = np.empty(len(rows))
    for number in range(len(rows)):
        total = 0.0
        for value in rows[number]:
            total += np.float64(value) * np.float64(value)
        result[number] = np.sqrt(total)
    return result
