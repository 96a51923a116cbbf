"""Is what follows "What color is the" one noun phrase? Told from part-of-speech tags by a few general rules.

A phrase may have adjectives, a possessor, prepositions and one relative clause ("the shirt the man is wearing"). It
must not have a verb of its own ("the woman wearing?"), a second subject, or a loose end ("the traffic light on?").
"""

from __future__ import annotations

from collections.abc import Sequence

from askew.language.tagger import Token
from askew.perturb.rad.words import word_list

_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_VERBAL = frozenset({"VBG", "VBN"}) | _FINITE
_RELATIVE = frozenset({"WDT", "WP", "WP$", "WRB"})
_LOOSE = frozenset({"IN", "TO", "CC", "DT", "PRP$", "POS", "RP"})
_SUBJECT_STARTS = frozenset({"DT", "PRP", "PRP$"})


def phrase_fault(tokens: Sequence[Token]) -> str | None:
    """What keeps these words, which follow "the", from being one noun phrase; None when they are one."""
    if any(token.text in {",", ";", ":", "?", ".", "(", ")", "/"} for token in tokens):
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
    if (tokens[-1].tag in _LOOSE or tokens[-1].lower in word_list("transitive")) and not _clause(tokens):
        return "the question has a loose end"
    return None


def _head(tokens: Sequence[Token]) -> int | None:
    for place, token in enumerate(tokens):
        if token.is_noun:
            return place
        if token.tag in _RELATIVE or token.tag == "IN":
            return None
    return None


def _second_subject(tokens: Sequence[Token]) -> bool:
    for place, token in enumerate(tokens):
        if token.tag == "CC" and place + 1 < len(tokens):
            after = tokens[place + 1]
            if after.tag in _FINITE or after.tag in _RELATIVE:
                return True
            if not any(before.tag == "IN" or before.tag in _VERBAL for before in tokens[:place]):
                return place > 0 and (tokens[place - 1].is_noun or after.tag in _SUBJECT_STARTS)
    return False


def _unplaced_verb(tokens: Sequence[Token], head: int) -> bool:
    finite = [place for place, token in enumerate(tokens) if token.tag in _FINITE]
    if finite and not _clause_starts(tokens[: finite[0]]):
        return True
    for place in range(head + 1, len(tokens)):
        if tokens[place].tag in {"VBG", "VBN", "VBD"} and not any(spot < place for spot in finite):
            after = tokens[place + 1] if place + 1 < len(tokens) else None
            if _lacks_object(tokens[place], after):
                return True
    return False


def _lacks_object(verb: Token, after: Token | None) -> bool:
    """True for a participle that wants something after it and has nothing ("the man wearing", "the wall painted")."""
    if verb.tag == "VBG":
        return verb.lower in word_list("transitive") and (after is None or after.tag in {"IN", "TO", "RB"})
    return verb.lower not in word_list("postnominal") and (after is None or after.tag in {"RP", "RB"})


def _clause(tokens: Sequence[Token]) -> bool:
    return any(token.tag in _FINITE and _clause_starts(tokens[:place]) for place, token in enumerate(tokens))


def _clause_starts(tokens: Sequence[Token]) -> bool:
    """True when a relative clause begins here: at "that", "which", ..., or where a subject follows a noun at once."""
    for place, token in enumerate(tokens):
        if token.tag in _RELATIVE or token.lower == "that":
            return True
        if place and token.tag in _SUBJECT_STARTS and tokens[place - 1].is_noun:
            return True
    return False
