"""The best so far, while a pool is gone through in any order.

A board is one row of arrays: the scores as whole numbers of 10⁻¹² (``keys``), who comes first in a tie (``firsts``),
the scores as they are and the documents, best first; ``tally`` holds how many places are taken and how many
documents seen had the score of the last place.
"""

from __future__ import annotations

from typing import Any

from askew.rank.compiled import compiled
from askew.rank.overlap.ties import DECIMALS

UNIT = 10.0**DECIMALS
TAKEN, TIED = 0, 1


@compiled
def key_of(score: float) -> int:
    """The score as a whole number of units, by which scores are compared.

    >>> key_of(0.25)
    250000000000
    """
    return round(score * UNIT)


@compiled
def least_key(board: Any) -> int:
    """What a document must have at least to matter: the last place's score, or anything while places are free."""
    keys, _, _, _, tally = board
    return int(keys[-1]) if tally[TAKEN] == len(keys) else -1


@compiled
def offer(board: Any, score: float, first: int, doc: int) -> bool:
    """Give a document its place, if it deserves one; True when that raised what the next must have at least.

    All documents that are better than the last place are on the board. So when its score rises, those tied
    with the new last place are all on the board too, and counting them there is enough.
    """
    keys, firsts, scores, documents, tally = board
    key, places, taken = key_of(score), len(keys), tally[TAKEN]
    full, last = taken == places, keys[-1]
    if full and key < last:
        return False
    if full and key == last:
        tally[TIED] += 1
        if first > firsts[-1]:
            return False
    place = places - 1 if full else taken
    while place > 0 and (keys[place - 1] < key or (keys[place - 1] == key and firsts[place - 1] > first)):
        keys[place], firsts[place] = keys[place - 1], firsts[place - 1]
        scores[place], documents[place] = scores[place - 1], documents[place - 1]
        place -= 1
    keys[place], firsts[place], scores[place], documents[place] = key, first, score, doc
    if full and keys[-1] == last:
        return False
    tally[TAKEN] = min(taken + 1, places)
    tally[TIED] = tied_with_last(keys[: tally[TAKEN]])
    return bool(tally[TAKEN] == places)


@compiled
def tied_with_last(keys: Any) -> int:
    """How many places have the score of the last one.

    >>> import numpy as np
    >>> tied_with_last(np.array([9, 7, 7]))
    2
    """
    at = len(keys) - 1
    while at > 0 and keys[at - 1] == keys[-1]:
        at -= 1
    return len(keys) - at
