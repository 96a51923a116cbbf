"""What is counted, as columns of numbers: one pass over the questions, a few bytes for each."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from askew.answers.normalise import normalise, tokens
from askew.collect.agreement import AlphaSums
from askew.collect.example_types import Verdicts, example_type, text_rule_removes
from askew.collect.stats.rates import Floats, Ints, Mask
from askew.collect.stats.told_examples import Answer, Example
from askew.collect.stats.vocabulary import Vocabulary
from askew.collect.study_settings import StudySettings
from askew.errors import DataError
from askew.metrics.accuracy import accuracy
from askew.world.phrasing import question_type

TYPES = "ABCDE"
SPLITS = ("train", "dev", "test")
CLASSES = ("Y/N", "Num", "OOV", "Other")
NONE = -1
WORDS = 4
"""Depth of the tree of first words (Fig. 4)."""
_CONFIDENT = {"yes": 2, "maybe": 1, "no": 0}
"""Halves of a point; "maybe" is between the paper's 1 and 0."""


class Names:
    """Numbers for names, in the order they come."""

    def __init__(self, known: Sequence[str] = ()) -> None:
        self.numbers: dict[str, int] = {name: number for number, name in enumerate(known)}

    def number(self, name: str) -> int:
        """The number of a name."""
        return self.numbers.setdefault(name, len(self.numbers))

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
    """Question types of Fig. 10."""
    prefixes: Names = field(default_factory=Names)
    """First words of questions, joined by spaces."""
    answers: Names = field(default_factory=Names)
    """Most frequent answers."""
    images: dict[int, int] = field(default_factory=dict)
    """Image to its number."""
    image_round: dict[int, int] = field(default_factory=dict)
    left_out: Counter[int] = field(default_factory=Counter)
    """Round to questions of type U."""
    waiting: Counter[int] = field(default_factory=Counter)
    """Of these, attacks that verifiers have not finished."""
    alphas: dict[int, AlphaSums] = field(default_factory=dict)
    """Round to the agreement of verifiers."""
    _columns: dict[str, array[int]] = field(default_factory=dict)
    _floats: dict[str, array[float]] = field(default_factory=dict)

    def add(self, one: Example) -> None:
        """Take a question in; what is stored of it must follow from what people said."""
        if one.type == "U":
            self.left_out[one.round] += 1
            self.waiting[one.round] += one.state == "VERIFYING"
            return
        said = _said(one)
        _check_type(one, said, self.settings)
        if one.verifiers:
            self.alphas.setdefault(one.round, AlphaSums()).add(said.verifiers)
        answered = [one.author, *one.verifiers] if one.author is not None else []
        self._put(
            round=one.round,
            image=self.image(one.image, one.round),
            session=one.session,
            tries=one.try_no or 0,
            type=TYPES.index(one.type),
            split=NONE if one.split is None else SPLITS.index(one.split),
            domain=self.domains.number(one.domain),
            model=self.models.number(one.model),
            removed=int(one.type in "CDE" and text_rule_removes(said, self.settings)),
            **self._words(one.text),
            **self._agreed(answered, said),
        )
        for name, value in (("seconds", one.seconds), ("latency", one.latency), *self._bounds(one, answered)):
            self._floats.setdefault(name, array("d")).append(float("nan") if value is None else value)

    def image(self, key: int, round_: int) -> int:
        """The number of an image; every image is in one round."""
        number = self.images.setdefault(key, len(self.images))
        if self.image_round.setdefault(number, round_) != round_:
            raise DataError(f"Image {key} is in rounds {self.image_round[number]} and {round_}; it must be in one.")
        return number

    def column(self, name: str) -> Ints:
        """Whole numbers, one per question."""
        return np.asarray(self._columns.get(name, array("q")), dtype=np.int64)

    def floats(self, name: str) -> Floats:
        """Other numbers, one per question; nan where there is none."""
        return np.asarray(self._floats.get(name, array("d")), dtype=float)

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

    def _put(self, **values: int) -> None:
        for name, value in values.items():
            self._columns.setdefault(name, array("q")).append(value)

    def _words(self, text: str) -> dict[str, int]:
        words = tokens(text)
        found = {"length": len(words), "kind": self.kinds.number(question_type(text))}
        for depth in range(1, WORDS + 1):
            prefix = " ".join(words[:depth])
            found[f"words{depth}"] = self.prefixes.number(prefix) if len(words) >= depth else NONE
        return found

    def _agreed(self, answered: Sequence[Answer], said: Verdicts) -> dict[str, int]:
        """Of a verified question: the largest group of equal answers, confidence, class, most frequent answer."""
        if not answered:
            return {"group": NONE, "sure": NONE, "asked": NONE, "confident": NONE, "class": NONE, "answer": NONE}
        given = [answer.normalised for answer in answered]
        sure = _sure(said, self.settings)
        most = Counter(given).most_common(1)[0]
        return {
            "group": most[1],
            "sure": sum(_CONFIDENT[one] for one in sure),
            "asked": len(sure),
            "confident": sure.count("yes"),
            "class": CLASSES.index(answer_class(given, self.vocabulary)),
            "answer": self.answers.number(most[0]),
        }

    def _bounds(self, one: Example, answered: Sequence[Answer]) -> tuple[tuple[str, float | None], ...]:
        """The best accuracy that any answer, or any of the vocabulary, can have; of dev and test questions."""
        if one.split not in ("dev", "test"):
            return ("open", None), ("closed", None)
        texts = tuple(answer.text for answer in answered)
        best = None if self.vocabulary is None else best_accuracy(texts, self.vocabulary)
        return ("open", best_accuracy(texts)), ("closed", best)


