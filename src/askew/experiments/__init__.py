"""Replications of a table of each paper with newly trained networks: each is one function and one command.

Here are the experiments by name, the plan of one (its size, seeds and folder), and its finding: the paper's table next
to our numbers, and whether its claims hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import fmean, stdev

import orjson

from askew.errors import BadOption, UnknownName, UsageError, need_extras
from askew.experiments.claims import LEAST_SEEDS, Claim, decided
from askew.files.limits import read_object
from askew.files.output_folders import note_output, refuse_foreign
from askew.files.read_write import replaced
from askew.report.table_formats import markdown
from askew.types import Column, Table

EXPERIMENTS: Mapping[str, str] = {
    "q3r": "does training to reason alike make networks consistent? (VQA P2, Tables 2–4)",
    "rad-regression": "does RAD predict how a model generalises? (RAD, Table 4)",
    "carets-augmentation": "do generated training questions help on CARETS? (CARETS, Table 5)",
    "adversarial-rounds": "does a robot get better by what people fooled it with? (Adversarial VQA, Tables 1 to 6)",
    "adapter-controls": "do adapters make a generator more robust, and is it the variants that do it?",
}
"""The experiments by name, with the question that each answers."""
TEST_SCENES = 3
"""The test split is that of a world this many times as large: testing is cheap, and pairs of some kinds are rare."""


def experiment(name: str) -> Callable[[ExperimentPlan], ExperimentFinding]:
    """The experiment of that name.

    >>> experiment("q4r")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    askew.errors.UnknownName: No experiment is called 'q4r'. Known: ...
    """
    if name not in EXPERIMENTS:
        raise UnknownName(f"No experiment is called {name!r}. Known: {', '.join(EXPERIMENTS)}.")
    more = {"adversarial-rounds": ("collect",), "adapter-controls": ("peft",)}.get(name, ())
    need_extras(f"The experiment {name}", "bundled", *more, "language", "train")
    found: Callable[[ExperimentPlan], ExperimentFinding] = import_module(
        f"askew.experiments.{name.replace('-', '_')}"
    ).run
    return found


@dataclass(frozen=True)
class ExperimentPlan:
    """The settings of every experiment, so that it can be tried small before it is run large."""

    output: Path
    scenes: int = 2000
    """Scenes of the world, over all splits: 70 % are for training, and 15 % each to choose the epoch and to test."""
    epochs: int = 5
    seeds: int = LEAST_SEEDS
    """How often each network is trained; with fewer than the default no claim is decided."""
    seed: int = 0
    """The world's seed and the first of the training seeds."""
    executor: str = "local"
    """The executor that trains networks, as many at a time as it has workers."""
    progress: bool = True

    def __post_init__(self) -> None:
        for name in ("scenes", "epochs", "seeds"):
            if getattr(self, name) < 1:
                raise BadOption(f"{name} is {getattr(self, name)}; at least 1 is needed.")

    def begin(self, name: str) -> bool:
        """Record what the folder is for; refuse one of another experiment, whose networks would be mistaken for ours.

        ``seeds`` and ``executor`` may differ: they add networks or change none. Returns whether it was begun before.
        """
        path = self.output / "plan.json"
        ours = {"experiment": name, "scenes": self.scenes, "epochs": self.epochs, "seed": self.seed}
        if path.is_file() and any((self.output / made).exists() for made in ("tests", "networks")):
            before = read_object(path, "Give another --output, or delete the folder.")
            other = [f"{key} {before.get(key)}, now {value}" for key, value in ours.items() if before.get(key) != value]
            if other:
                raise UsageError(f"{self.output} holds another experiment ({'; '.join(other)}). Give another --output.")
            return True
        if not path.is_file():
            refuse_foreign(self.output, "an experiment", "Give another folder as --output.")
        self.output.mkdir(parents=True, exist_ok=True)
        note_output(self.output, "an experiment", {})
        with replaced(path) as file:
            file.write(orjson.dumps(ours))
        return False

    def world(self, split: str) -> str:
        """A split of the experiment's world, as ``--data`` takes it; the test split is that of a larger one.

        A scene keeps its split in worlds of any size, so a test scene is never used for training. All splits have the
        same priors, as in the papers' data.
        """
        scenes = self.scenes * (TEST_SCENES if split == "test" else 1)
        return f"world:{split},scenes={scenes},seed={self.seed},priors=all"

    @property
    def settings(self) -> dict[str, int]:
        """What a finding says about how it was made."""
        return {"scenes": self.scenes, "epochs": self.epochs, "seeds": self.seeds, "first seed": self.seed}

    @property
    def training_seeds(self) -> range:
        """The seeds that networks are trained with."""
        return range(self.seed, self.seed + self.seeds)


@dataclass(frozen=True)
class PaperCell:
    """One number of ours over several seeds, and the paper's."""

    ours: tuple[float, ...]
    paper: float | None = None
    digits: int = 1

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return fmean(self.ours)

    def __str__(self) -> str:
        """Ours ± standard deviation over the seeds, and the paper's in brackets; — if a network has no such number.

        >>> print(PaperCell((60.0, 62.0), 64.5), PaperCell((0.25,), digits=3), PaperCell(()))
        61.0 ± 1.4 (64.5) 0.250 —
        """
        if not self.ours or any(value != value for value in self.ours):
            return "—" if self.paper is None else f"— ({self.paper:.{self.digits}f})"
        spread = f" ± {stdev(self.ours):.{self.digits}f}" if len(self.ours) > 1 else ""
        paper = "" if self.paper is None else f" ({self.paper:.{self.digits}f})"
        return f"{self.mean:.{self.digits}f}{spread}{paper}"


def paper_table(title: str, columns: Sequence[str], rows: Mapping[str, Sequence[PaperCell]]) -> Table:
    """A table in the paper's shape."""
    table = Table("", title, tuple(map(Column, columns)), "")
    for name, cells in rows.items():
        table.add(name, *map(str, cells))
    return table


@dataclass(frozen=True)
class ExperimentFinding:
    """The result of an experiment, as a page."""

    title: str
    paper: str
    method: str
    """What was done here, and where it departs from the paper."""
    tables: Sequence[Table]
    claims: Sequence[Claim]
    notes: Sequence[str] = ()
    """What a reader must know in addition to the numbers."""
    settings: Mapping[str, object] = field(default_factory=dict)

    def markdown(self, command: str, date: str, minutes: float, resumed: bool = False) -> str:
        """The page, with the command, the seed, the date, and the processor's minutes since it was begun or resumed."""
        parts = [
            f"# {self.title}",
            self.paper,
            self.method,
            "Each number is the mean over the training seeds ± the standard deviation; the paper's figure is in "
            "brackets. The data and the networks differ from the paper's, so compare directions, not levels.",
            *(markdown(table).rstrip() for table in self.tables),
            "## Do the findings hold here?",
            "In brackets: the difference, and its 95 % interval over training seeds and test images. Verdicts are "
            "corrected for the number of claims (Holm).",
            "\n".join(claim.markdown() for claim in decided(self.claims)),
            *(["## Notes", "\n".join(f"- {note}" for note in self.notes)] if self.notes else []),
            "## How to reproduce it",
            f"    {command}",
            f"{date}; {minutes:.0f} minutes of processor time{' since it was resumed' if resumed else ''}; "
            + "; ".join(f"{name} {value}" for name, value in self.settings.items())
            + ".",
        ]
        return "\n\n".join(parts) + "\n"
