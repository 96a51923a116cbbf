"""What a run records of each pair, a question with one of its variants: its outcome, traits and answers.

A *trait* is a property that pairs of one suite can share: their test, the rule that made the variant, a word of the
question. The report's "What breaks it" counts how often pairs with each trait break.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from askew.answers.normalise import modal_answer
from askew.types import Group, Outcome

WRONG, RIGHT, FAILED = 0, 1, 2
"""How one question was answered."""

BROKE, HELD = 3 * RIGHT + WRONG, 3 * RIGHT + RIGHT
"""The codes of a pair whose original was answered correctly, and whose variant was not, or was too."""

DIMENSIONS = ("test", "made_by", "question_type", "answer_type", "answer", "changed", "word")
"""The dimensions of traits: test, rule and new words of the variant; the others are of the original."""

MOST_FLIPS = 100_000
"""Distinct pairs of answers kept; when there are more, the rarest are dropped (they would not be shown)."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Judgement(NamedTuple):
    """How an answer is judged."""

    accuracy: float | None
    """Its accuracy in the run's mode; None if it is missing, or if people gave no answer."""
    right: bool | None
    """Whether it counts as correct; None if that is not known."""

    @property
    def code(self) -> int:
        """``RIGHT``, ``WRONG`` or ``FAILED``."""
        return became(self.right, self.accuracy)


def became(right: bool | None, accuracy: float | None) -> int:
    """Whether a question was answered correctly, incorrectly or not at all.

    >>> became(True, 0.3), became(None, 0.3), became(None, None)
    (1, 0, 2)
    """
    if right is None:
        if accuracy is None:
            return FAILED
        right = accuracy >= 0.5
    return RIGHT if right else WRONG


def words(text: str) -> list[str]:
    """The words of a question, in lower case.

    >>> words("What's on the man's T-shirt?")
    ["what's", 'on', 'the', "man's", 't', 'shirt']
    """
    return _WORD.findall(text.lower())


def common_answer(answers: Sequence[str]) -> str:
    """The most frequent answer of people, in lower case; the first in case of a tie.

    >>> common_answer(["white", "grey", "White"])
    'white'
    """
    return modal_answer(map(str, answers), str.lower)


@lru_cache(maxsize=4096)
def changed_words(original: str, variant: str) -> tuple[str, ...]:
    """The words that are in the variant but not in the original, in order.

    >>> changed_words("What color is the cat?", "Is the color of the cat white?")
    ('of', 'white')
    """
    old = set(words(original))
    return tuple(dict.fromkeys(word for word in words(variant) if word not in old))


@dataclass
class Traits:
    """The traits of the pairs of one suite: numbered, and for each pair the numbers of its traits."""

    number_of: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of each trait, a dimension and a value."""
    ids: array[int] = field(default_factory=lambda: array("i"))
    """The traits of all pairs, one pair after another; the first three of each are its suite, test and rule."""
    counts: array[int] = field(default_factory=lambda: array("i"))
    """How many of ``ids`` belong to each pair."""

    def add(self, group: Group) -> None:
        """Add the pairs of a group."""
        original = group.original
        shared = [
            ("question_type", original.kind.question_type),
            ("answer_type", original.kind.answer_type),
            ("answer", common_answer(original.answers)),
        ]
        last = [("word", word) for word in dict.fromkeys(words(original.text))]
        for variant in group.variants:
            start = len(self.ids)
            for head in (("suite", group.suite), ("test", variant.test), ("made_by", variant.made_by)):
                self.ids.append(self.number_of.setdefault(head, len(self.number_of)))
            changed = [("changed", word) for word in changed_words(original.text, variant.question.text)]
            for trait in (*shared, *changed, *last):
                if trait[1]:
                    self.ids.append(self.number_of.setdefault(trait, len(self.number_of)))
            self.counts.append(len(self.ids) - start)


@dataclass
class AnswerFlips:
    """How often each (answer before, answer after) occurs, and how often the answer after was wrong."""

    counts: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    dropped: int = 0

    def add(self, before: str, after: str, wrong: bool) -> None:
        """Count one pair of answers."""
        key = (before.strip().lower(), after.strip().lower())
        cell = self.counts.get(key)
        if cell is None:
            cell = self.counts[key] = [0, 0]
            if len(self.counts) > MOST_FLIPS:
                self._drop_rare()
                cell = self.counts.setdefault(key, [0, 0])
        cell[0] += 1
        cell[1] += wrong

    def add_outcome(self, outcome: Outcome, judged: Sequence[Judgement]) -> None:
        """Count the pairs of an outcome that are answered on both sides."""
        before = outcome.original.answer
        for prediction, judgement in zip(outcome.variants, judged[1:], strict=True):
            if before is not None and prediction.answer is not None:
                self.add(before, prediction.answer, judgement.code == WRONG)

    def record(self) -> list[Any]:
        """As JSON."""
        return [self.dropped, [[*key, *cell] for key, cell in self.counts.items()]]

    @classmethod
    def of(cls, record: Sequence[Any]) -> AnswerFlips:
        """From JSON."""
        dropped, cells = record
        return cls({(before, after): [n, wrong] for before, after, n, wrong in cells}, dropped)

    def _drop_rare(self) -> None:
        floor = sorted(n for n, _ in self.counts.values())[len(self.counts) // 2]
        kept = {key: cell for key, cell in self.counts.items() if cell[0] > floor}
        self.dropped += sum(n for n, _ in self.counts.values()) - sum(n for n, _ in kept.values())
        self.counts = kept
