"""Word sense disambiguation: extended Lesk with a prior.

Lesk (1986) chooses the sense whose gloss shares most words with the context; Banerjee and Pedersen (2002) add the
glosses of related synsets. Questions are short, and most share no word with any gloss, so the score starts with a
prior: how often the sense occurs (WordNet's counts) and, for nouns, whether it is something visible, since the
questions are about images.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import Any

from askew.files.resources import resource
from askew.language.inflect import base
from askew.language.wordnet import Pos, Synset, WordNet

_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@lru_cache(maxsize=1 << 13)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, split at apostrophes.

    >>> words_of("What's the T-shirt's color?")
    ('what', 's', 'the', 't-shirt', 's', 'color')
    """
    return tuple(_WORD.findall(text.lower()))


@lru_cache(maxsize=1)
def everyday_words() -> frozenset[str]:
    """Base forms of everyday words (``everyday_words.yaml``), which count as known in any data.

    >>> [word in everyday_words() for word in ("automobile", "fridge", "repast")]
    [True, True, False]
    """
    lists: dict[str, str] = resource("language/everyday_words.yaml")
    return frozenset(word for words in lists.values() for word in words.split())


@dataclass(frozen=True)
class WordCounts:
    """Words and how often each occurs. Without counts it contains every word.

    >>> vocabulary = WordCounts.of(["Is the car red?", "Is it an automobile?"])
    >>> vocabulary.holds("car"), vocabulary.holds("red automobile"), vocabulary.holds("motorcar")
    (True, True, False)
    >>> WordCounts().holds("motorcar")
    True
    """

    counts: Mapping[str, int] | None = field(default=None, repr=False)
    least: int = 1
    """The minimum count of a word."""
    everyday: frozenset[str] = field(default=frozenset(), repr=False)
    """Words that need no count."""

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 1) -> WordCounts:
        """The vocabulary of these texts."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(words_of(text))
        return cls(counts, least)

    def holds(self, phrase: str) -> bool:
        """True when each word of the phrase has the minimum count."""
        if self.counts is None:
            return True
        if phrase in self.counts and self.counts[phrase] >= self.least:
            return True
        return all(self._known(word) for word in words_of(phrase))

    def _known(self, word: str) -> bool:
        counts = self.counts or {}
        return counts.get(word, 0) >= self.least or not self.everyday.isdisjoint(_base_forms(word))


@lru_cache(maxsize=1 << 14)
def _base_forms(word: str) -> tuple[str, ...]:
    return word, *(base(word, tag) for tag in ("NNS", "VBG", "VBD", "VBZ", "JJR", "JJS"))


_RELATIONS = ("@", "~", "&", "+", "#p", "%p", "*", "^", "=", "!")
"""Hypernyms, hyponyms, similar, derived, parts and wholes, entailed, see also, attributes, antonyms."""
_RELATED = 40
"""The maximum number of related synsets: a word such as *person* has hundreds of hyponyms."""


@dataclass(frozen=True)
class Senses:
    """Chooses the sense of a word from the other words of the question.

    >>> senses = Senses()
    >>> senses.choose("bat", "n", ["player", "hit", "ball"]).gloss
    'a club used for hitting a ball in various games'
    >>> senses.choose("bat", "n", ["fly", "night"]).words
    ('bat', 'chiropteran')
    """

    wordnet: WordNet = field(default_factory=WordNet)
    overlap: float = 3.0
    """The weight of a word shared with the gloss, relative to the log prior."""
    related: float = 1.0
    """The weight of a word shared with a related gloss, as a fraction of ``overlap``."""
    visible: float = 1.5
    """The bonus for a noun sense that is visible."""
    smoothing: float = 2.0
    """Added to each sense's count, divided by its rank in WordNet's order."""

    def choose(self, word: str, pos: Pos, context: Iterable[str]) -> Synset | None:
        """The most likely sense of a base form; None for a word that is not in WordNet."""
        senses = self.wordnet.senses(word, pos)
        if len(senses) < 2:
            return senses[0] if senses else None
        return senses[_likeliest(self, word, pos, self._clues(word, pos, context))]

    def scores(self, word: str, pos: Pos, context: Iterable[str]) -> list[float]:
        """The score of each sense, in WordNet's order."""
        return _scores(self, word, pos, self._clues(word, pos, context))

    def _clues(self, word: str, pos: Pos, context: Iterable[str]) -> frozenset[str]:
        """The words of the context that distinguish the senses: often none."""
        stems = frozenset(map(_stem, context))
        return stems & _clue_words(self.wordnet, word, pos) if stems else stems

    def supported(self, word: str, sense: Synset, context: Iterable[str]) -> bool:
        """True when the context shares a word with the sense's own gloss.

        >>> racket = WordNet().named("racket.n.04")
        >>> Senses().supported("racket", racket, ["ball"]), Senses().supported("racket", racket, ["house"])
        (True, False)
        """
        own = _signature(self.wordnet, sense.pos, sense.offset)[0]
        return any(part in own and part != _stem(word) for part in map(_stem, context))


@lru_cache(maxsize=1 << 13)
def _likeliest(senses: Senses, word: str, pos: Pos, clues: frozenset[str]) -> int:
    """The index of the sense with the highest score."""
    scores = _scores(senses, word, pos, clues)
    return scores.index(max(scores))


def _scores(senses: Senses, word: str, pos: Pos, clues: frozenset[str]) -> list[float]:
    """The score of each sense: how common it is, whether it is visible, and what it shares with the context."""
    found = []
    for rank, sense in enumerate(senses.wordnet.senses(word, pos), 1):
        prior = log(senses.wordnet.count(word, sense) + senses.smoothing / rank)
        visible = pos == "n" and sense.lexfile in _data()["visible"]
        own, near = _signature(senses.wordnet, sense.pos, sense.offset) if clues else (clues, clues)
        shared = len(clues & own) + senses.related * len((clues & near) - own)
        found.append((prior + senses.visible if visible else prior) + senses.overlap * shared)
    return found


@lru_cache(maxsize=1 << 12)
def _clue_words(wordnet: WordNet, word: str, pos: Pos) -> frozenset[str]:
    """The words that distinguish the senses of a word: those of all its glosses, except the word itself."""
    found: set[str] = set()
    for sense in wordnet.senses(word, pos):
        found.update(*_signature(wordnet, sense.pos, sense.offset))
    return frozenset(found - {_stem(word)})


@lru_cache(maxsize=1 << 13)
def _signature(wordnet: WordNet, pos: Pos, offset: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a sense's gloss, and those of the glosses of related synsets."""
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
    """A word without the ending of number or tense: enough to compare a question with a gloss."""
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
    data: dict[str, Any] = resource("language/senses.yaml")
    return data
