"""Substitutions in a text, and the word lists that rule some of them out (``trigger_words.yaml``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from askew.files.resources import word_sets
from askew.language.inflect import article

_ARTICLE = re.compile(r"\b(an?) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Edit:
    """One substitution: a part of the text, its replacement, and the rule."""

    start: int
    end: int
    text: str
    rule: str
    """e.g. ``car→automobile`` or the id of a paraphrase."""
    note: Mapping[str, Any] = field(default_factory=dict)
    """More about it: its confidence and the origin of the rule."""
    truth: str = ""
    """For a pair of opposites: the word that is true in the image, ``|`` and the other one; otherwise empty."""

    def overlaps(self, other: Edit) -> bool:
        """True when the two change the same part."""
        return self.start < other.end and other.start < self.end


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with its substitutions, in the case of the words they replace, and with the correct *a* or *an*.

    >>> edited("Is it a car or a bus?", [Edit(8, 11, "automobile", "car→automobile")])
    'Is it an automobile or a bus?'
    >>> edited("People are here?", [Edit(0, 6, "individuals", "person→individual")])
    'Individuals are here?'
    """
    for edit in sorted(edits, key=lambda edit: -edit.start):
        before, old, after = text[: edit.start], text[edit.start : edit.end], text[edit.end :]
        capital = old[:1].isupper() and (edit.start == 0 or not (old[1:2].isupper() or " " in old))
        new = edit.text[:1].upper() + edit.text[1:] if capital else edit.text
        text = fix_article(before, new) + new + after
    return text


def fix_article(before: str, new: str) -> str:
    """The text before a new word; if it ends in *a* or *an*, with the article that the word needs.

    >>> fix_article("A ", "auto"), fix_article("Is it an ", "car"), fix_article("Is the ", "auto")
    ('An ', 'Is it a ', 'Is the ')
    """
    match = _ARTICLE.search(before)
    if match is None:
        return before
    needed = article(new)
    return before[: match.start()] + (needed.capitalize() if match[1][0] == "A" else needed) + " "


def trigger_words() -> Mapping[str, frozenset[str]]:
    """The word lists by name.

    >>> "very" in trigger_words()["joined"]
    True
    """
    return word_sets("perturb/lexical/trigger_words.yaml")
