"""A cap on each author's share of train: nobody alone decides what the next round's models learn.

Dev and test are not touched. Where few people wrote, or most was written by a few, the cap cannot be met without losing
most of train; then it is not applied, and the datasheet says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

KEPT_PERCENT = 50
"""The cap is applied only if so much of train stays."""
_ORDER = "ECA"


def most_of_one_author(counts: Mapping[int, int], percent: int) -> int | None:
    """How many questions each author may have in train; None if the cap cannot be met.

    It is the largest number that is at most ``percent`` of what stays when everybody has no more than that.

    >>> most_of_one_author({author: 10 for author in range(20)} | {99: 30}, percent=5)
    10
    >>> most_of_one_author({1: 10, 2: 10}, percent=5)
    >>> most_of_one_author({1: 10, 2: 10}, percent=100)
    10
    """
    total = sum(counts.values())
    for most in range(max(counts.values(), default=0), 0, -1):
        kept = sum(min(count, most) for count in counts.values())
        if 100 * most <= percent * kept:
            return most if 100 * kept >= KEPT_PERCENT * total else None
    return None


def over_cap(train: Mapping[int, tuple[int, str]], percent: int) -> set[int]:
    """The questions of train to leave out; ``train`` gives the author and the type (A, C or E) of each.

    Of an author who has too many, E stays before C before A, and the earlier before the later.
    """
    most = most_of_one_author(Counter(author for author, _ in train.values()), percent)
    if most is None:
        return set()
    kept: Counter[int] = Counter()
    found = set()
    for key in sorted(train, key=lambda key: (_ORDER.index(train[key][1]), key)):
        author = train[key][0]
        kept[author] += 1
        if kept[author] > most:
            found.add(key)
    return found
