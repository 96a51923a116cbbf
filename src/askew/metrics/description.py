"""Descriptions of images: objects that are named and are not there, as AMBER's evaluator counts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from askew.answers.extract_phrase import known_nouns
from askew.errors import BadOption
from askew.metrics.bounds import Fillable
from askew.types import Outcome, Prediction, Row
from askew.verbs import Metric

Figure: TypeAlias = Literal["chair", "cover", "hal", "cog"]
_FIGURES: Mapping[str, tuple[str, str, str]] = {
    "chair": ("CHAIR", "caption hallucination", "of the objects named, those that are not there"),
    "cover": ("Cover", "", "of the objects that are there, those named"),
    "hal": ("Hal", "hallucination", "descriptions that name an object that is not there"),
    "cog": ("Cog", "cognition", "of the objects that people would expect and that are not there, those named"),
}
"""For each figure its title, what it stands for, and what it counts."""


@dataclass(frozen=True)
class Description(Metric):
    """CHAIR, Cover, Hal or Cog of AMBER's generative part (Wang et al. 2023), over all descriptions together.

    Only nouns that the tag ``objects`` explains count (``amber_generative.py``). A description of an image with two
    true objects, one of them named, and two expected ones, that also names one of these and a third object: CHAIR 2/3,
    Cover 1/2, Hal 1/1, Cog 1/2. The full reply counts, whatever answer was extracted from it.
    """

    figure: Figure = "chair"

    def __post_init__(self) -> None:
        if self.figure not in get_args(Figure):
            raise BadOption(f"Descriptions have no figure {self.figure!r}. Known: {', '.join(get_args(Figure))}.")

    @property
    def better(self) -> Literal[-1, 0, 1]:
        """Naming objects that are there is better, naming others is worse."""
        return 1 if self.figure == "cover" else -1

    @property
    def title(self) -> str:
        """As in the paper."""
        return _FIGURES[self.figure][0]

    @property
    def stands_for(self) -> str:
        """The paper's words."""
        return _FIGURES[self.figure][1]

    @property
    def sentence(self) -> str:
        """What it counts."""
        return _FIGURES[self.figure][2]

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(objects or descriptions that count, all of them)."""
        tags = dict(outcome.group.original.tags)
        words = _reply(outcome.original)
        if "objects" not in tags or (words is None and failed is None):
            return None
        of = {"chair": 1, "hal": 1, "cover": _count(tags["truth"]), "cog": _count(tags["hallu"])}
        if words is None:
            return float(failed or 0.0) * of[self.figure], float(of[self.figure])
        meanings = dict(word.partition("=")[::2] for word in tags["objects"].split("|"))
        said = [meanings[noun].split(",") for noun in known_nouns(words, meanings.keys())]
        wrong = sum("x" in meant for meant in said)
        if self.figure == "chair":
            return float(wrong), float(len(said))
        if self.figure == "hal":
            return float(wrong > 0), 1.0
        first = "t" if self.figure == "cover" else "h"
        return float(len({one for meant in said for one in meant if one.startswith(first)})), float(of[self.figure])

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """CHAIR can be anything if a description is missing, since it may name any number of objects."""
        if self.figure == "chair" and len(fillable.rows):
            return 0.0, 1.0
        sums = fillable.extremes(lambda columns: (columns[0], columns[1]))
        if sums is None:
            return float("nan"), float("nan")
        low, high = (float(self.combine(end)) for end in sums)
        return low, high


def _reply(prediction: Prediction) -> str | None:
    """The whole reply, also if it was taken for a refusal."""
    return prediction.answer if prediction.raw is None else prediction.raw


def _count(names: str) -> int:
    return len(names.split("|")) if names else 0
