"""A wrong answer written on the image: does the model read it instead of looking?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.files.images import Encoding, check_encoding
from askew.metrics.correct import Correct, check_correct
from askew.perturb.vary_dataset import vary_all
from askew.perturb.visual.overlay import FORMS, Overlay
from askew.perturb.wrong_answers import fit_answers
from askew.suites.suite_parts import IMAGES_SENT, check_seen, claim_scores
from askew.types import Column, Group, Mode, Refusal, Table
from askew.verbs import BuildsByExecutor, Dataset, Executor, Metric


@dataclass(frozen=True)
class OverlaySuite(BuildsByExecutor):
    """A wrong answer written on each image, small and large, at the top and below; an unrelated word as the control."""

    encoding: Encoding = "jpeg"
    """How labelled images are written; ``png`` is lossless and larger."""

    accuracy: Mode = "official"
    """How answers are compared with people's."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "overlay"
    title: ClassVar[str] = "Wrong answers written on images"
    paper: ClassVar[str] = "After Goh, Cammarata, Voss et al.: Multimodal Neurons in Artificial Neural Networks. 2021"
    tests: ClassVar[Sequence[str]] = tuple(FORMS)
    headline: ClassVar[tuple[str, str]] = (
        "noise.loss.1",
        "it loses {value} of accuracy when a wrong answer is written on the image",
    )
    titles: ClassVar[Mapping[str, tuple[str, str]]] = {
        "accuracy.noise.1": ("Accuracy, wrong word", "questions about images with a wrong answer on them"),
        "noise.loss.1": ("Lost to words", "accuracy lost to a wrong answer on the image, in points"),
    }

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)
        check_encoding(self.encoding)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy without a label and with a wrong answer on it, and how often that becomes the answer."""
        return claim_scores(self.accuracy)

    @property
    def tables(self) -> Sequence[Table]:
        """What a wrong word costs beside an unrelated one, and by size and place."""
        whole = (
            Column("No word", "accuracy.original"),
            Column("Wrong answer", "accuracy.noise.1"),
            Column("Unrelated word", "accuracy.variant", "made_by=overlay/unrelated"),
            Column("Says the wrong answer anyway", "claim.before"),
            Column("Says it where it is written", "claim.after"),
        )
        each = (Column(test.capitalize(), "accuracy.noise.1", f"test={test}") for test in FORMS)
        return (
            Table("overlay", "What a word on the image does", whole),
            Table("overlay-each", "Accuracy with a wrong answer on the image", tuple(each)),
        )

    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """One pass over the data for its answers, a second for the questions."""
        check_seen(executor, data, self.name)
        perturbation = Overlay(fit_answers(data.questions()), self.encoding)
        return vary_all(perturbation, data.questions(), seed, self.name, chunk=IMAGES_SENT, executor=executor)
