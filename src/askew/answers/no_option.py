"""Replies that choose none of the options, because none is correct or because the question cannot be answered."""

from __future__ import annotations

import re

from askew.answers.extract_reply import bare, refuses

NO_OPTION = "none of the options"
"""The answer to a multiple-choice question that has no correct option (MM-UPD, Miyai et al. 2024)."""

_OPTIONS = r"(?:(?:provided|given|listed|available|above|answer|possible) )*(?:options|choices|answers|alternatives)"
_UNFIT = r"(?:incorrect|wrong|false|irrelevant|unrelated|incompatible|mismatched|inapplicable)"
_NOT_FIT = r"(?:relevant|related|correct|compatible|applicable|suitable|appropriate|a match)"
_SAYS_NONE = re.compile(
    rf"\bnone of (?:the|these|those|them|above)\b|\bneither of (?:the|these|those) {_OPTIONS}\b"
    r"|\b(?:no|not any|isn't any) (?:(?:correct|valid|suitable|right|matching) )?(?:answer|option|choice)s?\b"
    rf"|\ball (?:of )?(?:the )?{_OPTIONS} (?:are|seem|appear)(?: to be)? (?:{_UNFIT}|not {_NOT_FIT})\b"
    rf"|\bnot (?:among|one of|listed (?:in|among)|included (?:in|among)|in|part of) (?:the |these |those ){_OPTIONS}\b"
    rf"|\b(?:image|picture|photo|question)s?\b[^.]{{0,40}}\b(?:is|are|seems?|appears?)(?: to be)?"
    rf" (?:{_UNFIT}|not {_NOT_FIT})\b"
    rf"|\b(?:image|picture|photo)\b[^.]{{0,40}}\b(?:does not|doesn't|do not|don't)"
    rf" (?:match|fit|relate|correspond|contain|show|depict|provide)\b",
    re.IGNORECASE,
)


def withholds(words: str) -> bool:
    """Whether a reply says that no option is correct, that image and question do not fit, or that it cannot answer.

    >>> said = ("None of the above.", "The image and question are irrelevant.", "I cannot answer that.", "A dog")
    >>> [withholds(one) for one in said]
    [True, True, True, False]
    """
    text = bare(words.replace("’", "'"), speaker=False)
    return _SAYS_NONE.search(text) is not None or refuses(text)


_REFERS = re.compile(
    r"\b(?:all|none|any|both|neither|either)\b.*\b(?:above|below|options?|choices?|answers?)\b"
    r"|\b(?:both|either|neither)?\s*\(?[A-H]\)?\s*(?:,|and|or|&)\s*\(?[A-H]\)?(?:\b|$)"
)
"""Options that refer to other options, and so mean something else in another order."""


def refers_to_options(option: str) -> bool:
    """Whether an option speaks of other options.

    >>> refers_to_options("both A and B"), refers_to_options("none of the above"), refers_to_options("a cat")
    (True, True, False)
    """
    return _REFERS.search(option) is not None
