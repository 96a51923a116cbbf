"""Questions and pairs as columns of numbers, from which a batch is cut without any work per question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import torch
from torch import Tensor

from askew.nets.types import Batch
from askew.train.answers import Answers
from askew.train.table import FeatureTable
from askew.train.words import Words
from askew.types import Expect, Group, Question


@dataclass(frozen=True)
class Encoding:
    """How questions become numbers."""

    words: Words
    answers: Answers
    table: FeatureTable

    def rows(self, questions: Sequence[Question]) -> Rows:
        """These questions as columns."""
        numbers, values = self.answers.encode(questions)
        return Rows(
            torch.from_numpy(self.words.encode([question.text for question in questions])),
            torch.from_numpy(self.table.find([question.image for question in questions])),
            torch.from_numpy(numbers),
            torch.from_numpy(values),
            self.table,
            len(self.answers),
        )

    def pairs(self, groups: Sequence[Group]) -> Pairs:
        """Each variant of these groups beside its original."""
        both = [(group.original, variant) for group in groups for variant in group.variants]
        tests: dict[str, list[int]] = {}
        for number, (_, variant) in enumerate(both):
            tests.setdefault(variant.test, []).append(number)
        expects = [variant.expect for _, variant in both]
        return Pairs(
            self.rows([original for original, _ in both]),
            self.rows([variant.question for _, variant in both]),
            tests,
            torch.tensor([expect in (Expect.SAME, Expect.NOISE) for expect in expects], dtype=torch.bool),
            torch.tensor([expect is Expect.DIFFERENT for expect in expects], dtype=torch.bool),
        )


@dataclass(frozen=True)
class Rows:
    """N questions."""

    tokens: Tensor
    """(N, L) int64."""
    images: Tensor
    """(N,) rows of the table."""
    numbers: Tensor
    """(N, 10): right answers."""
    values: Tensor
    """(N, 10): how right each is."""
    table: FeatureTable
    answers: int
    """How many answers there are in all."""

    def __len__(self) -> int:
        return len(self.images)

    def batch(self, which: Tensor) -> Batch:
        """These questions (B,), padded to the longest among them."""
        tokens = self.words(which)
        targets = torch.zeros(len(which), self.answers + 1)  # (B, A + 1): the last is no answer
        targets.scatter_(1, self.numbers.index_select(0, which), self.values.index_select(0, which))
        return Batch(tokens, *self.table.take(self.images.index_select(0, which)), targets[:, : self.answers])

    def words(self, which: Tensor) -> Tensor:
        """Only the words of these questions, (B, L)."""
        tokens = self.tokens.index_select(0, which)
        longest = int((tokens > 0).sum(dim=1).max()) if len(which) else 1
        return tokens[:, : max(1, longest)]


@dataclass(frozen=True)
class Pairs:
    """N originals, each with one variant."""

    originals: Rows
    variants: Rows
    tests: dict[str, list[int]]
    """Which pairs belong to which test."""
    same: Tensor
    """(N,) bool: the answer stays."""
    flips: Tensor
    """(N,) bool: yes becomes no, and no yes."""

    def __len__(self) -> int:
        return len(self.originals)

    def draw(self, tests: Sequence[str], size: int, rng: Random) -> Tensor:
        """So many pairs of these tests, by chance, with replacement."""
        pool = [number for test in tests for number in self.tests[test]] if len(tests) > 1 else self.tests[tests[0]]
        return torch.tensor(rng.choices(pool, k=size), dtype=torch.int64)


def content_of(parts: Sequence[Rows]) -> str:
    """What is in these rows, in 16 digits: words, pictures' places and answers."""
    whole = hashlib.sha256()
    for rows in parts:
        for column in (rows.tokens, rows.images, rows.numbers, rows.values):
            whole.update(column.numpy().tobytes())
    return whole.hexdigest()[:16]


def order(count: int, seed: int, epoch: int) -> Tensor:
    """The order of the questions in an epoch: decided by the seed and the epoch alone."""
    shuffled = np.random.Generator(np.random.PCG64([seed, epoch, count])).permutation(count)
    return torch.from_numpy(shuffled.astype(np.int64))
