"""What an adapter learns from in each step: questions, and pairs of an original with a variant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random
from typing import TypeAlias

from torch import Tensor

from askew.answers.normalise import clean, modal_answer, normalise
from askew.errors import DataError
from askew.suites.suite_parts import listed
from askew.train.batches import order
from askew.train.losses import Augment, Consistency
from askew.types import Expect, Group, Question

PairLoss: TypeAlias = Consistency | Augment
"""The losses on pairs that adapters are trained with."""
YES_NO = {"yes", "no"}


@dataclass(frozen=True)
class Pair:
    """An original question with one of its variants."""

    original: Question
    variant: Question
    test: str
    same: bool
    """The answer stays."""
    flips: bool
    """Yes becomes no, or no yes."""


def pairs_of(groups: Sequence[Group]) -> list[Pair]:
    """Every pair of these groups whose variant has answers."""
    return [
        Pair(
            group.original,
            variant.question,
            variant.test,
            variant.expect in (Expect.SAME, Expect.NOISE),
            variant.expect is Expect.DIFFERENT and {answer_to(group.original), answer_to(variant.question)} == YES_NO,
        )
        for group in groups
        for variant in group.variants
        if variant.question.answers and group.original.answers
    ]


def answer_to(question: Question) -> str:
    """The answer that a model should write: the one most people gave, as most wrote it.

    >>> answer_to(Question(1, None, "Is it?", ("Yes", "yes.", "no"))), answer_to(Question(1, None, "?", ("a Dog",)))
    ('yes', 'a Dog')
    """
    key = modal_answer(question.answers, normalise)
    if key in YES_NO:
        return key
    return modal_answer([clean(answer) for answer in question.answers if normalise(answer) == key], str)


@dataclass(frozen=True)
class TrainingExample:
    """A question to learn, with the pairs that are learnt in the same step."""

    question: Question
    weight: float = 1.0
    pairs: tuple[tuple[PairLoss, Pair], ...] = ()


@dataclass(frozen=True)
class Schedule:
    """The examples of a whole training in order: a function of the seed and the place alone, so it can be resumed.

    At each place a loss gets a pair with its ``rate``: as many pairs as a network gets (:mod:`askew.train.losses`),
    mixed with the questions instead of in batches of their own.
    """

    questions: Sequence[Question]
    weights: Sequence[float]
    losses: Sequence[tuple[PairLoss, Sequence[Pair]]]
    seed: int
    length: int

    def __post_init__(self) -> None:
        for loss, pairs in self.losses:
            known = list(dict.fromkeys(pair.test for pair in pairs))
            missing = [test for test in listed(loss.types) if test not in known]
            if missing or not pairs:
                raise DataError(
                    f"{loss!r}: the groups have no pairs of test {missing[0]!r}. Tests with pairs: {', '.join(known)}."
                    if missing
                    else f"{loss!r}: not a single pair could be built from the training data. Give other groups, or "
                    "omit it."
                )

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, place: int) -> TrainingExample:
        epoch, within = divmod(place, len(self.questions))
        number = int(self._order(epoch)[within])
        return TrainingExample(self.questions[number], self.weights[number], tuple(self._pairs(place)))

    def _pairs(self, place: int) -> Iterator[tuple[PairLoss, Pair]]:
        for number, (loss, _) in enumerate(self.losses):
            rng = Random(f"{self.seed}:{place}:pair:{number}")
            if rng.random() < loss.rate:
                by_test = self._by_test[number]
                tests = listed(loss.types) or list(by_test)
                mixed = isinstance(loss, Augment) and loss.mixed
                pool = [pair for test in tests for pair in by_test[test]] if mixed else by_test[rng.choice(tests)]
                yield loss, rng.choice(pool)

    @cached_property
    def _by_test(self) -> list[Mapping[str, Sequence[Pair]]]:
        found: list[Mapping[str, Sequence[Pair]]] = []
        for _, pairs in self.losses:
            tests: defaultdict[str, list[Pair]] = defaultdict(list)
            for pair in pairs:
                tests[pair.test].append(pair)
            found.append(tests)
        return found

    def _order(self, epoch: int) -> Tensor:
        return _order(len(self.questions), self.seed, epoch)


_order = lru_cache(maxsize=4)(order)
