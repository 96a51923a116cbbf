"""Benchmarks of consistency: questions that hang together, about one image or about edited images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.metrics.rad_metrics import Introspect, Rad
from askew.suites.benchmark_suite import BenchmarkSuite, published_figures
from askew.types import Column, Table
from askew.verbs import Metric


@dataclass(frozen=True)
class IntrospectSuite(BenchmarkSuite):
    """VQA-Introspect: reasoning questions and the perception questions behind them (Selvaraju et al. 2020)."""

    name: ClassVar[str] = "introspect"
    readers: ClassVar[Sequence[str]] = ("introspect",)
    title: ClassVar[str] = "Reasoning and the perception behind it (VQA-Introspect)"
    paper: ClassVar[str] = (
        "Selvaraju, Tendulkar, Parikh, Horvitz, Ribeiro, Nushi, Kamar: SQuINTing at VQA Models: Introspecting VQA "
        "Models with Sub-Questions. CVPR 2020"
    )
    tests: ClassVar[Sequence[str]] = ("sub",)
    slices: ClassVar[Sequence[str]] = ("answer_type",)
    headline: ClassVar[tuple[str, str]] = (
        "consistency",
        "where it answers a reasoning question correctly, it answers only {value} of the sub-questions correctly",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The four cells over pairs of a main question and a sub-question, consistency, and accuracy on each side."""
        cells = {
            f"main-{main}.sub-{sub}": Introspect(main == "right", sub == "right", self.correct, self.accuracy)
            for main in ("right", "wrong")
            for sub in ("right", "wrong")
        }
        return cells | {
            "consistency": Rad(False, self.correct, self.accuracy),
            "accuracy.original": Accuracy("original", self.accuracy),
            "accuracy.variant": Accuracy("variant", self.accuracy),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """The paper's four cells and consistency."""
        labels = ("M✓S✓", "M✓S✗", "M✗S✓", "M✗S✗", "Consistency", "Main", "Sub")
        columns = tuple(Column(label, metric) for label, metric in zip(labels, self.metrics, strict=True))
        figures = published_figures(self.name)
        return (Table("introspect", "VQA-Introspect", columns, published=figures["introspect"]),)
