"""The words after the counted noun in "How many ⟨S⟩ ...?", and their form after "Are there ⟨N⟩ ⟨S⟩".

``are on the field`` loses its verb (*Are there five athletes on the field?*), ``have hats`` gets a relative pronoun
(*Are there two people that have hats?*), and words that would not be grammatical there are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askew.language.inflect import (
    is_plural,
    nouns,
    parts_of_speech,
    singular,
    third_person,
    with_article,
)
from askew.language.tagger import Token
from askew.perturb.rad.yes_no_template import FINITE, PUNCTUATION, RELATIVE, CannotAsk, word_list

_DIRECT = frozenset({"IN", "TO", "RP", "VBG", "VBN", "VBD"})
_BE = frozenset({"are", "is", "'re"})


@dataclass(frozen=True)
class Tail:
    """The words after the noun, for several things and for one thing."""

    frame: str
    """The rule: ``bare``, ``direct``, ``that-are`` or ``that``."""
    many: str = ""
    one: str | None = ""
    """None when the words refer to several things, so that there is no question about one."""


def read_tail(tokens: Sequence[Token]) -> Tail:
    """The tail of these tokens, which follow the counted noun. Raises CannotAsk."""
    if any(token.tag == "VBD" for token in tokens):
        raise CannotAsk("the verb is in the past")
    tail = _read(tokens)
    several = _speaks_of_several(tokens) or _has_bare_plural(tokens)
    return Tail(tail.frame, tail.many, None) if several else tail


def words(tokens: Sequence[Token]) -> str:
    """Tokens as text with their original spacing.

    >>> words([Token("do", "VBP", 4), Token("n't", "RB", 6), Token("run", "VB", 10)])
    "don't run"
    """
    text = ""
    for before, token in zip((None, *tokens), tokens, strict=False):
        text += " " * bool(before and token.start > before.end) + token.text
    return text


def _read(tokens: Sequence[Token]) -> Tail:
    if not tokens:
        return Tail("bare")
    if any(token.text in PUNCTUATION or token.lower == "or" for token in tokens):
        raise CannotAsk("the question has more than one part")
    first = tokens[0]
    if first.lower in _BE:
        return _after_be(tokens[1:], first.lower)
    if first.tag == "MD":
        return _after_modal(tokens)
    if first.lower in {"do", "does"}:
        return _after_do(tokens)
    if first.tag in {"VBP", "VBZ"} or first.lower == "have":
        return _finite(tokens)
    if first.lower in {"here", "there"} and len(tokens) == 1:
        return Tail("direct", " here", " here") if first.lower == "here" else Tail("bare")
    if first.tag in _DIRECT or first.lower in word_list("predicates"):
        return _modified(tokens)
    raise CannotAsk("the counted noun cannot be separated from the rest")


def _speaks_of_several(tokens: Sequence[Token]) -> bool:
    """True for ``next to each other``, ``in them``, ``on their heads``."""
    for place, token in enumerate(tokens):
        if token.lower in word_list("joint"):
            return True
        if token.lower == "their" and any(after.tag == "NNS" for after in tokens[place + 1 : place + 3]):
            return True
    return False


def _has_bare_plural(tokens: Sequence[Token]) -> bool:
    """True for ``wearing hats``, ``on skateboards``, ``have helmets on``: each has one, so one person has no "hats".

    Plurals with an article or a number (``near the windows``), pairs and places (``wearing glasses``, ``on stairs``) do
    not depend on how many are counted. After "are" the plural is what the counted things are (``are women``).
    """
    for place, token in enumerate(tokens):
        word = token.lower
        single = word in word_list("single plurals") or word in nouns("pairs") or word in nouns("invariant")
        if token.tag not in {"NNS", "NNPS"} or not is_plural(token.text) or single:
            continue
        start = place
        while start and (tokens[start - 1].is_noun or tokens[start - 1].tag[:2] in {"JJ", "HY"}):
            start -= 1
        before = tokens[start - 1] if start else None
        if before and before.lower not in _BE and before.tag not in {"DT", "PRP$", "CD", "POS", "PDT", "WDT"}:
            return True
    return False


def _modified(tokens: Sequence[Token]) -> Tail:
    """``in the picture [are wearing hats]``: a modifier of the noun, perhaps with the verb after it."""
    for place, token in enumerate(tokens):
        if token.tag in RELATIVE or (place and token.lower == "that"):
            break
        if token.tag in {"MD", "VBP", "VBZ"} and place:
            before, rest = words(tokens[:place]), _read(tokens[place:])
            one = None if rest.one is None else f" {before}{rest.one}"
            return Tail(rest.frame, f" {before}{rest.many}", one)
    return _direct(tokens)


def _direct(tokens: Sequence[Token]) -> Tail:
    if tokens[0].tag == "TO" and len(tokens) > 1 and tokens[1].tag == "VB":
        raise CannotAsk("asks what should be done")
    text = " " + words(tokens)
    return Tail("direct", text, text)


def _after_be(tokens: Sequence[Token], be: str) -> Tail:
    if not tokens:
        raise CannotAsk("the counted noun cannot be separated from the rest")
    first = tokens[0]
    if first.lower == "there":
        rest = tokens[1:]
        if rest and rest[0].tag not in _DIRECT | {"RB"} and rest[0].lower not in word_list("predicates"):
            raise CannotAsk("the counted noun cannot be separated from the rest")
        return _direct(rest) if rest else Tail("bare")
    if first.lower in {"n't", "not"}:
        tail = _after_be(tokens[1:], be)
        if tail.frame == "direct":
            return Tail("direct", " not" + tail.many, None if tail.one is None else " not" + tail.one)
        raise CannotAsk("the question is negated")
    if first.lower in word_list("intended") and any(token.tag == "TO" or token.lower == "for" for token in tokens[1:3]):
        raise CannotAsk("asks what could be, not what is there")
    if first.tag in _DIRECT or first.lower in word_list("predicates"):
        return _direct(tokens)
    if first.tag.startswith("RB"):
        rest_tags = [token.tag for token in tokens[1:]]
        if not rest_tags or rest_tags[0] in _DIRECT or all(tag in {"RB", "RP"} for tag in rest_tags):
            return _direct(tokens)
        return _that_are(tokens)
    clause = _inverted(tokens, be)
    if clause:
        return clause
    if first.tag.startswith("JJ") or first.is_noun or words(tokens).lower().startswith("the same"):
        return _that_are(tokens)
    raise CannotAsk("does not ask how many there are")


def _inverted(tokens: Sequence[Token], be: str) -> Tail | None:
    """``is the man holding``: a clause about the counted things, with its own subject."""
    if tokens[0].tag not in {"DT", "PRP", "PRP$", "NN", "NNP", "NNS"}:
        return None
    for place, token in enumerate(tokens):
        if token.tag == "VBG" and place and (tokens[place - 1].is_noun or tokens[place - 1].tag == "PRP"):
            text = f" that {words(tokens[:place])} {be} {words(tokens[place:])}"
            return Tail("that", text, text)
    return None


def _that_are(tokens: Sequence[Token]) -> Tail:
    if any(token.tag in FINITE for token in tokens):
        raise CannotAsk("the question has two verbs")
    text = words(tokens)
    return Tail("that-are", f" that are {text}", f" that is {_one_of(tokens, text)}")


def _one_of(tokens: Sequence[Token], text: str) -> str:
    """``women``, for one person: ``a woman``."""
    last = tokens[-1]
    if all(token.is_noun or token.tag.startswith("JJ") for token in tokens) and last.is_noun and is_plural(last.text):
        return with_article(singular(text))
    return text


def _after_modal(tokens: Sequence[Token]) -> Tail:
    after = [token.lower for token in tokens[1:3]]
    if len(after) == 2 and after[0] == "be" and after[1] in word_list("noticed"):
        text = f" that {words(tokens)}"
        return Tail("that", text, text)
    if len(after) == 2 and after[0] in {"you", "we", "i", "one"} and after[1] in word_list("noticing"):
        text = f" that {words(tokens[1:2])} {words(tokens[:1])} {words(tokens[2:])}"
        return Tail("that", text, text)
    raise CannotAsk("asks what could be, not what is there")


def _after_do(tokens: Sequence[Token]) -> Tail:
    if len(tokens) < 3:
        raise CannotAsk("the counted noun cannot be separated from the rest")
    if tokens[1].lower in {"not", "n't"}:
        rest = words(tokens[2:])
        return Tail("that", f" that do not {rest}", f" that does not {rest}")
    if tokens[1].lower in {"you", "we", "i"} and tokens[2].lower in word_list("noticing"):
        text = f" that {tokens[1].text} can {words(tokens[2:])}"
        return Tail("that", text, text)
    raise CannotAsk("asks what somebody has or does")


def _finite(tokens: Sequence[Token]) -> Tail:
    verb, rest = tokens[0], words(tokens[1:])
    if any(token.tag in FINITE or token.tag == "CC" for token in tokens[1:]):
        raise CannotAsk("the question has two verbs")
    if verb.tag == "VBZ" and not (verb.lower == "has" and tokens[1:] and tokens[1].tag in {"VBN", "RB"}):
        raise CannotAsk("the verb is not plural")
    plural = "have" if verb.lower == "has" else verb.lower
    if "VERB" not in parts_of_speech(plural) and "AUX" not in parts_of_speech(plural):
        raise CannotAsk("the counted noun cannot be separated from the rest")
    space = " " if rest else ""
    return Tail("that", f" that {plural}{space}{rest}", f" that {third_person(plural)}{space}{rest}")
