"""Y/N←WK: "What kind of ⟨S⟩ is this? ⟨O1⟩" becomes "Is this ⟨S⟩ ⟨O2⟩?" (Rosenberg et al. 2021, Tables 1 and 6).

There are three word orders. A noun for a class of things takes the answer after it (*Is this animal an elephant?*, *Is
this food breakfast?*), any other noun before it (*Is this a wood floor?*), and an answer that already ends in the noun
stands alone (*Is this a polar bear?*). ``kinds.yaml`` lists the nouns that name classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from askew.files.read_write import resource, word_sets
from askew.language.inflect import (
    is_mass,
    is_plural,
    needs_no_article,
    nouns,
    parts_of_speech,
    singular,
    with_article,
)
from askew.language.tagger import Tagger
from askew.perturb.rad.yes_no_template import (
    AnswerPools,
    CannotAsk,
    QuestionFrame,
    YesNoQuestion,
    YesNoTemplate,
    plain,
    tidy,
)

_THIS = re.compile(r"what kind of (?:an? )?([a-z' -]+?) is this\?", re.IGNORECASE)
_DATA = "perturb/rad/kinds.yaml"

Order: TypeAlias = Literal["counted", "uncounted", "modifier"]
"""The place of the answer: after the noun with an article, after it without one, or before it."""


@dataclass(frozen=True)
class WhatKindFrame(QuestionFrame):
    """A parsed question about a kind."""

    subject: str
    """The noun, in the singular."""
    order: Order
    compounds: frozenset[str]
    """Answers that end in the noun."""

    def ask(self, value: str) -> YesNoQuestion:
        """Is it of this kind?

        >>> WhatKindFrame("animal", "counted", frozenset()).ask("elephant").text
        'Is this animal an elephant?'
        >>> WhatKindFrame("food", "uncounted", frozenset()).ask("breakfast").text
        'Is this food breakfast?'
        >>> WhatKindFrame("floor", "modifier", frozenset()).ask("wood").text
        'Is this a wood floor?'
        >>> WhatKindFrame("bear", "modifier", frozenset()).ask("polar bear").text
        'Is this a polar bear?'
        """
        frame, words = self._words(value)
        first, space, _ = words.partition(" ")
        kind = f"is this {first}" if space and first in ("a", "an") else "is this"
        return YesNoQuestion(f"Is this {words}?", kind, f"what-kind/{frame}")

    def can_ask(self, value: str) -> bool:
        """True unless the value repeats the noun."""
        return not _repeats(value, self.subject)

    def _words(self, value: str) -> tuple[str, str]:
        if _repeats(value, self.subject):
            raise CannotAsk("the answer repeats the question")
        if value.endswith(self.subject):
            return "whole", _counted(value, self.subject)
        own = family(self.subject)
        is_of_family = " " in value and own and family(singular(value).split()[-1]) == own  # a toy store is a shop
        if singular(value).endswith(self.subject) or is_of_family:
            return "whole", with_article(singular(value))
        if is_listed("things", singular(value)):
            return "counted", f"{self.subject} {with_article(singular(value))}"
        if self._stands_before(value):
            return "modifier", _counted(f"{_modifier(value)} {self.subject}", self.subject)
        return self.order, f"{self.subject} {self._predicate(value)}"

    def _stands_before(self, value: str) -> bool:
        if self.order == "modifier" or f"{value} {self.subject}" in self.compounds:
            return True
        return is_listed("purposes", value) or (self.order == "counted" and _is_activity(value))

    def _predicate(self, value: str) -> str:
        if aspect(value) not in {"kind", "meal"} or _is_adjective(value):
            return value
        if self.order == "uncounted":
            bare = needs_no_article(value) or is_plural(value.split()[-1]) or _is_activity(value)
            return value if bare else with_article(value)
        return value if value in nouns("pairs") or is_mass(value) else with_article(singular(value))


@dataclass(frozen=True)
class WhatKind(YesNoTemplate):
    """The template about kinds.

    >>> template = WhatKind()
    >>> template.value("A Church"), template.value("not sure"), template.value("beef and turkey")
    ('church', None, None)

    The answer must certainly be "no": the values exclude each other and are about the same aspect.

    >>> template.clash("puppy", "dog"), template.clash("animal", "cow"), template.clash("elephant", "cow")
    (True, True, False)
    >>> template.contrasts("red", "freight"), template.contrasts("passenger", "freight")
    (False, True)
    """

    test = "Y/N←WK"
    unfit = "the answer does not name one kind"
    tagged = False
    mixes = False

    def matches(self, text: str) -> bool:
        """For "What kind of ... is this?"."""
        return _THIS.fullmatch(tidy(text)) is not None

    def value(self, answer: str) -> str | None:
        """An answer of at most three words that names one kind."""
        value = plain(answer)
        words = value.split()
        if not words or len(words) > 3 or is_listed("empty", value) or re.search(r"[^a-z0-9' -]", value):
            return None
        if any(word in {"and", "or", "with", "of", "in", "on", "not", "to", "like", "is", "for"} for word in words):
            return None
        return value

    def keys(self, text: str) -> Sequence[str]:
        """The pools of the noun and of its family, if it has one."""
        subject = self._subject(text)
        own = f"what-kind:{subject}"
        return (own, f"what-kind/{family(subject)}") if family(subject) else (own,)

    def usual(self, text: str) -> Sequence[str]:
        """Usual answers about the noun or its family, for data without another answer.

        >>> WhatKind().usual("What kind of water is this?")
        ('ocean', 'river')
        """
        subject, answers = self._subject(text), resource(_DATA)["usual"]
        return tuple(answers.get(subject) or answers.get(family(subject), ()))

    def implies(self, said: str, asked: str) -> bool:
        """True when people who said the first say yes to the second: it is the same but plural, or has words before it.

        >>> WhatKind().implies("prop plane", "plane"), WhatKind().implies("elephants", "elephant")
        (True, True)
        >>> WhatKind().implies("pizza cutter", "pizza"), WhatKind().implies("hot dog", "dog")
        (False, False)
        """
        said = singular(said)
        return said == singular(asked) or (said.endswith(f" {asked}") and not is_listed("fixed", said))

    def clash(self, drawn: str, given: str) -> bool:
        """True when both may be true of the same thing."""
        given = plain(given)
        if drawn == given or is_listed("general", drawn):
            return True
        if {singular(drawn), drawn} & {singular(given), given} or drawn in given or given in drawn:
            return True
        if kin(drawn) & kin(given):
            return True
        ours, theirs = drawn.split(), given.split()
        if ours[-1] == theirs[-1]:  # a polar bear and a brown bear: the words before the noun decide
            return self.clash(" ".join(ours[:-1]), " ".join(theirs[:-1]))
        return bool(set(ours) & set(theirs))

    def contrasts(self, drawn: str, value: str) -> bool:
        """True when both are about the same aspect: what the thing is, its material, its maker, ..."""
        return aspect(drawn) == aspect(value)

    def read(self, text: str, tagger: Tagger, pools: AnswerPools) -> WhatKindFrame:
        """Parse the noun that the question is about."""
        subject = self._subject(text)
        last = subject.split()[-1]
        known = parts_of_speech(last)
        if known and "NOUN" not in known:
            raise CannotAsk("no noun to ask about")
        if is_plural(last) and singular(last) != last:
            raise CannotAsk("the noun is plural")
        return WhatKindFrame(subject, order_of(subject), pools.compounds)

    def _subject(self, text: str) -> str:
        match = _THIS.fullmatch(tidy(text))
        assert match is not None
        return match.group(1).lower()


def _repeats(value: str, subject: str) -> bool:
    return value == subject or singular(value) == subject


def _counted(phrase: str, noun: str) -> str:
    """The phrase with its article, if its noun takes one."""
    return phrase if is_mass(noun) else with_article(phrase)


def _modifier(value: str) -> str:
    """A noun before a noun is singular: ``vegetables`` gives ``vegetable pizza``."""
    last = value.split()[-1]
    keeps = is_listed("plural modifiers", last) or last in nouns("pairs") or "'" in last
    return singular(value) if is_plural(last) and not keeps else value


def _is_activity(value: str) -> bool:
    return value.split()[-1].endswith("ing") and "NOUN" not in parts_of_speech(value.split()[-1])


def _is_adjective(value: str) -> bool:
    known = parts_of_speech(value.split()[-1])
    return bool(known) and "NOUN" not in known


def order_of(subject: str) -> Order:
    """The word order of a noun.

    >>> order_of("animal"), order_of("food"), order_of("floor")
    ('counted', 'uncounted', 'modifier')
    """
    if is_listed("counted", subject):
        return "counted"
    return "uncounted" if is_listed("uncounted", subject) else "modifier"


def family(subject: str) -> str:
    """The family of a noun: nouns whose answers can be asked of each other; empty if it is in no list.

    >>> family("creature"), family("sporting event"), family("toothpaste")
    ('animal', 'sport', '')
    """
    return _by_word("families").get(subject, "")


def aspect(value: str) -> str:
    """The aspect of an answer: ``color``, ``material``, ..., or ``kind`` if it says what the thing is.

    >>> aspect("red"), aspect("italian"), aspect("elephant")
    ('color', 'nation', 'kind')
    """
    return _by_word("aspects").get(value, "kind")


def is_listed(name: str, value: str) -> bool:
    """True when a word is in a plain list: ``purposes``, ``things``, ``plural modifiers``, ``general``, ``empty``.

    >>> is_listed("purposes", "farm"), is_listed("things", "canoe"), is_listed("general", "animal")
    (True, True, True)
    """
    return value in word_sets(_DATA)[name]


def kin(value: str) -> frozenset[int]:
    """The groups of compatible words (both can be true of one thing) that contain this value, or else a part of it.

    >>> bool(kin("dog") & kin("puppy")), bool(kin("poodle") & kin("beagle"))
    (True, False)
    >>> bool(kin("bedroom") & kin("college dorm room")), bool(kin("jet") & kin("passenger plane"))
    (True, True)
    """
    words = value.split()
    parts = [" ".join(words[start:]) for start in range(max(1, len(words) - 1))] + [" ".join(words[:-1])]
    return next((_kin()[part] for part in parts if part in _kin()), frozenset())


@cache
def _by_word(part: str) -> dict[str, str]:
    """The family or aspect of each word."""
    return {str(word): name for name, words in resource(_DATA)[part].items() for word in words}


@cache
def _kin() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(_kin_groups()):
        for word in group:
            found.setdefault(str(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def _kin_groups() -> Iterator[list[str]]:
    """The lists of ``kin``; in a list of lists, the words of the first belong to each of the others."""
    for group in resource(_DATA)["kin"]:
        if isinstance(group[0], list):
            yield from (group[0] + members for members in group[1:])
        else:
            yield group
