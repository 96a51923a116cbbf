"""The answers a network can give, as numbers, and how correct each is for a question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from askew.answers.normalise import clean, normalise
from askew.errors import DataError
from askew.metrics.accuracy import leave_one_out
from askew.types import Question

MOST_EACH = 10
"""The maximum number of different correct answers kept per question."""


@dataclass(frozen=True)
class Answers:
    """The answers a network can give, the most frequent first.

    >>> people = [Question(1, None, "?", ("yes", "yes", "no")), Question(2, None, "?", ("a dog", "a dog", "dog"))]
    >>> answers = Answers.of(people)
    >>> answers.known
    ('a dog', 'yes', 'no')
    >>> numbers, values = answers.encode(people)
    >>> numbers[0, :2].tolist(), [f"{value:.2f}" for value in values[0, :2]]
    ([1, 2], ['0.67', '0.33'])
    """

    known: tuple[str, ...]
    """As people write it most often; answers that normalise to the same are one."""

    @classmethod
    def of(cls, questions: Iterable[Question], least: int = 1, most: int | None = None) -> Answers:
        """The answers given at least ``least`` times to these questions, at most ``most`` of them."""
        written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for question in questions:
            for answer in question.answers:
                written[normalise(answer)][clean(answer)] += 1
        written.pop("", None)
        kept = [key for key, counts in written.items() if counts.total() >= least]
        if not kept:
            raise DataError(
                f"No answer was given {least} times: there is nothing to learn. Give more data, or least_answers=1."
            )
        kept.sort(key=lambda key: (-written[key].total(), key))
        return cls(tuple(min(written[key], key=lambda text: (-written[key][text], text)) for key in kept[:most]))

    def __len__(self) -> int:
        return len(self.known)

    def encode(self, questions: Sequence[Question]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """For each question up to ten answers (their numbers) and the VQA accuracy of each; number A means no answer.

        The accuracy is the leave-one-out accuracy of the official evaluator, always normalised.
        """
        numbers = np.full((len(questions), MOST_EACH), len(self), np.int64)
        values = np.zeros((len(questions), MOST_EACH), np.float32)
        for row, question in enumerate(questions):
            counts = Counter(map(normalise, question.answers))
            found = [(self._numbers[key], n) for key, n in counts.most_common() if key in self._numbers]
            for column, (number, matching) in enumerate(found[:MOST_EACH]):
                numbers[row, column] = number
                values[row, column] = leave_one_out(matching, len(question.answers))
        return numbers, values

    def find(self, answer: str) -> int | None:
        """The number of an answer, however it is written; None when it is not known."""
        return self._numbers.get(normalise(answer))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {normalise(answer): number for number, answer in enumerate(self.known)}
