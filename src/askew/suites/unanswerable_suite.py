"""Questions beside twins that cannot be answered: does the model say so, and only then?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from askew.metrics.consistency import AbstainRate, ComprehensiveAccuracy
from askew.metrics.correct import Correct, check_correct
from askew.perturb.unanswerable import IMAGE, OPTION, fit_images, tagged, told
from askew.perturb.vary_dataset import vary_all
from askew.suites.suite_parts import before_after
from askew.types import Column, Group, Mode, Refusal, Table
from askew.verbs import Dataset, Metric


@dataclass(frozen=True)
class UnanswerableSuite:
    """Questions without their correct option, or with the image of another question; the model should abstain."""

    instruction: bool = False
    """Tell the model, in both twins, to say *unanswerable* where it is so."""

    accuracy: Mode = "robust"
    """How answers are compared. An unanswerable twin has one reference, so ``official`` would ask for its form."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "unanswerable"
    title: ClassVar[str] = "Unanswerable twins"
    paper: ClassVar[str] = (
        "After Miyai, Yang, Zhang et al.: Unsolvable Problem Detection: Evaluating Trustworthiness of Vision Language "
        "Models. 2024; Ray, Christie, Bansal, Batra, Parikh: Question Relevance in VQA. EMNLP 2016"
    )
    tests: ClassVar[Sequence[str]] = (OPTION, IMAGE)
    headline: ClassVar[tuple[str, str]] = (
        "dual",
        "it gets only {value} of the questions right together with their unanswerable twins",
    )
    titles: ClassVar[Mapping[str, tuple[str, str]]] = {
        "dual": ("Dual", "pairs: a correct answer to the question, and none to its unanswerable twin"),
    }

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy on both twins, both together, and how often the model abstains on each."""
        return {
            **before_after(self.accuracy),
            "dual": ComprehensiveAccuracy(self.correct, self.accuracy),
            "abstains.original": AbstainRate("original"),
            "abstains.variant": AbstainRate("variant"),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Accuracy on both twins, as in unsolvable problem detection."""
        columns = (
            Column("Answerable", "accuracy.original"),
            Column("Unanswerable", "accuracy.variant"),
            Column("Dual", "dual"),
            Column("Abstains though answerable", "abstains.original"),
        )
        each = (Column(test.capitalize(), "dual", f"test={test}") for test in self.tests)
        return (
            Table("unanswerable", "Answerable questions and their unanswerable twins", columns),
            Table("unanswerable-each", "Dual accuracy by how the twin was made", tuple(each)),
        )

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """One pass over the data for what its images show, a second for the questions."""
        perturbation = fit_images(data.questions(), self.instruction)
        for made in vary_all(perturbation, data.questions(), seed, self.name):
            if isinstance(made, Group):
                original = replace(made.original, tags=tagged(made.original, "yes"))
                made = replace(made, original=told(original, self.instruction))
            yield made
