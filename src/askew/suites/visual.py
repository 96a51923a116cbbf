"""Visual suites: questions about images with hidden backgrounds, about degraded and about slightly changed images.

``visual`` is the VISUAL-INV test of CARETS for any questions whose scenes have boxes. ``corruption`` and ``shift`` are
extensions, not from VQA papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from askew.errors import BadOption
from askew.files.images import Encoding
from askew.metrics.accuracy import Worst
from askew.metrics.consistency import SelfConsistency
from askew.metrics.correct import Correct, check_correct
from askew.metrics.noise import CorruptionError, NoiseAccuracy
from askew.metrics.prompt_spread import AnyChange
from askew.perturb.vary_dataset import vary_all
from askew.perturb.visual import ALL_KINDS, CHANGES, KINDS, SHIFTS, TEST, Corruption, Shifts, Visual, channel_mean
from askew.perturb.visual.corruptions import SEVERITIES
from askew.perturb.visual.hide_background import change_title
from askew.perturb.visual.shifts import parsed
from askew.suites.suite_parts import IMAGES_SENT, before_after, carets_scores, check_seen, listed
from askew.types import Column, Group, Mode, Refusal, Table
from askew.verbs import BuildsByExecutor, Dataset, Executor, Metric


@dataclass(frozen=True)
class VisualSuite(BuildsByExecutor):
    """Questions about images whose irrelevant parts are blurred, masked or cropped."""

    changes: str = ",".join(CHANGES)
    """Which ones, separated by commas: ``visual:blur-9,mask``."""
    unnamed: Literal["refuse", "random"] = "refuse"
    """If a question mentions nothing with a box: leave it out, or keep one or two randomly drawn boxes."""
    encoding: Encoding = "jpeg"
    """How changed images are written; ``png`` is lossless and four times as large."""
    images: str = "all"
    """Which images of a question about several: ``all``, ``each`` (a variant for each), or a number from 1."""

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
    headline: ClassVar[tuple[str, str]] = (
        "carets.cacc",
        "it answers only {value} of the pairs correctly both with and without the background",
    )

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)
        Visual(self._changes, encoding=self.encoding, unnamed=self.unnamed, images=self.images)

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

    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """One pass over the images for their mean colour, if it is needed, and one over the questions."""
        check_seen(executor, data, self.name)
        images = (image for question in data.questions() for image in question.images)
        fill = channel_mean(images if "mask" in self._changes else ())
        visual = Visual(self._changes, fill, self.encoding, self.unnamed, self.images)
        return vary_all(visual, data.questions(), seed, self.name, chunk=IMAGES_SENT, executor=executor)

    @property
    def _changes(self) -> tuple[str, ...]:
        return listed(self.changes)

    def _each(self, metric: str) -> tuple[Column, ...]:
        return tuple(
            Column(change_title(change).capitalize(), metric, f"made_by=visual/{change}") for change in self._changes
        )


@dataclass(frozen=True)
class CorruptionSuite(BuildsByExecutor):
    """Common corruptions of the image in five severities (an extension, after ImageNet-C)."""

    corruptions: str = ",".join(KINDS)
    """Which ones, separated by commas: ``corruption:noise,fog``; ``all``: all twelve."""
    severities: str = ",".join(map(str, SEVERITIES))
    """Which severities, from 1 (slight) to 5 (severe); each is a separate request."""
    encoding: Encoding = "jpeg"
    """How corrupted images are written; ``png`` is lossless and larger."""
    images: str = "all"
    """Which images of a question about several: ``all``, ``each`` (a variant for each), or a number from 1."""

    accuracy: Mode = "official"
    """How answers are compared with people's."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "corruption"
    title: ClassVar[str] = "Corrupted images (an extension)"
    paper: ClassVar[str] = (
        "After Hendrycks, Dietterich: Benchmarking Neural Network Robustness to Common Corruptions and Perturbations. "
        "ICLR 2019"
    )
    headline: ClassVar[tuple[str, str]] = (
        "accuracy.variant",
        "it answers only {value} correctly when the image is corrupted",
    )

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)
        self._perturbation()

    @property
    def tests(self) -> Sequence[str]:
        """The corruptions."""
        return self._perturbation().kinds

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy on clean and on corrupted images and at each severity, consistency, and the worst case."""
        levels = (0, *self._perturbation().severities)
        return {
            **before_after(self.accuracy),
            "carets.cons": SelfConsistency(),
            "worst": Worst(self.accuracy, original=True),
            "mce": CorruptionError(mode=self.accuracy),
            "mce.relative": CorruptionError(True, self.accuracy),
            **{f"accuracy.noise.{level}": NoiseAccuracy(level, self.accuracy) for level in levels},
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Accuracy by severity, overall and for each corruption, and the loss for each corruption."""
        clean = Column("Clean", "accuracy.original")
        measures = (("", "accuracy.variant"), (" Δ", "accuracy.gap"))
        by_kind = (
            Column(f"{test.capitalize()}{label}", metric, f"test={test}")
            for test in self.tests
            for label, metric in measures
        )
        everything = (Column("All", "accuracy.variant"), Column("All Δ", "accuracy.gap"))
        return (
            Table("corruption-severity", "Accuracy by severity", self._by_severity("")),
            Table(
                "corruption-mce",
                "Mean corruption error",
                (Column("mCE", "mce"), Column("Relative mCE", "mce.relative")),
            ),
            Table("corruption-kind", "Accuracy and its loss, by corruption", (clean, *by_kind, *everything)),
            *(
                Table(
                    f"corruption-{test}",
                    f"{test.capitalize()}: accuracy by severity",
                    self._by_severity(f"test={test}"),
                )
                for test in self.tests
            ),
        )

    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """The questions that have an image, each with all corrupted images."""
        check_seen(executor, data, self.name)
        perturbation = self._perturbation()
        return vary_all(perturbation, data.questions(), seed, self.name, chunk=IMAGES_SENT, executor=executor)

    def _by_severity(self, part: str) -> tuple[Column, ...]:
        levels = self._perturbation().severities
        graded = (Column(f"Severity {level}", f"accuracy.noise.{level}", part) for level in levels)
        return (Column("Clean", "accuracy.original", part), *graded)

    def _perturbation(self) -> Corruption:
        kinds = ALL_KINDS if self.corruptions == "all" else listed(self.corruptions)
        levels = listed(self.severities)
        wrong = [level for level in levels if not level.isdecimal()]
        if wrong:
            raise BadOption(f"corruption: a severity is {wrong[0]!r}. Give some of 1,2,3,4,5.")
        return Corruption(kinds, tuple(sorted(set(map(int, levels)))), self.encoding, self.images)


