"""What the three templates have in common: answer pools, word lists, reading answers and questions.

A template reads a question and asks it again as a yes/no question about a value.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from math import isqrt
from random import Random
from typing import ClassVar, Protocol, TypeAlias

from askew.files.read_write import word_sets
from askew.language.tagger import Tagger, Token

FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
"""The tags of finite verbs."""
RELATIVE = frozenset({"WDT", "WP", "WP$", "WRB"})
"""The tags of words that begin a relative clause."""
PUNCTUATION = frozenset({",", ";", ":", "?", ".", "(", ")", "/"})
"""Marks that separate the parts of a question."""
_SCALINGS = 60
"""Steps of Sinkhorn's scaling; more steps change no weight by a thousandth, unless one answer is half of all."""


class CannotAsk(Exception):
    """The template matches, but its question would be ungrammatical or have no certain answer. Gives the reason."""


@dataclass(frozen=True)
class YesNoQuestion:
    """A yes/no question: its text, its VQA question type, and the frame that produced it."""

    text: str
    question_type: str
    frame: str


@dataclass(frozen=True)
class AnswerPool:
    """The answers that a template can draw a "no" from and their counts in the data, most frequent first.

    >>> pool = AnswerPool.of({"blue": 1, "red": 3})
    >>> pool.counts
    (('red', 3), ('blue', 1))
    >>> pool.without(lambda answer: answer == "red").draw(Random(0))
    'blue'
    """

    counts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> AnswerPool:
        """The pool of these counts, in an order that depends on the counts alone."""
        return cls(tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))))

    def without(self, excluded: Callable[[str], bool]) -> AnswerPool:
        """The pool without the answers that must not be drawn."""
        return AnswerPool(tuple((answer, count) for answer, count in self.counts if not excluded(answer)))

    @property
    def total(self) -> int:
        """The sum of all counts."""
        return sum(count for _, count in self.counts)

    def balanced(self) -> AnswerPool:
        """The pool with weights for which each answer is drawn as a wrong one as often as it is the correct one.

        The correct answer is never drawn, so frequent answers would be drawn too rarely by their frequency. The
        weights x satisfy xᵢ (Σ x - xᵢ) = countᵢ up to a factor (Sinkhorn's scaling of a symmetric matrix without its
        diagonal), which is possible while no answer is more frequent than all others together.

        >>> pool = AnswerPool.of({"cat": 3, "cow": 2, "dog": 2}).balanced()
        >>> cow, dog = (pool.without(right.__eq__) for right in ("cow", "dog"))
        >>> round(2 * dict(cow.counts)["cat"] / cow.total + 2 * dict(dog.counts)["cat"] / dog.total, 2)
        3.0
        """
        counts = [count for _, count in self.counts]
        scale = 10**14 // max(1, sum(counts))
        weights = [10**6] * len(counts)  # whole numbers: the same on every processor
        for _ in range(_SCALINGS):
            total = sum(weights)
            weights = [
                max(1, isqrt(weight * count * scale // max(1, total - weight)))
                for weight, count in zip(weights, counts, strict=True)
            ]
        return AnswerPool(tuple((answer, w) for (answer, _), w in zip(self.counts, weights, strict=True)))

    def draw(self, rng: Random) -> str:
        """Draw an answer with probability proportional to its count; the pool must not be empty."""
        upto = list(accumulate(count for _, count in self.counts))
        return self.counts[bisect_right(upto, int(rng.random() * upto[-1]))][0]

    def __bool__(self) -> bool:
        return bool(self.counts)


AnswersGiven: TypeAlias = tuple[str, tuple[str, ...]]
"""The correct answer to a question, and the other answers that people gave, sorted."""


@dataclass(frozen=True)
class AnswerPools:
    """The result of one pass over the data: the pool of each key, and the compounds that people wrote."""

    pools: Mapping[str, AnswerPool] = field(default_factory=dict)
    compounds: frozenset[str] = frozenset()
    """Answers to "What kind of S ..." that end in S (``hotel room``), so the rest can be used as a modifier."""
    given: Mapping[str, Mapping[AnswersGiven, int]] = field(default_factory=dict)
    """By key: how many questions got each set of answers."""

    def __getitem__(self, key: str) -> AnswerPool:
        return self.pools.get(key, AnswerPool())


def pooled(
    counts: Mapping[str, Mapping[str, int]],
    compounds: Iterable[str] = (),
    given: Mapping[str, Mapping[AnswersGiven, int]] | None = None,
) -> AnswerPools:
    """The pools of answers counted by key.

    >>> pooled({"color": {"blue": 1, "red": 2}})["color"].counts
    (('red', 2), ('blue', 1))
    """
    return AnswerPools({key: AnswerPool.of(counts[key]) for key in sorted(counts)}, frozenset(compounds), given or {})


class QuestionFrame(Protocol):
    """A parsed question, which can be asked about any value."""

    def ask(self, value: str) -> YesNoQuestion:
        """The yes/no question about this value. Raises CannotAsk if there is no grammatical one."""

    def can_ask(self, value: str) -> bool:
        """True when there is a grammatical question about this value."""
        return True


class YesNoTemplate(Protocol):
    """Turns a question with its answer into a yes/no question. The defaults suit values that exclude each other."""

    test: ClassVar[str]
    """The column of the paper's tables, e.g. ``Y/N←C``."""
    unfit: ClassVar[str]
    """The reason for refusing an answer for which ``value`` returns None."""
    tagged: ClassVar[bool] = True
    """True when ``read`` needs part-of-speech tags."""
    mixes: ClassVar[bool] = True
    """True when a wrong answer is drawn from the answers about the noun and about any noun together."""

    def matches(self, text: str) -> bool:
        """True when this template applies to the question; a cheap test."""

    def value(self, answer: str) -> str | None:
        """The answer in the form that is compared and drawn, or None if the template cannot use it."""

    def keys(self, text: str) -> Sequence[str]:
        """The keys of the pools that the answer to this question belongs to and that are drawn from, best first."""

    def usual(self, text: str) -> Sequence[str]:
        """Answers to draw from if the data has no other answer."""
        return ()

    def implies(self, said: str, asked: str) -> bool:
        """True when people who gave the first value say yes to the second."""
        return said == asked

    def clash(self, drawn: str, given: str) -> bool:
        """True when both values could be true of one thing, so that the answer would not certainly be "no"."""

    def contrasts(self, drawn: str, value: str) -> bool:
        """True when both values are about the same aspect, so that one excludes the other."""
        return True

    def read(self, text: str, tagger: Tagger, pools: AnswerPools) -> QuestionFrame:
        """Parse a question. Raises CannotAsk."""


@lru_cache(maxsize=1 << 14)
def plain(answer: str) -> str:
    """An answer in lower case, without article, surrounding punctuation and extra spaces.

    >>> plain(" The  Red. ")
    'red'
    """
    words = " ".join(answer.lower().split()).strip(" .,;:!?\"'`")
    return re.sub(r"^(?:(?:a|an|the|it is|it's|this is)\s+)+", "", words)


def modal(answers: Sequence[str], agreement: float, same: Callable[[str], str | None]) -> str:
    """The answer that most people gave; ``same`` maps different spellings to one answer.

    >>> modal(["5", "five", "4"], 0.0, {"5": "5", "five": "5", "4": "4"}.get)
    '5'

    Raises:
        CannotAsk: when nobody answered, two answers are equally frequent, or too few people agree.
    """
    if not answers:
        raise CannotAsk("no answers")
    counts = Counter(same(answer) or plain(answer) for answer in answers).most_common(2)
    if len(counts) > 1 and counts[0][1] == counts[1][1]:
        raise CannotAsk("two answers are equally frequent")
    if counts[0][1] < agreement * len(answers):
        raise CannotAsk("people do not agree on the answer")
    return counts[0][0]


@lru_cache(maxsize=1 << 14)
def cut_noun(text: str, start: int) -> str:
    """The noun of the phrase that starts at this word, without a tagger: the last word before a preposition or a verb.

    >>> cut_noun("what color is the man's shirt on the left?", 4), cut_noun("how many dogs are there?", 2)
    ('shirt', 'dogs')
    """
    words = tidy(text)[:-1].lower().split()[start:]
    ends = (place for place, word in enumerate(words) if place and word in word_list("phrase ends"))
    return words[next(ends, len(words)) - 1] if words else ""


@lru_cache(maxsize=1 << 14)
def tidy(text: str) -> str:
    """A question on one line with single spaces and one question mark, as the templates expect it.

    >>> tidy(" What color is  the cat ?? ")
    'What color is the cat?'
    """
    return re.sub(r"\s*[?.]*$", "", " ".join(text.split())) + "?"


def read_tokens(text: str, tagger: Tagger) -> Sequence[Token]:
    """The tagged words of a question, without the final question mark."""
    tokens = tagger.tags([tidy(text)])[0]
    return tokens[:-1] if tokens[-1].text == "?" else tokens


def word_list(name: str) -> frozenset[str]:
    """A word list of ``grammar_words.yaml`` by name.

    >>> "wearing" in word_list("transitive")
    True
    """
    return word_sets("perturb/rad/grammar_words.yaml")[name]
