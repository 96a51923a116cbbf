"""Automatic attacks: questions reworded until a model answers them incorrectly (Li et al. 2021, section 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from askew.errors import UsageError
from askew.metrics.accuracy import Accuracy
from askew.metrics.attacks import (
    AttackAccuracy,
    AttackErrorRate,
    AttackNote,
    AttackTries,
    ValidAttackRate,
)
from askew.metrics.consistency import Flips
from askew.metrics.correct import Correct, check_correct
from askew.suites.suite_parts import published
from askew.types import Column, Group, Mode, Refusal, Table
from askew.verbs import Dataset, Metric

ATTACKS = ("sears", "textfooler", "pso", "pwws", "typos", "bert-attack")
"""The recipes, which are the tests of their variants."""
BUDGETS = (1, 2, 5, 10, 20, 50, 100)
"""The numbers of texts asked about a question after which accuracy under attack is measured."""


@dataclass(frozen=True)
class AttackSuite:
    """Rewordings that automatic attacks found; ``askew attack`` makes the groups, against one model."""

    attack: str = ""
    """The signature of the attack that makes the groups; empty for groups that exist already."""
    scores: str = ""
    """What guided its search: score, confidence or label."""
    budget: int = 0
    """The maximum number of distinct texts to ask about each question."""
    confirm: int = 0
    """In how many further requests a rewording had to fool the model too."""
    name_of_attack: str = ""
    """The attack's name, if it is not one of askew's own."""
    accuracy: Mode = "official"
    correct: Correct = "modal"
    source: Callable[[Dataset, int], Iterator[Group | Refusal]] | None = field(default=None, repr=False, compare=False)
    """Runs the attack."""

    name: ClassVar[str] = "attack"
    title: ClassVar[str] = "Automatic attacks on the question"
    paper: ClassVar[str] = (
        "Li, Lei, Gan, Liu: Adversarial VQA: A New Benchmark for Evaluating the Robustness of VQA Models. 2021"
    )
    slices: ClassVar[Sequence[str]] = (
        "test",
        "note.against",
        "note.rule",
        "note.part_of_speech",
        "note.word",
        "answer_type",
        "question_type",
    )
    headline: ClassVar[tuple[str, str]] = (
        "attack.success",
        "{value} of those are answered incorrectly after an automatic rewording",
    )

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)

    @property
    def tests(self) -> Sequence[str]:
        """The names of attacks."""
        return (self.name_of_attack,) if self.name_of_attack else ATTACKS

    titles: ClassVar[Mapping[str, tuple[str, str]]] = {
        "attack.flip": ("Changed answers", "attacked questions whose answer changes, correct or not")
    }

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy before and after, how often the answer changes or becomes wrong, and at what cost."""
        return {
            "accuracy.all": Accuracy("all", self.accuracy),
            "accuracy.original": Accuracy("original", self.accuracy),
            "accuracy.variant": Accuracy("variant", self.accuracy),
            "attack.success": AttackErrorRate(self.correct, self.accuracy),
            "attack.valid": ValidAttackRate(self.correct, self.accuracy),
            "attack.flip": Flips("any", correct=self.correct, mode=self.accuracy),
            "attack.tries": AttackTries(),
            "attack.words": AttackNote("changed_share"),
            "attack.similarity": AttackNote("similarity"),
            "attack.grammar": AttackNote("grammar"),
            **{f"attack.accuracy.{budget}": AttackAccuracy(budget, self.accuracy) for budget in BUDGETS},
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Table 8 of the paper, what the attack changed, and accuracy against the budget."""
        return (
            Table(
                "attack-8",
                "Automatic attacks (Table 8; the error rate is the share of changed answers)",
                (
                    Column("#Tries", "attack.tries"),
                    Column("Error rate", "attack.flip"),
                    Column("Correct → wrong", "attack.success"),
                    Column("Orig. acc.", "accuracy.original"),
                    Column("Adv. acc.", "accuracy.variant"),
                ),
                published=published("attack_figures")["table8"],
            ),
            Table(
                "attack-changes",
                "Success with and without strict validity, and what was changed",
                (
                    Column("Success", "attack.success"),
                    Column("Strictly valid", "attack.valid"),
                    Column("Words changed", "attack.words"),
                    Column("Similarity", "attack.similarity"),
                    Column("Grammar errors added", "attack.grammar"),
                ),
            ),
            Table(
                "attack-budget",
                "Accuracy over all questions, by texts asked about each",
                (
                    Column("0", "accuracy.all"),
                    *(Column(str(budget), f"attack.accuracy.{budget}") for budget in BUDGETS),
                ),
            ),
        )

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """The groups of the attack; without a model there is nothing to attack."""
        if self.source is None:
            raise UsageError(
                "attack: rewordings are found by asking a model. Run 'askew attack --model M --data DATA --output DIR' "
                "(askew.attack_model in Python), and then give DIR as the data."
            )
        return self.source(data, seed)
