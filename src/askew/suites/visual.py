"""The VISUAL-INV test of CARETS for any questions whose scenes have boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from askew.files.images import Encoding
from askew.metrics.correct import Correct, check_correct
from askew.perturb.vary import vary_all
from askew.perturb.visual import CHANGES, TEST, Visual, channel_mean
from askew.perturb.visual.hide_background import change_title
from askew.suites.shared import before_after, carets_scores, listed
from askew.types import Column, Group, Mode, Refusal, Table
from askew.verbs import Dataset, Metric


@dataclass(frozen=True)
class VisualSuite:
    """Questions about images whose irrelevant parts are blurred, masked or cropped."""

    changes: str = ",".join(CHANGES)
    """Which ones, separated by commas: ``visual:blur-9,mask``."""
    unnamed: Literal["refuse", "random"] = "refuse"
    """If a question mentions nothing with a box: leave it out, or keep one or two randomly drawn boxes."""
    encoding: Encoding = "jpeg"
    """How changed images are written; ``png`` is lossless and four times as large."""

    accuracy: Mode = "official"
    """How answers are compared with people's."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "visual"
    title: ClassVar[str] = "Background hidden (VISUAL-INV)"
    paper: ClassVar[str] = (
        "Jimenez, Russakovsky, Narasimhan: CARETS: A Consistency And Robustness Evaluative Test Suite for VQA. ACL 2022"
    )
    tests: ClassVar[Sequence[str]] = (TEST,)

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)
        Visual(self._changes, encoding=self.encoding, unnamed=self.unnamed)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """ACC, CONS and C-ACC, and accuracy on both sides."""
        return {
            **before_after(self.accuracy),
            **carets_scores(self.correct, self.accuracy),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Accuracy and self-consistency for each change."""
        return (
            Table(
                "visual-accuracy",
                "Accuracy",
                (Column("Original", "accuracy.original"), *self._each("accuracy.variant")),
            ),
            Table("visual-cons", "Self-consistency", (Column("All", "carets.cons"), *self._each("carets.cons"))),
        )

    @property
    def headline(self) -> tuple[str, str]:
        """C-ACC."""
        return "carets.cacc", "it answers only {value} of the pairs correctly both with and without the background"

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """One pass over the images for their mean colour, if it is needed, and one over the questions."""
        images = (question.image for question in data.questions() if question.image)
        fill = channel_mean(images if "mask" in self._changes else ())
        visual = Visual(self._changes, fill, self.encoding, self.unnamed)
        return vary_all(visual, data.questions(), seed, self.name)

    @property
    def _changes(self) -> tuple[str, ...]:
        return listed(self.changes)

    def _each(self, metric: str) -> tuple[Column, ...]:
        return tuple(
            Column(change_title(change).capitalize(), metric, f"made_by=visual/{change}") for change in self._changes
        )
