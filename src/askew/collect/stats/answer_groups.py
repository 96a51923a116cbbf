"""Many verified questions at once: groups of equal answers, confidence, and types, as columns of numbers.

Answers are numbers here: the same answer has the same number. ``example_types`` says the same of one question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askew.collect.stats.rates import Ints, Mask
from askew.collect.study_settings import StudySettings

CONFIDENCE = {"no": 0, "maybe": 1, "yes": 2}
"""Halves of a point; "maybe" is between the paper's 1 and 0."""
_YES = CONFIDENCE["yes"]


def equal_answers(codes: Ints) -> Ints:
    """For each answer, how many of its row are the same; one row per question.

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
    """The most frequent answer; of equally frequent ones the author's, then the first slot's."""
    sure: Ints
    """Halves of a point of confidence, over all who were asked."""
    asked: Ints
    """How many were asked how sure they are."""
    confident: Ints
    """How many of them said yes."""
    removed: Mask
    """Whether section 3.1's text would remove it."""
    types: Sequence[str]
    """C, D or E."""
    pairs: Ints
    """Ordered pairs of verifiers who gave different answers."""


def answer_groups(
    codes: Ints, robot: Ints, confidences: Ints, author_confidence: Ints, settings: StudySettings
) -> AnswerGroups:
    """The groups of questions whose rows of ``codes`` have the author's answer and those of all verifiers.

    ``confidences`` has the verifiers', ``author_confidence`` the author's, -1 where there is none.
    """
    verifiers = codes[:, 1:]
    v = verifiers.shape[1]
    counts, among = equal_answers(codes), equal_answers(verifiers)
    largest = counts.max(axis=1)
    own = _own_confidence(author_confidence, settings)
    told = own >= 0
    confident = (confidences == _YES).sum(axis=1) + (own == _YES)
    removed = (10 * confident < 6 * (v + 1)) & (largest < 2)
    overruled = 3 * (verifiers == robot[:, None]).sum(axis=1) > v
    agreed = among.max(axis=1, initial=0) >= 2
    if settings.low_quality_rule == "text":
        agreed |= ~removed
    return AnswerGroups(
        largest,
        codes[np.arange(len(codes)), counts.argmax(axis=1)],
        confidences.sum(axis=1) + np.where(told, own, 0),
        v + told.astype(np.int64),
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
