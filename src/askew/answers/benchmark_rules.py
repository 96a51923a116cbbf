"""How benchmarks' own evaluators extract an answer from a reply, quirks included, so that figures can be compared.

Each rule follows the public code named in its docstring. As there, a reply in which a rule finds nothing is a wrong
answer (``UNKNOWN``), not a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from askew.answers.choices import LETTERS
from askew.answers.normalise import without_punctuation

UNKNOWN = "unknown"
"""The answer for a reply in which a rule finds none."""

_REJECTS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
"""Replies that VLMEvalKit counts as an option Z, which is never correct."""
_MARKS = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_ANSWER_IS = re.compile(r"answer\s+is\s+\**([ABCD])", re.IGNORECASE)
"""Where VLMEvalKit finds a letter in a long reply; the letter may begin a word (*sic*)."""
_LAST = 4
"""A letter must be among this many words at the end of a reply."""


def pope(words: str, choices: Sequence[str] = ()) -> str:
    """``evaluate.py`` of POPE (Li et al. 2023): no if the first sentence has the word No, no or not, else yes.

    An empty or refusing reply is a yes there, and so is "NO".

    >>> pope("There is not, I think. Yes."), pope("I cannot tell."), pope("Nope"), pope("no, none")
    ('no', 'yes', 'yes', 'no')
    """
    said = words.split(".")[0].replace(",", "").split(" ")
    return "no" if {"No", "not", "no"} & set(said) else "yes"


def vlmevalkit(words: str, choices: Sequence[str] = ()) -> str:
    """VLMEvalKit's rules without its language model: ``YOrN_Extraction``, or ``can_infer`` for options.

    Yes or no if one of the words occurs and the other does not. An option if exactly one letter occurs as a separate
    word (an article "A" counts) and its first occurrence is among the last four words; else the letter after "answer
    is"; else, in a reply at most twice as long as all options together, the one option whose text occurs.

    >>> vlmevalkit("Yes, it is."), vlmevalkit("No doubt: yes"), vlmevalkit("It is.")
    ('yes', 'unknown', 'unknown')
    >>> options = ("a cat", "a dog")
    >>> [vlmevalkit(said, options) for said in ("B.", "A dog", "It is a dog", "A or B", "b")]
    ['a dog', 'a cat', 'a dog', 'unknown', 'unknown']
    >>> [vlmevalkit(said, options) for said in ("B, since it barks at us", "The answer is b, not a cat")]
    ['unknown', 'a dog']
    """
    if choices:
        return _inferred(words, choices)
    said = without_punctuation(words.lower()).split()
    found = [word for word in ("yes", "no") if word in said]
    return found[0] if len(found) == 1 else UNKNOWN


def naturalbench(words: str, choices: Sequence[str] = ()) -> str:
    """``extract_answer`` of NaturalBench (Li et al. 2024): whichever of the two words occurs first, in upper or lower
    case.

    For options the words are A and B, so an article "a" is the first option.

    >>> naturalbench("I see no dog, so yes"), naturalbench("nothing"), naturalbench("It is a B.", ("x", "y"))
    ('no', 'unknown', 'x')
    """
    names = ("A", "B") if choices else ("yes", "no")
    places = [match.start() if (match := re.search(rf"\b{name}\b", words, re.I)) else -1 for name in names]
    if max(places) < 0:
        return UNKNOWN
    first = 0 if places[1] < 0 or 0 <= places[0] < places[1] else 1
    return choices[first] if choices else names[first]


def exact(words: str, choices: Sequence[str] = ()) -> str:
    """lmms-eval's POPE: the whole reply is yes or no, in upper or lower case; for options, a letter or the text of an
    option.

    AMBER's own evaluator (Wang et al. 2023) also requires "Yes" or "No" with a capital.

    >>> exact(" Yes"), exact("Yes."), exact("b", ("x", "y")), exact("Y", ("x", "y"))
    ('yes', 'unknown', 'y', 'y')
    """
    said = words.strip().lower()
    if not choices:
        return said if said in ("yes", "no") else UNKNOWN
    place = LETTERS.lower().find(said) if len(said) == 1 else -1
    lettered = [choices[place]] if 0 <= place < len(choices) else []
    return next(iter([*lettered, *(option for option in choices if option.strip().lower() == said)]), UNKNOWN)


RULES: Mapping[str, Callable[[str, Sequence[str]], str]] = {
    "pope": pope,
    "vlmevalkit": vlmevalkit,
    "naturalbench": naturalbench,
    "exact": exact,
}
"""The rules by the name given to ``--extract``."""


def _inferred(words: str, choices: Sequence[str]) -> str:
    """``can_infer`` of VLMEvalKit."""
    if any(reject in words for reject in _REJECTS):
        return UNKNOWN
    splits = words.translate(_MARKS).split()
    options = dict(zip(LETTERS, choices, strict=False))
    lettered = [letter for letter in options if letter in splits]
    if len(lettered) == 1 and splits.index(lettered[0]) >= len(splits) - _LAST:
        return options[lettered[0]]
    if not lettered and "Z" in splits:
        return UNKNOWN
    if (match := _ANSWER_IS.search(words)) and match[1].upper() in options:
        return options[match[1].upper()]
    if len(words) > 2 * sum(map(len, choices)):
        return UNKNOWN
    named = [option for option in choices if option.lower() in words.lower()]
    return named[0] if len(named) == 1 else UNKNOWN
