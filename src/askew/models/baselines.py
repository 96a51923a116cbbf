"""Models that need no weights: what an honest number must beat, and the fakes that tests are written with."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from askew.answers.normalise import modal_answer, normalise
from askew.errors import DataError
from askew.files.limits import bounded_read, load_json
from askew.types import Prediction, Question
from askew.verbs import Dataset


@dataclass(frozen=True)
class Constant:
    """Says the same to everything.

    >>> Constant("no").answer([Question(1, None, "Is it raining?")])[0].answer
    'no'
    """

    say: str = "yes"

    free_text: ClassVar[bool] = False
    blind: ClassVar[bool] = True
    """It never looks: no picture need be there."""

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The one answer, for each question."""
        return [Prediction(question.id, self.say) for question in questions]


@dataclass(frozen=True)
class Prior:
    """Says what people said most often to questions of that type: language without looking.

    With no question of the type among those it was fitted on, it says the most frequent answer of all.
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
        raise DataError(f"{data.name}: no question has an answer, so there is no prior to learn. Give training data.")
    table = {kind: _most_frequent(counter) for kind, counter in sorted(counts.items())}
    digest = hashlib.sha256(json.dumps(table).encode()).hexdigest()[:12]
    return Prior(f"{data.name}#{digest}", table, _most_frequent(sum(counts.values(), Counter())))


def question_type(question: Question) -> str:
    """The type the data names, else the first two words.

    >>> question_type(Question(1, None, "What color is it?"))
    'what color'
    """
    return question.kind.question_type or " ".join(question.text.lower().split()[:2])


@dataclass(frozen=True)
class Scripted:
    """Says what the script has for a question's text; a question that is not in it fails.

    >>> model = Scripted({"Is it raining?": "no"})
    >>> [p.answer for p in model.answer([Question(1, None, "Is it raining?"), Question(2, None, "Why?")])]
    ['no', None]
    """

    script: Mapping[str, str]
    otherwise: str | None = None

    free_text: ClassVar[bool] = False
    blind: ClassVar[bool] = True

    def __repr__(self) -> str:
        digest = hashlib.sha256(json.dumps(sorted(self.script.items())).encode()).hexdigest()[:12]
        return f"Scripted({len(self.script)} answers#{digest}, otherwise={self.otherwise!r})"

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The scripted answers."""
        return [self._say(question) for question in questions]

    def _say(self, question: Question) -> Prediction:
        said = self.script.get(question.text, self.otherwise)
        return Prediction(question.id, said, error=None if said is not None else "not in the script")


def scripted(file: str, otherwise: str | None = None) -> Scripted:
    """Answers from a JSON file ``{"question": "answer"}``."""
    try:
        script = load_json(bounded_read(file))
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: cannot be read as JSON ({error}). Expected {{question: answer}}.") from error
    if not isinstance(script, dict) or not all(isinstance(said, str) for said in script.values()):
        raise DataError(f'{file}: expected one JSON object, {{"question": "answer", ...}}.')
    return Scripted(script, otherwise)


def _most_frequent(counter: Counter[str]) -> str:
    return min(counter, key=lambda answer: (-counter[answer], answer))
