"""Words of questions and replies as the extraction compares them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from askew.answers.extract_rules import rules


def word_set(words: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(words.split())


PRONOUNS = word_set("it he she they there this that these those it's he's she's")
PEOPLE = word_set("man woman boy girl child baby lady men women boys girls children")
DETERMINERS = word_set("a an the his her its their this that these those my your")
PREPOSITIONS = word_set(
    "in on at under behind beside next near above below from with by inside to into around across against "
    "along between over through beneath underneath outside onto beyond for off after down up towards toward "
    "out of"
)
LINKS = frozenset(
    (
        *(
            "is",
            "are",
            "was",
            "were",
            "be",
            "been",
            "being",
            "appears",
            "appear",
            "seems",
            "seem",
            "looks",
            "look",
            "resembles",
            "resemble",
        ),
        *("remains", "remain", "stays", "feels", "it's", "he's", "she's", "they're", "that's", "isn't", "aren't"),
        *("wasn't", "weren't"),
    )
)
"""Verbs that say what something is like, with the pronouns and denials that are written with them."""
_IRREGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth"}
_PARTS = word_set("surface screen display area itself color colour one ones body")
"""What is said of these parts is said of the thing."""
_AROUND = word_set("sky weather day sun scene light lighting air time outside")
"""What these are like, it is like: "The sky is overcast" to "Is it sunny?"."""


_CONTRACTIONS = (
    (re.compile(r"\b(it|he|she|that|there|what|who|where|here|how|one|this)'s (?=(?:got|been)\b)", re.I), r"\1 has "),
    (re.compile(r"\b(it|he|she|that|there|what|who|where|here|how|one|this|let)'s\b", re.I), r"\1 is"),
    (re.compile(r"^(the \w+)'s (?=\w+ing\b)", re.I), r"\1 is "),
    (re.compile(r"\b(wo|ca|sha)n't\b", re.I), r"\1n not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"'re\b", re.I), " are"),
    (re.compile(r"'ll\b", re.I), " will"),
    (re.compile(r"'ve\b", re.I), " have"),
    (re.compile(r"\bi'm\b", re.I), "i am"),
    (re.compile(r"(?<=\w)'d (?=\w)", re.I), " would "),
)
_MISSING_APOSTROPHE = re.compile(
    r"\b(?:(?P<is>that|there|he|she|what|who|where)s|(?P<its>it)s(?= (?:an?|the|not|no|just|like|really|very|"
    r"probably|\w+ing)\b)|(?P<are>they)re|(?P<i>i)m|(?P<do>do|does|did|is|are|was|were|has|have|ca|could|would|wo)nt)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 12)
def plain_words(text: str) -> str:
    """The text with contractions written out, and those that lack their apostrophe.

    >>> plain_words("It's on, but they aren't."), plain_words("its a boy, hes tall"), plain_words("its fur")
    ('It is on, but they are not.', 'it is a boy, he is tall', 'its fur')
    """
    if "’" in text:
        text = text.replace("’", "'")
    text = _MISSING_APOSTROPHE.sub(_with_apostrophe, text)
    if "'" in text:
        for pattern, full in _CONTRACTIONS:
            text = pattern.sub(full, text)
        text = re.sub(r"\bcan not\b", "cannot", re.sub(r"\bwon not\b", "will not", text, flags=re.I), flags=re.I)
    return text


def _with_apostrophe(found: re.Match[str]) -> str:
    ending = {"is": "'s", "its": "'s", "are": "'re", "i": "'m", "do": "n't"}[found.lastgroup or "is"]
    return found[found.lastgroup or "is"] + ending


_DENIALS = word_set("cannot hardly barely scarcely unlikely")


def denies(word: str) -> bool:
    """Whether a word denies what a sentence says."""
    return word in rules().deny or word in _DENIALS or word.endswith(("n't", "n’t"))


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