@dataclass(frozen=True)
class ShiftSuite(BuildsByExecutor):
    """Images shifted, padded, resampled, recompressed, rotated, mirrored or cropped a little; the answer stays."""

    changes: str = ",".join(SHIFTS)
    """Which ones, separated by commas: ``shift:shift-4,flip``; other amounts too, such as ``rotate-3``."""
    encoding: Encoding = "png"
    """How changed images are written; ``jpeg`` is smaller and adds its own slight change."""
    images: str = "all"
    """Which images of a question about several: ``all``, ``each`` (a variant for each), or a number from 1."""

    accuracy: Mode = "official"
    """How answers are compared with people's."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "shift"
    title: ClassVar[str] = "Slightly changed images (an extension)"
    paper: ClassVar[str] = (
        "After Azulay, Weiss: Why do deep convolutional networks generalize so poorly to small image transformations? "
        "JMLR 2019"
    )
    headline: ClassVar[tuple[str, str]] = (
        "carets.cons",
        "it says the same about only {value} of the images that were changed slightly",
    )

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)
        self._perturbation()

    @property
    def tests(self) -> Sequence[str]:
        """The kinds of changes."""
        return tuple(dict.fromkeys(parsed(change)[0] for change in listed(self.changes)))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Consistency, accuracy before and after, and how many questions get another answer at least once."""
        return {**before_after(self.accuracy), "carets.cons": SelfConsistency(), "any-change": AnyChange()}

    @property
    def tables(self) -> Sequence[Table]:
        """The share of equal answers for each change, and accuracy."""
        whole = (Column("Original", "accuracy.original"), Column("Changed", "accuracy.variant"))
        each = (Column(change, "carets.cons", f"made_by=shift/{change}") for change in listed(self.changes))
        return (
            Table("shift", "Accuracy", (*whole, Column("Another answer at least once", "any-change"))),
            Table("shift-cons", "Self-consistency", (Column("All", "carets.cons"), *each)),
        )

    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """The questions that have an image, each with all changes that cannot change the answer."""
        check_seen(executor, data, self.name)
        return vary_all(self._perturbation(), data.questions(), seed, self.name, chunk=IMAGES_SENT, executor=executor)

    def _perturbation(self) -> Shifts:
        return Shifts(listed(self.changes), self.encoding, self.images)
