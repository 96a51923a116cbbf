"""Variants of a whole data set: prepared in chunks, each question with its own chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random

from askew.types import Group, Question, Refusal, Variant
from askew.verbs import Perturbation, Prepares

CHUNK = 4096
"""How many questions a perturbation is shown at once."""


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
    chance, opening = Random(), f"{seed}:{perturbation!r}"
    while part := list(islice(rest, chunk)):
        if isinstance(perturbation, Prepares):
            perturbation.prepare(part)
        for question in part:
            # The same as a new Random with this seed, in half the time.
            chance.seed(f"{opening}:{question.id}")
            yield from _grouped(question, list(perturbation.vary(question, chance)), suite, originals == "all")


def _grouped(question: Question, made: list[Variant | Refusal], suite: str, keep: bool) -> Iterator[Group | Refusal]:
    yield from (item for item in made if isinstance(item, Refusal))
    variants = tuple(item for item in made if isinstance(item, Variant))
    if variants or keep:
        yield Group(question.id, suite, question, variants)
