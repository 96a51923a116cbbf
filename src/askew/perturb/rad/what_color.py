"""Y/N←C: "What color is the ⟨S⟩? ⟨C1⟩" becomes "Is the color of the ⟨S⟩ ⟨C2⟩?" (Rosenberg et al. 2021, Table 1).

What follows "What color is the" must be one noun phrase, judged from part-of-speech tags by a few general rules. It may
have adjectives, a possessor, prepositions and one relative clause ("the shirt the man is wearing"), but no verb of its
own ("the woman wearing?"), no second subject, and no incomplete end ("the traffic light on?").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from askew.files.read_write import resource
from askew.language.tagger import Tagger, Token
from askew.perturb.rad.yes_no_template import (
    FINITE,
    PUNCTUATION,
    RELATIVE,
    AnswerPools,
    CannotAsk,
    QuestionFrame,
    YesNoQuestion,
    YesNoTemplate,
    cut_noun,
    plain,
    read_tokens,
    tidy,
    word_list,
)

_SINGULAR = re.compile(r"what (colou?r) is the (.+)\?", re.IGNORECASE)
_PLURAL = re.compile(r"what (colou?r) are the (.+)\?", re.IGNORECASE)

_VERBAL = frozenset({"VBG", "VBN"}) | FINITE
_INCOMPLETE = frozenset({"IN", "TO", "CC", "DT", "PRP$", "POS", "RP"})
_SUBJECT_STARTS = frozenset({"DT", "PRP", "PRP$"})


@dataclass(frozen=True)
class ColorFrame(QuestionFrame):
    """A parsed colour question."""

    word: str
    """``color`` or ``colour``, as in the question."""
    subject: str
    """The thing, with its article."""
    frame: str

    def ask(self, value: str) -> YesNoQuestion:
        """Is it this colour?"""
        return YesNoQuestion(f"Is the {self.word} of {self.subject} {value}?", "is the", self.frame)

    def can_ask(self, value: str) -> bool:
        """True unless it is a colour of hair and the thing has no hair.

        >>> frame = ColorFrame("color", "the cutting board", "color")
        >>> frame.can_ask("brown"), frame.can_ask("blonde")
        (True, False)
        """
        return value not in _data()["hair colors"] or cut_noun(self.subject, 1) in _data()["haired"]


@dataclass(frozen=True)
class Color(YesNoTemplate):
    """The colour template, for single colours only.

    >>> template = Color()
    >>> template.value("Light Blue"), template.value("red and white"), template.value("plaid")
    ('light blue', None, None)
    >>> template.clash("grey", "gray"), template.clash("light blue", "blue"), template.clash("red", "blue")
    (True, True, False)
    """

    extensions: bool = False
    """Also "What color are the ⟨S⟩?", which the paper leaves out."""

    test = "Y/N←C"
    unfit = "the answer is not one colour"

    def matches(self, text: str) -> bool:
        """For "What color is the ...?"."""
        return self._match(text) is not None

    def value(self, answer: str) -> str | None:
        """A colour name, with at most one of ``light``, ``dark``, ... before it."""
        value = plain(answer)
        return value if _base(value) is not None else None

    def keys(self, text: str) -> Sequence[str]:
        """Colours of the same noun, and of any."""
        return f"color:{cut_noun(text, 4)}", "color"

    def clash(self, drawn: str, given: str) -> bool:
        """True for the same or similar colours, and when the given answer includes the drawn colour."""
        base = _base(drawn)
        parts = _colors_in(given)
        return drawn == given or any(base == part or _near(base or drawn, part) for part in parts)

    def read(self, text: str, tagger: Tagger, pools: AnswerPools) -> ColorFrame:
        """The frame, if the words after "is" are one noun phrase."""
        match = self._match(text)
        assert match is not None
        word, inside = match.groups()
        tokens = read_tokens(text, tagger)
        fault = phrase_fault([token for token in tokens if token.start >= match.start(2)])
        if fault:
            raise CannotAsk(fault)
        plural = _PLURAL.fullmatch(tidy(text)) is not None
        return ColorFrame(word.lower(), f"the {inside}", "color/plural" if plural else "color")

    def _match(self, text: str) -> re.Match[str] | None:
        text = tidy(text)
        return _SINGULAR.fullmatch(text) or (_PLURAL.fullmatch(text) if self.extensions else None)


def _data() -> Any:
    return resource("perturb/rad/colors.yaml")


@lru_cache(maxsize=4096)
def _base(value: str) -> str | None:
    colors, modifiers = _data()["colors"], _data()["modifiers"]
    if value in colors:
        return value
    first, _, rest = value.partition(" ")
    return rest if first in modifiers and rest in colors else None


@lru_cache(maxsize=4096)
def _colors_in(answer: str) -> tuple[str, ...]:
    base = _base(answer)
    words = re.findall(r"[a-z-]+", answer)
    return (base,) if base else tuple(word for word in words if word in _data()["colors"])


@lru_cache(maxsize=4096)
def _near(one: str, other: str) -> bool:
    colors = _data()["colors"]
    spelled = any(one in names and other in names for names in _data()["same"])
    ends = set(one.split()) & set(other.split()) & set(colors)
    return spelled or bool(ends) or other in colors.get(one, ()) or one in colors.get(other, ())


def phrase_fault(tokens: Sequence[Token]) -> str | None:
    """Why these words, which follow "the", are not one noun phrase; None if they are."""
    if any(token.text in PUNCTUATION for token in tokens):
        return "the question has more than one part"
    if len(tokens) == 1:
        return None
    head = _head(tokens)
    if head is None:
        return "no noun to ask about"
    if _second_subject(tokens):
        return "asks about two things"
    if _unplaced_verb(tokens, head):
        return "the question has a verb of its own"
    if (tokens[-1].tag in _INCOMPLETE or tokens[-1].lower in word_list("transitive")) and not _clause(tokens):
        return "the question ends in an incomplete phrase"
    return None


def _head(tokens: Sequence[Token]) -> int | None:
    for place, token in enumerate(tokens):
        if token.is_noun:
            return place
        if token.tag in RELATIVE or token.tag == "IN":
            return None
    return None


def _second_subject(tokens: Sequence[Token]) -> bool:
    for place, token in enumerate(tokens):
        if token.tag == "CC" and place + 1 < len(tokens):
            after = tokens[place + 1]
            if after.tag in FINITE or after.tag in RELATIVE:
                return True
            if not any(before.tag == "IN" or before.tag in _VERBAL for before in tokens[:place]):
                return place > 0 and (tokens[place - 1].is_noun or after.tag in _SUBJECT_STARTS)
    return False


def _unplaced_verb(tokens: Sequence[Token], head: int) -> bool:
    finite = [place for place, token in enumerate(tokens) if token.tag in FINITE]
    if finite and not _clause_starts(tokens[: finite[0]]):
        return True
    for place in range(head + 1, len(tokens)):
        if tokens[place].tag in {"VBG", "VBN", "VBD"} and not any(spot < place for spot in finite):
            after = tokens[place + 1] if place + 1 < len(tokens) else None
            if _lacks_object(tokens[place], after):
                return True
    return False


def _lacks_object(verb: Token, after: Token | None) -> bool:
    """True for a participle that lacks its complement ("the man wearing", "the wall painted")."""
    if verb.tag == "VBG":
        return verb.lower in word_list("transitive") and (after is None or after.tag in {"IN", "TO", "RB"})
    return verb.lower not in word_list("postnominal") and (after is None or after.tag in {"RP", "RB"})


def _clause(tokens: Sequence[Token]) -> bool:
    return any(token.tag in FINITE and _clause_starts(tokens[:place]) for place, token in enumerate(tokens))


def _clause_starts(tokens: Sequence[Token]) -> bool:
    """True when a relative clause begins here: at "that", "which", ..., or where a subject directly follows a noun."""
    for place, token in enumerate(tokens):
        if token.tag in RELATIVE or token.lower == "that":
            return True
        if place and token.tag in _SUBJECT_STARTS and tokens[place - 1].is_noun:
            return True
    return False
