"""The network of spaCy's small English tagger, computed once for each window of words.

Each layer reads windows of three tokens, so a tag depends on a token and the four tokens on either side. Questions
share most of their windows ("What color is the"), so the output for each window is cached.

The last bits of a matrix product depend on the processor and on the rest of the matrix, which can change a tag whose
two best labels score almost the same. Such near ties are computed again from their own words alone, in float64 and
with every sum in a fixed order, so tags do not depend on which texts are tagged together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Compute = Callable[[Ints, NDArray[Any]], object]
"""Computes the output of each window and writes it into the given rows."""

NEAR = 0.01
"""A lead below this is a near tie. Scores are of the order of 10; float32 errors add up to about 0.0001."""
_NEAR_TIE = -1
"""Stands for a label that must be decided for each text separately."""
_BLOCK = 1024
"""How many windows go through a layer at once: what fits into a processor's cache."""
_CACHED = 1 << 16
"""How many windows are cached in all layers together: about 30 MB."""
_BITS = 21
"""How many bits of a window's code each of its three rows takes."""
_LAST = np.iinfo(np.int64).max
"""Larger than any code."""


@dataclass(frozen=True, slots=True)
class MaxoutLayer:
    """A maxout layer over windows of three, normalised and added to its input."""

    weights: Floats
    """(3 · width, pieces · width)."""
    bias: Floats
    scale: Floats
    shift: Floats

    def __call__(self, vectors: Floats, windows: Ints, out: Floats) -> None:
        """Write the output for the middle of each window; a window is three rows of the vectors."""
        for start in range(0, len(windows), _BLOCK):
            self._block(vectors, windows[start : start + _BLOCK], out[start : start + _BLOCK])

    def _block(self, vectors: Floats, windows: Ints, best: Floats) -> None:
        count, width = best.shape
        around = vectors.take(windows, axis=0, mode="clip")  # (count, 3, width)
        pieces = around.reshape(count, 3 * width) @ self.weights  # (count, pieces · width)
        pieces += self.bias
        pieces.reshape(count, -1, width).max(axis=1, out=best)  # (count, width)
        best -= (best @ np.full(width, 1 / width, np.float32))[:, None]
        variance = np.einsum("ij,ij->i", best, best) / np.float32(width) + np.float32(1e-8)
        best *= (1 / np.sqrt(variance))[:, None]
        best *= self.scale
        best += self.shift
        best += around[:, 1]


