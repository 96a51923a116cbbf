"""The tags of spaCy's small English tagger, several times as fast on many short texts.

spaCy runs its network over every token of every text. But what a token gets depends on it and the four tokens on
either side alone, and questions share most of such windows: "What color is the" need be worked out only once. So each
layer is computed here once for each window, which is then remembered, with the weights of the loaded model (hashed
embeddings and a maxout window encoder: Miranda et al. 2022, "Multi hash embeddings in spaCy").

Texts are split and words embedded by spaCy itself, once for each word. A text with anything but plain words and single
spaces is left to spaCy, and so is every text when the model is of another make. A tag whose lead could be lost in the
last bits of float32 is decided by ``near_ties``, so tags do not depend on which texts are read together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, chain, islice
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.errors import need
from askew.language import near_ties
from askew.language.tagger import Token
from askew.language.windows import Ints, Windows

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

_PLAIN = re.compile(r"[A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*[,?]?")
"""What may stand between two spaces, so that spaCy splits it in the same way alone and in its text."""
_MAKE = ["expand_window", "maxout", "layernorm", "dropout"]
"""The parts of each layer of a model that can be read."""
_BATCH = 2048
"""How many texts are read at once."""
_LONG = 1000
"""A text of more characters is left to spaCy, so that the windows of a batch are not too many for their codes."""
_BLOCK = 1024
"""How many windows go through a layer at once: what fits a processor's cache."""
_KNOWN = 1 << 15
"""How many pieces of texts are remembered."""
_NEAR_TIE = -1
"""In place of a label that is decided for each text anew."""
_SEEN = 1 << 19
"""How many windows are remembered in all layers together: some 130 MB."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A maxout layer over windows of three, normalised and added to what was there."""

    weights: Floats
    """(3 · width, pieces · width)."""
    bias: Floats
    scale: Floats
    shift: Floats

    def __call__(self, vectors: Floats, windows: Ints, out: Floats) -> None:
        """Write what the middle of each window becomes; a window is three rows of the vectors."""
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


