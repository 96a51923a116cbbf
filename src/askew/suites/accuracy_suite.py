"""The plain suite: the unperturbed questions of any data, scored by VQA accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from askew.metrics.accuracy import Accuracy
from askew.metrics.run_table import SLICES
from askew.types import Column, Group, Mode, Table
from askew.verbs import Dataset, Metric


@dataclass(frozen=True)
class AccuracySuite:
    """VQA accuracy on the unperturbed questions (Antol et al. 2015), overall, by answer type and question type."""

    accuracy: Mode = "official"

    name: ClassVar[str] = "accuracy"
    title: ClassVar[str] = "VQA accuracy"
    paper: ClassVar[str] = "Antol et al. 2015"
    correct: ClassVar[str] = "modal"
    tests: ClassVar[Sequence[str]] = ()
    slices: ClassVar[Sequence[str]] = (*SLICES, "tag.file")
    """Also by file, for a folder of tables."""
    headline: ClassVar[tuple[str, str]] = ("accuracy.all", "its VQA accuracy is {value}")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy over all questions."""
        return {"accuracy.all": Accuracy("all", self.accuracy)}

    @property
    def tables(self) -> Sequence[Table]:
        """Overall and by answer type, as VQA papers print it."""
        kinds = (("Yes/No", "yes/no"), ("Number", "number"), ("Other", "other"))
        parts = (Column(title, "accuracy.all", f"answer_type={kind}") for title, kind in kinds)
        return (Table("vqa", "VQA accuracy", (Column("All", "accuracy.all"), *parts)),)

    def groups(self, data: Dataset, seed: int) -> Iterator[Group]:
        """Every question as a group of its own."""
        return (Group(question.id, self.name, question) for question in data.questions())
