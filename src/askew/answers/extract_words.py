"""Words of questions and replies as the extraction compares them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from askew.answers.extract_rules import rules

PRONOUNS = frozenset(("it", "he", "she", "they", "there", "this", "that", "these", "those", "it's", "he's", "she's"))
PEOPLE = frozenset(
    ("man", "woman", "boy", "girl", "child", "baby", "lady", "men", "women", "boys", "girls", "children")
)
LINKS = frozenset(
    (
        *("is", "are", "was", "were", "be", "been", "being", "appears", "appear", "seems", "seem", "looks", "look"),
        *("remains", "remain", "stays", "feels", "it's", "he's", "she's", "they're", "that's", "isn't", "aren't"),
        *("wasn't", "weren't"),
    )
)
"""Verbs that say what something is like, with the pronouns and denials that are written with them."""
_IRREGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth"}
_PARTS = frozenset(("surface", "screen", "display", "area", "itself", "color", "colour", "one", "ones", "body"))
"""What is said of these parts is said of the thing."""
_AROUND = frozenset(("sky", "weather", "day", "sun", "scene", "light", "lighting", "air", "time", "outside"))
"""What these are like, it is like: "The sky is overcast" to "Is it sunny?"."""


def denies(word: str) -> bool:
    """Whether a word denies what a sentence says."""
    return word in rules().deny or word == "cannot" or word.endswith(("n't", "n’t"))


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without the endings by which a reply's words differ from the question's.

    >>> [stem(word) for word in ("wears", "wearing", "driving", "drive", "sliced", "slice", "sitting", "carries")]
    ['wear', 'wear', 'driv', 'driv', 'slic', 'slic', 'sit', 'carri']
    """
    word = word.removesuffix("'s").removesuffix("’s")
    word = _IRREGULAR.get(word, word)
    if len(word) > 5 and word.endswith("ing") and not word.endswith("thing"):
        word = _single(word[:-3])
    elif len(word) > 4 and word.endswith("ed"):
        word = _single(word[:-2])
    elif word.endswith("oes"):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = word[:-1] if len(word) > 3 and word.endswith("e") else word
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


def _single(word: str) -> str:
    """The word with one consonant at the end instead of two: "sit" of "sitt"."""
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiousl"
    return word[:-1] if doubled else word


def link_before(words: Sequence[str], end: int) -> int | None:
    """The place of the last verb before this place that says what something is like."""
    return next((place for place in range(end - 1, -1, -1) if words[place] in LINKS), None)


def is_of_asked(asked: Collection[str], subject: Sequence[str]) -> bool:
    """Whether the subject of a sentence is what a question asks about: itself, a part of it, or a pronoun.

    >>> asked = ("is", "the", "road", "wet")
    >>> [is_of_asked(asked, said.split()) for said in ("it", "the road surface", "the dog", "the dog on the road")]
    [True, True, False, False]
    """
    known = rules()
    small = known.little | known.auxiliaries | PRONOUNS | known.degrees | LINKS | {"both", "all", "his", "her", "its"}
    stems = {stem(word) for word in asked}
    end = next((at for at, word in enumerate(subject) if at and word in known.relations), len(subject))
    heads = [word for word in subject[:end] if word not in small and not denies(word)]
    told = [word for word in subject[end:] if word not in small | known.relations]
    if not {stem(word) for word in told} <= stems or (PEOPLE & {*heads}) - {*asked}:
        return False
    if not heads:
        return True
    if any(not known.contrasts.get(word, frozenset()).isdisjoint(asked) for word in heads[:-1]):
        return False
    nouns = {stem(word) for word in asked if word not in small}
    of_weather = "it" in asked and heads[-1] in _AROUND
    return of_weather or stem(heads[-1]) in nouns or (heads[-1] in _PARTS and all(stem(w) in nouns for w in heads[:-1]))
