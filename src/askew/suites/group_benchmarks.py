"""Benchmarks whose questions come in small groups that must be answered correctly as a whole: NaturalBench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import SelfConsistency
from askew.metrics.group_accuracy import AllCorrect
from askew.suites.benchmark_suite import BenchmarkSuite, published_figures
from askew.types import Column, Table
from askew.verbs import Metric


@dataclass(frozen=True)
class NaturalBenchSuite(BenchmarkSuite):
    """NaturalBench: accuracy, both images of a question, both questions of an image, all four (Li et al. 2024)."""

    name: ClassVar[str] = "naturalbench"
    readers: ClassVar[Sequence[str]] = ("naturalbench",)
    title: ClassVar[str] = "Two questions about two images (NaturalBench)"
    paper: ClassVar[str] = (
        "Li, Lin, Peng et al.: NaturalBench: Evaluating Vision-Language Models on Natural Adversarial Samples. "
        "NeurIPS 2024"
    )
    tests: ClassVar[Sequence[str]] = ("q0i1", "q1i0", "q1i1")
    slices: ClassVar[Sequence[str]] = ("answer_type",)
    headline: ClassVar[tuple[str, str]] = (
        "g-acc",
        "it answers all four questions of a group correctly in only {value}",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Acc, Q-Acc, I-Acc and G-Acc; answers that differ between the images as they should."""
        return {
            "accuracy.members": Accuracy("members", self.accuracy),
            "q-acc": AllCorrect("question", self.correct, self.accuracy),
            "i-acc": AllCorrect("image", self.correct, self.accuracy),
            "g-acc": AllCorrect("", self.correct, self.accuracy),
            "cons": SelfConsistency(),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """The paper's four figures, with what guessing gives."""
        columns = (
            Column("Acc", "accuracy.members"),
            Column("Q-Acc", "q-acc"),
            Column("I-Acc", "i-acc"),
            Column("G-Acc", "g-acc"),
        )
        figures = published_figures(self.name)
        return (Table("naturalbench", "NaturalBench", columns, published=figures["naturalbench"]),)
