"""How similar two texts are, by edit distance and by a sentence encoder; whether two words are synonyms or
opposites.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from askew.attack.word_places import function_words
from askew.language.inflect import base, is_mass, is_plural
from askew.language.senses import likely_sense
from askew.language.thesaurus import POS_OF_TAG, Context, antonyms_of, indirect_antonym, sense_share, synonyms_of
from askew.language.wordnet import PARTS_OF_SPEECH, Pos, WordNet
from askew.registry import make
from askew.verbs import Encoder


@lru_cache(maxsize=1 << 14)
def edit_distance(one: str, other: str) -> int:
    """The Levenshtein distance: how many letters are inserted, deleted or replaced.

    >>> edit_distance("green", "geren"), edit_distance("green", "gren"), edit_distance("", "ab")
    (2, 1, 2)
    """
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        before, row[0] = row[0], place
        for at, found in enumerate(other, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (letter != found))
    return row[-1]


_REMEMBERED = 100_000
"""How many vectors are cached: 0.2 GB with 512 numbers each."""


@dataclass(frozen=True)
class SentenceSimilarity:
    """The angular similarity 1 − arccos(cos) / π of sentence vectors (Cer et al. 2018); each text is encoded once."""

    encoder: str | Encoder = "use"
    """The encoder, or its name."""

    def of(self, original: str, texts: Sequence[str]) -> list[float]:
        """The similarity of each text to the original, rounded to six places."""
        return [angular(cosine) for cosine in self.cosines([(original, text) for text in texts])]

    def between(self, one: str, other: str) -> float:
        """The similarity of two texts, rounded to six places."""
        return self.of(one, [other])[0]

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The cosine of each pair of texts."""
        self.read([text for pair in pairs for text in pair])
        known = _vectors(self._signature)
        vectors = [(known[one], known[other]) for one, other in pairs]
        lengths = [float(np.sqrt((one @ one) * (other @ other))) for one, other in vectors]
        return [float(a @ b) / length if length else 0.0 for (a, b), length in zip(vectors, lengths, strict=True)]

    def read(self, texts: Sequence[str]) -> None:
        """Encode these texts in one batch."""
        known = _vectors(self._signature)
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            if len(known) + len(new) > _REMEMBERED:
                known.clear()
                new = list(dict.fromkeys(texts))
            known.update(zip(new, np.asarray(self._made.encode(new), np.float64), strict=True))

    @cached_property
    def _made(self) -> Encoder:
        made: Encoder = make("encoder", self.encoder) if isinstance(self.encoder, str) else self.encoder
        return made

    @cached_property
    def _signature(self) -> str:
        return repr(self._made)


def angular(cosine: float) -> float:
    """1 − arccos(cos) / π, rounded to six places.

    >>> angular(1.0), angular(0.0), angular(-1.0), angular(0.5)
    (1.0, 0.5, 0.0, 0.666667)
    """
    return round(1.0 - float(np.arccos(max(-1.0, min(1.0, cosine)))) / float(np.pi), 6)


@lru_cache(maxsize=2)
def _vectors(signature: str) -> dict[str, Any]:
    return {}


_SPELLINGS = (frozenset(("gray", "grey")), frozenset(("color", "colour")))
_SHARE = 0.6
"""A sense is the usual one if at least this share of the word's uses has it."""
_COUNT = 2
"""How often WordNet's sense-tagged texts must contain the new word in this sense."""
_COMMON = 0.01
"""The same count must be at least this share of the old word's: a *person* is seldom called a *mortal*."""


@lru_cache(maxsize=1 << 15)
def opposite(old: str, new: str, tag: str) -> bool:
    """True when two words are opposites in some sense: in the reviewed list, or in WordNet, directly or through a
    similar word.

    >>> opposite("open", "closed", "JJ"), opposite("man", "woman", "NN"), opposite("open", "wide", "JJ")
    (True, True, False)
    """
    wordnet = WordNet()
    return any(
        _opposed(wordnet, one, other, pos)
        for pos in ((POS_OF_TAG[tag],) if tag in POS_OF_TAG else PARTS_OF_SPEECH)
        for one in _lemmas(wordnet, old, tag, pos)
        for other in _lemmas(wordnet, new, tag, pos)
    )


@lru_cache(maxsize=1 << 15)
def same_meaning(old: str, new: str, tag: str, around: tuple[str, ...], after: tuple[str, ...] = ()) -> bool:
    """True when the base form ``new`` means the same as ``old`` in this context: the words ``around``, and the word and
    tag ``after``.

    Either a reviewed rule replaces ``old`` by ``new``, or both share the most likely sense of ``old``, which is the
    usual sense of both (*dog* and *cad* share only a rare one). For verbs only reviewed rules count, because verbs
    differ in what may follow them.

    >>> same_meaning("car", "automobile", "NN", ("is", "the", "car", "red"))
    True
    >>> same_meaning("dog", "cad", "NN", ("is", "the", "dog", "red")), same_meaning("dog", "cat", "NN", ())
    (False, False)
    >>> same_meaning("animal", "creature", "NN", ()), same_meaning("fly", "wing", "VBG", ())
    (True, False)
    >>> [same_meaning("do", "perform", "VBG", ("he", word), ("a", "DT")) for word in ("trick", "dishes")]
    [True, False]
    """
    wordnet, pos = WordNet(), POS_OF_TAG.get(tag)
    if old == new or frozenset((old, new)) in _SPELLINGS:
        return True
    if pos is None:
        return False
    for rule in synonyms_of(old, pos):
        if rule.target == new and _allows(rule.context, tag, around, after):
            return True
    sense = likely_sense(old, pos, around)
    if sense is None or pos == "v" or new not in sense.words or not same_number(old, new):
        return False
    if len(new) < 3 or new in function_words() or (new.endswith("ish") and new[:3] == old[:3]):
        return False  # rare, or only roughly the same
    shares = (sense_share(old, sense), sense_share(new, sense))
    common = max(_COUNT, _COMMON * wordnet.count(old, sense))
    return min(shares) >= _SHARE and wordnet.count(new, sense) >= common


def _allows(context: Context, tag: str, around: Iterable[str], after: Iterable[str]) -> bool:
    """Whether a rule may apply here. Rules that depend on the preceding word never apply, since it is unknown here."""
    if context.prev or (context.tags and tag not in context.tags):
        return False
    words = frozenset(around)
    if not context.absent.isdisjoint(words) or (context.present and context.present.isdisjoint(words)):
        return False
    return (not context.next or not context.next.isdisjoint(after)) and context.but.isdisjoint(after)


def same_number(old: str, new: str) -> bool:
    """True when two nouns agree in number: both plural or neither, both uncountable or neither.

    >>> same_number("car", "automobile"), same_number("year", "years"), same_number("bag", "luggage")
    (True, False, False)
    """
    return is_plural(old) == is_plural(new) and is_mass(old) == is_mass(new)


def _lemmas(wordnet: WordNet, word: str, tag: str, pos: Pos) -> tuple[str, ...]:
    return tuple(dict.fromkeys((base(word, tag), *wordnet.bases(word, pos))))


def _opposed(wordnet: WordNet, one: str, other: str, pos: Pos) -> bool:
    if any(rule.target == other for rule in antonyms_of(one, pos)):
        return True
    return any(
        other in wordnet.antonyms(one, sense) or (sense.pos == "a" and indirect_antonym(sense, other))
        for sense in wordnet.senses(one, pos)
    )
