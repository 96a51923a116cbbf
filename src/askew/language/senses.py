"""Word sense disambiguation: extended Lesk with a prior.

Lesk (1986) chooses the sense whose gloss shares most words with the context; Banerjee and Pedersen (2002) add the
glosses of related synsets. Questions are short, and most share no word with any gloss, so the score starts with a
prior: how often the sense occurs (WordNet's counts) and, for nouns, whether it is something visible, since the
questions are about images.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from askew.files.read_write import resource
from askew.language.inflect import base
from askew.language.wordnet import WORDNET, Pos, Synset

_DATA = "language/senses.yaml"
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
    return frozenset(word for words in resource("language/everyday_words.yaml").values() for word in words.split())


@dataclass(frozen=True)
class WordCounts:
    """Words and how often each occurs. Without counts it contains every word.

    >>> from collections import Counter
    >>> vocabulary = WordCounts(Counter(words_of("Is the car red? Is it an automobile?")))
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

    def holds(self, phrase: str) -> bool:
        """True when each word of the phrase has the minimum count."""
        if self.counts is None:
            return True
        if phrase in self.counts and self.counts[phrase] >= self.least:
            return True
        counts, everyday = self.counts, self.everyday
        return all(
            counts.get(word, 0) >= self.least or not everyday.isdisjoint(_base_forms(word)) for word in words_of(phrase)
        )


@lru_cache(maxsize=1 << 14)
def _base_forms(word: str) -> tuple[str, ...]:
    return word, *(base(word, tag) for tag in ("NNS", "VBG", "VBD", "VBZ", "JJR", "JJS"))


_RELATIONS = ("@", "~", "&", "+", "#p", "%p", "*", "^", "=", "!")
"""Hypernyms, hyponyms, similar, derived, parts and wholes, entailed, see also, attributes, antonyms."""
_RELATED = 40
"""The maximum number of related synsets: a word such as *person* has hundreds of hyponyms."""
_OVERLAP = 3.0
"""The weight of a word shared with the sense's gloss or a related one, relative to the log prior."""
_VISIBLE = 1.5
"""The bonus for a noun sense that is visible."""
_SMOOTHING = 2.0
"""Added to each sense's count, divided by its rank in WordNet's order."""


def likely_sense(word: str, pos: Pos, context: Iterable[str]) -> Synset | None:
    """The most likely sense of a base form given the other words of the question; None if WordNet has no such word.

    >>> likely_sense("bat", "n", ["player", "hit", "ball"]).gloss
    'a club used for hitting a ball in various games'
    >>> likely_sense("bat", "n", ["fly", "night"]).words
    ('bat', 'chiropteran')
    """
    senses = WORDNET.senses(word, pos)
    if len(senses) < 2:
        return senses[0] if senses else None
    stems = frozenset(map(_stem, context))
    return senses[_likeliest(word, pos, stems & _clue_words(word, pos) if stems else stems)]


def supported(word: str, sense: Synset, context: Iterable[str]) -> bool:
    """True when the context shares a word with the sense's own gloss.

    >>> racket = WORDNET.named("racket.n.04")
    >>> supported("racket", racket, ["ball"]), supported("racket", racket, ["house"])
    (True, False)
    """
    own = _signature(sense.pos, sense.offset)[0]
    return any(part in own and part != _stem(word) for part in map(_stem, context))


@lru_cache(maxsize=1 << 13)
def _likeliest(word: str, pos: Pos, clues: frozenset[str]) -> int:
    """The index of the sense with the highest score: how common it is, whether it is visible, and how many of the
    words of the context that distinguish the senses (often none) it shares.
    """
    scores = []
    for rank, sense in enumerate(WORDNET.senses(word, pos), 1):
        prior = log(WORDNET.count(word, sense) + _SMOOTHING / rank)
        visible = pos == "n" and sense.lexfile in resource(_DATA)["visible"]
        own, near = _signature(sense.pos, sense.offset) if clues else (clues, clues)
        scores.append((prior + _VISIBLE if visible else prior) + _OVERLAP * len(clues & (own | near)))
    return scores.index(max(scores))


@lru_cache(maxsize=1 << 12)
def _clue_words(word: str, pos: Pos) -> frozenset[str]:
    """The words that distinguish the senses of a word: those of all its glosses, except the word itself."""
    found: set[str] = set()
    for sense in WORDNET.senses(word, pos):
        found.update(*_signature(sense.pos, sense.offset))
    return frozenset(found - {_stem(word)})


@lru_cache(maxsize=1 << 13)
def _signature(pos: Pos, offset: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a sense's gloss, and those of the glosses of related synsets."""
    sense = WORDNET.at(pos, offset)
    near: set[str] = set()
    for pointer in list(sense.related(*_RELATIONS))[:_RELATED]:
        other = WORDNET.to(pointer)
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
    listed = resource(_DATA)["stop"]
    return frozenset(map(_stem, listed)).union(listed)
