"""The alternative that a reply takes to a question that names two or more: "a bus" to "Is it a bus or a truck?"."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from askew.answers.choices import mentioned
from askew.answers.extract_reply import opened, sentences
from askew.answers.extract_rules import rules
from askew.answers.extract_words import LINKS, plain_words
from askew.answers.normalise import tokens


def either(question: str, text: str) -> str | None:
    """The only alternative of the question that the first sentence of a reply names and does not deny.

    >>> said = ("It's a truck, not a bus.", "The vehicle is a bus.", "It is a van.")
    >>> [either("Is it a bus or a truck?", one) for one in said]
    ['truck', 'bus', None]
    """
    named = alternatives(question)
    text = plain_words(text)
    if not named or (len(tokens(text)) <= _SHORT and LINKS.isdisjoint(tokens(text))):
        return None
    if (alike := _ALIKE.match(opened(text))) is not None:
        return alike[1].lower()
    for sentence in sentences(text):
        for part in (sentence, *_CLAUSE.split(sentence)):
            if "or" not in tokens(part) and (found := mentioned(named, part, question)) is not None:
                return found
    return None


def alternatives(question: str) -> Sequence[str]:
    """What a question offers to choose from; empty if it offers nothing.

    >>> alternatives("Is the man sitting or standing?"), alternatives("Which is it, a cat, a dog or a fox?")
    (('sitting', 'standing'), ('cat', 'dog', 'fox'))
    >>> alternatives("Is it on the left or the right of the car?"), alternatives("What is in or on the box?")
    (('left', 'right'), ())
    """
    before, found, after = question.rstrip("? ").rpartition(" or ")
    known = rules()
    is_choice = tokens(question)[:1] and (tokens(question)[0] in known.auxiliaries or "," in before)
    if not found or not is_choice:
        return ()
    if (sides := _SIDES.search(question)) is not None and {*tokens(sides[2])} <= known.relations | _PLACES:
        return (sides[1].lower(), sides[2].lower())
    small = (known.little | known.relations) - {"off"}
    words = list(tokens(after))
    while words and words[0] in small - {"in", "on"} | {"in", "on"} and len(words) > 1:
        words = words[1:]
    end = next((at for at, word in enumerate(words) if at and word in known.relations), len(words))
    last = [word for word in words[:end] if word not in small]
    *_, first = (
        before.rsplit(", ", 1) if "," in before and tokens(question)[0] not in known.auxiliaries else ("", before)
    )
    if before.count(",") < _SHORT - 1:
        after_small = tokens(first)[::-1]
        free = next((at for at, word in enumerate(after_small) if word in small), len(after_small))
        last = last[: max(1, min(len(last), free))]
    others = [part.strip() for part in re.split(",", before)] if before.count(",") > 1 else [first]
    heads = [_last(tokens(part), small, max(1, len(last))) for part in others[1:] or others]
    found_all = tuple(" ".join(one) for one in (*heads, last) if one)
    return (
        found_all if len(found_all) > 1 and last and "else" not in last and len({*found_all}) == len(found_all) else ()
    )


def _last(words: Sequence[str], small: Set[str], count: int) -> Sequence[str]:
    """The last words of an alternative, with the verb of a particle: "taking off"."""
    content = [word for word in words if word not in small]
    return content[-max(count, 2 if content[-1:] and content[-1] in ("off", "on", "up", "down") else 1) :]


_PLACES = frozenset(("inside", "outside", "far", "over", "off"))
_SIDES = re.compile(
    r"\b((?:in front|on top)(?= of)|behind|above|below|under|over|inside|outside|near|on|in|off)"
    r"(?: of)? or (\w+)\b",
    re.I,
)
_ALIKE = re.compile(r"(?:it(?:['’]s| is) |they(?:['’]re| are) )?(both|neither)(?=[,.:;!]|$)", re.IGNORECASE)
_CLAUSE = re.compile(r"[;,:] | while | but ")
_SHORT = 3
"""A reply of so few words is nothing but the answer."""
