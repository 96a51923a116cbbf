"""Checks by tags that two questions have the same articles, and verbs that agree with their subjects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from askew.files.read_write import resource
from askew.language.inflect import base, is_plural
from askew.language.tagger import Token

_DETERMINERS = ("DT", "PDT", "WDT", "WP", "PRP$", "WP$")
_LETTERS = dict.fromkeys(_DETERMINERS, "D") | dict.fromkeys(("CD", "VBN", "VBG", "HYPH"), "J")
_LETTERS |= dict.fromkeys(("VBZ", "VBP", "VBD"), "v") | dict.fromkeys(("RB", "EX"), "r")
_LETTERS |= {"POS": "S", "PRP": "P", "CC": "c"}
_PHRASE = re.compile("D{0,2}J*N+(?:SJ*N+)*|P|D{1,2}")
"""A noun phrase in letters: determiners, modifiers, nouns, possessives; or a pronoun; or *this* alone."""

_ONE, _MANY = {"this", "that", "it", "he", "she", "a", "an"}, {"these", "those", "they", "we", "you"}
_ARTICLES = {"a": "a", "an": "a", "the": "the", "what": "what", "which": "what"}
_MAY_BECOME = {("the", "own"), ("own", "the"), ("the", "what"), ("what", "the"), ("what", "this"), ("this", "what")}
"""*The name of the dog* and *the dog's name*, *the color* and *what color*, *what animal* and *this animal*."""


class _Clause(NamedTuple):
    """A finite verb with its subject."""

    subject: str
    """The base form of the subject's last noun, or the pronoun."""
    plural: bool
    """The number of the verb."""
    agrees: bool | None
    """Whether the subject has that number; None if unknown."""
    asked: str | None
    """The base form of the noun before a verb that precedes its subject, as in a question; None otherwise."""


def keeps_articles(old: Sequence[Token], new: Sequence[Token], places: Mapping[int, int]) -> bool:
    """True when each noun keeps its article and a yes/no question gets no new one ("Is the season the summer?")."""
    old_articles, new_articles = _articles(old), _articles(new)
    is_yes_no = old[0].lower in word_lists()["opens"]
    for old_place, new_place in places.items():
        before, after = old_articles.pop(old_place, ""), new_articles.pop(new_place, "")
        if before != after and (before, after) not in _MAY_BECOME and (before or is_yes_no):
            return False
    old_rest, new_rest = (
        Counter(kind for kind in articles.values() if kind in ("a", "the")) for articles in (old_articles, new_articles)
    )
    return old_rest <= new_rest and (not is_yes_no or bool(_article_counts(old) & _article_counts(new)))


def _article_counts(tokens: Sequence[Token]) -> set[tuple[int, int]]:
    """The counts of *a* and *the*, once without possessives and once with each possessive as another *the*."""
    kinds = Counter("own" if token.tag == "POS" else _ARTICLES.get(token.lower, "") for token in tokens)
    return {(kinds["a"], kinds["the"]), (kinds["a"], kinds["the"] + kinds["own"])}


def _articles(tokens: Sequence[Token]) -> dict[int, str]:
    """The determiner of each noun, by the place of the noun; for an article without a noun, by its own place.

    It is *a*, *the*, *what*, *own* after a possessive, or *this* for any other determiner that matters.
    """
    found, light = {}, word_lists()["light"]
    for start, end in _phrases(tokens):
        kind, nouns = "", any(token.is_noun for token in tokens[start:end])
        for place in range(start, end):
            token = tokens[place]
            if token.tag == "POS":
                kind = "own"
            elif token.tag in _DETERMINERS:
                kind = _ARTICLES.get(token.lower, kind if token.lower in light else "this")
            if kind and (token.is_noun or not nouns):
                found[place] = kind
    return found


