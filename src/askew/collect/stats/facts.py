"""What is counted, as columns of numbers: one pass over the questions, a few bytes for each."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan

import numpy as np

from askew.answers.normalise import normalise, tokens
from askew.collect.agreement import AlphaSums
from askew.collect.example_types import Verdicts, example_type, text_rule_removes
from askew.collect.stats.rates import Floats, Ints, Mask
from askew.collect.stats.told_examples import Example
from askew.collect.stats.vocabulary import Vocabulary
from askew.collect.study_settings import StudySettings
from askew.errors import DataError
from askew.metrics.accuracy import accuracy, leave_one_out
from askew.world.phrasing import question_type

TYPES = "ABCDE"
SPLITS = ("train", "dev", "test")
CLASSES = ("Y/N", "Num", "OOV", "Other")
NONE = -1
WORDS = 4
"""Depth of the tree of first words (Fig. 4)."""
_UNVERIFIED = {"correct": "A", "unsure": "B"}
_CONFIDENT = {"yes": 2, "maybe": 1, "no": 0}
"""Halves of a point; "maybe" is between the paper's 1 and 0."""


_WHOLE = (
    *("round", "image", "session", "tries", "type", "split", "domain", "model", "length"),
    *(f"word{depth}" for depth in range(1, WORDS + 1)),
    *("kind", "removed", "group", "sure", "asked", "confident", "class", "answer"),
)
_REAL = ("seconds", "latency", "open", "closed")
_NOTHING = (NONE, 0, *[NONE] * 6)
"""What a question that nobody verified has in the last columns."""


class Names:
    """Numbers for names, in the order they come."""

    def __init__(self, known: Sequence[str] = ()) -> None:
        self.numbers: dict[str, int] = {name: number for number, name in enumerate(known)}

    def number(self, name: str) -> int:
        """The number of a name."""
        found = self.numbers.get(name)
        return self.numbers.setdefault(name, len(self.numbers)) if found is None else found

    @property
    def names(self) -> list[str]:
        """All names by number."""
        return list(self.numbers)


@dataclass
class Facts:
    """Columns over the questions of types A to E, by number; what was left out is only counted."""

    settings: StudySettings
    vocabulary: Vocabulary | None = None
    domains: Names = field(default_factory=Names)
    models: Names = field(default_factory=Names)
    kinds: Names = field(default_factory=Names)
    """Question types of verified questions."""
    words: Names = field(default_factory=Names)
    """First words of questions."""
    answers: Names = field(default_factory=Names)
    """Most frequent answers."""
    images: dict[int, int] = field(default_factory=dict)
    """Image to its number."""
    image_round: dict[int, int] = field(default_factory=dict)
    left_out: Counter[int] = field(default_factory=Counter)
    """Round to questions of type U."""
    waiting: Counter[int] = field(default_factory=Counter)
    """Of these, attacks that verifiers have not finished."""
    deleted: Counter[int] = field(default_factory=Counter)
    """Of those left out, questions that had a type and were deleted on request after the freeze."""
    alphas: dict[int, AlphaSums] = field(default_factory=dict)
    """Round to the agreement of verifiers."""
    _whole: array[int] = field(default_factory=lambda: array("q"))
    _real: array[float] = field(default_factory=lambda: array("d"))

    def add(self, one: Example) -> None:
        """Take a question in; what is stored of it must follow from what people said."""
        if one.type == "U":
            self.left_out[one.round] += 1
            self.waiting[one.round] += one.state == "VERIFYING"
            return
        if not one.text:
            self.left_out[one.round] += 1
            self.deleted[one.round] += 1
            return
        said = _said(one)
        _check_type(one, said, self.settings)
        words = tokens(one.text)
        self._whole.extend(
            (
                one.round,
                self.image(one.image, one.round),
                one.session,
                one.try_no or 0,
                TYPES.index(one.type),
                NONE if one.split is None else SPLITS.index(one.split),
                self.domains.number(one.domain),
                self.models.number(one.model),
                len(words),
                *[self.words.number(word) for word in words[:WORDS]],
                *(NONE,) * (WORDS - len(words)),
                *(_NOTHING if one.author is None else self._agreed(one, said)),
            )
        )
        bounds = self._bounds(one) if one.split in ("dev", "test") else (nan, nan)
        self._real.extend(
            (nan if one.seconds is None else one.seconds, nan if one.latency is None else one.latency, *bounds)
        )

    def image(self, key: int, round_: int) -> int:
        """The number of an image; every image is in one round."""
        number = self.images.setdefault(key, len(self.images))
        if self.image_round.setdefault(number, round_) != round_:
            raise DataError(f"Image {key} is in rounds {self.image_round[number]} and {round_}; it must be in one.")
        return number

    def column(self, name: str) -> Ints:
        """Whole numbers, one per question."""
        whole = np.asarray(self._whole, dtype=np.int64).reshape(-1, len(_WHOLE))
        return np.ascontiguousarray(whole[:, _WHOLE.index(name)])

    def floats(self, name: str) -> Floats:
        """Other numbers, one per question; nan where there is none."""
        real = np.asarray(self._real, dtype=float).reshape(-1, len(_REAL))
        return np.ascontiguousarray(real[:, _REAL.index(name)])

    def is_type(self, kinds: str) -> Mask:
        """Which questions are of these types."""
        return np.asarray(np.isin(self.type, [TYPES.index(kind) for kind in kinds]))

    @cached_property
    def type(self) -> Ints:
        """The type of each question."""
        return self.column("type")

    @cached_property
    def image_of(self) -> Ints:
        """The image of each question."""
        return self.column("image")

    @cached_property
    def round(self) -> Ints:
        """The round of each question."""
        return self.column("round")

    def _agreed(self, one: Example, said: Verdicts) -> tuple[int, ...]:
        """Of a verified question: the largest group of equal answers, confidence, class, most frequent answer."""
        given = [said.author, *said.verifiers]
        sure = _sure(said, self.settings)
        counts = list(map(given.count, given))
        largest = max(counts)
        most = given[counts.index(largest)]
        is_oov = self.vocabulary is not None and not self.vocabulary.has_any(given)
        self.alphas.setdefault(one.round, AlphaSums()).add(said.verifiers)
        return (
            self.kinds.number(question_type(one.text)),
            text_rule_removes(said, self.settings),
            largest,
            sum([_CONFIDENT[answer] for answer in sure]),
            len(sure),
            sure.count("yes"),
            CLASSES.index("OOV" if is_oov else answer_class(most)),
            self.answers.number(most),
        )

    def _bounds(self, one: Example) -> tuple[float, float]:
        """The best accuracy that any answer, or any of the vocabulary, can have."""
        assert one.author is not None
        texts = (one.author.text, *(answer.text for answer in one.verifiers))
        closed = nan if self.vocabulary is None else best_accuracy(texts, self.vocabulary)
        return best_accuracy(texts), closed


