"""The size, seeds and folder of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import orjson

from askew.errors import BadOption, UsageError
from askew.files.limits import read_object
from askew.files.output_folders import refuse_foreign
from askew.files.read_write import replaced

TEST_SCENES = 3
"""The test split is of a world so many times as large: testing is cheap, and pairs of some kinds are rare."""


@dataclass(frozen=True)
class ExperimentPlan:
    """The settings of every experiment, so that it can be tried small before it is run large."""

    output: Path
    scenes: int = 2000
    """Scenes of the world, over all splits: 70 % are for training, and 15 % each to choose the epoch and to test."""
    epochs: int = 5
    seeds: int = 3
    """How often each network is trained; spreads are over these."""
    seed: int = 0
    """The world's seed and the first of the training seeds."""
    workers: int = 1
    """Networks trained at a time."""
    progress: bool = True

    def __post_init__(self) -> None:
        for name in ("scenes", "epochs", "seeds", "workers"):
            if getattr(self, name) < 1:
                raise BadOption(f"{name} is {getattr(self, name)}; at least 1 is needed.")

    def begin(self, name: str) -> None:
        """Record what the folder is for; refuse one of another experiment, whose networks would be mistaken for ours.

        ``seeds`` and ``workers`` may differ: they add networks or change none.
        """
        path = self.output / "plan.json"
        ours = {"experiment": name, "scenes": self.scenes, "epochs": self.epochs, "seed": self.seed}
        if path.is_file() and any((self.output / made).exists() for made in ("tests", "networks")):
            before = read_object(path, "Give another --output, or delete the folder.")
            other = [f"{key} {before.get(key)}, now {value}" for key, value in ours.items() if before.get(key) != value]
            if other:
                raise UsageError(f"{self.output} holds another experiment ({'; '.join(other)}). Give another --output.")
            return
        if not path.is_file():
            refuse_foreign(self.output, "an experiment", "Give another folder as --output.")
        self.output.mkdir(parents=True, exist_ok=True)
        with replaced(path) as file:
            file.write(orjson.dumps(ours))

    def world(self, split: str) -> str:
        """A split of the experiment's world, as ``--data`` takes it; the test split is that of a larger one.

        A scene keeps its split in worlds of any size, so a test scene is never used for training.
        """
        scenes = self.scenes * (TEST_SCENES if split == "test" else 1)
        return f"world:{split},scenes={scenes},seed={self.seed}"

    @property
    def training_seeds(self) -> range:
        """The seeds that networks are trained with."""
        return range(self.seed, self.seed + self.seeds)
