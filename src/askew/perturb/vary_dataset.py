"""Variants of a whole data set: questions are prepared in chunks, and each has its own random generator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, tee
from random import Random
from typing import TypeAlias

from askew.answers.no_option import NO_OPTION
from askew.types import Group, Question, Refusal, Variant
from askew.verbs import Executor, Perturbation, Prepares

CHUNK = 1024
"""How many questions are prepared at once, or sent to a worker."""


def opening(perturbation: Perturbation, seed: int) -> str:
    """The common start of the seeds of all questions."""
    return f"{seed}:{perturbation!r}"


def vary_all(
    perturbation: Perturbation,
    questions: Iterable[Question],
    seed: int,
    suite: str,
    originals: str = "covered",
    chunk: int = CHUNK,
    executor: Executor | None = None,
) -> Iterator[Group | Refusal]:
    """A group for each question that the perturbation changes, and its refusals, in the order of the data.

    ``originals="all"`` also gives a group without variants for each other question, so that accuracy over all
    originals can be measured. Variants depend only on the seed, the perturbation and the question's content, not on
    its id, the order, the chunk or the other questions. An ``executor`` shares the work between workers, ``chunk``
    questions at a time.
    """
    vary = VaryChunk(perturbation, opening(perturbation, seed))
    ours, theirs = tee(chunks_of(questions, chunk))
    made: Iterable[Iterable[Varied]] = map(vary.each, theirs) if executor is None else executor.map(vary, theirs)
    for part, results in zip(ours, made, strict=True):
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
            yield list(self.perturbation.vary(question, Random(f"{self.start}:{question.content}")))

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
    if not question.choices or set(question.answers) <= {*question.choices, NO_OPTION}:
        return variant
    return replace(variant, question=replace(question, choices=()))


def _grouped(question: Question, items: Varied, suite: str, keep: bool) -> Iterator[Group | Refusal]:
    yield from [item for item in items if isinstance(item, Refusal)]
    variants = tuple([_fitting(item) for item in items if isinstance(item, Variant)])
    if variants or keep:
        yield Group(question.id, suite, question, variants)
