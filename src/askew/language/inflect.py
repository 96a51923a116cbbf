"""Inflection (*people* and *person*, *have* and *has*, *big* and *bigger*), *a* and *an*, and number words.

Regular forms come from lemminflect (extra ``language``); exceptions are in ``nouns.yaml`` and ``articles.yaml``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from askew.files.read_write import resource, word_sets
from askew.language.tagger import import_alone

_SMALL = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_SMALL += ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: value for value, word in enumerate(_SMALL)} | {word: 10 * i for i, word in enumerate(_TENS, start=2)}
_VALUES |= {"none": 0, "no": 0, "nothing": 0, "dozen": 12, "couple": 2, "hundred": 100, "one hundred": 100}
_ARTICLES = re.compile(r"^(?:a|an|the)\s+")


def number_word(number: int) -> str:
    """A whole number as written in text: in words up to one hundred, in digits above.

    >>> [number_word(n) for n in (0, 5, 12, 21, 100, 150)]
    ['zero', 'five', 'twelve', 'twenty-one', 'one hundred', '150']
    """
    if number < 0 or number > 100:
        return str(number)
    if number == 100:
        return "one hundred"
    if number < 20:
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


@lru_cache(maxsize=1 << 14)
def number_of(text: str) -> int | None:
    """The whole number that an answer gives, or None if it is not a single exact number.

    >>> [number_of(text) for text in ("5", "Five", "twenty-one", "one hundred", "a dozen", "none", "1,000")]
    [5, 5, 21, 100, 12, 0, 1000]
    >>> [number_of(text) for text in ("many", "5+", "2 or 3", "10:30", "", "5 dogs", "3.5")]
    [None, None, None, None, None, None, None]
    """
    words = _ARTICLES.sub("", text.strip().lower().rstrip(".").strip())
    if re.fullmatch(r"[0-9]{1,9}|[0-9]{1,3}(,[0-9]{3}){1,2}", words):
        return int(words.replace(",", ""))
    if words in _VALUES:
        return _VALUES[words]
    tens, _, ones = words.replace(" ", "-").partition("-")
    return _VALUES[tens] + _VALUES[ones] if tens in _TENS and ones in _SMALL[1:10] else None


_VOWEL_LETTERS = frozenset("aefhilmnorsx")
"""Letters whose names begin with a vowel sound."""


@lru_cache(maxsize=1 << 13)
def singular(noun: str) -> str:
    """The singular of a noun, or of a phrase by its last word. A singular is returned unchanged.

    >>> [singular(noun) for noun in ("people", "wine glasses", "sheep", "scissors", "bus")]
    ['person', 'wine glass', 'sheep', 'pair of scissors', 'bus']
    """
    before, last = _split(noun)
    word = last.lower()
    if word in nouns("pairs"):
        return f"pair of {before}{last}"
    if word in _irregular():
        return before + _in_case_of(last, _irregular()[word])
    ending = _irregular_ending(word)
    if ending:
        return before + last[: -len(ending)] + _irregular()[ending]
    if word in nouns("invariant") or word in nouns("mass") or not word.endswith("s"):
        return noun
    lemma: str = _lemminflect().getLemma(last, "NOUN")[0]
    return before + _in_case_of(last, lemma)


@lru_cache(maxsize=1 << 13)
def plural(noun: str) -> str:
    """The plural of a noun, or of a phrase by its last word. A plural or a mass noun is returned unchanged.

    >>> [plural(noun) for noun in ("person", "traffic light", "sheep", "scissors", "people", "luggage")]
    ['people', 'traffic lights', 'sheep', 'scissors', 'people', 'luggage']
    """
    before, last = _split(noun)
    word = last.lower()
    if is_plural(word) or word in nouns("mass"):
        return noun
    if word in _plurals():
        return before + _in_case_of(last, _plurals()[word])
    return before + _in_case_of(last, _lemminflect().getInflection(word, "NNS")[0])


@lru_cache(maxsize=1 << 13)
def is_plural(word: str) -> bool:
    """True when a noun is plural or has the same form in both numbers.

    >>> [is_plural(word) for word in ("dogs", "people", "sheep", "dog", "bus", "tennis")]
    [True, True, True, False, False, False]
    """
    word = word.lower()
    if word in _irregular() or word in nouns("invariant") or word in nouns("pairs") or _irregular_ending(word):
        return True
    if word in nouns("mass") or not word.endswith("s"):
        return False
    return bool(_lemminflect().getLemma(word, "NOUN")[0] != word)


@lru_cache(maxsize=1 << 13)
def is_mass(noun: str) -> bool:
    """True when a noun, or the last word of a phrase, is uncountable: ``luggage``, ``wood``, ``tennis``.

    >>> is_mass("luggage"), is_mass("fried rice"), is_mass("suitcase")
    (True, True, False)
    """
    return not nouns("mass").isdisjoint((noun.lower(), _split(noun)[1].lower()))


@lru_cache(maxsize=1 << 13)
def third_person(verb: str) -> str:
    """The third person singular of a verb.

    >>> third_person("have"), third_person("carry"), third_person("are")
    ('has', 'carries', 'is')
    """
    irregular: dict[str, str] = _data()["verbs"]
    if verb.lower() in irregular:
        return irregular[verb.lower()]
    return str(_lemminflect().getInflection(verb.lower(), "VBZ")[0])


@lru_cache(maxsize=1 << 13)
def parts_of_speech(word: str) -> frozenset[str]:
    """The parts of speech of a word in lemminflect's dictionary: NOUN, ADJ, VERB, ...; empty for unknown words.

    >>> sorted(parts_of_speech("electronic")), sorted(parts_of_speech("church")), sorted(parts_of_speech("qxz"))
    (['ADJ'], ['NOUN'], [])
    """
    return frozenset(_lemminflect().getAllLemmas(word.lower()))


@lru_cache(maxsize=1 << 13)
def base(word: str, tag: str) -> str:
    """The base form of a word with this Penn Treebank tag; for tags without inflection, the word in lower case.

    >>> base("People", "NNS"), base("running", "VBG"), base("biggest", "JJS"), base("Dogs", "NNS"), base("on", "IN")
    ('person', 'run', 'big', 'dog', 'on')
    """
    lower = word.lower()
    if tag == "NNS":
        return lower if lower in nouns("pairs") else singular(lower)
    kind = "VERB" if tag.startswith("VB") else "ADJ" if tag in ("JJR", "JJS") else ""
    return str(_lemminflect().getLemma(lower, kind)[0]) if kind else lower


@lru_cache(maxsize=1 << 13)
def inflected(lemma: str, tag: str) -> str | None:
    """The form of a word for this Penn Treebank tag: plural, tense, comparison; None if there is no such form.

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


