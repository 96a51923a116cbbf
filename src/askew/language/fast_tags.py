"""The tags of spaCy's small English tagger, several times as fast on many short texts.

spaCy runs its network over every token of every text. But what a token gets depends on it and the four tokens on
either side alone, and questions share most of such windows: "What color is the" need be worked out only once. So each
layer is computed here for the distinct windows of a whole batch, with the weights of the loaded model (hashed
embeddings and a maxout window encoder: Miranda et al. 2022, "Multi hash embeddings in spaCy").

Texts are split and words embedded by spaCy itself, once for each word. A text with anything but plain words and single
spaces is left to spaCy, and so is every text when the model is of another make.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.language.tagger import Token

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_PLAIN = re.compile(r"[A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*[,?]?")
"""What may stand between two spaces, so that spaCy splits it in the same way alone and in its text."""
_MAKE = ["expand_window", "maxout", "layernorm", "dropout"]
"""The parts of each layer of a model that can be read."""
_BLOCK = 1024
"""How many windows go through a layer at once: what fits a processor's cache."""
_KNOWN = 1 << 15
"""How many pieces of texts are remembered."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A maxout layer over windows of three, normalised and added to what was there."""

    weights: Floats
    """(3 · width, pieces · width)."""
    bias: Floats
    scale: Floats
    shift: Floats

    def __call__(self, vectors: Floats, windows: Ints) -> Floats:
        """What the middle of each window becomes; a window is three rows of the vectors."""
        found = np.empty((len(windows), vectors.shape[1]), np.float32)
        for start in range(0, len(windows), _BLOCK):
            self._block(vectors, windows[start : start + _BLOCK], found[start : start + _BLOCK])
        return found

    def _block(self, vectors: Floats, windows: Ints, best: Floats) -> None:
        count, width = best.shape
        around = vectors.take(windows, axis=0, mode="clip")  # (count, 3, width)
        pieces = around.reshape(count, 3 * width) @ self.weights  # (count, pieces · width)
        pieces += self.bias
        pieces.reshape(count, -1, width).max(axis=1, out=best)  # (count, width)
        best -= best.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", best, best) / np.float32(width) + np.float32(1e-8)
        best *= (1 / np.sqrt(variance))[:, None]
        best *= self.scale
        best += self.shift
        best += around[:, 1]


