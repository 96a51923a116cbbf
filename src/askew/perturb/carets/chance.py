"""Drawing by chance, quicker than the standard library does it: these run a million times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def pick(items: Sequence[T], rng: Random) -> T:
    """One of them, each as likely.

    >>> sorted({pick("abc", Random(seed)) for seed in range(20)})
    ['a', 'b', 'c']
    """
    return items[int(rng.random() * len(items))]


def in_turn(items: Sequence[T], rng: Random, most: int) -> Iterator[T]:
    """At most so many of them in a random order, none twice, each drawn when it is taken.

    >>> sorted(in_turn("abc", Random(0), 5)), len(list(in_turn("abc", Random(0), 2)))
    (['a', 'b', 'c'], 2)
    """
    rest = list(items)
    for _ in range(min(most, len(rest))):
        yield rest.pop(int(rng.random() * len(rest)))
