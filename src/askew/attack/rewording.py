"""Candidates from swaps: the text of a question with some of its places replaced, and its articles with them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from askew.language.inflect import article
from askew.types import Candidate, Change, Place, Question, Swap

_ARTICLE = re.compile(r"\b(an?) $", re.IGNORECASE)


def repaired(original: str, text: str, changes: Sequence[Change]) -> str:
    """The changed text with the articles that its new words need.

    >>> repaired("Is it a car?", "Is it a auto?", [Change(8, "car", "auto")])
    'Is it an auto?'
    """
    shift = 0
    for change in changes:
        start = change.start + shift
        before, after = text[:start], text[start:]
        match = _ARTICLE.search(before)
        if match and change.new:
            needed = article(change.new)
            before = before[: match.start()] + (needed.capitalize() if match[1][0] == "A" else needed) + " "
            text = before + after
        shift += len(before) - start + len(change.new) - len(change.old)
    return text


UNKNOWN = "<oov>"
"""What TextFooler's code puts in the place of a word to see how much the word matters."""


def reworded(question: Question, chosen: Mapping[Place, Swap], base: str = "", repair: bool = True) -> Candidate:
    """The question with these places replaced, in the case of the words they replace.

    ``base`` is the text that the last change was made in. With ``repair``, articles and agreement follow the new words.

    >>> asked = Question(1, None, "Is there a car?")
    >>> reworded(asked, {Place(11, 14, "car"): Swap("auto")}).text
    'Is there an auto?'
    """
    changes, text = [], question.text
    for place in sorted(chosen, key=lambda place: place.start, reverse=True):
        new = in_case_of(place.text, chosen[place].text, place.start == 0)
        text = text[: place.start] + new + text[place.end :]
        changes.append(Change(place.start, place.text, new, place.tag, chosen[place].rule))
    changes.reverse()
    if repair:
        text = repaired(question.text, text, changes)
    return Candidate(text, tuple(changes), base or question.text)


def without(question: Question, place: Place, filler: str = "") -> Candidate:
    """A probe: the question without a word, or with a filler in its place.

    >>> without(Question(1, None, "Is the big dog brown?"), Place(7, 10, "big")).text
    'Is the dog brown?'
    """
    before, after = question.text[: place.start], question.text[place.end :]
    text = before + filler + after if filler else (before.rstrip() + " " + after.lstrip()).strip()
    return Candidate(text, (Change(place.start, place.text, filler, place.tag),), question.text, probe=True)


def in_case_of(old: str, new: str, first: bool) -> str:
    """The new word with a capital where the old one has it.

    >>> in_case_of("People", "persons", True), in_case_of("TV", "screen", False), in_case_of("car", "auto", False)
    ('Persons', 'screen', 'auto')
    """
    capital = old[:1].isupper() and (first or not old[1:2].isupper()) and not new[:1].isupper()
    return new[:1].upper() + new[1:] if capital else new


def alone(question: Question, places: Sequence[Place], repair: bool = True) -> list[Candidate]:
    """Every swap of every place as a candidate of its own, in order."""
    return [reworded(question, {place: swap}, repair=repair) for place in places for swap in place.swaps]
