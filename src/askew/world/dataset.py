"""The embedded world as a data set: made scene by scene when it is read, and kept in a cache folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from askew.errors import BadOption, DataError
from askew.files.paths import cache_folder
from askew.types import Question
from askew.world.scene_cache import SceneCache, generator
from askew.world.splits import indices

SMALLEST, LARGEST = 64, 2048
"""Images may have this many pixels on a side."""


@dataclass(frozen=True, repr=False)
class World:
    """Scenes with known answers: images, questions and ten simulated people's answers (see ``askew world``).

    ``scenes`` are counted over all splits: of 200 scenes 140 are for training and 30 each for val and test. Everything
    is made when first read and kept in ``$ASKEW_CACHE`` (or ``$XDG_CACHE_HOME``, or ``~/.cache``).
    """

    split: Literal["val", "train", "test", "all"] = "val"
    scenes: int = 200
    """How many scenes, over all splits."""
    seed: int = 0
    """Which world; worlds of different seeds share nothing."""
    size: int = 224
    """Width and height of the images."""
    shifted: bool = False
    """Other answers frequent in test than in train and val, kind by kind (the idea of VQA-CP)."""

    def __post_init__(self) -> None:
        if self.split not in ("val", "train", "test", "all"):
            raise BadOption(f"world: there is no split {self.split!r}. Splits are train, val, test and all.")
        if self.scenes < 1:
            raise BadOption(f"world: scenes is {self.scenes}; at least 1 is needed.")
        if not SMALLEST <= self.size <= LARGEST:
            raise BadOption(f"world: size is {self.size}; images have {SMALLEST} to {LARGEST} pixels on a side.")

    def __repr__(self) -> str:
        said = [(part.name, getattr(self, part.name)) for part in fields(self)]
        kept = [f"{name}={value!r}" for name, value in said if value != getattr(World, name)]
        return f"World({', '.join([*kept, f'generator={generator()!r}'])})"

    @property
    def name(self) -> str:
        """The split, e.g. ``world/val``."""
        return f"world/{self.split}{' (shifted)' if self.shifted else ''}"

    @property
    def skipped(self) -> Sequence[str]:
        """Nothing is ever left out."""
        return ()

    def fingerprint(self) -> str:
        """What is in it, in 16 digits."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]

    def questions(self) -> Iterator[Question]:
        """The questions, scene by scene, each with its image and its scene."""
        wanted = list(indices(self.seed, self.scenes, self.split))
        if not wanted:
            raise DataError(
                f"{self.name}: with scenes={self.scenes} no scene is in {self.split}. Of every twenty scenes fourteen "
                "are in train and three each in val and test: give more of them, or take world:all."
            )
        cache = SceneCache(str(self._folder()), self.seed, self.size, self.shifted)
        for index in wanted:
            for kept in cache.take(index):
                yield kept.question

    def _folder(self) -> Path:
        return cache_folder() / "world" / generator() / f"seed-{self.seed}-size-{self.size}"
