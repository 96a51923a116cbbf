"""Variants of a whole data set: questions are prepared in chunks, and each has its own random generator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, tee
from random import Random
from typing import Any, TypeAlias

from askew.types import Group, Question, Refusal, Variant
from askew.verbs import Executor, Perturbation, Prepares

CHUNK = 4096
"""How many questions a perturbation prepares at once."""
SENT = 256
"""How many questions a worker gets at once."""


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
    """The common start of the seeds of all questions."""
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
    executor: Executor | None = None,
    sent: int = SENT,
) -> Iterator[Group | Refusal]:
    """A group for each question that the perturbation changes, and its refusals, in the order of the data.

    ``originals="all"`` also gives a group without variants for each other question, so that accuracy over all
    originals can be measured. Variants depend only on the seed, the perturbation and the question, not on the order,
    the chunk or the other questions. An ``executor`` shares the work between workers, ``sent`` questions at a time.
    """
    vary = VaryChunk(perturbation, opening(perturbation, seed))
    varied: Iterable[tuple[list[Question], Iterable[Varied]]]
    if executor is None:
        varied = ((part, vary.each(part)) for part in chunks_of(questions, chunk))
    else:
        ours, theirs = tee(chunks_of(questions, sent))
        varied = zip(ours, executor.map(vary, theirs), strict=True)
    for part, results in varied:
        for question, items in zip(part, results, strict=True):
            yield from _grouped(question, items, suite, originals == "all")


Varied: TypeAlias = list[Variant | Refusal]
"""The variants and refusals of one question."""


@dataclass(frozen=True)
class VaryChunk:
    """The work on a chunk of questions: prepares all of them, then makes the variants of each."""

    perturbation: Perturbation
    start: str
    """The common start of the seeds of all questions."""

    def each(self, questions: Sequence[Question]) -> Iterator[Varied]:
        """The variants and refusals of each question."""
        if isinstance(self.perturbation, Prepares):
            self.perturbation.prepare(questions)
        for question in questions:
            yield list(self.perturbation.vary(question, question_rng(self.start, question)))

    def __call__(self, questions: Sequence[Question]) -> list[Varied]:
        """The same as a list: the call that a worker runs."""
        return list(self.each(questions))


def chunks_of(questions: Iterable[Question], size: int) -> Iterator[list[Question]]:
    """Lists of at most ``size`` questions."""
    rest = iter(questions)
    while part := list(islice(rest, size)):
        yield part


def _fitting(variant: Variant) -> Variant:
    """The variant, without the options of the original if these do not contain all its answers."""
    question = variant.question
    if not question.choices or set(question.answers) <= set(question.choices):
        return variant
    return replace(variant, question=replace(question, choices=()))


def _grouped(question: Question, items: Varied, suite: str, keep: bool) -> Iterator[Group | Refusal]:
    yield from [item for item in items if isinstance(item, Refusal)]
    variants = tuple([_fitting(item) for item in items if isinstance(item, Variant)])
    if variants or keep:
        yield Group(question.id, suite, question, variants)
