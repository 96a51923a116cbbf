"""Variants of a whole data set: prepared in chunks, each question with its own chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from typing import Any

from askew.types import Group, Question, Refusal, Variant
from askew.verbs import Perturbation, Prepares

CHUNK = 4096
"""How many questions a perturbation is shown at once."""


class Chance(Random):
    """The same as ``Random`` of this seed, made when something is drawn: most questions need no chance at all.

    >>> Chance("0:p2:1").sample(range(100), 3) == Random("0:p2:1").sample(range(100), 3)
    True
    """

    def __init__(self, seed: str) -> None:
        self._waiting, self.gauss_next = True, None
        self._opening = seed

    def random(self) -> float:
        """A number from 0 to 1."""
        self._begin()
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        """A number of so many bits."""
        self._begin()
        return super().getrandbits(k)

    def getstate(self) -> tuple[Any, ...]:
        """Where the draws stand."""
        self._begin()
        return super().getstate()

    def _begin(self) -> None:
        if self._waiting:
            self.seed(self._opening)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Begin anew."""
        self._waiting = False
        super().seed(a, version)


def vary_all(
    perturbation: Perturbation,
    questions: Iterable[Question],
    seed: int,
    suite: str,
    originals: str = "covered",
    chunk: int = CHUNK,
) -> Iterator[Group | Refusal]:
    """A group for each question that the perturbation changes, and its refusals, in the order of the data.

    ``originals="all"`` also gives a group without variants for each other question, so that accuracy over all
    originals can be measured. The variants depend on the seed, the perturbation and the question alone: not on the
    order, the chunk or which other questions there are.
    """
    rest = iter(questions)
    opening = f"{seed}:{perturbation!r}"
    while part := list(islice(rest, chunk)):
        if isinstance(perturbation, Prepares):
            perturbation.prepare(part)
        for question in part:
            chance = Chance(f"{opening}:{question.id}")
            yield from _grouped(question, list(perturbation.vary(question, chance)), suite, originals == "all")


def _grouped(question: Question, made: list[Variant | Refusal], suite: str, keep: bool) -> Iterator[Group | Refusal]:
    yield from [item for item in made if isinstance(item, Refusal)]
    variants = tuple([item for item in made if isinstance(item, Variant)])
    if variants or keep:
        yield Group(question.id, suite, question, variants)
