"""Benchmarks of captions asked as questions: SugarCrepe and Winoground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import SelfConsistency
from askew.metrics.correct import AllCorrect
from askew.metrics.option_metrics import OptionAccuracy
from askew.suites.benchmark_suite import BenchmarkSuite, published_figures
from askew.types import Column, Table
from askew.verbs import Metric


@dataclass(frozen=True)
class SugarCrepeSuite(BenchmarkSuite):
    """SugarCrepe: the caption chosen in both orders, for each kind of wrong caption (Hsieh et al. 2023)."""

    name: ClassVar[str] = "sugarcrepe"
    readers: ClassVar[Sequence[str]] = ("sugarcrepe",)
    title: ClassVar[str] = "Captions and wrong captions in both orders (SugarCrepe)"
    paper: ClassVar[str] = (
        "Hsieh, Zhang, Ma, Kembhavi, Krishna: SugarCrepe: Fixing Hackable Benchmarks for Vision-Language "
        "Compositionality. NeurIPS 2023"
    )
    tests: ClassVar[Sequence[str]] = (
        *("add_att", "add_obj", "replace_att", "replace_obj", "replace_rel", "swap_att", "swap_obj"),
    )
    slices: ClassVar[Sequence[str]] = ("test",)
    headline: ClassVar[tuple[str, str]] = ("both", "it chooses only {value} of the captions correctly in both orders")
    notes: ClassVar[Sequence[str]] = (
        "Published figures of CLIP-like models compare two scores and have no order, so they are not comparable.",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Both orders correct, accuracy per question, the same caption in both orders, accuracy by letter."""
        return {
            "both": AllCorrect("", self.correct, self.accuracy),
            "accuracy.members": Accuracy("members", self.accuracy),
            "cons": SelfConsistency(),
            "option.A": OptionAccuracy("A", self.accuracy),
            "option.B": OptionAccuracy("B", self.accuracy),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Both orders correct for each kind of change; all figures over everything."""
        each = tuple(Column(test.replace("_", " "), "both", f"test={test}") for test in self.tests)
        whole = (
            Column("Both orders", "both"),
            Column("Accuracy", "accuracy.members"),
            Column("Same caption", "cons"),
            Column("Correct is A", "option.A"),
            Column("Correct is B", "option.B"),
        )
        figures = published_figures(self.name)
        return (
            Table("sugarcrepe", "SugarCrepe, both orders correct", each, published=figures["sugarcrepe"]),
            Table("sugarcrepe-all", "SugarCrepe, all captions", whole),
        )


@dataclass(frozen=True)
class WinogroundSuite(BenchmarkSuite):
    """Winoground: the right caption for an image, for both images of an example (Thrush et al. 2022)."""

    name: ClassVar[str] = "winoground"
    readers: ClassVar[Sequence[str]] = ("winoground",)
    title: ClassVar[str] = "Two images and two captions with the same words (Winoground)"
    paper: ClassVar[str] = (
        "Thrush, Jiang, Bartolo, Singh, Williams, Kiela, Ross: Winoground: Probing Vision and Language Models for "
        "Visio-Linguistic Compositionality. CVPR 2022"
    )
    tests: ClassVar[Sequence[str]] = ("choice", "yes-no")
    slices: ClassVar[Sequence[str]] = ("tag.category",)
    headline: ClassVar[tuple[str, str]] = ("group", "it answers all four questions of only {value} of the examples")
    notes: ClassVar[Sequence[str]] = (
        "Published text, image and group scores compare the scores of a model for pairs of image and caption; here a "
        "model answers questions about one image, so they are not comparable.",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy per question, both questions of an image correct, all four correct."""
        return {
            "accuracy.members": Accuracy("members", self.accuracy),
            "image": AllCorrect("image", self.correct, self.accuracy),
            "group": AllCorrect("", self.correct, self.accuracy),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """The three figures, with what guessing gives."""
        columns = (Column("Accuracy", "accuracy.members"), Column("Images", "image"), Column("Groups", "group"))
        return (Table("winoground", "Winoground", columns, published=published_figures(self.name)["winoground"]),)
