"""The tags of spaCy's small English tagger, several times as fast on many short texts.

spaCy runs its network over every token of every text. Here the same network (hashed embeddings and a maxout window
encoder: Miranda et al. 2022, "Multi hash embeddings in spaCy") runs once for each distinct window of words, with the
weights of the loaded model (``tag_network``).

spaCy itself splits texts into words and embeds each distinct word once. It also tags texts that contain anything but
plain words and single spaces, and all texts if its version or its internals are not the ones known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import accumulate, chain, islice
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from askew.errors import need
from askew.language.tag_network import Floats, MaxoutLayer, TagNetwork
from askew.language.tagger import Token, spacy_tokens

EXPECTED = {"spacy": "3.8.", "thinc": "8.3."}
"""The versions whose internals are known."""
_LAYER_PARTS = ["expand_window", "maxout", "layernorm", "dropout"]
"""The parts that each layer must have."""
_CHECK = "What color is the man's well-known T-shirt, red or blue?"
"""A text that both taggers must tag identically before the fast one is used."""
_PLAIN = re.compile(r"[A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*[,?]?")
"""Text between two spaces that spaCy splits in the same way alone and within a longer text."""
_BATCH = 2048
"""How many texts are tagged at once."""
_LONG = 1000
"""Texts with more characters are left to spaCy, to bound the number of windows in a batch."""
_KNOWN = 1 << 15
"""How many pieces of text are cached."""


class Piece(NamedTuple):
    """The text between two spaces, with the space after it."""

    words: tuple[str, ...]
    steps: tuple[int, ...]
    """From the start of each word to the start of the next one."""
    rows: tuple[int, ...]
    """The row of each word's vector."""


class Word(NamedTuple):
    """Everything that the tagger knows about a word alone."""

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
        """Before a space and at the end of a text, which the tagger treats differently."""
        self._rows: dict[Word, int] = {}
        self.vectors: Floats = np.zeros((1, embed.get_dim("nO")), np.float32)
        """One row for each word; the first stands for positions outside of any text."""

    def __len__(self) -> int:
        return len(self._inner) + len(self._last)

    def clear(self) -> None:
        """Forget all pieces; their rows are reused."""
        self._inner.clear()
        self._last.clear()
        self._rows.clear()
        self.vectors = self.vectors[:1]

    def of(self, texts: Iterable[str]) -> list[list[Piece] | None]:
        """The pieces of each text; None for a long text and for one with a piece that is not plain."""
        split = [text.split(" ") if len(text) <= _LONG else [""] for text in texts]
        ends = [parts.pop() for parts in split]
        self._learn(self._inner, chain.from_iterable(split), spaced=True)
        self._learn(self._last, ends, spaced=False)
        self._embed_new()
        looked_up = [[*map(self._inner.get, parts), self._last[end]] for parts, end in zip(split, ends, strict=True)]
        return [pieces if all(pieces) else None for pieces in looked_up]  # type: ignore[misc]

    def _learn(self, known: dict[str, Piece | None], parts: Iterable[str], *, spaced: bool) -> None:
        """Split the new pieces, joined into one text with a space after each, in one call of the tokenizer."""
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
class FastTagger:
    """Tags plain texts like the spaCy pipeline that it was read from."""

    pieces: Pieces
    network: TagNetwork
    _lock: Lock = field(default_factory=Lock)
    """The caches grow with each batch, whichever thread tags it."""

    def tags(self, texts: Sequence[str]) -> Iterator[tuple[Token, ...] | None]:
        """The tokens of each text; None for a text that spaCy must tag."""
        for start in range(0, len(texts), _BATCH):
            with self._lock:
                batch, tags = self._read(texts[start : start + _BATCH])
            for pieces in batch:
                yield None if pieces is None else _tokens(pieces, tags)

    def clear(self) -> None:
        """Empty the caches."""
        self.pieces.clear()
        self.network.clear()

    def _read(self, texts: Sequence[str]) -> tuple[list[list[Piece] | None], Iterator[str]]:
        """The pieces of each text, and the tags of all."""
        if len(self.pieces) > _KNOWN:
            self.clear()
        batch = self.pieces.of(texts)
        gap = (0,) * self.network.reach
        rows = [*gap]
        for pieces in batch:
            if pieces is not None:
                for piece in pieces:
                    rows += piece.rows
                rows += gap
        if len(rows) == len(gap):
            return batch, iter(())
        return batch, iter(self.network.tags(self.pieces.vectors, rows, self.pieces.alone))


_token = partial(tuple.__new__, Token)
"""A token from a tuple, without the extra call of ``Token._make``: this runs for each word of each text."""


def _tokens(pieces: Iterable[Piece], tags: Iterator[str]) -> tuple[Token, ...]:
    """The tokens of one text; takes their tags from the iterator over the tags of all texts."""
    words: list[str] = []
    steps: list[int] = []
    for piece in pieces:
        words += piece.words
        steps += piece.steps
    return tuple(map(_token, zip(words, tags, accumulate(steps, initial=0), strict=False)))


def read(pipeline: Any) -> FastTagger | None:
    """The fast tagger of a loaded spaCy pipeline.

    None when the installed versions are not the expected ones, when the model is built differently, or when the fast
    tagger and spaCy do not tag a test sentence alike: spaCy must then tag every text.
    """
    if not all(version(package).startswith(expected) for package, expected in EXPECTED.items()):
        return None
    try:
        fast = _read_internals(pipeline)
        if fast is None or list(fast.tags([_CHECK])) != [spacy_tokens(pipeline, _CHECK)]:
            return None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):  # spaCy's internals have changed
        return None
    fast.clear()
    return fast


def _read_internals(pipeline: Any) -> FastTagger | None:
    if list(pipeline.pipe_names) != ["tok2vec", "tagger"]:
        return None
    whole, tagger = pipeline.get_pipe("tok2vec").model, pipeline.get_pipe("tagger")
    parts = [_leaves(layer) for layer in whole.layers[-1].layers[0].layers]
    outputs = _leaves(tagger.model)
    if any([leaf.name for leaf in layer] != _LAYER_PARTS for layer in parts) or outputs[-1].name != "softmax":
        return None
    embed, encoder = whole.layers
    if encoder.attrs["pad"] != len(parts) or any(layer[0].attrs["window_size"] != 1 for layer in parts):
        return None
    layers = tuple(_layer(maxout, normal) for _, maxout, normal, _ in parts)
    network = TagNetwork(layers, outputs[-1].get_param("W").T, outputs[-1].get_param("b"), tagger.labels)
    return FastTagger(Pieces(pipeline.tokenizer, embed), network)


def _leaves(model: Any) -> list[Any]:
    return [part for part in model.walk(order="dfs_pre") if not part.layers]


def _layer(maxout: Any, normal: Any) -> MaxoutLayer:
    weights, bias = maxout.get_param("W"), maxout.get_param("b")  # (width, pieces, 3 · width), (width, pieces)
    turned = weights.transpose(2, 1, 0).reshape(weights.shape[2], -1)
    return MaxoutLayer(np.ascontiguousarray(turned), bias.T.ravel(), normal.get_param("G"), normal.get_param("b"))
