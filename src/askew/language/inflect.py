"""Number, tense and comparison: ``people`` and ``person``, ``have`` and ``has``, ``big`` and ``bigger``.

Exceptions are in ``nouns.yaml``; what is regular comes from lemminflect (extra ``language``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from askew.errors import need
from askew.language.without import without
from askew.shipped import shipped


@lru_cache(maxsize=1 << 13)
def singular(noun: str) -> str:
    """The singular of a noun, or of a phrase by its last word. A singular stays as it is.

    >>> [singular(noun) for noun in ("people", "wine glasses", "sheep", "scissors", "bus")]
    ['person', 'wine glass', 'sheep', 'pair of scissors', 'bus']
    """
    before, last = _split(noun)
    word = last.lower()
    if word in pairs():
        return f"pair of {before}{last}"
    if word in _irregular():
        return before + _like(last, _irregular()[word])
    ending = _irregular_ending(word)
    if ending:
        return before + last[: -len(ending)] + _irregular()[ending]
    if word in invariant() or word in mass() or not word.endswith("s"):
        return noun
    lemma: str = _lemminflect().getLemma(last, "NOUN")[0]
    return before + _like(last, lemma)


@lru_cache(maxsize=1 << 13)
def plural(noun: str) -> str:
    """The plural of a noun, or of a phrase by its last word. A plural stays as it is; so does what has none.

    >>> [plural(noun) for noun in ("person", "traffic light", "sheep", "scissors", "people", "luggage")]
    ['people', 'traffic lights', 'sheep', 'scissors', 'people', 'luggage']
    """
    before, last = _split(noun)
    word = last.lower()
    if is_plural(word) or word in mass():
        return noun
    if word in _plurals():
        return before + _like(last, _plurals()[word])
    return before + _like(last, _lemminflect().getInflection(word, "NNS")[0])


@lru_cache(maxsize=1 << 13)
def is_plural(word: str) -> bool:
    """True when a noun is plural, or is the same in both numbers.

    >>> [is_plural(word) for word in ("dogs", "people", "sheep", "dog", "bus", "tennis")]
    [True, True, True, False, False, False]
    """
    word = word.lower()
    if word in _irregular() or word in invariant() or word in pairs() or _irregular_ending(word):
        return True
    if word in mass() or not word.endswith("s"):
        return False
    return bool(_lemminflect().getLemma(word, "NOUN")[0] != word)


@lru_cache(maxsize=1 << 13)
def is_mass(noun: str) -> bool:
    """True when a noun, or the last word of a phrase, is not counted: ``luggage``, ``wood``, ``tennis``.

    >>> is_mass("luggage"), is_mass("fried rice"), is_mass("suitcase")
    (True, True, False)
    """
    return noun.lower() in mass() or _split(noun)[1].lower() in mass()


@lru_cache(maxsize=1 << 13)
def third_person(verb: str) -> str:
    """The form of a verb after one person or thing.

    >>> third_person("have"), third_person("carry"), third_person("are")
    ('has', 'carries', 'is')
    """
    irregular: dict[str, str] = _data()["verbs"]
    if verb.lower() in irregular:
        return irregular[verb.lower()]
    return str(_lemminflect().getInflection(verb.lower(), "VBZ")[0])


@lru_cache(maxsize=1 << 13)
def parts_of_speech(word: str) -> frozenset[str]:
    """What a word can be, by lemminflect's dictionary: NOUN, ADJ, VERB, ADV, ...; empty for a word it lacks.

    >>> sorted(parts_of_speech("electronic")), sorted(parts_of_speech("church")), sorted(parts_of_speech("qxz"))
    (['ADJ'], ['NOUN'], [])
    """
    return frozenset(_lemminflect().getAllLemmas(word.lower()))


@lru_cache(maxsize=1 << 13)
def base(word: str, tag: str) -> str:
    """The base form of a word that has this Penn Treebank tag; the word itself in small letters for other tags.

    >>> base("People", "NNS"), base("running", "VBG"), base("biggest", "JJS"), base("Dogs", "NNS"), base("on", "IN")
    ('person', 'run', 'big', 'dog', 'on')
    """
    lower = word.lower()
    if tag == "NNS":
        return lower if lower in pairs() else singular(lower)
    kind = "VERB" if tag.startswith("VB") else "ADJ" if tag in ("JJR", "JJS") else ""
    return str(_lemminflect().getLemma(lower, kind)[0]) if kind else lower


@lru_cache(maxsize=1 << 13)
def inflected(lemma: str, tag: str) -> str | None:
    """A base form as this Penn Treebank tag has it: plural, tense, comparison; None for a form that there is not.

    >>> inflected("automobile", "NNS"), inflected("speak", "VBG"), inflected("large", "JJR"), inflected("child", "NN")
    ('automobiles', 'speaking', 'larger', 'child')
    >>> inflected("circular", "JJR") is None
    True
    """
    if tag == "NNS":
        return plural(lemma)
    if tag.startswith("VB") or tag in ("JJR", "JJS"):
        forms = _lemminflect().getInflection(lemma, tag, inflect_oov=False)
        return str(forms[0]) if forms else None
    return lemma


@lru_cache(maxsize=1)
def mass() -> frozenset[str]:
    """Nouns that are not counted."""
    return frozenset(_data()["mass"])


@lru_cache(maxsize=1 << 13)
def needs_no_article(noun: str) -> bool:
    """True when a noun can stand without an article in the singular: it is never, or not always, counted.

    >>> needs_no_article("pizza"), needs_no_article("rice"), needs_no_article("sandwich")
    (True, True, False)
    """
    return is_mass(noun) or noun.lower() in _either() or _split(noun)[1].lower() in _either()


@lru_cache(maxsize=1)
def pairs() -> frozenset[str]:
    """Nouns that have only a plural, counted in pairs."""
    return frozenset(_data()["pairs"])


@lru_cache(maxsize=1)
def invariant() -> frozenset[str]:
    """Nouns with one form for both numbers."""
    return frozenset(_data()["invariant"])


@lru_cache(maxsize=1)
def _either() -> frozenset[str]:
    return frozenset(_data()["either"])


def _irregular_ending(word: str) -> str:
    if word in _data()["unlike"]:
        return ""
    return next((ending for ending in _data()["endings"] if word.endswith(ending) and word != ending), "")


@lru_cache(maxsize=1)
def _irregular() -> dict[str, str]:
    return dict(_data()["irregular"])


@lru_cache(maxsize=1)
def _plurals() -> dict[str, str]:
    return {one: many for many, one in reversed(_irregular().items())}


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    data: dict[str, Any] = shipped("language/nouns.yaml")
    return data


@lru_cache(maxsize=1)
def _lemminflect() -> Any:
    """lemminflect without spaCy, which it would import only to add to it: a second or three, and 0.3 GB."""
    with without("spacy"):
        return need("lemminflect", "language")


def _split(phrase: str) -> tuple[str, str]:
    before, space, last = phrase.rpartition(" ")
    return before + space, last


def _like(pattern: str, word: str) -> str:
    return word.capitalize() if pattern[:1].isupper() and pattern[1:].islower() else word
