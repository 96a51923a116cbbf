"""Whether two words mean the same, the opposite, or something else, by WordNet and reviewed lists."""

from __future__ import annotations

from functools import lru_cache

from askew.language.inflect import base
from askew.language.senses import Senses
from askew.language.thesaurus import POS_OF_TAG, Antonyms, Synonyms
from askew.language.wordnet import Pos, Synset, WordNet

_SPELLINGS = (frozenset(("gray", "grey")), frozenset(("color", "colour")))


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
def same_meaning(old: str, new: str, tag: str, around: tuple[str, ...]) -> bool:
    """True when a base form means the same as another one has meant among these words.

    A reviewed rule replaces the one by the other; or the likeliest sense of the old one has the new one too, and it is
    one of the first three senses of the new one: *dog* and *cad* share only a rare sense.

    >>> same_meaning("car", "automobile", "NN", ("is", "the", "car", "red"))
    True
    >>> same_meaning("dog", "cad", "NN", ("is", "the", "dog", "red")), same_meaning("dog", "cat", "NN", ())
    (False, False)
    """
    wordnet, pos = WordNet(), POS_OF_TAG.get(tag)
    if old == new or frozenset((old, new)) in _SPELLINGS:
        return True
    if pos is None:
        return False
    if any(rule.target == new for rule in Synonyms(wordnet).of(old, pos)):
        return True
    sense = Senses(wordnet).choose(old, pos, around)
    return sense is not None and new in sense.words and sense in wordnet.senses(new, pos)[:_COMMON]


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
