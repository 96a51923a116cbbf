"""The clauses of a reply, by which it is read: what is claimed, what is concluded, and what is only said beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from askew.answers.extract_reply import sentences
from askew.answers.extract_rules import rules
from askew.answers.extract_words import LINKS, word_set
from askew.answers.normalise import tokens

SHOWS = word_set(
    "shows show displays reads read says indicates states has have gives contains features depicts spells wears"
)
_MOST_WORDS = 60
"""No more words of a clause and no more clauses are read."""
_CLAUSES = re.compile(
    r"(?P<colon>:\s+)|(?P<end>;\s+|\s[-–—]+\s|\s?—\s?)|\s(?P<arrow>->|→)\s"
    r"|\b(?:suggest|indicat|show|mean|impl|tell|look|seem)\w*,? (?P<that>(?:that |like |as if )?)"
    r"(?=(?:it|this|these|those|they|he|she|there|the \w+) (?:is|are|was|might|may|could|must|will|would"
    r"|do|does|has|have|can)\b)"
    r"|,? (?P<so>(?:and )?(?:so(?! that\b)|therefore|thus|hence|which means|meaning)(?: that)?|which makes) (?=\w)"
    r"|,?\s(?P<and>and|but|yet)\s(?=(?:the|its|his|her|their|it|they|he|she|i|you|we"
    r"|there|what|is|are|has|have|an? \w+ is)\b)"
    r"|(?P<comma>,)\s(?=(?:it|they|he|she|this|that|the \w+) (?:is|are)\b)"
    r"|,?\s(?P<aside>because|so that|since|while|whereas|although|even though|though|which|as (?="
    r"(?:it|he|she|they|there|you|the|indicated|shown|seen|suggested|evidenced)\b)|judging|given|despite|unlike"
    r"|rather than|instead of|as opposed to)\b\s?"
    r"|\s(?P<paren>\()|(?P<close>\))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Clause:
    """A part of a sentence, what joins it to the part before, and its words with and without their marks."""

    text: str
    joint: str
    written: tuple[str, ...]
    words: tuple[str, ...]


def clauses(text: str) -> list[Clause]:
    """The clauses of a text.

    >>> [(one.joint, one.text) for one in clauses("Two rows of seats; the aisle is empty, so it is a bus.")]
    [('', 'Two rows of seats'), ('', 'the aisle is empty'), ('so', 'it is a bus')]
    """
    found: list[Clause] = []
    for sentence in sentences(text):
        if len(found) > _MOST_WORDS:
            break
        start, joint = 0, ""
        for match in (*_CLAUSES.finditer(sentence), None):
            part = sentence[start : match.start() if match else None].strip(" ,").removesuffix(" and")
            if (
                match
                and match.lastgroup in ("and", "colon", "comma")
                and match["and"] != "but"
                and _is_open(match.lastgroup, tokens(part))
            ):
                continue
            if part and not (match and match.lastgroup == "that" and LINKS.isdisjoint(tokens(part))):
                written = tuple(part.split(None, _MOST_WORDS)[:_MOST_WORDS])
                words = tuple(word.strip(".,!?:;\"'“”()").lower().removesuffix("'s") for word in written)
                found.append(Clause(part, joint, written, words))
            if match:
                start, joint = match.end(), match.lastgroup or ""
    return found


def _is_open(joint: str, words: Sequence[str]) -> bool:
    """Whether a clause is not complete before "and" or a colon: "a woman and her child are", "the sign says: Stop"."""
    if joint == "colon":
        return words[-1:] != () and words[-1] in SHOWS | LINKS
    return {*words}.isdisjoint(LINKS | rules().auxiliaries | SHOWS)
