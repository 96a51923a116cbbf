"""Variants of a whole data set: questions are prepared in chunks, and each has its own random generator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any

from askew.types import Group, Question, Refusal, Variant
from askew.verbs import Perturbation, Prepares

CHUNK = 4096
"""How many questions a perturbation prepares at once."""


class LazyRandom(Random):
    """Equal to ``Random`` with this seed, but seeded at the first draw: most questions need no random numbers.

    >>> LazyRandom("0:p2:1").sample(range(100), 3) == Random("0:p2:1").sample(range(100), 3)
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
        """A number of ``k`` bits."""
        self._begin()
        return super().getrandbits(k)

    def getstate(self) -> tuple[Any, ...]:
        """The state of the generator."""
        self._begin()
        return super().getstate()

    def _begin(self) -> None:
        if self._waiting:
            self.seed(self._opening)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Seed the generator now."""
        self._waiting = False
        super().seed(a, version)


def opening(perturbation: Perturbation, seed: int) -> str:
    """What the seeds of all questions begin with."""
    return f"{seed}:{perturbation!r}"


def question_rng(start: str, question: Question) -> LazyRandom:
    """The random generator of a question; ``start`` is the ``opening`` of its perturbation."""
    return LazyRandom(f"{start}:{question.id}")


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
    originals can be measured. Variants depend only on the seed, the perturbation and the question, not on the order,
    the chunk or the other questions.
    """
    rest = iter(questions)
    start = opening(perturbation, seed)
    while part := list(islice(rest, chunk)):
        if isinstance(perturbation, Prepares):
            perturbation.prepare(part)
        for question in part:
            made = list(perturbation.vary(question, question_rng(start, question)))
            yield from _grouped(question, made, suite, originals == "all")


def _fitting(variant: Variant) -> Variant:
    """The variant; without the options of the original where its own answers are not among them."""
    question = variant.question
    if not question.choices or set(question.answers) <= set(question.choices):
        return variant
    return replace(variant, question=replace(question, choices=()))


def _grouped(question: Question, made: list[Variant | Refusal], suite: str, keep: bool) -> Iterator[Group | Refusal]:
    yield from [item for item in made if isinstance(item, Refusal)]
    variants = tuple([_fitting(item) for item in made if isinstance(item, Variant)])
    if variants or keep:
        yield Group(question.id, suite, question, variants)