class Network:
    """The tagger's layers after the embedding, and what they made of the windows that they have seen."""

    def __init__(self, layers: tuple[Layer, ...], weights: Floats, bias: Floats, labels: tuple[str, ...]) -> None:
        self.layers = layers
        self.weights, self.bias = weights, bias
        """From the last layer to the labels: (width, labels)."""
        self.labels = labels
        room = [np.empty((_SEEN // 2, len(weights)), np.float32) for _ in self.layers[1:]]
        self._seen = [*map(Windows, room), Windows(np.empty(_SEEN // 2, np.int64))]
        self._decided: dict[tuple[int, ...], int] = {}
        """The labels of near ties, by the rows of the words that decide them."""

    @property
    def reach(self) -> int:
        """How many tokens on either side decide a tag, and how much room two texts need between them."""
        return len(self.layers)

    def forget(self) -> None:
        """Forget the windows."""
        for seen in self._seen:
            seen.forget()
        self._decided.clear()

    def tags(self, vectors: Floats, rows: Sequence[int], alone: Callable[[int], Floats]) -> list[str]:
        """The tags of tokens given as rows of the vectors, text after text, with ``reach`` zeros around each.

        A row must stand for the same vector until all is forgotten. ``alone`` gives the vector of a row as it is when
        no other word is embedded with it; near ties are decided by these.
        """
        if sum(map(len, self._seen)) > _SEEN:
            self.forget()
        ids: Ints = np.array(rows)
        places = np.flatnonzero(ids)
        for layer, seen, wanted in zip(self.layers, self._seen, self._wanted(ids > 0), strict=True):
            make = partial(self._labels if seen is self._seen[-1] else layer, vectors)
            found = seen.rows(ids, wanted, make)
            ids = np.zeros_like(ids)
            ids[wanted] = found
            vectors = seen.made
        labels = vectors[found]
        for number in np.flatnonzero(labels == _NEAR_TIE).tolist():
            place = int(places[number])
            labels[number] = self._decide(tuple(rows[place - self.reach : place + self.reach + 1]), alone)
        return [self.labels[label] for label in labels.tolist()]

    def _labels(self, vectors: Floats, windows: Ints, out: Ints) -> None:
        """Write the labels of the middles of windows, by the last layer, where they are clear."""
        last = np.empty((len(windows), len(self.weights)), np.float32)
        self.layers[-1](vectors, windows, last)
        scores = last @ self.weights + self.bias
        np.argmax(scores, axis=1, out=out)
        out[near_ties.leads(scores) < near_ties.NEAR] = _NEAR_TIE

    def _decide(self, rows: tuple[int, ...], alone: Callable[[int], Floats]) -> int:
        if rows not in self._decided:
            vectors = np.stack([alone(row) for row in rows])
            scores = near_ties.scores(vectors, self.layers, self.weights, self.bias)
            self._decided[rows] = int(np.argmax(scores))
        return self._decided[rows]

    def _wanted(self, token: Mask) -> Iterator[Ints]:
        """The places that each layer must work out: one more on either side of a text for each layer still to come."""
        masks = [token]
        for _ in self.layers[1:]:
            wider = masks[-1].copy()
            wider[1:] |= masks[-1][:-1]
            wider[:-1] |= masks[-1][1:]
            masks.append(wider)
        return (np.flatnonzero(mask) for mask in reversed(masks))


class Piece(NamedTuple):
    """What stands between two spaces, with the space behind it."""

    words: tuple[str, ...]
    steps: tuple[int, ...]
    """From where each word begins to where the next one does."""
    rows: tuple[int, ...]
    """The rows of their vectors."""


class Word(NamedTuple):
    """All that the tagger sees of a word alone."""

    text: str
    norm: str
    """Its usual spelling: *not* for *n't*."""
    spaced: bool
    """Whether a space follows."""


class Pieces:
    """The pieces of all texts so far, split and embedded by spaCy."""

    def __init__(self, tokenizer: Any, embed: Any) -> None:
        self._tokenizer, self._embed = tokenizer, embed
        self._inner: dict[str, Piece | None] = {}
        self._last: dict[str, Piece | None] = {}
        """Before a space and at the end of a text, which is not the same to the tagger."""
        self._rows: dict[Word, int] = {}
        self.vectors: Floats = np.zeros((1, embed.get_dim("nO")), np.float32)
        """One row for each word; the first stands for what is outside of any text."""

    def __len__(self) -> int:
        return len(self._inner) + len(self._last)

    def forget(self) -> None:
        """Forget the pieces; their rows will be those of others."""
        self._inner.clear()
        self._last.clear()
        self._rows.clear()
        self.vectors = self.vectors[:1]

    def of(self, texts: Iterable[str]) -> list[list[Piece] | None]:
        """The pieces of each text; None for a text with one that is not plain, and for one that is long."""
        split = [text.split(" ") if len(text) <= _LONG else [""] for text in texts]
        ends = [parts.pop() for parts in split]
        self._learn(self._inner, chain.from_iterable(split), spaced=True)
        self._learn(self._last, ends, spaced=False)
        self._embed_new()
        found = [[*map(self._inner.get, parts), self._last[end]] for parts, end in zip(split, ends, strict=True)]
        return [pieces if all(pieces) else None for pieces in found]  # type: ignore[misc]

    def _learn(self, known: dict[str, Piece | None], parts: Iterable[str], *, spaced: bool) -> None:
        """Split the pieces that are new, all in one text, where a space ends each."""
        new = [part for part in dict.fromkeys(parts) if part not in known]
        known.update(dict.fromkeys(new))
        plain = filter(_PLAIN.fullmatch, new)
        words: list[Word] = []
        for token in self._tokenizer(" ".join([*filter(_PLAIN.fullmatch, new), ""])):
            ends = bool(token.whitespace_)
            words.append(Word(token.text, token.norm_, ends and spaced))
            if ends:
                known[next(plain)] = self._piece(words)
                words = []

    def _piece(self, words: Sequence[Word]) -> Piece:
        rows = [self._rows.setdefault(word, len(self._rows) + 1) for word in words]
        steps = [len(word.text) + word.spaced for word in words]
        return Piece(tuple([word.text for word in words]), tuple(steps), tuple(rows))

    def _embed_new(self) -> None:
        new = list(islice(self._rows, len(self.vectors) - 1, None))
        if new:
            self.vectors = np.concatenate((self.vectors, self._embedded(new)))

    def alone(self, row: int) -> Floats:
        """The vector of this row, embedded by itself."""
        vectors = self._embedded([next(islice(self._rows, row - 1, None))]) if row else self.vectors
        first: Floats = vectors[0]
        return first

    def _embedded(self, words: Sequence[Word]) -> Floats:
        text, _, spaced = zip(*words, strict=True)
        document = need("spacy.tokens", "language").Doc(self._tokenizer.vocab, text, spaced)
        for token, word in zip(document, words, strict=True):
            token.norm_ = word.norm
        vectors: Floats = self._embed.predict([document])[0]
        return vectors


@dataclass(frozen=True)
class FastTags:
    """Tags plain texts as the spaCy pipeline does that it was read from."""

    pieces: Pieces
    network: Network
    _lock: Lock = field(default_factory=Lock)
    """What is remembered grows with each batch, whichever thread reads it."""

    def tags(self, texts: Sequence[str]) -> Iterator[tuple[Token, ...] | None]:
        """The tokens of each text; None for a text that spaCy must read."""
        for start in range(0, len(texts), _BATCH):
            with self._lock:
                found, tags = self._read(texts[start : start + _BATCH])
            for pieces in found:
                yield None if pieces is None else _tokens(pieces, tags)

    def _read(self, texts: Sequence[str]) -> tuple[list[list[Piece] | None], Iterator[str]]:
        """The pieces of each text, and the tags of all."""
        if len(self.pieces) > _KNOWN:
            self.pieces.forget()
            self.network.forget()
        found = self.pieces.of(texts)
        room = (0,) * self.network.reach
        rows = [*room]
        for pieces in found:
            if pieces is not None:
                for piece in pieces:
                    rows += piece.rows
                rows += room
        if len(rows) == len(room):
            return found, iter(())
        return found, iter(self.network.tags(self.pieces.vectors, rows, self.pieces.alone))


_token = partial(tuple.__new__, Token)
"""A token of a tuple; ``Token._make`` does the same through one more call, for each word of each text."""


def _tokens(pieces: Iterable[Piece], tags: Iterator[str]) -> tuple[Token, ...]:
    """The tokens of one text, which take their tags from those of all."""
    words: list[str] = []
    steps: list[int] = []
    for piece in pieces:
        words += piece.words
        steps += piece.steps
    return tuple(map(_token, zip(words, tags, accumulate(steps, initial=0), strict=False)))


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
