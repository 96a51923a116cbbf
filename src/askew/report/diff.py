"""Which words changed between two questions."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

Marked = list[tuple[str, bool]]
"""Pieces of a text, each changed or not; joined they are the text."""

_TOKEN = re.compile(r"\s*(?:[^\W_]+(?:['’][^\W_]+)*|\S)")


def word_diff(old: str, new: str) -> tuple[Marked, Marked]:
    """Both texts in pieces, with the words marked that only one of them has; case alone is no change.

    >>> word_diff("Is the cat white?", "Is the dog white?")
    ([('Is the', False), (' cat', True), (' white?', False)], [('Is the', False), (' dog', True), (' white?', False)])
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    matcher = SequenceMatcher(None, [t.strip().lower() for t in before], [t.strip().lower() for t in after], False)
    left: Marked = []
    right: Marked = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if i2 > i1:
            left.append(("".join(before[i1:i2]), tag != "equal"))
        if j2 > j1:
            right.append(("".join(after[j1:j2]), tag != "equal"))
    return left, right