def nouns(kind: str) -> frozenset[str]:
    """A list of nouns: uncountable (``mass``), with only a plural, counted in pairs (``pairs``), with the same form in
    both numbers (``invariant``), or both countable and uncountable (``either``).
    """
    return word_sets("language/nouns.yaml")[kind]


@lru_cache(maxsize=1 << 13)
def needs_no_article(noun: str) -> bool:
    """True when a singular noun needs no article: it is uncountable, or both countable and uncountable.

    >>> needs_no_article("pizza"), needs_no_article("rice"), needs_no_article("sandwich")
    (True, True, False)
    """
    return is_mass(noun) or not nouns("either").isdisjoint((noun.lower(), _split(noun)[1].lower()))


def _irregular_ending(word: str) -> str:
    if word in _data()["unlike"]:
        return ""
    return next((ending for ending in _data()["endings"] if word.endswith(ending) and word != ending), "")


def _irregular() -> dict[str, str]:
    irregular: dict[str, str] = _data()["irregular"]
    return irregular


@lru_cache(maxsize=1)
def _plurals() -> dict[str, str]:
    return {one: many for many, one in reversed(_irregular().items())}


def _data() -> Any:
    return resource("language/nouns.yaml")


@lru_cache(maxsize=1)
def _lemminflect() -> Any:
    return import_alone("lemminflect", "language", "spacy")


def _split(phrase: str) -> tuple[str, str]:
    before, space, last = phrase.rpartition(" ")
    return before + space, last


def _in_case_of(pattern: str, word: str) -> str:
    return word.capitalize() if pattern[:1].isupper() and pattern[1:].islower() else word


def article(phrase: str) -> str:
    """The indefinite article of a phrase, by the sound that follows: *a uniform*, *an hour*.

    >>> [article(word) for word in ("elephant", "church", "hour", "uniform", "European bus", "one-way street")]
    ['an', 'a', 'an', 'a', 'a', 'a']
    >>> [article(word) for word in ("X-ray", "MP3 player", "SUV", "8-seater", "747", "UFO", "umbrella", "")]
    ['an', 'an', 'an', 'an', 'a', 'a', 'an', 'a']
    """
    match = re.match(r"[^\W_]+", phrase.lstrip("'\"( "))
    return "an" if match and _sounds_vowel(match.group()) else "a"


def with_article(phrase: str) -> str:
    """A phrase with its indefinite article.

    >>> with_article("old church")
    'an old church'
    """
    return f"{article(phrase)} {phrase}"


def _sounds_vowel(word: str) -> bool:
    lower = word.lower()
    exceptions = resource("language/articles.yaml")
    if lower in exceptions["a words"] or lower.startswith(tuple(exceptions["a"])):
        return False
    if lower in exceptions["an words"] or lower.startswith(tuple(exceptions["an"])):
        return True
    if lower[0].isdigit():
        return _sounds_vowel(_first_number_word(lower))
    if len(lower) == 1 or (word.isupper() and len(word) <= 4) or re.fullmatch(r"[A-Z]{1,4}[0-9]+", word):
        return lower[0] in _VOWEL_LETTERS
    return lower[0] in "aeiou"


def _first_number_word(word: str) -> str:
    """How a number begins when it is read: 747 "seven ...", 1800 "eighteen ...", 11000 "eleven ..."."""
    digits = len(word) - len(word.lstrip("0123456789"))
    lead = 2 if digits in (2, 4) else digits % 3 or 1
    return number_word(int(word[:lead]))
