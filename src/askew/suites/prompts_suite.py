"""The same question under several prompt templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from askew.metrics.consistency import SelfConsistency
from askew.metrics.correct import Correct, check_correct
from askew.metrics.prompt_spread import AnyChange, PromptSpread, WorstForm
from askew.perturb.prompts import Prompts, templates_of
from askew.perturb.vary_dataset import vary_all
from askew.suites.suite_parts import before_after, listed
from askew.types import Column, Group, Mode, Refusal, Table
from askew.verbs import Dataset, Metric


@dataclass(frozen=True)
class PromptsSuite:
    """Each question under nine prompt templates; the answer should stay the same."""

    templates: str = ""
    """Which ones, separated by commas: ``prompts:marked,short``; by default all."""
    file: str = ""
    """A YAML file with templates of your own, a name and a text with {question} for each."""

    accuracy: Mode = "official"
    """How answers are compared with people's."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "prompts"
    title: ClassVar[str] = "Prompt templates"
    paper: ClassVar[str] = (
        "After Sclar, Choi, Tsvetkov, Suhr: Quantifying Language Models' Sensitivity to Spurious Features in Prompt "
        "Design. ICLR 2024"
    )
    headline: ClassVar[tuple[str, str]] = (
        "accuracy.variant",
        "it answers only {value} correctly under other prompts",
    )

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)
        self._chosen  # noqa: B018 - unknown names and bad files are refused here

    @cached_property
    def _chosen(self) -> tuple[tuple[str, str], ...]:
        return templates_of(listed(self.templates), self.file)

    @property
    def tests(self) -> Sequence[str]:
        """The names of the templates."""
        return tuple(name for name, _ in self._chosen)

    @property
    def notes(self) -> Sequence[str]:
        """The templates."""
        return tuple(f"template {name}: {text!r}" for name, text in self._chosen)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy without and with templates, under the worst prompt, the spread, and how often answers change."""
        return {
            **before_after(self.accuracy),
            "prompts.worst": WorstForm("+".join(self.tests), self.accuracy),
            "prompts.spread": PromptSpread("+".join(self.tests), self.accuracy),
            "prompts.changed": AnyChange(),
            "carets.cons": SelfConsistency(),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """How much the prompt matters, and the accuracy under each."""
        whole = (
            Column("As asked", "accuracy.original"),
            Column("Templates, mean", "accuracy.variant"),
            Column("Worst", "prompts.worst"),
            Column("Spread", "prompts.spread"),
            Column("Changed at all", "prompts.changed"),
        )
        each = (Column(test, "accuracy.variant", f"test={test}") for test in self.tests)
        return (
            Table("prompts", "How much the prompt matters", whole),
            Table("prompts-each", "Accuracy under each prompt", (Column("As asked", "accuracy.original"), *each)),
        )

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """One pass over the data."""
        return vary_all(Prompts(self._chosen), data.questions(), seed, self.name)
