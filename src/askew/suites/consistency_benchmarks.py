"""Benchmarks of consistency: questions that belong together, about one image, about a pair or about edited images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import Consensus, Flips, SelfConsistency
from askew.metrics.correct import AllCorrect, AverageCorrect, Correct, CorrectGivenParts
from askew.metrics.rad_metrics import Introspect, Rad
from askew.suites.suite_parts import BenchmarkSuite, published_figures
from askew.types import Column, Mode, Table
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
        "when it answers a reasoning question correctly, it answers only {value} of the sub-questions correctly",
    )

    titles: ClassVar[Mapping[str, tuple[str, str]]] = {
        "consistency": (
            "Consistency",
            "of the sub-questions whose main question is answered correctly, those answered correctly too",
        )
    }

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


_SWAPPED = (
    "Li et al. 2021 (Table 6) print 7.53, 8.44 and 8.43 under CV-VQA, and 78.44, 39.97 and 38.40 under IV-VQA. The two "
    "headings are very probably swapped, and the figures are shown here the other way round: the authors of IV-VQA "
    "report about 7 % of flips, and the text calls IV-VQA the counting set, which is CV-VQA."
)


@dataclass(frozen=True)
class EditedVqaSuite(BenchmarkSuite):
    """What IV-VQA and CV-VQA measure: answers that flip when an object is removed (Agarwal et al. 2020)."""

    paper: ClassVar[str] = (
        "Agarwal, Shetty, Fritz: Towards Causal VQA: Revealing and Reducing Spurious Correlations by Invariant and "
        "Covariant Semantic Editing. CVPR 2020"
    )
    tests: ClassVar[Sequence[str]] = ("edit",)
    slices: ClassVar[Sequence[str]] = ("answer_type", "question_type")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Flips as the authors count them, by kind, and accuracy before and after the edit."""
        return {
            "flips": Flips("any", 1, self.correct, self.accuracy, authors=True),
            "flips.positive": Flips("positive", 1, self.correct, self.accuracy, authors=True),
            "flips.negative": Flips("negative", 1, self.correct, self.accuracy, authors=True),
            "flips.wrong": Flips("wrong", 1, self.correct, self.accuracy, authors=True),
            "accuracy.original": Accuracy("original", self.accuracy),
            "accuracy.variant": Accuracy("variant", self.accuracy),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """All flips by kind, and the flips of later papers."""
        labels = ("Flips", "Positive", "Negative", "Wrong both times", "Before", "After")
        columns = tuple(Column(label, metric) for label, metric in zip(labels, self.metrics, strict=True))
        figures = published_figures(self.name)
        title = self.name.upper()
        return (
            Table(self.name, title, columns, published=figures.get("flips", {})),
            Table(f"{self.name}-avqa", f"{title}, flips", columns[:1], published=figures["avqa"]),
        )


@dataclass(frozen=True)
class IvVqaSuite(EditedVqaSuite):
    """IV-VQA: answers that change although only something irrelevant was removed (Agarwal et al. 2020)."""

    name: ClassVar[str] = "iv-vqa"
    readers: ClassVar[Sequence[str]] = ("iv-vqa",)
    title: ClassVar[str] = "Irrelevant objects removed (IV-VQA)"
    headline: ClassVar[tuple[str, str]] = (
        "flips",
        "{value} of its answers change when an object that does not matter is removed",
    )
    notes: ClassVar[Sequence[str]] = (_SWAPPED,)


@dataclass(frozen=True)
class CvVqaSuite(EditedVqaSuite):
    """CV-VQA: counts that do not drop by one when one object is removed (Agarwal et al. 2020)."""

    name: ClassVar[str] = "cv-vqa"
    readers: ClassVar[Sequence[str]] = ("cv-vqa",)
    title: ClassVar[str] = "One counted object removed (CV-VQA)"
    headline: ClassVar[tuple[str, str]] = (
        "flips",
        "{value} of its counts do not drop by one when one of the counted objects is removed",
    )
    notes: ClassVar[Sequence[str]] = (
        'As in the code of the authors, a pair is never a flip if the answer after the edit is "many" or "black".',
        _SWAPPED,
    )


@dataclass(frozen=True)
class ConVqaSuite(BenchmarkSuite):
    """ConVQA: sets of related questions, answered correctly as a whole (Ray et al. 2019)."""

    name: ClassVar[str] = "convqa"
    readers: ClassVar[Sequence[str]] = ("convqa",)
    title: ClassVar[str] = "Questions that follow from one another (ConVQA)"
    paper: ClassVar[str] = (
        "Ray, Sikka, Divakaran, Lee, Burachas: Sunny and Dark Outside?! Improving Answer Consistency in VQA through "
        "Entailed Question Generation. EMNLP 2019"
    )
    tests: ClassVar[Sequence[str]] = ("logical", "commonsense")
    slices: ClassVar[Sequence[str]] = ("tag.part",)
    headline: ClassVar[tuple[str, str]] = (
        "perf-con",
        "it answers all questions of a set correctly in only {value} of the sets",
    )

    titles: ClassVar[Mapping[str, tuple[str, str]]] = {"perf-con": ("Perf-Con", "sets with all answers correct")}

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Perf-Con, Avg-Con and Top-1."""
        return {
            "perf-con": AllCorrect("", self.correct, self.accuracy),
            "avg-con": AverageCorrect(self.correct, self.accuracy),
            "accuracy.members": Accuracy("members", self.accuracy),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """The paper's three figures for both parts."""
        labels = ("Perf-Con", "Avg-Con", "Top-1")
        columns = tuple(
            Column(f"{part}: {label}", metric, f"tag.part={value}")
            for part, value in (("L", "logical"), ("CS", "commonsense"))
            for label, metric in zip(labels, self.metrics, strict=True)
        )
        return (Table("convqa", "ConVQA", columns, published=published_figures(self.name)["convqa"]),)


@dataclass(frozen=True)
class VqaLolSuite(BenchmarkSuite):
    """VQA-LOL: accuracy on questions composed with and, or and not, and on their parts (Gokhale et al. 2020)."""

    name: ClassVar[str] = "vqa-lol"
    readers: ClassVar[Sequence[str]] = ("vqa-lol",)
    title: ClassVar[str] = "Questions composed with and, or and not (VQA-LOL)"
    paper: ClassVar[str] = (
        "Gokhale, Banerjee, Baral, Yang: VQA-LOL: Visual Question Answering under the Lens of Logic. ECCV 2020"
    )
    tests: ClassVar[Sequence[str]] = ("part", "composition")
    slices: ClassVar[Sequence[str]] = ("test", "note.op")
    headline: ClassVar[tuple[str, str]] = (
        "given-parts",
        "when it answers both questions correctly, it answers only {value} of their compositions correctly",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy on variants and on all questions, and on compositions whose parts are answered correctly."""
        return {
            "accuracy.variant": Accuracy("variant", self.accuracy),
            "accuracy.members": Accuracy("members", self.accuracy),
            "given-parts": CorrectGivenParts("part", self.correct, self.accuracy),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Accuracy on compositions with published figures; then on the parts, and given correct parts."""
        composed = Column("Compositions", "accuracy.variant", "test=composition")
        parts = Column("Parts", "accuracy.members", "test=part")
        given = Column("Compositions of correct parts", "given-parts")
        figures = published_figures(self.name)
        return (
            Table("vqa-lol", "VQA-LOL", (composed, parts, given)),
            Table("vqa-lol-compose", "VQA-LOL, if the data are Compose", (composed,), published=figures["compose"]),
            Table(
                "vqa-lol-supplement",
                "VQA-LOL, if the data are Supplement",
                (composed,),
                published=figures["supplement"],
            ),
        )


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
        """Pair accuracy, accuracy, and answers that differ between the images when people's do."""
        return {
            "pair": AllCorrect("", self.correct, self.accuracy),
            "accuracy.members": Accuracy("members", self.accuracy),
            "cons": SelfConsistency(),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Pair accuracy, accuracy, and pairs whose answers are the same or different as people's are."""
        columns = (Column("Pairs", "pair"), Column("Accuracy", "accuracy.members"), Column("As people", "cons"))
        return (Table("vqa-pairs", "Complementary pairs of VQA v2", columns),)
