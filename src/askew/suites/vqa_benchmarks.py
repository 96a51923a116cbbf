"""Benchmarks made from VQA v2: rephrasings, and complementary pairs of images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import Consensus, SelfConsistency
from askew.metrics.correct import AllCorrect, Correct
from askew.suites.benchmark_suite import BenchmarkSuite, published_figures
from askew.types import Column, Mode, Table
from askew.verbs import Metric


@dataclass(frozen=True)
class VqaRephrasingsSuite(BenchmarkSuite):
    """VQA-Rephrasings: consensus over a question and its three rephrasings (Shah et al. 2019)."""

    accuracy: Mode = "official"
    """How answers are compared with those of ten people."""
    correct: Correct = "any"
    """When an answer counts as correct in the consensus score."""

    name: ClassVar[str] = "vqa-rephrasings"
    readers: ClassVar[Sequence[str]] = ("vqa-rephrasings",)
    title: ClassVar[str] = "Questions rephrased by people (VQA-Rephrasings)"
    paper: ClassVar[str] = (
        "Shah, Chen, Rohrbach, Parikh: Cycle-Consistency for Robust Visual Question Answering. CVPR 2019"
    )
    tests: ClassVar[Sequence[str]] = ("rephrasing",)
    slices: ClassVar[Sequence[str]] = ("tag.members", "answer_type")
    headline: ClassVar[tuple[str, str]] = ("cs.4", "it answers only {value} correctly in all four wordings")
    notes: ClassVar[Sequence[str]] = (
        "The table counts groups of exactly four questions, as the public implementation does.",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """CS(1) to CS(4), and accuracy on questions and rephrasings."""
        return {
            "accuracy.original": Accuracy("original", self.accuracy),
            "accuracy.variant": Accuracy("variant", self.accuracy),
            **{f"cs.{k}": Consensus(k, self.correct, self.accuracy) for k in (1, 2, 3, 4)},
            "cons": SelfConsistency(),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """CS(k) over complete groups, and accuracy."""
        figures = published_figures(self.name)
        consensus = tuple(Column(f"CS({k})", f"cs.{k}", "tag.members=4") for k in (1, 2, 3, 4))
        accuracy = (Column("Ori", "accuracy.original"), Column("Rep", "accuracy.variant"))
        return (
            Table("rephrasings-cs", "VQA-Rephrasings, consensus", consensus, published=figures["consensus"]),
            Table("rephrasings-acc", "VQA-Rephrasings, accuracy", accuracy, published=figures["accuracy"]),
        )


@dataclass(frozen=True)
class VqaPairsSuite(BenchmarkSuite):
    """Complementary pairs of VQA v2: both images of a question answered correctly (Goyal et al. 2017)."""

    accuracy: Mode = "official"
    """How answers are compared with those of ten people."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "vqa-pairs"
    readers: ClassVar[Sequence[str]] = ("vqa-pairs",)
    title: ClassVar[str] = "One question about two images (VQA v2 pairs)"
    paper: ClassVar[str] = (
        "Goyal, Khot, Summers-Stay, Batra, Parikh: Making the V in VQA Matter: Elevating the Role of Image "
        "Understanding in Visual Question Answering. CVPR 2017"
    )
    tests: ClassVar[Sequence[str]] = ("pair",)
    slices: ClassVar[Sequence[str]] = ("answer_type",)
    headline: ClassVar[tuple[str, str]] = ("pair", "it answers only {value} of the pairs of images correctly")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Pair accuracy, accuracy, and answers that differ between the images where people's do."""
        return {
            "pair": AllCorrect("", self.correct, self.accuracy),
            "accuracy.members": Accuracy("members", self.accuracy),
            "cons": SelfConsistency(),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Pair accuracy, and pairs whose answers are equal or different as people's are."""
        columns = (Column("Pairs", "pair"), Column("Accuracy", "accuracy.members"), Column("As people", "cons"))
        return (Table("vqa-pairs", "Complementary pairs of VQA v2", columns),)
