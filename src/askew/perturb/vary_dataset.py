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
    executor: Executor | None = None,
    sent: int = SENT,
) -> Iterator[Group | Refusal]:
    """A group for each question that the perturbation changes, and its refusals, in the order of the data.

    ``originals="all"`` also gives a group without variants for each other question, so that accuracy over all
    originals can be measured. Variants depend only on the seed, the perturbation and the question, not on the order,
    the chunk or the other questions. An ``executor`` shares the work between workers, ``sent`` questions at a time.
    """
    vary = VaryChunk(perturbation, opening(perturbation, seed))
    made: Iterable[tuple[list[Question], Iterable[Made]]]
    if executor is None:
        made = ((part, vary.each(part)) for part in chunks_of(questions, chunk))
    else:
        ours, theirs = tee(chunks_of(questions, sent))
        made = zip(ours, executor.map(vary, theirs), strict=True)
    for part, of_each in made:
        for question, items in zip(part, of_each, strict=True):
            yield from _grouped(question, items, suite, originals == "all")


Made: TypeAlias = list[Variant | Refusal]
"""What a perturbation makes of one question."""


@dataclass(frozen=True)
class VaryChunk:
    """The work on a chunk of questions: reads all of them, then makes the variants of each."""

    perturbation: Perturbation
    start: str
    """What the seeds of all questions begin with."""

    def each(self, questions: Sequence[Question]) -> Iterator[Made]:
        """The variants and refusals of each question."""
        if isinstance(self.perturbation, Prepares):
            self.perturbation.prepare(questions)
        for question in questions:
            yield list(self.perturbation.vary(question, question_rng(self.start, question)))

    def __call__(self, questions: Sequence[Question]) -> list[Made]:
        """The same as a list, in a worker."""
        return list(self.each(questions))


def chunks_of(questions: Iterable[Question], size: int) -> Iterator[list[Question]]:
    """Lists of at most ``size`` questions."""
    rest = iter(questions)
    while part := list(islice(rest, size)):
        yield part


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
