"""A plausible wrong answer to a question: one that the data's other questions of the same kind have, and nobody gave.

The opposite of yes or no, another option of a multiple-choice question, a count at most three away, or an answer drawn
by its frequency among the questions that ask for the same: for a color, for what somebody is holding, for a place.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random

from askew.answers.normalise import answer_type, modal_answer, normalise, normalised, tokens
from askew.files.read_write import resource, word_sets
from askew.types import Question

_LEXICON = "perturb/wrong_answers.yaml"
AGREEMENT = 0.5
"""The least share of people who must have given the most frequent answer."""
_DISSENT = 0.2
"""The most people who may have given the opposite of yes or no."""
_NEAR = 3
_LEAST = 2
"""An answer must have been the most frequent one to this many questions."""
_OPPOSITE = {"yes": "no", "no": "yes"}
_COUNTS = re.compile(r"how many\b", re.IGNORECASE)


@dataclass(frozen=True)
class WrongAnswers:
    """Draws wrong answers; ``pools`` has the answers to each kind of question with their frequency."""

    pools: Mapping[tuple[str, str], Mapping[str, int]] = field(repr=False)

    def draw(self, question: Question, rng: Random) -> tuple[str, str]:
        """The correct answer and a wrong one.

        >>> WrongAnswers({}).draw(Question(1, None, "Is it?", ("yes",)), Random(0))
        ('yes', 'no')
        """
        right = modal_answer(question.answers, normalise)
        said = normalised(question.answers)
        if not said or said.count(right) < AGREEMENT * len(said):
            raise NoWrongAnswer("people disagree about the answer" if said else "it has no answer")
        if question.choices:
            others = [option for option in question.choices if normalise(option) not in said]
            options = [option for option in question.choices if normalise(option) == right]
            if not others or not options:
                raise NoWrongAnswer("no option is certainly wrong")
            return options[0], rng.choice(others)
        if opposite := _OPPOSITE.get(right):
            if said.count(opposite) > _DISSENT * len(said):
                raise NoWrongAnswer("people disagree about the answer")
            return right, opposite
        if not _words_of("vague").isdisjoint(right.split()):
            raise NoWrongAnswer("the answer is not definite")
        found = self.pools.get(kind_of(question, right), {})
        fitting = [(one, count) for one, count in found.items() if _is_wrong(one, question, right, said)]
        if not fitting:
            raise NoWrongAnswer("no other answer of its kind is certainly wrong")
        words, counts = zip(*fitting, strict=True)
        return right, rng.choices(words, counts)[0]


class NoWrongAnswer(Exception):
    """Why there is no wrong answer; the reason of a refusal."""


def fit_answers(questions: Iterable[Question]) -> WrongAnswers:
    """The answers of this data: the most frequent one to each question, if it is definite."""
    pools: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for question in questions:
        right = modal_answer(question.answers, normalise)
        if right and right not in _OPPOSITE and not question.choices and _words_of("vague").isdisjoint(right.split()):
            kind = kind_of(question, right)
            pools[kind][right] += bool(kind[1])
    kept = {
        kind: {one: count for one, count in sorted(counts.items()) if count >= _LEAST} for kind, counts in pools.items()
    }
    return WrongAnswers(kept)


def kind_of(question: Question, right: str) -> tuple[str, str]:
    """The type of the answer, and what the question asks for; empty if that is not clear.

    >>> [kind_of(Question(1, None, f"What {rest}?"), "x")[1] for rest in ("color is it", "is he riding", "is this")]
    ['color', 'riding', '']
    """
    words = " ".join(tokens(question.text))
    match = next(filter(None, (asks.match(words) for asks in _asks())), None)
    return answer_type(right), match[1] if match else ""


def _is_wrong(answer: str, question: Question, right: str, said: Iterable[str]) -> bool:
    """Whether an answer has no word of what anybody said, and fits the alternatives and the size of the question."""
    words = _words(answer.split())
    if any(words & _words(other.split()) for other in said) or not _words_of("true_of_many").isdisjoint(
        words | _words([right])
    ):
        return False
    if any(map(str.isdigit, answer)) != any(map(str.isdigit, right)):  # "morning" may be 9:20
        return False
    asked = _words(tokens(question.text))
    if "or" in asked:
        return words <= asked
    if words & asked:
        return False
    if answer.isdecimal() and right.isdecimal() and _COUNTS.match(question.text):
        return abs(int(answer) - int(right)) <= _NEAR
    return True


def _words(words: Iterable[str]) -> set[str]:
    """Words without the ending of plurals, one for all that are alike."""
    return {_same_as().get(word, word) for word in (one.rstrip("s") for one in words)}


def _words_of(name: str) -> frozenset[str]:
    return word_sets(_LEXICON)[name]


@cache
def _same_as() -> Mapping[str, str]:
    """One word for each of those that are alike."""
    return {word: alike[0] for alike in resource(_LEXICON)["alike"] for word in alike}


@cache
def _asks() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, resource(_LEXICON)["asks"]))