def facts_of(examples: Iterable[Example], settings: StudySettings, vocabulary: Vocabulary | None = None) -> Facts:
    """The columns of these questions, read once."""
    found = Facts(settings, vocabulary)
    for one in examples:
        found.add(one)
    return found


def answer_class(given: Sequence[str], vocabulary: Vocabulary | None = None) -> str:
    """Table 9's class of a question by its normalised answers: OOV first, then by the most frequent answer.

    >>> answer_class(["yes", "no", "no"]), answer_class(["2", "3", "2"]), answer_class(["red"])
    ('Y/N', 'Num', 'Other')
    >>> answer_class(["2", "3"], Vocabulary(["red"]))
    'OOV'
    """
    if vocabulary is not None and not vocabulary.has_any(given):
        return "OOV"
    answer = Counter(given).most_common(1)[0][0]
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
    groups: dict[str, list[str]] = {}
    for answer in answers:
        groups.setdefault(normalise(answer), []).append(answer)
    for same in sorted(groups, key=lambda key: -len(groups[key])):
        candidates = groups[same][:1] if vocabulary is None else vocabulary.written(same)
        if candidates:  # of the largest group: all others match fewer people
            return max(accuracy(candidate, answers) for candidate in candidates)
    return 0.0


def _said(one: Example) -> Verdicts:
    return Verdicts(
        verdict=one.verdict,
        robot=one.robot,
        author=one.author.normalised if one.author is not None else "",
        author_confidence=one.author.confidence if one.author is not None else None,
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
    told = example_type(said, settings)
    if told != one.type:
        raise DataError(
            f"Question {one.id} of round {one.round} is of type {one.type}, but what people said makes it {told}. "
            "Check the study: askew collect check STUDY; or restore it from a backup."
        )
    if one.split is not None and one.type != "E" and (one.split != "train" or one.type not in "AC"):
        raise DataError(f"Question {one.id} is of type {one.type} and in {one.split}; only E may be in dev and test.")
    if one.try_no is None or not one.text:
        raise DataError(f"Question {one.id} of type {one.type} has no text or no number of its try. Check the study.")