@dataclass(frozen=True, slots=True)
class Network:
    """The tagger's layers after the embedding."""

    layers: tuple[Layer, ...]
    weights: Floats
    """From the last layer to the labels: (width, labels)."""
    bias: Floats
    labels: tuple[str, ...]

    @property
    def reach(self) -> int:
        """How many tokens on either side decide a tag, and how much room two texts need between them."""
        return len(self.layers)

    def tags(self, vectors: Floats, rows: Sequence[int]) -> list[str]:
        """The tags of tokens given as rows of the vectors, text after text, with ``reach`` zeros around each."""
        ids: Ints = np.array(rows)
        for layer, wanted in zip(self.layers, self._wanted(ids > 0), strict=True):
            size = len(vectors)
            codes = (ids[wanted - 1] * size + ids[wanted]) * size + ids[wanted + 1]
            distinct, which = np.unique(codes, return_inverse=True)
            windows = np.stack((distinct // size**2, distinct // size % size, distinct % size), axis=1)
            vectors = layer(vectors, windows)
            ids = np.zeros_like(ids)
            ids[wanted] = which
        best = (vectors @ self.weights + self.bias).argmax(axis=1)
        return [self.labels[label] for label in best[ids[wanted]]]

    def _wanted(self, token: Mask) -> Iterator[Ints]:
        """The places that each layer must work out: one more on either side of a text for each layer still to come."""
        masks = [token]
        for _ in self.layers[1:]:
            wider = masks[-1].copy()
            wider[1:] |= masks[-1][:-1]
            wider[:-1] |= masks[-1][1:]
            masks.append(wider)
        return (np.flatnonzero(mask) for mask in reversed(masks))


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands between two spaces, with the space behind it."""

    words: tuple[str, ...]
    steps: tuple[int, ...]
    """From where each word begins to where the next one does."""
    rows: tuple[int, ...]
    """The rows of their vectors."""


class Pieces:
    """The pieces of all texts so far, split and embedded by spaCy."""

    def __init__(self, tokenizer: Any, embed: Any) -> None:
        self._tokenizer, self._embed = tokenizer, embed
        self._known: dict[str, Piece | None] = {}
        self.vectors: Floats = np.zeros((1, embed.get_dim("nO")), np.float32)
        """One row for each token; the first stands for what is outside of any text."""

    def of(self, texts: Iterable[str]) -> list[list[Piece] | None]:
        """The pieces of each text; None for a text with one that is not plain."""
        split = [_split(text) for text in texts]
        known = self._known
        if len(known) > _KNOWN:
            known.clear()
            self.vectors = self.vectors[:1]
        new = dict.fromkeys(part for parts in split for part in parts if part not in known)
        if new:
            self._learn(list(new))
        found: list[list[Piece] | None] = []
        for parts in split:
            pieces = [piece for part in parts if (piece := known[part]) is not None]
            found.append(pieces if len(pieces) == len(parts) else None)
        return found

    def _learn(self, parts: list[str]) -> None:
        self._known.update(dict.fromkeys(parts))
        plain = [part for part in parts if _PLAIN.fullmatch(part.removesuffix(" "))]
        documents = [self._tokenizer(part) for part in plain]
        row = len(self.vectors)
        for part, document in zip(plain, documents, strict=True):
            starts = [*(token.idx for token in document), len(part)]
            steps = tuple(after - before for before, after in pairwise(starts))
            words = tuple(token.text for token in document)
            self._known[part] = Piece(words, steps, tuple(range(row, row + len(words))))
            row += len(words)
        self.vectors = np.concatenate((self.vectors, *self._embed.predict(documents)))


def _split(text: str) -> list[str]:
    """The parts of a text, each with the space behind it, which the tagger looks at too.

    >>> _split("Is it?")
    ['Is ', 'it?']
    """
    parts = text.split(" ")
    return [*[part + " " for part in parts[:-1]], parts[-1]]


@dataclass(frozen=True)
class FastTags:
    """Tags plain texts as the spaCy pipeline does that it was read from."""

    pieces: Pieces
    network: Network

    def tags(self, texts: Sequence[str]) -> Iterator[tuple[Token, ...] | None]:
        """The tokens of each text; None for a text that spaCy must read."""
        found = self.pieces.of(texts)
        room = (0,) * self.network.reach
        rows = [*room]
        for pieces in found:
            if pieces is not None:
                for piece in pieces:
                    rows += piece.rows
                rows += room
        tags = iter(self.network.tags(self.pieces.vectors, rows) if len(rows) > len(room) else ())
        return (None if pieces is None else _tokens(pieces, tags) for pieces in found)


def _tokens(pieces: Iterable[Piece], tags: Iterator[str]) -> tuple[Token, ...]:
    """The tokens of one text, which take their tags from those of all."""
    words: list[str] = []
    steps: list[int] = []
    for piece in pieces:
        words += piece.words
        steps += piece.steps
    return tuple(map(Token, words, tags, accumulate(steps, initial=0)))


def read(pipeline: Any) -> FastTags | None:
    """The fast way of a loaded spaCy pipeline; None when its tagger is not of the make that is known here."""
    if pipeline.pipe_names != ["tok2vec", "tagger"]:
        return None
    whole, tagger = pipeline.get_pipe("tok2vec").model, pipeline.get_pipe("tagger")
    parts = [_leaves(layer) for layer in whole.layers[-1].layers[0].layers]
    outputs = _leaves(tagger.model)
    if any([leaf.name for leaf in layer] != _MAKE for layer in parts) or outputs[-1].name != "softmax":
        return None
    embed, encoder = whole.layers
    if encoder.attrs["pad"] != len(parts) or any(layer[0].attrs["window_size"] != 1 for layer in parts):
        return None
    layers = tuple(_layer(maxout, normal) for _, maxout, normal, _ in parts)
    network = Network(layers, outputs[-1].get_param("W").T, outputs[-1].get_param("b"), tagger.labels)
    return FastTags(Pieces(pipeline.tokenizer, embed), network)


def _leaves(model: Any) -> list[Any]:
    return [part for part in model.walk(order="dfs_pre") if not part.layers]


def _layer(maxout: Any, normal: Any) -> Layer:
    weights, bias = maxout.get_param("W"), maxout.get_param("b")  # (width, pieces, 3 · width), (width, pieces)
    turned = weights.transpose(2, 1, 0).reshape(weights.shape[2], -1)
    return Layer(np.ascontiguousarray(turned), bias.T.ravel(), normal.get_param("G"), normal.get_param("b"))
