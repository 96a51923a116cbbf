"""Train, val and test of the embedded world: whole scenes, never shared; and shifted answers, as in VQA-CP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import Literal, TypeAlias

Split: TypeAlias = Literal["train", "val", "test"]

SPLITS: tuple[Split, ...] = ("train", "val", "test")
_BLOCK: tuple[Split, ...] = ("train",) * 14 + ("val",) * 3 + ("test",) * 3
_RARE = 0.12
"""How often a question is kept whose answer the split has made rare."""
_SALT = "shift 4659"
"""Searched for: with it each half has about as many questions (yes and no, colors, numbers, left and right)."""


def split_of(seed: int, index: int) -> Split:
    """The split of a scene. Of every twenty scenes in a row fourteen are for training and three for each other split.

    A scene keeps its split however many scenes there are.

    >>> [[split_of(0, index) for index in range(20)].count(split) for split in SPLITS]
    [14, 3, 3]
    """
    block, place = divmod(index, len(_BLOCK))
    return _shuffled(seed, block)[place]


def indices(seed: int, scenes: int, split: str = "all") -> Iterator[int]:
    """The numbers of the scenes of a split, of so many scenes in all.

    >>> parts = [set(indices(0, 40, split)) for split in SPLITS]
    >>> set.union(*parts) == set(range(40)), [len(part) for part in parts]
    (True, [28, 6, 6])
    """
    return (index for index in range(scenes) if split in ("all", split_of(seed, index)))


@dataclass(frozen=True)
class Shift:
    """Answer priors that differ between training and test, kind by kind (the idea of VQA-CP, Agrawal et al. 2018).

    The answers of each kind of question fall into two halves, by a hash. One half is frequent in train and val and
    rare in test, the other the other way round, so that a prior learned in training misleads.
    """

    split: Split

    def keeps(self, kind: str, answer: str, chance: float) -> bool:
        """Whether a question of this kind with this answer is kept."""
        return favoured(kind, answer) == (self.split != "test") or chance < _RARE


@lru_cache(maxsize=1 << 12)
def favoured(kind: str, answer: str) -> bool:
    """Whether the answer is among those of its kind that training sees often.

    >>> favoured("exists", "yes") != favoured("exists", "no")
    True
    """
    if answer in ("yes", "no"):
        return _bit(kind) == (answer == "yes")
    return _bit(f"{kind}:{answer}")


def _bit(text: str) -> bool:
    return sha256(f"{_SALT}:{text}".encode()).digest()[0] % 2 == 0


@lru_cache(maxsize=1 << 12)
def _shuffled(seed: int, block: int) -> tuple[Split, ...]:
    splits = list(_BLOCK)
    Random(f"{seed}:split:{block}").shuffle(splits)
    return tuple(splits)
