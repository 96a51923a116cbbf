"""The answers that a template can draw a "no" from, with how often each is the answer in the data."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random


@dataclass(frozen=True)
class Pool:
    """Answers and how often each was given, the most frequent first.

    >>> pool = Pool.of({"blue": 1, "red": 3})
    >>> pool.counts
    (('red', 3), ('blue', 1))
    >>> pool.without(lambda answer: answer == "red").draw(Random(0))
    'blue'
    """

    counts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Pool:
        """The pool of these counts, in an order that depends on nothing else."""
        return cls(tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))))

    def without(self, excluded: Callable[[str], bool]) -> Pool:
        """The pool less the answers that must not be drawn."""
        return Pool(tuple((answer, count) for answer, count in self.counts if not excluded(answer)))

    def chances(self) -> dict[str, float]:
        """The chance of each answer to be drawn.

        >>> Pool.of({"blue": 1, "red": 3}).chances()
        {'red': 0.75, 'blue': 0.25}
        """
        total = sum(count for _, count in self.counts)
        return {answer: count / total for answer, count in self.counts}

    def draw(self, rng: Random) -> str:
        """One answer, with chance in proportion to its count; the pool must not be empty."""
        upto = list(accumulate(count for _, count in self.counts))
        return self.counts[bisect_right(upto, int(rng.random() * upto[-1]))][0]

    def __bool__(self) -> bool:
        return bool(self.counts)


@dataclass(frozen=True)
class Pools:
    """What one pass over the data leaves behind: the pool of each key, and the compounds that people wrote."""

    pools: Mapping[str, Pool] = field(default_factory=dict)
    compounds: frozenset[str] = frozenset()
    """Answers to "What kind of S ..." that end in S (``hotel room``): people use the rest as a modifier."""

    def __getitem__(self, key: str) -> Pool:
        return self.pools.get(key, Pool())


def gather(answers: Iterable[tuple[str, str]], compounds: Iterable[str] = ()) -> Pools:
    """The pools of (key, answer) pairs.

    >>> gather([("color", "red"), ("color", "red"), ("color", "blue")])["color"].counts
    (('red', 2), ('blue', 1))
    """
    counters: dict[str, Counter[str]] = {}
    for key, answer in answers:
        counters.setdefault(key, Counter())[answer] += 1
    return Pools({key: Pool.of(counters[key]) for key in sorted(counters)}, frozenset(compounds))
