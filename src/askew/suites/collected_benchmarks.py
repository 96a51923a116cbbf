"""Benchmarks that people collected against models: Adversarial VQA and releases of ``askew collect``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.suites.benchmark_suite import BenchmarkSuite, published_figures
from askew.types import Column, Group, Mode, Table
from askew.verbs import Dataset, Metric


@dataclass(frozen=True)
class AvqaSuite(BenchmarkSuite):
    """Adversarial VQA: VQA accuracy for each round of collection and each domain of images (Li et al. 2021)."""

    accuracy: Mode = "official"

    name: ClassVar[str] = "avqa"
    readers: ClassVar[Sequence[str]] = ("avqa",)
    title: ClassVar[str] = "Questions that people wrote against models (Adversarial VQA)"
    paper: ClassVar[str] = (
        "Li, Lei, Gan, Liu: Adversarial VQA: A New Benchmark for Evaluating the Robustness of VQA Models. ICCV 2021"
    )
    tests: ClassVar[Sequence[str]] = ()
    slices: ClassVar[Sequence[str]] = ("tag.round", "tag.domain", "answer_type")
    headline: ClassVar[tuple[str, str]] = (
        "accuracy.all",
        "its VQA accuracy on questions that people wrote to fool models is {value}",
    )
    notes: ClassVar[Sequence[str]] = (
        "Published figures are of models trained on the data in brackets: those by round of the test split (Table 2), "
        "those by domain of the dev split (Table 10).",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy."""
        return {"accuracy.all": Accuracy("all", self.accuracy)}

    @property
    def tables(self) -> Sequence[Table]:
        """Tables 2 and 10 of the paper, and accuracy by answer type."""
        rounds = tuple(Column(f"R{number}", "accuracy.all", f"tag.round={number}") for number in (1, 2, 3))
        domains = (
            Column("Fakeddit", "accuracy.all", "tag.domain=fakeddit"),
            Column("VCR", "accuracy.all", "tag.domain=vcr"),
        )
        kinds = (("Yes/No", "yes/no"), ("Number", "number"), ("Other", "other"))
        whole = Column("All", "accuracy.all")
        types = tuple(Column(label, "accuracy.all", f"answer_type={kind}") for label, kind in kinds)
        figures = published_figures(self.name)
        return (
            Table("avqa", "Adversarial VQA by round", (*rounds, whole), published=figures["rounds"]),
            Table("avqa-domains", "Adversarial VQA by domain", (*rounds, *domains), published=figures["domains"]),
            Table("avqa-types", "Adversarial VQA by type of answer", (whole, *types)),
        )

    def groups(self, data: Dataset, seed: int) -> Iterator[Group]:
        """Every question as a group of its own."""
        return (Group(question.id, self.name, question) for question in data.questions())
