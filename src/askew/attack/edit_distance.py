"""Levenshtein's distance between two words."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=1 << 14)
def edit_distance(one: str, other: str) -> int:
    """Levenshtein's distance: letters inserted, deleted or replaced.

    >>> edit_distance("green", "geren"), edit_distance("green", "gren"), edit_distance("", "ab")
    (2, 1, 2)
    """
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        before, row[0] = row[0], place
        for at, found in enumerate(other, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (letter != found))
    return row[-1]
