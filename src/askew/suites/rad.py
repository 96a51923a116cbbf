"""RAD: robustness to counterfactually augmented data (Rosenberg et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.language.tagger import Tagger
from askew.metrics.accuracy import Worst
from askew.metrics.correct import Correct, check_correct
from askew.perturb.rad import Balance, RadPerturbation, fit
from askew.perturb.vary_dataset import vary_all
from askew.suites.suite_parts import Originals, check_originals, published, rad_scores
from askew.types import Column, Group, Mode, Refusal, Table
from askew.verbs import BuildsByExecutor, Dataset, Executor, Metric

TESTS = ("Y/N←C", "Y/N←HM", "Y/N←WK")


@dataclass(frozen=True)
class RadSuite(BuildsByExecutor):
    """Questions about colour, number and kind asked again as yes/no questions with known answers."""

    yes: float = 0.5
    """The probability that the answer to a new question is yes."""
    agreement: float = 0.3
    """The minimum share of people who gave the answer."""
    extensions: bool = False
    """Also "What color are the ⟨S⟩?", which the paper does not use."""
    exactly: bool = False
    """Ask for numbers with "exactly": "Are there exactly two dogs?"."""
    balance: Balance = "text"
    """``text``: each answer is wrong as often as it is correct; ``paper``: wrong ones are drawn by their frequency."""
    originals: Originals = "covered"
    """``all``: also ask the questions that no template covers, for the accuracy over all of the data (Table 2)."""

    accuracy: Mode = "official"
    """How answers are compared with people's."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "rad"
    english: ClassVar[bool] = True
    title: ClassVar[str] = "Counterfactual yes/no questions (RAD)"
    paper: ClassVar[str] = (
        "Rosenberg, Gat, Feder, Reichart: Are VQA Systems RAD? Measuring Robustness to Augmented Data with Focused "
        "Interventions. ACL 2021"
    )
    tests: ClassVar[Sequence[str]] = TESTS
    headline: ClassVar[tuple[str, str]] = (
        "rad.forward",
        "of those it answers only {value} correctly when asked as yes/no",
    )

    def __post_init__(self) -> None:
        check_originals(self.name, self.originals)
        check_correct(self.correct, self.accuracy)
        RadPerturbation(self.yes, self.agreement, self.extensions, self.exactly, self.balance)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """RAD both ways, and accuracy on both sides."""
        return {**rad_scores(self.correct, self.accuracy), "worst": Worst(self.accuracy, original=True)}

    @property
    def tables(self) -> Sequence[Table]:
        """Tables 2, 3 and 5 of the paper, for its own three augmentations.

        Accuracy on and number of all questions of the data are columns if all of it is asked.
        """
        figures = published("rad")
        rad, counts = figures["rad"], figures["counts"]
        whole: tuple[Column, ...] = (Column("Acc.", "accuracy.all"),)
        count: tuple[Column, ...] = (Column("Count", "accuracy.all", show="n"),)
        if self.originals != "all":
            whole = count = ()
            rad, counts = ({name: row[:-1] for name, row in rows.items()} for rows in (rad, counts))
        return (
            Table("rad-2", "RAD(D, D′) (Table 2)", (*_each("rad.forward"), *whole), published=rad),
            Table("rad-2b", "RAD(D′, D), the backward view", _each("rad.backward")),
            Table("rad-3", "Accuracy(D) (Table 3)", _each("accuracy.original"), published=figures["accuracy"]),
            Table(
                "rad-5",
                "Number of questions (Table 5)",
                (*_each("accuracy.variant", "n"), *count),
                rows="data",
                published=counts,
            ),
        )

    @property
    def notes(self) -> Sequence[str]:
        """The version of the tagger."""
        return (f"tagger {Tagger().signature}",)

    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """One pass over the data to collect the answers to draw from, a second for the questions."""
        perturbation = fit(data.questions(), self.yes, self.agreement, self.extensions, self.exactly, self.balance)
        return vary_all(perturbation, data.questions(), seed, self.name, self.originals, executor=executor)


def _each(metric: str, show: str = "value") -> tuple[Column, ...]:
    return tuple(Column(test, metric, f"test={test}", show) for test in TESTS)