def verb_fault(old: Sequence[Token], new: Sequence[Token]) -> str:
    """What is wrong with the number or the place of the finite verbs; empty if nothing is."""
    before, after = _clauses(old), _clauses(new)
    known = {clause.subject: clause for clause in before}
    for clause in after:
        was = known.get(clause.subject)
        if was and was.plural == clause.plural:
            continue
        if clause.agrees is False or (was and not clause.agrees):
            return "a verb changes its number"
    inverted = [clause for clause in before if clause.asked is not None]
    now = [clause for clause in after if clause.asked is not None]
    if inverted and not now:
        return "a verb comes too late"
    if inverted and now[0].subject == inverted[0].asked and len(after) <= len(before):
        crowded = any(one[1] == other[0] for one, other in pairwise(_phrases(new)))  # *the temperature the water*
        if crowded or _acts(old):
            return "a verb is lost"
    return ""


def disagreements(tokens: Sequence[Token]) -> int:
    """How many finite verbs do not have the number of their subject: *Are the dog here?*"""
    return sum(clause.agrees is False for clause in _clauses(tokens))


def _acts(tokens: Sequence[Token]) -> bool:
    """True when a non-finite verb stands outside the noun phrases: *is he playing*, not *the parked car*."""
    inside = {place for start, end in _phrases(tokens) for place in range(start, end)}
    return any(
        token.tag in ("VB", "VBG", "VBN") and place not in inside and token.lower not in word_lists()["light"]
        for place, token in enumerate(tokens)
    )


def _clauses(tokens: Sequence[Token]) -> list[_Clause]:
    """The finite verbs with their subjects, directly after *is*, *do* and *have*, directly before other verbs."""
    letters, phrases = _letters(tokens), _phrases(tokens)
    starts, ends = dict(phrases), {end: start for start, end in phrases}
    found = []
    for place, token in enumerate(tokens):
        if letters[place] != "v" or (token.tag == "VBD" and token.lower not in ("was", "were")):
            continue
        plural = token.tag == "VBP" or token.lower == "were"
        left, right = len(letters[:place].rstrip("r")), len(letters) - len(letters[place + 1 :].lstrip("r"))
        asked = _head(tokens[ends[left] : left]) if left in ends else ""
        if right in starts and token.lower.lstrip("'") in word_lists()["light"]:
            phrase = tokens[right : starts[right]]
            agrees = None if letters[starts[right] :].startswith("c") else _agrees(phrase, plural)
            found.append(_Clause(_head(phrase), plural, agrees, asked))
        elif asked and (ends[left] == 0 or tokens[ends[left] - 1].tag not in ("IN", "CC")):
            found.append(_Clause(asked, plural, _agrees(tokens[ends[left] : left], plural), None))
    return found


def _head(phrase: Sequence[Token]) -> str:
    return base(phrase[-1].text, phrase[-1].tag)


def _agrees(phrase: Sequence[Token], plural: bool) -> bool | None:
    """Whether a noun phrase has this number; None if unknown."""
    first, last = phrase[0], phrase[-1]
    if first.tag in ("DT", "PRP") and first.lower in _ONE | _MANY and not any(token.tag == "POS" for token in phrase):
        return plural == (first.lower in _MANY)
    many = last.tag in ("NNS", "NNPS")
    return many == plural if last.is_noun and many == is_plural(last.text) else None


def _phrases(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """The start and end of each noun phrase or pronoun."""
    return [match.span() for match in _PHRASE.finditer(_letters(tokens))]


def _letters(tokens: Sequence[Token]) -> str:
    """A letter for each token: its role in a phrase."""
    return "".join(_LETTERS.get(token.tag) or {"N": "N", "J": "J"}.get(token.tag[:1], "o") for token in tokens)


@lru_cache(maxsize=1)
def kept_words() -> dict[str, int]:
    """The function words that matter, each with the number of its set; words of one set may replace each other."""
    return {word: number for number, words in enumerate(word_lists()["kept"]) for word in words}


def word_lists() -> Any:
    """Function words that matter and those that do not, and how questions begin (``backtranslation.yaml``)."""
    return resource("language/backtranslation.yaml")
