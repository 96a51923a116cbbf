"""``a`` or ``an``, by the sound that follows: *a uniform*, *an hour*. Where spelling misleads: ``articles.yaml``."""

from __future__ import annotations

import re
from functools import lru_cache

from askew.language.numbers import number_word
from askew.shipped import shipped

_VOWEL_LETTERS = frozenset("aefhilmnorsx")


def article(phrase: str) -> str:
    """The indefinite article before a phrase.

    >>> [article(word) for word in ("elephant", "church", "hour", "uniform", "European bus", "one-way street")]
    ['an', 'a', 'an', 'a', 'a', 'a']
    >>> [article(word) for word in ("X-ray", "MP3 player", "SUV", "8-seater", "747", "UFO", "umbrella", "")]
    ['an', 'an', 'an', 'an', 'a', 'a', 'an', 'a']
    """
    match = re.match(r"[^\W_]+", phrase.lstrip("'\"( "))
    return "an" if match and _sounds_vowel(match.group()) else "a"


def with_article(phrase: str) -> str:
    """A phrase behind its indefinite article.

    >>> with_article("old church")
    'an old church'
    """
    return f"{article(phrase)} {phrase}"


def _sounds_vowel(word: str) -> bool:
    lower = word.lower()
    exceptions = _exceptions()
    if lower in exceptions["a words"] or lower.startswith(exceptions["a"]):
        return False
    if lower in exceptions["an words"] or lower.startswith(exceptions["an"]):
        return True
    if lower[0].isdigit():
        return _sounds_vowel(_spoken_number(lower))
    if len(lower) == 1 or (word.isupper() and len(word) <= 4) or re.fullmatch(r"[A-Z]{1,4}[0-9]+", word):
        return lower[0] in _VOWEL_LETTERS
    return lower[0] in "aeiou"


def _spoken_number(word: str) -> str:
    digits = re.match(r"[0-9]+", word)
    assert digits is not None
    text = digits.group()
    if len(text) in (1, 2):
        return number_word(int(text))
    # 747 is said "seven ...", 1800 "eighteen ...", 11000 "eleven ...": the leading group of digits decides.
    lead = text[: len(text) % 3 or 3] if len(text) != 4 else text[:2]
    return number_word(int(lead)) if len(lead) < 3 else number_word(int(lead[0]))


@lru_cache(maxsize=1)
def _exceptions() -> dict[str, tuple[str, ...]]:
    data = shipped("language/articles.yaml")
    return {name: tuple(words) for name, words in data.items()}