class TagNetwork:
    """The tagger's layers after the embedding, with a cache of their outputs."""

    def __init__(self, layers: tuple[MaxoutLayer, ...], weights: Floats, bias: Floats, labels: tuple[str, ...]) -> None:
        self.layers = layers
        self.weights, self.bias = weights, bias
        """From the last layer to the labels: (width, labels)."""
        self.labels = labels
        room = [np.empty((_CACHED // 2, len(weights)), np.float32) for _ in self.layers[1:]]
        self._caches = [*map(WindowCache, room), WindowCache(np.empty(_CACHED // 2, np.int64))]
        self._decided: dict[tuple[int, ...], int] = {}
        """The labels of near ties, by the rows of the words that decide them."""

    @property
    def reach(self) -> int:
        """How many tokens on either side decide a tag, and how many empty rows must separate two texts."""
        return len(self.layers)

    def clear(self) -> None:
        """Empty the caches."""
        for cache in self._caches:
            cache.clear()
        self._decided.clear()

    def tags(self, vectors: Floats, rows: Sequence[int], alone: Callable[[int], Floats]) -> list[str]:
        """The tags of tokens given as rows of the vectors, text after text, with ``reach`` zeros around each.

        A row must stand for the same vector until the caches are cleared. ``alone`` returns the vector of a row
        embedded without any other word; near ties are decided with these.
        """
        if sum(map(len, self._caches)) > _CACHED:
            self.clear()
        ids: Ints = np.array(rows)
        places = np.flatnonzero(ids)
        for layer, cache, wanted in zip(self.layers, self._caches, self._wanted(ids > 0), strict=True):
            compute = partial(self._labels if cache is self._caches[-1] else layer, vectors)
            found = cache.rows(ids, wanted, compute)
            ids = np.zeros_like(ids)
            ids[wanted] = found
            vectors = cache.outputs
        labels = vectors[found]
        for number in np.flatnonzero(labels == _NEAR_TIE).tolist():
            place = int(places[number])
            labels[number] = self._decide(tuple(rows[place - self.reach : place + self.reach + 1]), alone)
        return [self.labels[label] for label in labels.tolist()]

    def _labels(self, vectors: Floats, windows: Ints, out: Ints) -> None:
        """Write the label of the middle word of each window, or that it is a near tie."""
        last = np.empty((len(windows), len(self.weights)), np.float32)
        self.layers[-1](vectors, windows, last)
        scores = last @ self.weights + self.bias
        np.argmax(scores, axis=1, out=out)
        out[leads(scores) < NEAR] = _NEAR_TIE

    def _decide(self, rows: tuple[int, ...], alone: Callable[[int], Floats]) -> int:
        if rows not in self._decided:
            vectors = np.stack([alone(row) for row in rows])
            scores = exact_scores(vectors, self.layers, self.weights, self.bias)
            self._decided[rows] = int(np.argmax(scores))
        return self._decided[rows]

    def _wanted(self, token: Mask) -> Iterator[Ints]:
        """The places that each layer must compute: one more on either side of a text for each layer after it."""
        masks = [token]
        for _ in self.layers[1:]:
            wider = masks[-1].copy()
            wider[1:] |= masks[-1][:-1]
            wider[:-1] |= masks[-1][1:]
            masks.append(wider)
        return (np.flatnonzero(mask) for mask in reversed(masks))


class WindowCache:
    """The output of a layer for each window of three rows.

    >>> cache = WindowCache(np.empty(8, np.int64))
    >>> rows = cache.rows(np.array([0, 5, 6, 0, 5, 6, 0]), np.array([1, 2, 4]), lambda new, out: new.sum(1, out=out))
    >>> cache.outputs[rows].tolist(), len(cache)
    ([11, 11, 11], 2)
    """

    def __init__(self, outputs: NDArray[Any]) -> None:
        """Outputs are written into this array, row after row; a larger one replaces it when it is full."""
        self.outputs = outputs
        """The outputs in rows, followed by unused rows."""
        self.clear()

    def clear(self) -> None:
        """Forget all windows; their memory is reused."""
        self._codes: Ints = np.array([_LAST])  # ascending
        self._rows: Ints = np.array([0])
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def rows(self, ids: Ints, places: Ints, compute: Compute) -> Ints:
        """The rows of the outputs for the windows around some places of a sequence; new windows are computed first."""
        codes = ids[places - 1] << 2 * _BITS | ids[places] << _BITS | ids[places + 1]
        distinct, which = np.unique(codes, return_inverse=True)
        at = np.asarray(np.searchsorted(self._codes, distinct))
        new = self._codes[at] != distinct
        if new.any():
            self._add(distinct[new], at[new], compute)
            at += np.cumsum(new) - new
        found: Ints = self._rows[at][which]
        return found

    def _add(self, codes: Ints, at: Ints, compute: Compute) -> None:
        count = self._count + len(codes)
        if count > len(self.outputs):
            room = np.empty((2 * count, *self.outputs.shape[1:]), self.outputs.dtype)
            room[: self._count] = self.outputs[: self._count]
            self.outputs = room
        windows = np.stack([codes >> shift & (1 << _BITS) - 1 for shift in (2 * _BITS, _BITS, 0)], axis=1)
        compute(windows, self.outputs[self._count : count])
        old = np.ones(count + 1, np.bool_)
        old[at + np.arange(len(at))] = False
        self._codes = _merged(old, self._codes, codes)
        self._rows = _merged(old, self._rows, np.arange(self._count, count))
        self._count = count


def _merged(old: Mask, before: Ints, new: Ints) -> Ints:
    """Two sequences merged: elements of ``before`` where ``old`` is true, of ``new`` elsewhere."""
    merged = np.empty(len(old), np.int64)
    merged[old] = before
    merged[~old] = new
    return merged


def leads(scores: NDArray[Any]) -> NDArray[Any]:
    """The difference between the best and the second-best score of each row.

    >>> leads(np.array([[1.0, 4.0, 2.5]])).tolist()
    [1.5]
    """
    best = np.partition(scores, -2, axis=1)
    lead: NDArray[Any] = best[:, -1] - best[:, -2]
    return lead


def exact_scores(
    vectors: NDArray[Any], layers: Sequence[MaxoutLayer], weights: NDArray[Any], bias: NDArray[Any]
) -> NDArray[Any]:
    """The scores of all labels for the word in the middle, from the vectors of all words that decide them."""
    rows = vectors.astype(np.float64)
    for layer in layers:
        rows = _exact_layer(rows, layer)
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


def _exact_layer(rows: NDArray[Any], layer: MaxoutLayer) -> NDArray[Any]:
    """The output for each row but the first and the last."""
    width = rows.shape[1]
    share = np.full((width, 1), 1 / width)
    around = np.concatenate([rows[:-2], rows[1:-1], rows[2:]], axis=1)
    best = (products(around, layer.weights) + layer.bias).reshape(len(around), -1, width).max(axis=1)
    best -= products(best, share)
    best /= np.sqrt(products(best * best, share) + 1e-8)
    result: NDArray[Any] = best * layer.scale + layer.shift + rows[1:-1]
    return result
