"""The mean accuracy over parts of the data, and how often an answer is the one that a tag names; the score of MME."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from askew.answers.normalise import normalise
from askew.errors import BadOption
from askew.metrics.accuracy import ModeMetric, check_mode, soft
from askew.metrics.correct import Correct, check_correct, judged, members
from askew.significance import ratio
from askew.types import Mode, Outcome, Row
from askew.verbs import Metric


@dataclass(frozen=True)
class PartMean(ModeMetric):
    """The mean over halves of the mean accuracy of their parts, however many questions each has.

    CV-Bench (Tong et al. 2024) is ``tag=source,of=ADE20K+COCO|Omni3D``: the mean of its two 2D sources, and of that
    and the 3D source. With accuracies 1, 1/2 and 1/4 it is ((1 + 1/2) / 2 + 1/4) / 2 = 1/2. nan if a part is missing.
    """

    tag: str = "source"
    of: str = "ADE20K+COCO|Omni3D"
    mode: Mode = "official"

    @property
    def _names(self) -> list[str]:
        return self.of.replace("|", "+").split("+")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """For each part: (sum of accuracies, how many)."""
        part = dict(outcome.group.original.tags).get(self.tag)
        value = soft(outcome.group.original, outcome.original, failed, self.mode)
        if value is None or part not in self._names:
            return None
        row = np.zeros((len(self._names), 2))
        row[self._names.index(part)] = value, 1.0
        return tuple(row.ravel())

    def combine(self, sums: Any) -> Any:
        """The mean of the means."""
        found = np.asarray(sums, dtype=float)
        accuracy = {name: ratio(found[2 * at], found[2 * at + 1]) for at, name in enumerate(self._names)}
        halves = [half.split("+") for half in self.of.split("|")]
        return sum(sum(accuracy[name] for name in half) / len(half) for half in halves) / len(halves)


@dataclass(frozen=True)
class TaggedAnswer(Metric):
    """Share of answers that are what a tag of the question says: the bias rate of VLMs Are Biased (Vo et al. 2025)."""

    better: ClassVar[Literal[-1]] = -1
    title: ClassVar[str] = "Bias"
    sentence: ClassVar[str] = "answers that are the expected wrong one"

    tag: str = "expected_bias"

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(answers that are it, answers)."""
        expected = dict(outcome.group.original.tags).get(self.tag)
        said = outcome.original.answer
        if expected is None or (said is None and failed is None):
            return None
        return float(failed or 0.0) if said is None else float(normalise(said) == normalise(expected)), 1.0


ABILITIES: Mapping[str, tuple[str, ...]] = {
    "perception": (
        *("existence", "count", "position", "color", "posters", "celebrity", "scene", "landmark", "artwork", "OCR"),
    ),
    "cognition": ("commonsense_reasoning", "numerical_calculation", "text_translation", "code_reasoning"),
}
"""The categories of MME by what they test."""
CATEGORIES = tuple(category for categories in ABILITIES.values() for category in categories)


@dataclass(frozen=True)
class MmeScore(Metric):
    """MME's score of a category, or the sum over those of ``perception`` or ``cognition`` (Fu et al. 2023).

    A group is the two questions about an image. The score of a category is 100 × (share of correct answers + share of
    images with both answers correct), at most 200: with one image of two fully correct and one question of the other,
    100 × (3/4 + 1/2) = 125. A group with a missing answer is left out.
    """

    share: ClassVar[bool] = False
    unit: ClassVar[Literal[""]] = ""
    digits: ClassVar[int] = 1

    of: str = "perception"
    correct: Correct = "modal"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        check_correct(self.correct, self.mode)
        if self.of not in (*ABILITIES, *CATEGORIES):
            raise BadOption(f"MME has no category {self.of!r}. Known: {', '.join((*ABILITIES, *CATEGORIES))}.")

    @property
    def title(self) -> str:
        """The category, or the ability."""
        return self.of.replace("_", " ").capitalize() if self.of.islower() else self.of

    @property
    def sentence(self) -> str:
        """The largest score."""
        return f"accuracy plus images with both answers correct, of {200 * len(self._categories)}"

    @property
    def _categories(self) -> tuple[str, ...]:
        return ABILITIES.get(self.of, (self.of,))

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """For each category: (correct answers, answers, images with both correct, images)."""
        category = outcome.group.original.kind.question_type
        found = [judged(question, said, failed, self.correct, self.mode) for question, said in members(outcome)]
        known = [value for value in found if value is not None]
        if category not in self._categories or len(known) < len(found):
            return None
        row = np.zeros((len(self._categories), 4))
        row[self._categories.index(category)] = sum(known), len(known), min(known), 1.0
        return tuple(row.ravel())

    def combine(self, sums: Any) -> Any:
        """The sum over the categories that there are."""
        parts = np.asarray(sums, dtype=float).reshape(len(self._categories), 4, -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = 100 * (ratio(parts[:, 0], parts[:, 1]) + ratio(parts[:, 2], parts[:, 3]))
        there = (parts[:, 1] > 0).any(axis=0)
        total = np.where(there, np.nansum(scores, axis=0), np.nan)
        return total if np.ndim(sums) > 1 else total[0]
