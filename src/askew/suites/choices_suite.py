"""Multiple choice: the options in every rotation (CircularEval, Liu et al. 2023)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from askew.answers.choices import LETTERS
from askew.answers.no_option import refers_to_options
from askew.errors import BadOption
from askew.metrics.accuracy import Accuracy
from askew.metrics.benchmark_metrics import OptionAccuracy, WrongOption
from askew.metrics.consistency import SelfConsistency
from askew.metrics.correct import AllCorrect, Correct, check_correct
from askew.suites.suite_parts import before_after
from askew.types import Column, Expect, Group, Mode, Question, Refusal, Table, Variant
from askew.verbs import Dataset, Metric

TEST = "rotation"


@dataclass(frozen=True)
class ChoicesSuite:
    """Multiple-choice questions with their options in every rotation; the answer stays the same option."""

    letters: str = "ABCD"
    """The letters whose accuracy and position bias are shown."""

    accuracy: Mode = "robust"
    """How answers are compared with the correct option's text."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "choices"
    title: ClassVar[str] = "Multiple choice in every rotation (CircularEval)"
    paper: ClassVar[str] = "Liu, Duan, Zhang et al.: MMBench: Is Your Multi-modal Model an All-around Player? ECCV 2024"
    tests: ClassVar[Sequence[str]] = (TEST,)
    headline: ClassVar[tuple[str, str]] = (
        "circular",
        "it answers only {value} correctly in every order of the options",
    )

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)
        if not self.letters or not set(self.letters) <= set(LETTERS) or len(set(self.letters)) < len(self.letters):
            raise BadOption(f"choices: letters is {self.letters!r}. Give different capital letters, e.g. ABCD.")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Accuracy as the data orders the options and in the rotations, all rotations correct, and by letter."""
        return {
            "accuracy.all": Accuracy("all", self.accuracy),
            **before_after(self.accuracy),
            "circular": AllCorrect("", self.correct, self.accuracy),
            "cons": SelfConsistency(),
            **{f"option.{letter}": OptionAccuracy(letter, self.accuracy) for letter in self.letters},
            **{f"wrong.{letter}": WrongOption(letter, self.accuracy) for letter in self.letters},
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Accuracy and circular accuracy; accuracy by the letter of the correct option; letters of wrong answers."""
        whole = (
            Column("Accuracy", "accuracy.all"),
            Column("Rotations", "accuracy.variant"),
            Column("Same option", "cons"),
            Column("Circular", "circular"),
        )
        return (
            Table("choices", "Accuracy in every order of the options", whole),
            Table("choices-letter", "Accuracy by the letter of the correct option", self._each("option")),
            Table("choices-bias", "Letters of wrong answers (position bias)", self._each("wrong")),
        )

    def groups(self, data: Dataset, seed: int) -> Iterator[Group | Refusal]:
        """Every multiple-choice question with each rotation of its options."""
        for question in data.questions():
            if reason := _unfit(question):
                yield Refusal(question.id, TEST, reason)
            else:
                yield Group(question.id, self.name, question, tuple(rotations(question)))

    def _each(self, metric: str) -> tuple[Column, ...]:
        return tuple(Column(letter, f"{metric}.{letter}") for letter in self.letters)


def rotations(question: Question) -> Iterator[Variant]:
    """The question with its options shifted by one, two, ... places; the answer is the same option.

    >>> asked = Question(1, None, "What is it?", ("a cat",), choices=("a cat", "a dog", "a cow"))
    >>> [variant.question.choices for variant in rotations(asked)]
    [('a dog', 'a cow', 'a cat'), ('a cow', 'a cat', 'a dog')]
    """
    options = question.choices
    for shift in range(1, len(options)):
        turned = replace(question, id=f"{question.id}/rotation-{shift}", choices=options[shift:] + options[:shift])
        yield Variant(turned, Expect.SAME, TEST, "choices/rotation", {"shift": shift})


def _unfit(question: Question) -> str:
    """Why the options of a question cannot be rotated; empty if they can.

    >>> _unfit(Question(1, None, "What?", ("x",), choices=("x", "both A and B")))
    'an option speaks of other options'
    """
    if not question.choices:
        return "not a multiple-choice question"
    return "an option speaks of other options" if any(map(refers_to_options, question.choices)) else ""
