"""Multiple choice: accuracy by letter, the letter that a model prefers when it is wrong, relevance of an option."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from askew.answers.choices import LETTERS, letter_of
from askew.answers.normalise import modal_answer, normalise
from askew.errors import BadOption
from askew.metrics.accuracy import check_mode, soft, summed
from askew.metrics.bounds import filled, unsaid
from askew.metrics.correct import judged, members
from askew.types import Mode, Outcome, Question, Row
from askew.verbs import Metric


@dataclass(frozen=True)
class OptionAccuracy(Metric):
    """Accuracy on the multiple-choice questions whose correct option has this letter, originals and variants alike.

    A model that prefers a position is better on questions whose answer is in that position.
    """

    letter: str = "A"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        _check_letter(self.letter)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(sum of accuracies, how many)."""
        here = ((q, p) for q, p in members(outcome) if _correct_letter(q) == self.letter)
        values = (soft(question, prediction, failed, self.mode) for question, prediction in here)
        return summed(value for value in values if value is not None)


@dataclass(frozen=True)
class WrongOption(Metric):
    """Position bias: of the wrong answers to multiple-choice questions, the share that is the option of this letter.

    Without a preference for a position every letter has about the same share in all rotations of the options. A wrong
    answer that is not an option counts for no letter. A missing answer is left out, or counts as correct (``failed=1``)
    or as a wrong answer with another letter (``failed=0``).
    """

    better: ClassVar[Literal[0]] = 0

    letter: str = "A"
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        _check_letter(self.letter)

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(wrong answers with this letter, wrong answers)."""
        judged_any, wrong, picked = False, 0, 0
        for question, prediction in members(outcome):
            value = judged(question, prediction, failed, "modal", self.mode) if question.choices else None
            judged_any = judged_any or value is not None
            if value == 0.0:
                wrong += 1
                picked += letter_of(question.choices, prediction.answer) == self.letter
        return (float(picked), float(wrong)) if judged_any else None

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """All missing answers correct, all with this letter, and all wrong with none."""
        place = LETTERS.index(self.letter)
        asked = [question for question, _ in members(outcome)]
        correct = [modal_answer(question.answers, str) for question in asked]
        other = [unsaid((*question.answers, *question.choices)) for question in asked]
        lettered = [q.choices[place] if place < len(q.choices) else o for q, o in zip(asked, other, strict=True)]
        for first, *rest in (correct, lettered, other):
            yield filled(outcome, first, rest)


@dataclass(frozen=True)
class Relevance(Metric):
    """How many people gave the answer, as a share of how many gave the most frequent one; mean over originals.

    Four people find *yes* correct, two of them *it is* too: the answer *it is* counts 1/2.
    """

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(share of the most frequent answer's votes, 1)."""
        votes = Counter(map(normalise, outcome.group.original.answers))
        answer = outcome.original.answer
        if not votes or (answer is None and failed is None):
            return None
        return (failed or 0.0) if answer is None else votes[normalise(answer)] / max(votes.values()), 1.0


def _correct_letter(question: Question) -> str:
    return letter_of(question.choices, modal_answer(question.answers, str)) if question.choices else ""


def _check_letter(letter: str) -> None:
    if len(letter) != 1 or letter not in LETTERS:
        raise BadOption(f"No option has the letter {letter!r}. Give one of A to Z.")
