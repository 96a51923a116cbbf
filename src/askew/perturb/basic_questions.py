"""Basic questions as noise of controlled strength (Huang et al. 2019).

The nearest questions of a pool are appended to the main question three at a time: partition 1 has the three nearest,
partition 7 those at ranks 19 to 21. The answers stay the same. The further a basic question is from the main question,
the stronger the noise; partition 0 is the main question alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Protocol

from askew.errors import BadOption
from askew.types import Expect, Question, Refusal, Variant

SIZE = 3
"""The number of basic questions in a partition."""


class Basics(Protocol):
    """The basic questions of one main question, nearest first, with their scores."""

    @property
    def questions(self) -> tuple[str, ...]:
        """The texts."""

    @property
    def scores(self) -> tuple[float, ...]:
        """One for each text."""


class Ranks(Protocol):
    """A source of basic questions for texts: a ranker, or a file of rankings."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    @property
    def signature(self) -> str:
        """What produced it, as 16 hex digits."""

    def nearest(self, texts: Sequence[str]) -> Mapping[str, Basics]:
        """The basic questions of those texts that have any."""


@dataclass(frozen=True)
class BasicQuestions:
    """Appends basic questions to a question, one partition to each variant; with several rankings, for each of them.

    For a model that reads only ``words`` words, the noise is cut at its end; the note says by how many words.
    """

    rankings: tuple[Ranks, ...]
    partitions: int = 7
    words: int | None = None
    _ranked: dict[str, Mapping[str, Basics]] = field(default_factory=dict, repr=False, compare=False)
    """The result of each ranking for the last chunk of texts."""

    def __post_init__(self) -> None:
        names = [ranking.name for ranking in self.rankings]
        if len(set(names)) < len(names):
            raise BadOption(f"basic: the ranker {max(names, key=names.count)!r} is named twice. Name each once.")

    def prepare(self, questions: Sequence[Question]) -> None:
        """Rank the basic questions of all questions in batches."""
        texts = [question.text for question in questions]
        for ranking in self.rankings:
            self._ranked[ranking.name] = ranking.nearest(texts)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """One variant or refusal for each partition; nothing is random."""
        for ranking in self.rankings:
            ranked = self._ranked.get(ranking.name, {})
            basics = ranked.get(question.text) or ranking.nearest([question.text]).get(question.text)
            yield from (self._partition(question, ranking, basics, level) for level in range(1, self.partitions + 1))

    def _partition(self, question: Question, ranking: Ranks, basics: Basics | None, level: int) -> Variant | Refusal:
        test = partition_name(ranking.name if len(self.rankings) > 1 else "", level)
        if basics is None:
            return Refusal(question.id, test, "the question is not in the file of basic questions")
        part = slice(SIZE * (level - 1), SIZE * level)
        chosen = basics.questions[part]
        if len(chosen) < SIZE:
            return Refusal(question.id, test, "too few basic questions")
        text, cut = appended(question.text, chosen, self.words)
        if text == question.text:
            return Refusal(question.id, test, f"the question alone fills the {self.words} words")
        note = {
            "level": level,
            "basic": list(chosen),
            "scores": list(basics.scores[part]),
            "truncated": cut,
            "ranking": ranking.signature,
        }
        changed = replace(question, id=f"{question.id}/{test.replace(' ', '-')}", text=text)
        return Variant(changed, Expect.NOISE, test, f"basic/{ranking.name}", note)


def partition_name(ranker: str, level: int) -> str:
    """The name of a partition: ``partition 1``, or ``lasso 1`` if there are several rankers."""
    return f"{ranker or 'partition'} {level}"


def appended(question: str, basic: Sequence[str], words: int | None = None) -> tuple[str, int]:
    """The question followed by basic questions, and how many words were cut off to fit into ``words``.

    The question itself is never cut.

    >>> appended("How old is it?", ["Is it old?", "Why?"])
    ('How old is it? Is it old? Why?', 0)
    >>> appended("How old is it?", ["Is it old?", "Why?"], words=6)
    ('How old is it? Is it', 2)
    """
    noise = " ".join(basic).split()
    room = len(noise) if words is None else max(0, words - len(question.split()))
    kept = noise[:room]
    return " ".join([question, *kept]), len(noise) - len(kept)
