"""Tags of tokens for which two labels score almost the same.

The last bits of a matrix product depend on the processor and on what else is in the matrix. A tag with a clear lead
does not notice; of two labels that are as good as equal, now one and now the other would win. Such a tag is worked out
again from its own words, in float64 and with every sum in a fixed order, so it is the same whatever is read with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from askew.language.fast_tags import Layer

NEAR = 0.01
"""A lead is clear from here on: scores are of the order of 10, and float32 is off by some 0.0001 after all layers."""


def leads(scores: NDArray[Any]) -> NDArray[Any]:
    """How far the best label of each row is before the next one.

    >>> leads(np.array([[1.0, 4.0, 2.5]])).tolist()
    [1.5]
    """
    best = np.partition(scores, -2, axis=1)
    lead: NDArray[Any] = best[:, -1] - best[:, -2]
    return lead


def scores(vectors: NDArray[Any], layers: Sequence[Layer], weights: NDArray[Any], bias: NDArray[Any]) -> NDArray[Any]:
    """The scores of all labels for the word in the middle, given the vectors of all words that decide them."""
    rows = vectors.astype(np.float64)
    for layer in layers:
        rows = _layer(rows, layer)
    result: NDArray[Any] = (products(rows, weights) + bias)[0]
    return result


def products(rows: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """A matrix product with each sum taken from left to right.

    >>> products(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    total = np.zeros((len(rows), weights.shape[1]))
    for place, weight in enumerate(weights.astype(np.float64)):
        total += rows[:, place, None] * weight
    return total


def _layer(rows: NDArray[Any], layer: Layer) -> NDArray[Any]:
    """What each row but the first and the last becomes."""
    width = rows.shape[1]
    share = np.full((width, 1), 1 / width)
    around = np.concatenate([rows[:-2], rows[1:-1], rows[2:]], axis=1)
    best = (products(around, layer.weights) + layer.bias).reshape(len(around), -1, width).max(axis=1)
    best -= products(best, share)
    best /= np.sqrt(products(best * best, share) + 1e-8)
    result: NDArray[Any] = best * layer.scale + layer.shift + rows[1:-1]
    return result
