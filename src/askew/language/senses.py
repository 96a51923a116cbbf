"""Which meaning a word has in a question: extended Lesk with a prior.

Lesk (1986) takes the sense whose gloss shares most words with the context; Banerjee and Pedersen (2002) add the glosses
of related synsets. Questions are short, so most contexts share nothing with any gloss: the score therefore starts from
how often the sense occurs (WordNet's counts), and for nouns from whether it can be seen at all, since the questions are
about pictures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import Any

from askew.language.vocabulary import words_of
from askew.language.wordnet import Pos, Synset, WordNet
from askew.shipped import shipped

_RELATIONS = ("@", "~", "&", "+", "#p", "%p", "*", "^", "=", "!")
"""Hypernyms, hyponyms, similar, derived, parts and wholes, entailed, see also, attributes, antonyms."""
_RELATED = 40
"""At most so many related synsets are read: a word such as *person* has hundreds of hyponyms."""


@dataclass(frozen=True)
class Senses:
    """Tells the senses of a word apart by the other words of the question.

    >>> senses = Senses()
    >>> senses.choose("bat", "n", ["player", "hit", "ball"]).gloss
    'a club used for hitting a ball in various games'
    >>> senses.choose("bat", "n", ["fly", "night"]).words
    ('bat', 'chiropteran')
    """

    wordnet: WordNet = field(default_factory=WordNet)
    overlap: float = 3.0
    """What a shared word with the gloss is worth, in units of the logarithm of the prior."""
    related: float = 1.0
    """What a shared word with a related gloss is worth, as a part of that."""
    visible: float = 1.5
    """What it is worth, for a noun, to be something that can be seen."""
    smoothing: float = 2.0
    """Added to each sense's count, less the lower it stands in WordNet's order."""

    def choose(self, word: str, pos: Pos, context: Iterable[str]) -> Synset | None:
        """The most likely sense of a base form; None for a word that WordNet lacks."""
        senses = self.wordnet.senses(word, pos)
        if len(senses) < 2:
            return senses[0] if senses else None
        return senses[_likeliest(self, word, pos, self._telling(word, pos, context))]

    def scores(self, word: str, pos: Pos, context: Iterable[str]) -> list[float]:
        """The score of each sense, in WordNet's order."""
        return _scores(self, word, pos, self._telling(word, pos, context))

    def _telling(self, word: str, pos: Pos, context: Iterable[str]) -> frozenset[str]:
        """The words of the context that tell the senses apart: seldom any."""
        stems = frozenset(map(_stem, context))
        return stems & _telling(self.wordnet, word, pos) if stems else stems

    def supported(self, word: str, sense: Synset, context: Iterable[str]) -> bool:
        """True when the context shares a word with the sense's own gloss.

        >>> racket = WordNet().named("racket.n.04")
        >>> Senses().supported("racket", racket, ["ball"]), Senses().supported("racket", racket, ["house"])
        (True, False)
        """
        own = _signature(self.wordnet, sense.pos, sense.offset)[0]
        return any(part in own and part != _stem(word) for part in map(_stem, context))


@lru_cache(maxsize=1 << 13)
def _likeliest(senses: Senses, word: str, pos: Pos, telling: frozenset[str]) -> int:
    """Which sense has the highest score."""
    scores = _scores(senses, word, pos, telling)
    return scores.index(max(scores))


def _scores(senses: Senses, word: str, pos: Pos, telling: frozenset[str]) -> list[float]:
    """How likely each sense of a word is, by how common it is, whether it is seen, and what the context tells."""
    found = []
    for rank, sense in enumerate(senses.wordnet.senses(word, pos), 1):
        prior = log(senses.wordnet.count(word, sense) + senses.smoothing / rank)
        seen = pos == "n" and sense.lexfile in _data()["visible"]
        own, near = _signature(senses.wordnet, sense.pos, sense.offset) if telling else (telling, telling)
        shared = len(telling & own) + senses.related * len((telling & near) - own)
        found.append((prior + senses.visible if seen else prior) + senses.overlap * shared)
    return found


@lru_cache(maxsize=1 << 12)
def _telling(wordnet: WordNet, word: str, pos: Pos) -> frozenset[str]:
    """The words that tell the senses of a word apart: those of any of its glosses, less the word itself."""
    found: set[str] = set()
    for sense in wordnet.senses(word, pos):
        found.update(*_signature(wordnet, sense.pos, sense.offset))
    return frozenset(found - {_stem(word)})


@lru_cache(maxsize=1 << 13)
def _signature(wordnet: WordNet, pos: Pos, offset: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a sense's gloss, and those of its neighbours'."""
    sense = wordnet.at(pos, offset)
    near: set[str] = set()
    for pointer in list(sense.related(*_RELATIONS))[:_RELATED]:
        other = wordnet.to(pointer)
        near.update(_words(" ".join(other.words)))
        near.update(_words(other.gloss))
    own = _words(sense.gloss) | _words(" ".join(sense.words))
    return frozenset(own) - _stop(), frozenset(near) - _stop()


def _words(text: str) -> set[str]:
    return {_stem(word) for word in words_of(text.replace("_", " "))}


@lru_cache(maxsize=1 << 15)
def _stem(word: str) -> str:
    """A word less the ending of number or tense: enough to compare a question with a gloss."""
    word = word.lower()
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


@lru_cache(maxsize=1)
def _stop() -> frozenset[str]:
    return frozenset(_stem(word) for word in _data()["stop"]) | frozenset(_data()["stop"])


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    data: dict[str, Any] = shipped("language/senses.yaml")
    return data