def facts_of(examples: Iterable[Example], settings: StudySettings, vocabulary: Vocabulary | None = None) -> Facts:
    """The columns of these questions, read once."""
    found = Facts(settings, vocabulary)
    for one in examples:
        found.add(one)
    return found


def answer_class(answer: str) -> str:
    """Table 9's class of a question by its most frequent answer, normalised; out of vocabulary is decided before.

    >>> answer_class("no"), answer_class("2"), answer_class("red")
    ('Y/N', 'Num', 'Other')
    """
    if answer in ("yes", "no"):
        return "Y/N"
    return "Num" if answer.isascii() and answer.isdigit() else "Other"


def best_accuracy(answers: tuple[str, ...], vocabulary: Vocabulary | None = None) -> float:
    """The highest VQA accuracy that an answer can have, by the official evaluator; of a vocabulary's or of any.

    >>> best_accuracy(("red", "red", "blue", "2", "3", "4", "5", "6", "7", "8"))
    0.6
    >>> best_accuracy(("red", "red", "blue", "2", "3", "4", "5", "6", "7", "8"), Vocabulary(["Blue"]))
    0.3
    """
    given = list(map(normalise, answers))
    counts = list(map(given.count, given))
    if vocabulary is None:
        return leave_one_out(max(counts), len(answers))
    for same, _ in sorted(zip(given, counts, strict=True), key=lambda pair: -pair[1]):
        if candidates := vocabulary.written(same):  # of the largest group: all others match fewer people
            return max(accuracy(candidate, answers) for candidate in candidates)
    return 0.0


def _said(one: Example) -> Verdicts:
    if one.author is None:
        return Verdicts(one.verdict, one.robot)
    return Verdicts(
        verdict=one.verdict,
        robot=one.robot,
        author=one.author.normalised,
        author_confidence=one.author.confidence,
        verifiers=[answer.normalised for answer in one.verifiers],
        confidences=[answer.confidence or "" for answer in one.verifiers],
    )


def _sure(said: Verdicts, settings: StudySettings) -> list[str]:
    """The confidences that count, the author's as the study's settings say."""
    if settings.author_confidence == "exclude":
        return list(said.confidences)
    own = "yes" if settings.author_confidence == "implicit_yes" else said.author_confidence
    return [*([own] if own else []), *said.confidences]


def _check_type(one: Example, said: Verdicts, settings: StudySettings) -> None:
    """A type that does not follow from what people said is damage, not a number."""
    told = example_type(said, settings) if said.verdict == "wrong" else _UNVERIFIED.get(said.verdict or "", "U")
    if told != one.type:
        raise DataError(
            f"Question {one.id} of round {one.round} is of type {one.type}, but what people said makes it {told}. "
            "Check the study: askew collect check STUDY; or restore it from a backup."
        )
    if one.split is not None and one.type != "E" and (one.split != "train" or one.type not in "AC"):
        raise DataError(f"Question {one.id} is of type {one.type} and in {one.split}; only E may be in dev and test.")
    if one.try_no is None:
        raise DataError(f"Question {one.id} of type {one.type} has no number of its try. Check the study.")
