"""Models for tests of attacks: a softmax over sums of word weights that come from hashes."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field
from functools import cache

from askew.attack.attack_parts import Attack, Listed
from askew.attack.search import GreedySearch
from askew.types import Prediction, Question

CLASSES = ("yes", "no", "two", "red")
WORDS = ("man", "dog", "car", "tree", "street", "ball", "red", "big", "old", "shirt", "horse", "sign", "table")
SWAPS = {word: tuple(f"{word}{ending}" for ending in ("ish", "like", "oid", "ette")) for word in WORDS}


@cache
def weight(word: str, label: str) -> float:
    """A number from -1 to 1 that depends on nothing but the word and the label."""
    digest = hashlib.sha256(f"{word}:{label}".encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**31 - 1


@dataclass
class Confident:
    """Answers with the class of the greatest sum of word weights, and gives its probability."""

    name: str = "sums"
    asked: list[str] = field(default_factory=list, repr=False)
    calls: list[int] = field(default_factory=list, repr=False)
    fails_once: set[str] = field(default_factory=set, repr=False)
    free_text = False
    blind = True

    def chances(self, text: str) -> dict[str, float]:
        """The probability of each class."""
        sums = {a: sum(weight(w, a) for w in re.findall(r"[a-z]+", text.lower())) for a in CLASSES}
        total = sum(map(math.exp, sums.values()))
        return {label: math.exp(value) / total for label, value in sums.items()}

    def answer(self, questions):
        self.asked += [question.text for question in questions]
        self.calls.append(len(questions))
        return list(map(self.said, questions))

    def said(self, question):
        if question.text in self.fails_once:
            self.fails_once.remove(question.text)
            return Prediction(question.id, None, error="no connection")
        chances = self.chances(question.text)
        best = max(chances, key=lambda label: chances[label])
        return Prediction(question.id, best, chances[best])


@dataclass
class WordSums(Confident):
    """The same, and it scores any class."""

    def scores(self, questions, answers):
        self.calls.append(len(questions))
        self.asked += [f"{answer}? {question.text}" for question, answer in zip(questions, answers, strict=True)]
        return [self.chances(q.text).get(a, 0.0) for q, a in zip(questions, answers, strict=True)]


@dataclass
class Labels(Confident):
    """The same without probabilities."""

    def said(self, question):
        said = super().said(question)
        return Prediction(said.question_id, said.answer, error=said.error)


def asked_about(count: int) -> list[Question]:
    """Short questions; ten people give the model's answer, except to every fifth question."""
    found = []
    for number in range(count):
        chosen = [
            WORDS[place % len(WORDS)] for place in (number, number // len(WORDS) + 2 * number + 1, 5 * number + 3)
        ]
        text = f"Is the {chosen[0]} near the {chosen[1]} with a {chosen[2]}?"
        said = Confident().said(Question(number, None, text)).answer
        found.append(Question(number, None, text, (said if number % 5 else "purple",) * 10))
    return found


def listed(search=None, **parts) -> Attack:
    """An attack with swaps from a table."""
    return Attack("textfooler", Listed(SWAPS), search or GreedySearch(), **parts)
