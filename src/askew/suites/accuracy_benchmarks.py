"""Suites of plain questions, scored by VQA accuracy.

The unperturbed questions of any data; benchmarks whose answers are distributed differently from training (GQA-OOD,
VQA-CE, VQA-CP); and benchmarks that people wrote against models, Adversarial VQA and releases of ``askew collect``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy, HeadTailGap
from askew.suites.suite_parts import BenchmarkSuite, published_figures
from askew.types import Column, Group, Mode, Table
from askew.verbs import Dataset, Metric

_WHOLE = Column("All", "accuracy.all")
_BY_ANSWER_TYPE = (
    _WHOLE,
    Column("Yes/No", "accuracy.all", "answer_type=yes/no"),
    Column("Number", "accuracy.all", "answer_type=number"),
    Column("Other", "accuracy.all", "answer_type=other"),
)


@dataclass(frozen=True)
class AccuracySuite:
    """VQA accuracy on the unperturbed questions (Antol et al. 2015), overall, by answer type and question type."""

    accuracy: Mode = "official"

    name: ClassVar[str] = "accuracy"
    title: ClassVar[str] = "VQA accuracy"
    paper: ClassVar[str] = "Antol et al. 2015"
    correct: ClassVar[str] = "modal"
    tests: ClassVar[Sequence[str]] = ()
    headline: ClassVar[tuple[str, str]] = ("accuracy.all", "its VQA accuracy is {value}")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy over all questions."""
        return {"accuracy.all": Accuracy("all", self.accuracy)}

    @property
    def tables(self) -> Sequence[Table]:
        """Overall and by answer type, as VQA papers print it."""
        return (Table("vqa", "VQA accuracy", _BY_ANSWER_TYPE),)

    def groups(self, data: Dataset, seed: int) -> Iterator[Group]:
        """Every question as a group of its own."""
        return (Group(question.id, self.name, question) for question in data.questions())


@dataclass(frozen=True)
class QuestionPartsSuite(BenchmarkSuite):
    """Accuracy on the parts of a plain set of questions, as named by the tag ``part`` of each question."""

    parts: ClassVar[Sequence[str]]
    """The values of the tag."""
    tests: ClassVar[Sequence[str]] = ()
    slices: ClassVar[Sequence[str]] = ("tag.part", "answer_type")

    def groups(self, data: Dataset, seed: int) -> Iterator[Group]:
        """Every question as a group of its own; refuses data of other kinds."""
        for question in data.questions():
            if dict(question.tags).get("part") not in self.parts:
                yield from super().groups(data, seed)
            yield Group(question.id, self.name, question)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy."""
        return {"accuracy.all": Accuracy("all", self.accuracy)}


@dataclass(frozen=True)
class GqaOodSuite(QuestionPartsSuite):
    """GQA-OOD: accuracy on frequent and on rare answers, and the gap between them (Kervadec et al. 2021)."""

    name: ClassVar[str] = "gqa-ood"
    readers: ClassVar[Sequence[str]] = ("gqa-ood",)
    title: ClassVar[str] = "Frequent and rare answers (GQA-OOD)"
    paper: ClassVar[str] = (
        "Kervadec, Antipov, Baccouche, Wolf: Roses are Red, Violets are Blue... But Should VQA Expect Them To? "
        "CVPR 2021"
    )
    parts: ClassVar[Sequence[str]] = ("head", "tail")
    headline: ClassVar[tuple[str, str]] = (
        "delta",
        "its accuracy is {value} higher on frequent answers than on rare ones",
    )

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy, and Δ = (head − tail) / tail."""
        return {**super().metrics, "delta": HeadTailGap("part", self.accuracy)}

    @property
    def tables(self) -> Sequence[Table]:
        """The paper's four figures."""
        columns = (
            Column("acc-all", "accuracy.all"),
            Column("acc-tail", "accuracy.all", "tag.part=tail"),
            Column("acc-head", "accuracy.all", "tag.part=head"),
            Column("Δ", "delta"),
        )
        return (Table("gqa-ood", "GQA-OOD", columns, published=published_figures(self.name)["gqa-ood"]),)


@dataclass(frozen=True)
class VqaCeSuite(QuestionPartsSuite):
    """VQA-CE: VQA accuracy where shortcuts fail, and where they do not (Dancette et al. 2021)."""

    accuracy: Mode = "official"

    name: ClassVar[str] = "vqa-ce"
    readers: ClassVar[Sequence[str]] = ("vqa-ce",)
    title: ClassVar[str] = "Where shortcuts fail (VQA-CE)"
    paper: ClassVar[str] = (
        "Dancette, Cadène, Teney, Cord: Beyond Question-Based Biases: Assessing Multimodal Shortcut Learning in Visual "
        "Question Answering. ICCV 2021"
    )
    parts: ClassVar[Sequence[str]] = ("counterexamples", "easy", "hard")
    headline: ClassVar[tuple[str, str]] = ("accuracy.all", "its VQA accuracy over all parts is {value}")

    @property
    def tables(self) -> Sequence[Table]:
        """Overall, and for each part."""
        parts = (Column(part.capitalize(), "accuracy.all", f"tag.part={part}") for part in self.parts)
        columns = (Column("Overall", "accuracy.all"), *parts)
        return (Table("vqa-ce", "VQA-CE", columns, published=published_figures(self.name)["vqa-ce"]),)


@dataclass(frozen=True)
class VqaCpSuite(QuestionPartsSuite):
    """VQA-CP: VQA accuracy if answers are distributed differently in test and training (Agrawal et al. 2018)."""

    accuracy: Mode = "official"

    name: ClassVar[str] = "vqa-cp"
    readers: ClassVar[Sequence[str]] = ("vqa-cp",)
    title: ClassVar[str] = "Changed answers per question type (VQA-CP)"
    paper: ClassVar[str] = (
        "Agrawal, Batra, Parikh, Kembhavi: Don't Just Assume; Look and Answer: Overcoming Priors for Visual Question "
        "Answering. CVPR 2018"
    )
    parts: ClassVar[Sequence[str]] = ("test", "train")
    headline: ClassVar[tuple[str, str]] = ("accuracy.all", "its VQA accuracy under changed answers is {value}")

    @property
    def tables(self) -> Sequence[Table]:
        """Overall and by answer type; published figures are for the test split of version 2."""
        return (Table("vqa-cp", "VQA-CP", _BY_ANSWER_TYPE, published=published_figures(self.name)["vqa-cp"]),)


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
        "Published figures are for models trained on the data in brackets: by round on the test split (Table 2), by "
        "domain on the dev split (Table 10).",
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
        figures = published_figures(self.name)
        return (
            Table("avqa", "Adversarial VQA by round", (*rounds, _WHOLE), published=figures["rounds"]),
            Table("avqa-domains", "Adversarial VQA by domain", (*rounds, *domains), published=figures["domains"]),
            Table("avqa-types", "Adversarial VQA by type of answer", _BY_ANSWER_TYPE),
        )

    def groups(self, data: Dataset, seed: int) -> Iterator[Group]:
        """Every question as a group of its own."""
        return (Group(question.id, self.name, question) for question in data.questions())
