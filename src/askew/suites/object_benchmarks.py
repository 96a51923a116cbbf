"""Benchmarks of hallucination, asking for what is not in the image: POPE and AMBER."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import AnswerRate, ComprehensiveAccuracy, PairAccuracy
from askew.metrics.correct import AllCorrect
from askew.metrics.yes_no import YesNo
from askew.suites.suite_parts import BenchmarkSuite, published_figures
from askew.types import Column, Table
from askew.verbs import Metric


@dataclass(frozen=True)
class PopeSuite(BenchmarkSuite):
    """POPE: accuracy, precision, recall, F1 and yes rate for each way of choosing absent objects (Li et al. 2023)."""

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
        "it distinguishes an object that is there from one that is not in only {value} of the pairs",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The paper's five figures over the questions of all files, pairs with both correct, and whole groups."""
        return {**_figures(self), "group": AllCorrect("", self.correct, self.accuracy)}

    @property
    def tables(self) -> Sequence[Table]:
        """F1 by strategy with published figures; all five figures and pair accuracy for each strategy."""
        by_test = (Table(f"pope-{test}", f"POPE, {test} objects", _columns(f"test={test}")) for test in self.tests)
        f1 = tuple(Column(test.capitalize(), "f1", f"test={test}") for test in self.tests)
        return (Table("pope", "POPE, F1", f1, published=published_figures("pope")["pope"]), *by_test)


@dataclass(frozen=True)
class PopeV2Suite(BenchmarkSuite):
    """POPEv2: the same question about an image and about the image without the object (Li et al. 2023)."""

    name: ClassVar[str] = "pope-v2"
    readers: ClassVar[Sequence[str]] = ("pope-v2",)
    title: ClassVar[str] = "Images without the object (POPEv2)"
    paper: ClassVar[str] = PopeSuite.paper
    tests: ClassVar[Sequence[str]] = ("edited",)
    slices: ClassVar[Sequence[str]] = ("tag.object",)
    headline: ClassVar[tuple[str, str]] = (
        "pair",
        "it answers only {value} of the pairs correctly, with the object and without it",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The figures of POPE over all questions, and pairs with both answers correct."""
        return _figures(self)

    @property
    def tables(self) -> Sequence[Table]:
        """All figures."""
        return (Table("pope-v2", "POPEv2", _columns("")),)


def _figures(suite: BenchmarkSuite) -> dict[str, Metric]:
    return {
        "accuracy": PairAccuracy(suite.correct, suite.accuracy),
        "precision": YesNo("precision", paired=True),
        "recall": YesNo("recall", paired=True),
        "f1": YesNo("f1", paired=True),
        "yes": AnswerRate("yes", "pairs"),
        "pair": ComprehensiveAccuracy(suite.correct, suite.accuracy),
    }


def _columns(part: str) -> tuple[Column, ...]:
    labels = ("Accuracy", "Precision", "Recall", "F1", "Yes", "Pairs")
    metrics = ("accuracy", "precision", "recall", "f1", "yes", "pair")
    return tuple(Column(label, metric, part) for label, metric in zip(labels, metrics, strict=True))


@dataclass(frozen=True)
class AmberSuite(BenchmarkSuite):
    """AMBER: accuracy, precision, recall and F1 of denying what is not there, by dimension (Wang et al. 2023)."""

    name: ClassVar[str] = "amber"
    readers: ClassVar[Sequence[str]] = ("amber",)
    title: ClassVar[str] = "Objects, attributes and relations that are not there (AMBER)"
    paper: ClassVar[str] = (
        "Wang, Wang, Xu et al.: AMBER: An LLM-free Multi-dimensional Benchmark for MLLMs Hallucination Evaluation. 2023"
    )
    tests: ClassVar[Sequence[str]] = ("opposite",)
    slices: ClassVar[Sequence[str]] = ("question_type", "tag.type")
    headline: ClassVar[tuple[str, str]] = ("f1", "its F1 of denying what is not there is {value}")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The paper's four figures, with no as the positive class, the yes rate, and pairs of opposite attributes."""
        return {
            "accuracy.members": Accuracy("members", self.accuracy),
            "precision": YesNo("precision", "no"),
            "recall": YesNo("recall", "no"),
            "f1": YesNo("f1", "no"),
            "yes": AnswerRate("yes", "both"),
            "pair": ComprehensiveAccuracy(self.correct, self.accuracy),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """All questions, and the figures for each dimension."""
        measures = (("Acc.", "accuracy.members"), ("P.", "precision"), ("R.", "recall"), ("F1", "f1"))
        parts = {"": "all questions"} | {
            f"question_type={name}": name for name in ("existence", "attribute", "relation")
        }
        return (
            *(
                Table(
                    f"amber-{title.split()[0]}",
                    f"AMBER, {title}",
                    tuple(Column(label, metric, part) for label, metric in measures),
                )
                for part, title in parts.items()
            ),
            Table("amber-pairs", "AMBER, opposite attributes", (Column("Pairs", "pair"), Column("Yes", "yes"))),
        )
