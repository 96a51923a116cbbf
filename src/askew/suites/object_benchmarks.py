"""Benchmarks of objects that models see where there are none: POPE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import AnswerRate, ComprehensiveAccuracy
from askew.metrics.group_accuracy import AllCorrect
from askew.metrics.yes_no import YesNo
from askew.suites.benchmark_suite import BenchmarkSuite, published_figures
from askew.types import Column, Table
from askew.verbs import Metric


@dataclass(frozen=True)
class PopeSuite(BenchmarkSuite):
    """POPE: accuracy, precision, recall, F1 and yes rate for each way to draw absent objects (Li et al. 2023)."""

    name: ClassVar[str] = "pope"
    readers: ClassVar[Sequence[str]] = ("pope",)
    title: ClassVar[str] = "Objects that are not there (POPE)"
    paper: ClassVar[str] = (
        "Li, Du, Zhou, Wang, Zhao, Wen: Evaluating Object Hallucination in Large Vision-Language Models. EMNLP 2023"
    )
    tests: ClassVar[Sequence[str]] = ("random", "popular", "adversarial")
    slices: ClassVar[Sequence[str]] = ("test",)
    headline: ClassVar[tuple[str, str]] = (
        "pair",
        "it tells an object that is there from one that is not in only {value} of the pairs",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The paper's five figures over all questions, pairs of a present and an absent object, and whole groups."""
        return {
            "accuracy.members": Accuracy("members", self.accuracy),
            "precision": YesNo("precision"),
            "recall": YesNo("recall"),
            "f1": YesNo("f1"),
            "yes": AnswerRate("yes", "both"),
            "pair": ComprehensiveAccuracy(self.correct, self.accuracy),
            "group": AllCorrect("", self.correct, self.accuracy),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """F1 by strategy with published figures; all five figures and pair accuracy for each strategy."""
        measures = {
            "Accuracy": "accuracy.members",
            "Precision": "precision",
            "Recall": "recall",
            "F1": "f1",
            "Yes": "yes",
            "Pairs": "pair",
        }
        by_test = (
            Table(
                f"pope-{test}",
                f"POPE, {test} objects",
                tuple(Column(label, metric, f"test={test}") for label, metric in measures.items()),
            )
            for test in self.tests
        )
        f1 = tuple(Column(test.capitalize(), "f1", f"test={test}") for test in self.tests)
        return (Table("pope", "POPE, F1", f1, published=published_figures("pope")["pope"]), *by_test)
