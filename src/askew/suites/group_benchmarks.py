"""Benchmarks whose questions or captions come in small groups that must be answered correctly as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import SelfConsistency
from askew.metrics.correct import AllCorrect
from askew.metrics.option_metrics import OptionAccuracy
from askew.metrics.yes_no import FailureKind
from askew.suites.suite_parts import BenchmarkSuite, published_figures
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
        """The paper's four figures, with the scores of guessing."""
        columns = (
            Column("Acc", "accuracy.members"),
            Column("Q-Acc", "q-acc"),
            Column("I-Acc", "i-acc"),
            Column("G-Acc", "g-acc"),
        )
        figures = published_figures(self.name)
        return (Table("naturalbench", "NaturalBench", columns, published=figures["naturalbench"]),)


@dataclass(frozen=True)
class HallusionBenchSuite(BenchmarkSuite):
    """HallusionBench: accuracy per question, over all figures of a question, over all questions of a figure."""

    name: ClassVar[str] = "hallusionbench"
    readers: ClassVar[Sequence[str]] = ("hallusionbench",)
    title: ClassVar[str] = "Figures, changed figures and none (HallusionBench)"
    paper: ClassVar[str] = (
        "Guan, Liu, Wu et al.: HallusionBench: An Advanced Diagnostic Suite for Entangled Language Hallucination and "
        "Visual Illusion in Large Vision-Language Models. CVPR 2024"
    )
    tests: ClassVar[Sequence[str]] = ("question", "figure", "easy", "hard")
    slices: ClassVar[Sequence[str]] = ("tag.category", "tag.subcategory")
    headline: ClassVar[tuple[str, str]] = (
        "q-acc",
        "it answers only {value} of the questions correctly for all figures",
    )
    notes: ClassVar[Sequence[str]] = (
        "Replies are matched as yes or no, while the authors ask GPT-4 to judge them, so published figures are not "
        "exactly comparable. An unsure reply to a question without an image is correct there; "
        "hallusionbench:correct=modal-or-unsure counts it as correct here too.",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """qAcc, fAcc, easy and hard question groups, aAcc, and why answers are wrong."""
        only = {
            "q-acc": "grouping=question",
            "f-acc": "grouping=figure",
            "easy": "grouping=easy",
            "hard": "grouping=hard",
            "a-acc": "grouping=single",
        }
        correct = {name: AllCorrect("", self.correct, self.accuracy, part) for name, part in only.items()}
        return {
            **correct,
            "language": FailureKind("language"),
            "vision": FailureKind("vision"),
            "mixed": FailureKind("mixed"),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """The paper's main table, and its diagnosis of wrong answers."""
        labels = ("qAcc", "fAcc", "Easy", "Hard", "aAcc")
        columns = tuple(Column(label, metric) for label, metric in zip(labels, self.metrics, strict=False))
        kinds = (
            Column("Language hallucination", "language"),
            Column("Visual illusion", "vision"),
            Column("Mixed", "mixed"),
        )
        figures = published_figures(self.name)
        return (
            Table("hallusionbench", "HallusionBench", columns, published=figures["hallusionbench"]),
            Table("hallusionbench-diagnosis", "Wrong answers by cause", kinds, published=figures["diagnosis"]),
        )


@dataclass(frozen=True)
class MmvpSuite(BenchmarkSuite):
    """MMVP: both images of a pair answered correctly (Tong et al. 2024)."""

    name: ClassVar[str] = "mmvp"
    readers: ClassVar[Sequence[str]] = ("mmvp",)
    title: ClassVar[str] = "Pairs of images that look alike to CLIP (MMVP)"
    paper: ClassVar[str] = (
        "Tong, Liu, Zhai, Ma, LeCun, Xie: Eyes Wide Shut? Exploring the Visual Shortcomings of Multimodal LLMs. "
        "CVPR 2024"
    )
    tests: ClassVar[Sequence[str]] = ("pair",)
    slices: ClassVar[Sequence[str]] = ()
    headline: ClassVar[tuple[str, str]] = ("pair", "it answers only {value} of the pairs of images correctly")
    notes: ClassVar[Sequence[str]] = (
        "The authors grade replies with GPT-4; here the option that a reply names counts.",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Pair accuracy, accuracy per question, and answers that differ between the images."""
        return {
            "pair": AllCorrect("", self.correct, self.accuracy),
            "accuracy.members": Accuracy("members", self.accuracy),
            "cons": SelfConsistency(),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Pair accuracy."""
        columns = (Column("Pairs", "pair"), Column("Accuracy", "accuracy.members"), Column("Answers differ", "cons"))
        return (Table("mmvp", "MMVP", columns),)


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
    """Winoground: the correct caption for an image, for both images of an example (Thrush et al. 2022)."""

    name: ClassVar[str] = "winoground"
    readers: ClassVar[Sequence[str]] = ("winoground",)
    title: ClassVar[str] = "Two images and two captions with the same words (Winoground)"
    paper: ClassVar[str] = (
        "Thrush, Jiang, Bartolo, Singh, Williams, Kiela, Ross: Winoground: Probing Vision and Language Models for "
        "Visio-Linguistic Compositionality. CVPR 2022"
    )
    tests: ClassVar[Sequence[str]] = ("choice", "yes-no")
    slices: ClassVar[Sequence[str]] = ("tag.category",)
    headline: ClassVar[tuple[str, str]] = (
        "group",
        "it answers all four questions correctly for only {value} of the examples",
    )
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
        """The three figures, with the scores of guessing."""
        columns = (Column("Accuracy", "accuracy.members"), Column("Images", "image"), Column("Groups", "group"))
        return (Table("winoground", "Winoground", columns, published=published_figures(self.name)["winoground"]),)
