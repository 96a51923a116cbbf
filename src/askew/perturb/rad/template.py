"""What the three templates have in common: they read a question, and ask it again with a value in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from askew.language.tagger import Tagger, Token
from askew.perturb.rad.pool import Pools


class CannotAsk(Exception):
    """The template matches but would make a question that is not English, or whose answer is not sure. Says why."""


@dataclass(frozen=True)
class Asked:
    """A yes/no question: its text, its type as VQA names it, and the frame that made it."""

    text: str
    question_type: str
    frame: str


class Frame(Protocol):
    """One question, read and ready to be asked about any value."""

    @property
    def keys(self) -> Sequence[str]:
        """The pools to draw from, the best first."""
        ...

    def ask(self, value: str) -> Asked:
        """The yes/no question about this value. Raises CannotAsk where English has none."""
        ...


class Template(Protocol):
    """A way to turn a question with its answer into a yes/no question."""

    @property
    def test(self) -> str:
        """The column of the paper's tables, e.g. ``Y/N←C``."""
        ...

    @property
    def unfit(self) -> str:
        """Why an answer is refused that ``value`` does not take."""
        ...

    @property
    def tagged(self) -> bool:
        """True when reading a question takes its part-of-speech tags."""
        ...

    def matches(self, text: str) -> bool:
        """True when this template is for this question; quick."""
        ...

    def value(self, answer: str) -> str | None:
        """The answer in the form in which it is compared and drawn, or None when the template cannot use it."""
        ...

    def keys(self, text: str) -> Sequence[str]:
        """The pools that the answer to this question goes into."""
        ...

    def clash(self, drawn: str, given: str) -> bool:
        """True when both values could be true of one thing, so that a draw would not be a sure "no"."""
        ...

    def contrasts(self, drawn: str, value: str) -> bool:
        """True when a draw is about the same as the answer, so that the answer tells whether it is so."""
        ...

    def read(self, text: str, tagger: Tagger, pools: Pools) -> Frame:
        """The frame of a question. Raises CannotAsk."""
        ...


@lru_cache(maxsize=1 << 14)
def plain(answer: str) -> str:
    """An answer in small letters, without article, outer punctuation and spare spaces.

    >>> plain(" The  Red. ")
    'red'
    """
    words = " ".join(answer.lower().split()).strip(" .,;:!?\"'`")
    return re.sub(r"^(?:(?:a|an|the|it is|it's|this is)\s+)+", "", words)


def modal(answers: Sequence[str], agreement: float, same: Callable[[str], str | None]) -> str:
    """The answer that most people gave, ``same`` bringing different spellings of one answer together.

    >>> modal(["5", "five", "4"], 0.0, {"5": "5", "five": "5", "4": "4"}.get)
    '5'

    Raises:
        CannotAsk: when nobody answered, two answers are equally frequent, or too few people agree.
    """
    if not answers:
        raise CannotAsk("no answers")
    counts = Counter(same(answer) or plain(answer) for answer in answers).most_common(2)
    if len(counts) > 1 and counts[0][1] == counts[1][1]:
        raise CannotAsk("two answers equally frequent")
    if counts[0][1] < agreement * len(answers):
        raise CannotAsk("people do not agree on the answer")
    return counts[0][0]


@lru_cache(maxsize=1 << 14)
def tidy(text: str) -> str:
    """A question on one line with single spaces and one question mark, as the templates read it.

    >>> tidy(" What color is  the cat ?? ")
    'What color is the cat?'
    """
    return re.sub(r"\s*[?.]*$", "", " ".join(text.split())) + "?"


def read_tokens(text: str, tagger: Tagger) -> Sequence[Token]:
    """The tagged words of a question, without the question mark at its end."""
    tokens = tagger.tags([tidy(text)])[0]
    return tokens[:-1] if tokens[-1].text == "?" else tokens
