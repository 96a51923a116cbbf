"""Train, val and test of the embedded world, which share no scene, and which questions are asked in each.

Scenes have priors: people mostly stand and cups are mostly full, so questions about that are mostly answered yes. Train
keeps these priors, for models to learn. In val and test, a yes/no question with the more probable answer is asked less
often, so that questions are answered yes as often as no, whatever their words. Answers can be shifted between train and
test, as in VQA-CP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import exp
from random import Random
from typing import ClassVar, Literal, TypeAlias

from askew.world.phrasing import Draft, Pick
from askew.world.world_data import read

Split: TypeAlias = Literal["train", "val", "test"]

SPLITS: tuple[Split, ...] = ("train", "val", "test")
_BLOCK: tuple[Split, ...] = ("train",) * 14 + ("val",) * 3 + ("test",) * 3
_RARE = 0.12
"""The probability of keeping a question whose answer is rare in the split."""
_SALT = "shift 4659"
"""Chosen so that both halves have about equally many questions (yes and no, colors, numbers, left and right)."""


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
    """How many questions of an answer type are drafted, at most, until one is kept."""

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


@dataclass(frozen=True)
class YesNoBalance:
    """Asks a yes/no question with the probability (1 - p) / p if p, the probability of its answer, is above a half.

    p is that of a logistic regression on the parts of a question (``parts``), learned by ``tools/make_yes_no_odds.py``
    from scenes that are in no split.
    """

    tries: ClassVar[int] = 6

    def keeps(self, kind: str, draft: Draft, chance: float) -> bool:
        """Whether this draft is asked."""
        if draft.answer not in ("yes", "no"):
            return True
        odds = read("yes_no_odds")
        toward_yes: float = sum(odds.get(part, 0.0) for part in parts(draft))
        return chance < exp(-toward_yes if draft.answer == "yes" else toward_yes)


def parts(draft: Draft) -> list[str]:
    """The parts of a draft, single and in pairs: its form, the things, their attributes and relations.

    >>> from askew.world.phrasing import Meaning
    >>> parts(Draft("attribute/state", Meaning("is", Pick("door"), "open/closed", ("open",)), "yes"))
    ['attribute/state', 'attribute/state open/closed', 'attribute/state door', 'attribute/state open/closed door', \
'door open', 'attribute/state open']
    """
    return list(dict.fromkeys(_parts(draft)))


def _parts(draft: Draft) -> Iterator[str]:
    key, meaning = draft.key, draft.meaning
    about = f"{key} {meaning.about}"
    yield key
    if meaning.about:
        yield about
    for role, pick in (("", meaning.subject), ("other ", meaning.other)):
        if pick:
            yield from _named(key, meaning.about, role, pick)
    for value in meaning.values:
        if meaning.subject:
            yield f"{meaning.subject.noun} {value}"
        yield f"{key} {value}"
    if meaning.subject and meaning.other:
        yield f"{meaning.subject.noun} {meaning.about} {meaning.other.noun}"


def _named(key: str, about: str, role: str, pick: Pick) -> Iterator[str]:
    """The noun of a phrase, and what distinguishes the thing from others."""
    yield f"{key} {role}{pick.noun}"
    if about:
        yield f"{key} {about} {role}{pick.noun}"
    for word in pick.words:
        yield f"{key} {role}that is {word}"
        yield f"{pick.noun} that is {word}"
    if pick.side:
        yield f"{key} {role}on a side"
    if pick.tie and pick.to:
        yield f"{key} {role}{pick.tie}"
        yield f"{key} {role}{pick.tie} {pick.to.noun}"
