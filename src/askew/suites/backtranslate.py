"""Back-translation, the baseline that RAD and VQA P2 compare themselves with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.errors import BadOption
from askew.language.translate import translator
from askew.metrics.correct import Correct, check_correct
from askew.perturb.back_translation import ATTEMPTS, TEST, BackTranslation
from askew.perturb.vary_dataset import vary_all
from askew.suites.suite_parts import Originals, check_originals, published, rad_scores
from askew.types import Column, Group, Mode, Refusal, Table
from askew.verbs import BuildsByExecutor, Dataset, Executor, Metric


@dataclass(frozen=True)
class BackTranslationSuite(BuildsByExecutor):
    """Questions translated into another language and back."""

    translator: str = "bergamot"
    """``bergamot`` (offline), or ``marian:THERE:BACK`` with two folders."""
    filtered: bool = True
    """Leave out back-translations that seem to ask something else; false keeps all, as the RAD paper does."""
    attempts: int = 3
    """How many ways of asking are translated until the filter accepts a back-translation; 1 is the fastest."""
    originals: Originals = "covered"
    """``all``: also ask the questions that have no back-translation."""

    accuracy: Mode = "official"
    """How answers are compared with people's."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "backtranslate"
    english: ClassVar[bool] = True
    title: ClassVar[str] = "Back-translated questions"
    paper: ClassVar[str] = (
        "Sennrich, Haddow, Birch: Improving Neural Machine Translation Models with Monolingual Data. ACL 2016; a "
        "baseline in Rosenberg, Gat, Feder, Reichart: Are VQA Systems RAD? ACL 2021"
    )
    tests: ClassVar[Sequence[str]] = (TEST,)
    headline: ClassVar[tuple[str, str]] = (
        "rad.forward",
        "of those it answers only {value} correctly when the question is back-translated",
    )

    def __post_init__(self) -> None:
        check_originals(self.name, self.originals)
        check_correct(self.correct, self.accuracy)
        translator(self.translator)
        if not 1 <= self.attempts <= ATTEMPTS:
            raise BadOption(f"backtranslate: attempts is {self.attempts}. Give a number from 1 to {ATTEMPTS}.")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """RAD both ways, and accuracy on both sides."""
        return rad_scores(self.correct, self.accuracy)

    @property
    def tables(self) -> Sequence[Table]:
        """The column BT of RAD's Tables 2, 3 and 5."""
        figures = published("backtranslate")
        columns = (Column("RAD(D, BT)", "rad.forward"), Column("Accuracy(D)", "accuracy.original"))
        counts = (Column("BT", "accuracy.variant", show="n"), Column("Count", "accuracy.all", show="n"))
        return (
            Table("bt-rad", "Back-translation (RAD, Tables 2 and 3)", columns, published=figures["models"]),
            Table("bt-count", "Number of questions (RAD, Table 5)", counts, "data", figures["counts"]),
        )

    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """One pass over the data."""
        perturbation = BackTranslation(translator(self.translator), self.filtered, self.attempts)
        return vary_all(perturbation, data.questions(), seed, self.name, self.originals, 512, executor)
