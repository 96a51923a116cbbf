"""What is counted, as columns of numbers, from one pass over the questions; a few bytes per question."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from math import nan
from typing import Any, TypeVar

import numpy as np

from askew.answers.normalise import answer_type, normalise, tokens
from askew.collect.agreement import AlphaSums
from askew.collect.protocol import StudySettings
from askew.collect.schema_parts import SPLITS
from askew.collect.stats.answer_groups import CONFIDENCE, AnswerGroups, Vocabulary, answer_groups, equal_answers
from askew.collect.stats.example_records import Answer, Example
from askew.collect.stats.sheets import Floats, Ints, Mask
from askew.errors import DataError
from askew.metrics.accuracy import accuracy, leave_one_out
from askew.world.phrasing import question_type

TYPES = "ABCDE"
CLASSES = ("Y/N", "Num", "OOV", "Other")
NONE = -1
WORDS = 4
"""Depth of the tree of first words (Fig. 4)."""
_TYPE_NUMBERS = {name: number for number, name in enumerate(TYPES)}
_SPLIT_NUMBERS = {None: NONE} | {name: number for number, name in enumerate(SPLITS)}
_UNVERIFIED = {"correct": "A", "unsure": "B"}
_AT_ONCE = 5000
"""How many questions are added at a time."""


Name = TypeVar("Name", str, int)


class Names(dict[Name, int]):
    """Numbers for names, in order of appearance: a new name gets the next number."""

    def __missing__(self, name: Name) -> int:
        self[name] = number = len(self)
        return number

    def of(self, names: Iterable[Name]) -> Ints:
        """The numbers of these names."""
        return np.array(list(map(self.__getitem__, names)), dtype=np.int64)

    @property
    def names(self) -> list[Name]:
        """All names by number."""
        return list(self)


@dataclass
class Facts:
    """Columns over the questions of types A to E; questions that were left out are only counted."""

    settings: StudySettings
    vocabulary: Vocabulary | None = None
    domains: Names[str] = field(default_factory=Names)
    models: Names[str] = field(default_factory=Names)
    kinds: Names[str] = field(default_factory=Names)
    """Question types of verified questions."""
    words: Names[str] = field(default_factory=Names)
    """First words of questions."""
    answers: Names[str] = field(default_factory=Names)
    """Answers of people and robots to verified questions, normalised."""
    images: Names[int] = field(default_factory=Names)
    _image_round: dict[int, int] = field(default_factory=dict)
    left_out: Counter[int] = field(default_factory=Counter)
    """Round to questions of type U."""
    waiting: Counter[int] = field(default_factory=Counter)
    """Of these, attacks that verifiers have not finished."""
    deleted: Counter[int] = field(default_factory=Counter)
    """Of those left out, questions that had a type and were deleted on request after the freeze."""
    _parts: defaultdict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    """Column to its pieces."""
    _given: defaultdict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    """Round to how often verifiers gave each answer."""
    _pairs: Counter[int] = field(default_factory=Counter)
    """Round to ordered pairs of different answers to one question."""
    _evaluated: Names[str] = field(default_factory=Names)
    """Answers as the official evaluator normalises them."""

    def add(self, examples: Sequence[Example]) -> None:
        """Add questions; the stored type of each must follow from what people said."""
        counted = [one for one in examples if self._counts(one)]
        if not counted:
            return
        self._add_plain(counted)
        verified = [at for at, one in enumerate(counted) if one.verdict == "wrong" and one.author is not None]
        chosen = [counted[at] for at in verified]
        codes = self._codes(chosen)
        groups = answer_groups(
            codes,
            self.answers.of(one.robot for one in chosen),
            _whole(map(CONFIDENCE.__getitem__, _joined(one.verifiers.confidences for one in chosen))).reshape(
                len(chosen), self.settings.verifiers_per_question
            ),
            _whole(CONFIDENCE.get(_author(one).confidence or "", NONE) for one in chosen),
            self.settings,
        )
        types = [_UNVERIFIED.get(one.verdict or "", "U") for one in counted]
        for at, kind in zip(verified, groups.types, strict=True):
            types[at] = kind
        for one, kind in zip(counted, types, strict=True):
            if one.type != kind:
                raise _wrong_type(one, kind)
        self._add_verified(len(counted), _whole(verified), chosen, codes, groups)
        self._add_bounds(counted)

    def _counts(self, one: Example) -> bool:
        """Whether a question has a type and a text."""
        if one.type == "U":
            self.waiting[one.round] += one.state == "VERIFYING"
        elif not one.text:
            self.deleted[one.round] += 1
        else:
            return True
        self.left_out[one.round] += 1
        return False

    def _add_plain(self, counted: Sequence[Example]) -> None:
        """Add the columns that every question has."""
        columns: Any = Example._make(zip(*counted, strict=True))  # a tuple for each field
        types = _whole(map(_TYPE_NUMBERS.__getitem__, columns.type))
        split = _whole(map(_SPLIT_NUMBERS.__getitem__, columns.split))
        _check_places(counted, types, split)
        words = list(map(tokens, columns.text))
        self._keep(
            type=types,
            split=split,
            round=columns.round,
            image=self._image_numbers(columns.image, columns.round),
            session=columns.session,
            tries=columns.try_no,
            domain=self.domains.of(columns.domain),
            model=self.models.of(columns.model),
            length=list(map(len, words)),
        )
        for depth in range(WORDS):
            first = [self.words[found[depth]] if len(found) > depth else NONE for found in words]
            self._keep(**{f"word{depth + 1}": first})
        self._keep_floats(seconds=columns.seconds, latency=columns.latency)

    def _codes(self, chosen: Sequence[Example]) -> Ints:
        """The numbers of the author's and the verifiers' answers to each verified question."""
        v = self.settings.verifiers_per_question
        for one in chosen:
            if len(one.verifiers.normalised) != v:
                raise _wrong_type(one, "U")
        given = self.answers.of(_joined(one.verifiers.normalised for one in chosen)).reshape(-1, v)
        return np.column_stack([self.answers.of(_author(one).normalised for one in chosen), given])

    def _add_verified(
        self, size: int, places: Ints, chosen: Sequence[Example], codes: Ints, groups: AnswerGroups
    ) -> None:
        """Add the columns that only verified questions have; ``places`` are their positions among all ``size``."""
        found = {
            "kind": self.kinds.of(question_type(one.text) for one in chosen),
            "group": groups.largest,
            "sure": groups.sure,
            "asked": groups.asked,
            "confident": groups.confident,
            "class": self._classes(codes, groups.most),
            "answer": groups.most,
            "removed": groups.removed,
        }
        for name, values in found.items():
            column = np.full(size, 0 if name == "removed" else NONE, dtype=np.int64)
            column[places] = values
            self._keep(**{name: column})
        rounds = _whole(one.round for one in chosen)
        for number in np.unique(rounds).tolist():
            mine = rounds == number
            answers, counts = np.unique(codes[mine, 1:], return_counts=True)
            self._given[number].update(dict(zip(answers.tolist(), counts.tolist(), strict=True)))
            self._pairs[number] += int(groups.pairs[mine].sum())

    def _classes(self, codes: Ints, most: Ints) -> Ints:
        """Table 9's class of each question."""
        names = self.answers.names
        kinds, place = np.unique(most, return_inverse=True)
        found = _whole(CLASSES.index(answer_class(names[one])) for one in kinds.tolist())[place]
        if self.vocabulary is not None:
            given, place = np.unique(codes, return_inverse=True)
            known = np.array([self.vocabulary.has_any([names[one]]) for one in given.tolist()], dtype=bool)
            found[~known[place].reshape(codes.shape).any(axis=1)] = CLASSES.index("OOV")
        return found

    def _add_bounds(self, counted: Sequence[Example]) -> None:
        """Add the best accuracy that any answer, or any of the vocabulary, can have, for questions in dev and test."""
        people = self.settings.verifiers_per_question + 1
        bounds = np.array([leave_one_out(matching, people) for matching in range(people + 1)])
        places = [at for at, one in enumerate(counted) if one.split in ("dev", "test")]
        texts = [(_author(counted[at]).text, *counted[at].verifiers.texts) for at in places]
        codes = self._evaluated.of(map(normalise, _joined(texts))).reshape(-1, people)
        found, closed = np.full(len(counted), nan), np.full(len(counted), nan)
        found[places] = bounds[equal_answers(codes).max(axis=1)]
        if self.vocabulary is not None:
            closed[places] = [best_accuracy(each, self.vocabulary) for each in texts]
        self._keep_floats(open=found, closed=closed)

    def _keep(self, **columns: Any) -> None:
        for name, values in columns.items():
            self._parts[name].append(np.asarray(values, dtype=np.int64 if name == "session" else np.int32))

    def _keep_floats(self, **columns: Any) -> None:
        for name, values in columns.items():
            self._parts[name].append(np.array(values, dtype=float))

    def _image_numbers(self, images: Sequence[int], rounds: Sequence[int]) -> Ints:
        """The numbers of images; every image is in one round."""
        for key, number in set(zip(images, rounds, strict=True)):
            if self._image_round.setdefault(key, number) != number:
                both = sorted((self._image_round[key], number))
                raise DataError(f"Image {key} is in rounds {both[0]} and {both[1]}; it must be in one.")
        return self.images.of(images)

    def column(self, name: str) -> Ints:
        """Whole numbers, one per question."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self._parts[name]])

    def floats(self, name: str) -> Floats:
        """Other numbers, one per question; nan if there is none."""
        return np.concatenate([np.zeros(0), *self._parts[name]])

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

    @cached_property
    def alphas(self) -> dict[int, AlphaSums]:
        """Round to the agreement of verifiers."""
        names, v = self.answers.names, self.settings.verifiers_per_question
        return {
            number: AlphaSums(
                Counter({names[code]: count for code, count in given.items()}), self._pairs[number] / (v - 1)
            )
            for number, given in self._given.items()
        }


def facts_of(examples: Iterable[Example], settings: StudySettings, vocabulary: Vocabulary | None = None) -> Facts:
    """The columns of these questions, read once."""
    found = Facts(settings, vocabulary)
    waiting = iter(examples)
    while page := list(islice(waiting, _AT_ONCE)):
        found.add(page)
    return found


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector: millions of tuples come and go, and none is in a cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


_ANSWER_CLASSES = {"yes/no": "Y/N", "number": "Num"}


def answer_class(answer: str) -> str:
    """Table 9's class of a question by its most frequent answer, normalised; OOV is decided before.

    >>> answer_class("no"), answer_class("2"), answer_class("red")
    ('Y/N', 'Num', 'Other')
    """
    return _ANSWER_CLASSES.get(answer_type(answer), "Other")


def best_accuracy(answers: tuple[str, ...], vocabulary: Vocabulary | None = None) -> float:
    """The highest VQA accuracy (official evaluator) that any answer, or any of a vocabulary, can have.

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
        if candidates := vocabulary.written(same):  # the largest group with any; all others match fewer people
            return max(accuracy(candidate, answers) for candidate in candidates)
    return 0.0


_joined = chain.from_iterable


def _author(one: Example) -> Answer:
    assert one.author is not None
    return one.author


def _whole(numbers: Iterable[int]) -> Ints:
    return np.array(list(numbers), dtype=np.int64)


def _check_places(counted: Sequence[Example], types: Ints, split: Ints) -> None:
    """Dev and test have only type E, train A, C and E; every question has a try number."""
    in_train = (split == SPLITS.index("train")) & np.isin(types, [TYPES.index(kind) for kind in "AC"])
    for at in np.flatnonzero((split != NONE) & (types != TYPES.index("E")) & ~in_train)[:1]:
        one = counted[at]
        raise DataError(f"Question {one.id} is of type {one.type} and in {one.split}; only E may be in dev and test.")
    if one := next((one for one in counted if one.try_no is None), None):
        raise DataError(f"Question {one.id} of type {one.type} has no try number. Check the study.")


def _wrong_type(one: Example, derived: str) -> DataError:
    """The error for a stored type that does not follow from what people said."""
    return DataError(
        f"Question {one.id} of round {one.round} is of type {one.type}, but what people said makes it {derived}. "
        "Check the study: askew collect check STUDY; or restore it from a backup."
    )
