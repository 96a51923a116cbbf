"""Whether two words mean the same, the opposite, or something else, by WordNet and reviewed lists."""

from __future__ import annotations

from functools import lru_cache

from askew.language.inflect import base
from askew.language.thesaurus import POS_OF_TAG, Antonyms, Synonyms
from askew.language.wordnet import Pos, Synset, WordNet

_PLACES: tuple[frozenset[str], ...] = (frozenset(("gray", "grey")), frozenset(("color", "colour")))


@lru_cache(maxsize=1 << 15)
def opposite(old: str, new: str, tag: str) -> bool:
    """True when two words are opposites in some sense: by WordNet, directly or by way of a similar word, or reviewed.

    >>> opposite("open", "closed", "JJ"), opposite("man", "woman", "NN"), opposite("open", "wide", "JJ")
    (True, True, False)
    """
    wordnet = WordNet()
    for pos in (POS_OF_TAG.get(tag),) if tag in POS_OF_TAG else ("n", "v", "a", "r"):
        assert pos is not None
        ones, others = _lemmas(wordnet, old, tag, pos), _lemmas(wordnet, new, tag, pos)
        if any(_opposed(wordnet, one, other, pos) for one in ones for other in others):
            return True
    return False


@lru_cache(maxsize=1 << 15)
def synonymous(old: str, new: str, tag: str) -> bool:
    """True when two words share a synset, or a reviewed rule replaces the one by the other.

    The shared sense must be one of the first three of both words: *dog* and *cad* share only a rare one.

    >>> synonymous("car", "automobile", "NN"), synonymous("dogs", "cads", "NNS"), synonymous("dog", "cat", "NN")
    (True, False, False)
    """
    wordnet, pos = WordNet(), POS_OF_TAG.get(tag, "n")
    for one in _lemmas(wordnet, old, tag, pos):
        for other in _lemmas(wordnet, new, tag, pos):
            if one == other or frozenset((one, other)) in _PLACES:
                return True
            if any(rule.target == other for rule in Synonyms(wordnet).of(one, pos)):
                return True
            if set(wordnet.senses(one, pos)[:_COMMON]) & set(wordnet.senses(other, pos)[:_COMMON]):
                return True
    return False


_COMMON = 3
"""Senses after the third are too rare to be meant."""


def _lemmas(wordnet: WordNet, word: str, tag: str, pos: Pos) -> tuple[str, ...]:
    return tuple(dict.fromkeys((base(word, tag), *wordnet.bases(word, pos))))


def _opposed(wordnet: WordNet, one: str, other: str, pos: Pos) -> bool:
    if any(rule.target == other for rule in Antonyms(wordnet).of(one, pos)):
        return True
    return any(_reaches(wordnet, one, sense, other) for sense in wordnet.senses(one, pos))


def _reaches(wordnet: WordNet, word: str, sense: Synset, other: str) -> bool:
    """True when a sense is the opposite of the other word, or an adjective around its opposite is."""
    if other in wordnet.antonyms(word, sense):
        return True
    if sense.pos != "a":
        return False
    heads = [sense, *(wordnet.to(pointer) for pointer in sense.related("&") if sense.satellite)]
    against = [wordnet.to(pointer) for head in heads for pointer in head.related("!")]
    near = [*against, *(wordnet.to(pointer) for synset in against for pointer in synset.related("&"))]
    return any(other in synset.words for synset in near)
