"""What an open question asks for: the kind of answer, and the words that a reply repeats around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from askew.answers.extract_rules import rules
from askew.answers.extract_words import DETERMINERS, PEOPLE, plain_words, stem, word_set
from askew.answers.normalise import tokens

Kind = Literal["colour", "text", "doing", "place", "who", "manner", "thing"]

WH = word_set("what which who whose whom where when how why")
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("colour", re.compile(r"\b(?:what|which)(?: \w+){0,3} colou?rs?\b|\bcolou?rs? (?:is|are)\b")),
    ("text", re.compile(r"\b(?:say|says|read|reads|written|text|words?|slogan|message|title|letters?|tell)\b")),
    ("manner", re.compile(r"^(?:why|how)\b")),
    ("doing", re.compile(r"\b(?:doing|happening|going on)\b")),
    ("place", re.compile(r"^where\b")),
    ("who", re.compile(r"^(?:who|whom)\b")),
)
COLOUR_ASKED = _KINDS[0][1]
_DOING = re.compile(
    r"(?!(?:\w*thing|king|ring|wing|building|ceiling|clothing|painting|writing|morning|evening|string|awning|wedding)s?$)\w{2,}ing"
)
_DONE = re.compile(
    r"\w{3,}(?<!nn)(?<!ndr)(?<!\bsh)ed|made|worn|held|built|woven|written|hung|taken|driven|thrown|eaten|drawn|left|laid|lit|kept"
)


def is_doing(word: str) -> bool:
    """Whether a word says what is being done."""
    return _DOING.fullmatch(word) is not None


def is_done(word: str) -> bool:
    """Whether a word says what has been done to something."""
    return _DONE.fullmatch(word) is not None


_PEOPLE = (
    (frozenset(("he", "his", "him")), {"man", "boy", "guy", "person"}),
    (frozenset(("she", "her")), {"woman", "girl", "lady", "person"}),
    (frozenset(("they", "their", "them")), {"man", "woman", "boy", "girl", "child", "person"}),
)
"""Whom a pronoun may stand for."""


@dataclass(frozen=True)
class Frame:
    """An open question, taken apart."""

    kind: Kind
    given: frozenset[str]
    """The stems of its content words, which a reply may repeat."""
    head: frozenset[str]
    """The stems of what is asked for by name: animal, of "Which animal is on the mat?"."""
    verbs: frozenset[str]
    """The stems of what is done: holding, of "What is the man holding?"."""
    asked: frozenset[str]
    """All of its words."""
    main: frozenset[str]
    """The stem of what the question is about: roof, of "What color is the roof of the house?"."""
    has_place: bool
    """Whether the asked thing is only told by where it is: "What is on the table?"."""
    ends: str
    """The preposition at its end: "on" of "What is the cat lying on?"."""


@lru_cache(maxsize=1 << 10)
def frame(question: str) -> Frame:
    """The parts of an open question.

    >>> found = frame("Which animal is the man riding?")
    >>> found.kind, sorted(found.given), sorted(found.head), sorted(found.verbs)
    ('thing', ['animal', 'man', 'rid'], ['animal'], ['rid'])
    """
    known, words = rules(), tokens(plain_words(question))
    lower = " ".join(words)
    kind: Kind = next((kind for kind, asked in _KINDS if asked.search(lower)), "thing")
    small = (
        known.little
        | known.auxiliaries
        | WH
        | {"kind", "type", "sort", "please", "be", "being", "most", "like", "from", "for", "to", "into", "out", "up"}
    )
    at = next((place for place, word in enumerate(words) if word in WH), 0)
    rest = words[at + 1 :]
    verb = next((place for place, word in enumerate(rest) if word in known.auxiliaries), len(rest))
    named = rest[:verb]
    if not named and rest[verb + 1 : verb + 2] == ("the",) and "of" in rest:
        named = rest[verb + 2 : rest.index("of")]
    elif not named and kind == "colour":
        named = ("color",)
    given = {stem(word) for word in rest if word not in small}
    told = rest[verb + 1 :]
    if "of" in told and named and rest[verb:] and told[1 : 1 + len(named)] == named:
        told = told[told.index("of") + 1 :]
    about = told[
        : next(
            (
                place
                for place, word in enumerate(told)
                if place and (word in known.relations or (word.endswith("est") and told[place - 1] not in DETERMINERS))
            ),
            len(told),
        )
    ]
    content = [word for word in about if word not in small]
    verbs = {stem(word) for word in told if is_doing(word) or is_done(word)}
    main = {stem(word) for word in [word for word in content if stem(word) not in verbs][-1:] or content[-1:]}
    main -= {"happen", "happening", "going"}
    verbs -= {"do", "doing", "go", "going", "happen"}
    if rest[verb : verb + 1] != () and rest[verb] in ("do", "does", "did"):
        verbs |= {stem(word) for word in about[1 + (about[0] in DETERMINERS) :] if word not in small}
        main = {stem(word) for word in content[:2] if content.index(word) == 0 or len(content) > 2}
    if verb == len(rest):  # "Which instrument stands in the corner?"
        first = words[at : at + 1] != ("who",)
        ends = (place for place, word in enumerate(rest) if place > first and word in known.relations | DETERMINERS)
        does = next(ends, len(rest)) - 1
        verbs, named = {stem(word) for word in rest[max(does, 0) : does + 1]}, rest[: max(does, 0)] if first else ()
    for pronouns, people in _PEOPLE:
        if not pronouns.isdisjoint(words):
            given |= people - given if PEOPLE.isdisjoint(words) else set()
            main |= people if PEOPLE.isdisjoint(words) else set()
    return Frame(
        "thing" if kind == "doing" and named else kind,
        frozenset(given),
        frozenset(stem(word) for word in named if word not in small),
        frozenset(verbs),
        frozenset(words),
        frozenset(main),
        rest[verb + 1 : verb + 2] != () and rest[verb + 1] in known.relations | {"to"},
        words[-1] if words[-1:] != () and words[-1] in known.relations | {"for", "to", "from"} else "",
    )
