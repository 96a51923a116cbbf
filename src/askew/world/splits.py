"""Train, val and test of the embedded world, which share no scene; and shifted answers, as in VQA-CP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import ClassVar, Literal, TypeAlias

from askew.world.phrasing import Draft

Split: TypeAlias = Literal["train", "val", "test"]

SPLITS: tuple[Split, ...] = ("train", "val", "test")
_BLOCK: tuple[Split, ...] = ("train",) * 14 + ("val",) * 3 + ("test",) * 3
_RARE = 0.12
"""The probability of keeping a question whose answer is rare in the split."""
_SALT = "shift 4659"
"""Chosen so that both halves have about as many questions (yes and no, colors, numbers, left and right)."""


def split_of(seed: int, index: int) -> Split:
    """The split of a scene. Of every 20 consecutive scenes, 14 are in train and 3 each in val and test.

    A scene has the same split however many scenes there are.

    >>> [[split_of(0, index) for index in range(20)].count(split) for split in SPLITS]
    [14, 3, 3]
    """
    block, place = divmod(index, len(_BLOCK))
    return _shuffled(seed, block)[place]


def indices(seed: int, scenes: int, split: str = "all") -> Iterator[int]:
    """The indices of the scenes of a split, given the number of scenes in all splits.

    >>> parts = [set(indices(0, 40, split)) for split in SPLITS]
    >>> set.union(*parts) == set(range(40)), [len(part) for part in parts]
    (True, [28, 6, 6])
    """
    return (index for index in range(scenes) if split in ("all", split_of(seed, index)))


@dataclass(frozen=True)
class Shift:
    """Answer priors that differ between train and test, by kind of question (the idea of VQA-CP, Agrawal et al. 2018).

    A hash divides the answers to each kind of question into two halves. One half is frequent in train and val and rare
    in test, the other vice versa, so that a prior learned in training misleads.
    """

    split: Split
    tries: ClassVar[int] = 1

    def keeps(self, kind: str, draft: Draft, chance: float) -> bool:
        """Whether a question of this kind with this answer is kept."""
        return favoured(kind, draft.answer) == (self.split != "test") or chance < _RARE


@lru_cache(maxsize=1 << 12)
def favoured(kind: str, answer: str) -> bool:
    """Whether the answer is in the half that is frequent in train and val.

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
