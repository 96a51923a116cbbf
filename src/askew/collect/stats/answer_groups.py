"""Many verified questions at once: groups of equal answers, confidence, and types, as columns of numbers.

Answers are numbers here: the same answer has the same number. ``protocol.example_type`` is for a single question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from askew.answers.normalise import normalise
from askew.collect.protocol import StudySettings, same_answer
from askew.collect.stats.sheets import Ints, Mask
from askew.errors import DataError
from askew.files.limits import load_lines


class Vocabulary:
    """Answers, found by their normalised form."""

    def __init__(self, answers: Iterable[str]) -> None:
        self._written: dict[str, list[str]] = {}
        self._same: set[str] = set()
        for answer in dict.fromkeys(answers):
            self._written.setdefault(normalise(answer), []).append(answer)
            self._same.add(same_answer(answer))

    def __len__(self) -> int:
        return sum(map(len, self._written.values()))

    def has_any(self, given: Iterable[str]) -> bool:
        """Whether any of these normalised answers is in it."""
        return not self._same.isdisjoint(given)

    def written(self, normalised: str) -> Sequence[str]:
        """The answers of the vocabulary with this normalised form, as the vocabulary writes them."""
        return self._written.get(normalised, ())


def read_vocabulary(path: str | Path) -> Vocabulary:
    """A file with one answer per line, or a JSON list of answers, or a JSON object with answers as keys."""
    wanted = "Give one answer per line, or a JSON list of answers."
    try:
        found = load_lines(path)
    except ValueError as trouble:  # not UTF-8, or broken JSON
        raise DataError(f"{path}: cannot be read as text ({trouble}). {wanted}") from None
    listed = list(found) if isinstance(found, dict | list) else []
    answers = [answer.strip() for answer in listed if isinstance(answer, str) and answer.strip()]
    if not answers or not all(isinstance(answer, str) for answer in listed):
        raise DataError(f"{path}: not a list of answers. {wanted}")
    return Vocabulary(answers)


CONFIDENCE = {"no": 0, "maybe": 1, "yes": 2}
"""Halves of a point; "maybe" is between the paper's 1 and 0."""
_YES = CONFIDENCE["yes"]


def equal_answers(codes: Ints) -> Ints:
    """For each answer, how many in its row are the same; one row per question.

    >>> equal_answers(np.array([[5, 7, 5], [1, 2, 3]])).tolist()
    [[2, 1, 2], [1, 1, 1]]
    """
    counts = [(codes == codes[:, at : at + 1]).sum(axis=1) for at in range(codes.shape[1])]
    return np.stack(counts, axis=1) if counts else np.zeros(codes.shape, dtype=np.int64)


@dataclass(frozen=True)
class AnswerGroups:
    """What follows from the answers to some verified questions."""

    largest: Ints
    """The size of the largest group of equal answers, the author's among them."""
    most: Ints
    """The most frequent answer; among equally frequent ones the author's, then that of the first slot."""
    sure: Ints
    """Total confidence of all who were asked, in halves of a point."""
    asked: Ints
    """How many were asked how sure they are."""
    confident: Ints
    """How many of them said yes."""
    removed: Mask
    """Whether section 3.1's text would remove the question."""
    types: Sequence[str]
    """C, D or E."""
    pairs: Ints
    """Ordered pairs of verifiers who gave different answers."""


def answer_groups(
    codes: Ints, robot: Ints, confidences: Ints, author_confidence: Ints, settings: StudySettings
) -> AnswerGroups:
    """The groups of questions whose rows of ``codes`` have the author's answer and those of all verifiers.

    ``confidences`` has the verifiers', ``author_confidence`` the author's, or -1 if there is none.
    """
    verifiers = codes[:, 1:]
    v = verifiers.shape[1]
    counts, among = equal_answers(codes), equal_answers(verifiers)
    largest = counts.max(axis=1)
    own = _own_confidence(author_confidence, settings)
    has_own = own >= 0
    confident = (confidences == _YES).sum(axis=1) + (own == _YES)
    removed = (10 * confident < 6 * (v + 1)) & (largest < 2)
    overruled = 3 * (verifiers == robot[:, None]).sum(axis=1) > v
    agreed = among.max(axis=1, initial=0) >= 2
    if settings.low_quality_rule == "text":
        agreed |= ~removed
    return AnswerGroups(
        largest,
        codes[np.arange(len(codes)), counts.argmax(axis=1)],
        confidences.sum(axis=1) + np.where(has_own, own, 0),
        v + has_own.astype(np.int64),
        confident,
        removed,
        np.where(overruled, "C", np.where(agreed, "E", "D")).tolist(),
        v * v - among.sum(axis=1),
    )


def _own_confidence(given: Ints, settings: StudySettings) -> Ints:
    """The authors' confidences that count, as the study's settings say; -1 for none."""
    if settings.author_confidence == "ask":
        return given
    return np.full(len(given), _YES if settings.author_confidence == "implicit_yes" else -1)
