"""Models without weights: baselines that a real model must beat, and scripted models for tests."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from askew.answers.normalise import modal_answer, normalise
from askew.errors import DataError
from askew.files.limits import read_object
from askew.types import Prediction, Question
from askew.verbs import Dataset


@dataclass(frozen=True)
class Constant:
    """Gives the same answer to every question.

    >>> Constant("no").answer([Question(1, None, "Is it raining?")])[0].answer
    'no'
    """

    say: str = "yes"

    free_text: ClassVar[bool] = False
    blind: ClassVar[bool] = True
    """It never opens an image: no image file needs to exist."""

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The same answer for each question."""
        return [Prediction(question.id, self.say) for question in questions]


@dataclass(frozen=True)
class Prior:
    """Gives the most frequent answer to questions of that type, without looking at the image.

    A type that the fitting data does not have gets the most frequent answer overall.
    """

    fitted_on: str
    table: Mapping[str, str] = field(repr=False)
    otherwise: str

    free_text: ClassVar[bool] = False
    blind: ClassVar[bool] = True

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The most frequent answer of each question's type."""
        return [Prediction(q.id, self.table.get(question_type(q), self.otherwise)) for q in questions]


def prior(data: Dataset) -> Prior:
    """The most frequent answer per question type, fitted on the given data (``prior:data=train.jsonl``)."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for question in data.questions():
        if question.answers:
            counts[question_type(question)][modal_answer(question.answers, normalise)] += 1
    if not counts:
        raise DataError(f"{data.name}: no question has an answer, so no prior can be fitted. Give training data.")
    table = {kind: _most_frequent(counter) for kind, counter in sorted(counts.items())}
    return Prior(f"{data.name}#{_digest(table)}", table, _most_frequent(sum(counts.values(), Counter())))


def question_type(question: Question) -> str:
    """The question type given by the data, or else the first two words.

    >>> question_type(Question(1, None, "What color is it?"))
    'what color'
    """
    return question.kind.question_type or " ".join(question.text.lower().split()[:2])


@dataclass(frozen=True)
class Scripted:
    """Looks the question's text up in a script; a question that is not in it fails.

    >>> model = Scripted({"Is it raining?": "no"})
    >>> [p.answer for p in model.answer([Question(1, None, "Is it raining?"), Question(2, None, "Why?")])]
    ['no', None]
    """

    script: Mapping[str, str]
    otherwise: str | None = None

    free_text: ClassVar[bool] = False
    blind: ClassVar[bool] = True

    def __repr__(self) -> str:
        digest = _digest(sorted(self.script.items()))
        return f"Scripted({len(self.script)} answers#{digest}, otherwise={self.otherwise!r})"

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The scripted answers."""
        found = [(question.id, self.script.get(question.text, self.otherwise)) for question in questions]
        return [Prediction(key, answer, error="not in the script" if answer is None else None) for key, answer in found]


def scripted(file: str, otherwise: str | None = None) -> Scripted:
    """Answers from a JSON file ``{"question": "answer"}``."""
    expected = 'Expected one JSON object, {"question": "answer", ...}.'
    script = read_object(file, expected)
    if not all(isinstance(answer, str) for answer in script.values()):
        raise DataError(f"{file}: an answer is not a text. {expected}")
    return Scripted(script, otherwise)


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]


def _most_frequent(counter: Counter[str]) -> str:
    return min(counter, key=lambda answer: (-counter[answer], answer))
