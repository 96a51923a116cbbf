"""How well text alone predicts labels: one result for each task, test and answer type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np

from askew.audit.labelled_texts import YES_NO, LabelledText, Tests, TestTexts, TextSample, content_hash
from askew.audit.text_classifier import predicted
from askew.audit.text_features import Floats, SparseTexts, Whole, features, pair_features, sparse
from askew.audit.text_rules import Revealing, best_rule, revealing, rule_hits
from askew.metrics.interval import Estimate

FOLDS = 5
METHOD = "logistic regression on words and pairs of neighbouring words, cross-validated with folds by image"
LEAST_TEXTS = 100
"""With fewer texts there is nothing to learn from."""
ANSWERS = 10
"""Of answers other than yes and no, as many of the most frequent ones are predicted; the others count as wrong."""
MOST_OPEN = 10_000
"""Texts of questions with other answers that are learned from: there are many answers to tell apart."""
TASKS = ("question", "pair", "original")
"""What is predicted: a question's answer from its text; a variant's answer from its text and its original's; which of
the two texts is the original."""


@dataclass(frozen=True)
class TextShare:
    """A share of texts to three digits, with its interval over images."""

    value: float
    low: float = nan
    high: float = nan


@dataclass(frozen=True)
class TextScore:
    """What text alone predicts in one task, test and answer type."""

    task: str
    suite: str
    test: str
    answer_type: str
    n: int
    images: int
    accuracy: TextShare
    majority: float
    """The share of the most frequent label."""
    chance: float | None
    """0.5 where there are two labels, else None."""
    seen: int = 0
    """Texts of the data: more than ``n`` when only a sample was used."""
    rule: str = ""
    """The best rule with one feature."""
    rule_accuracy: TextShare | None = None
    revealing: Sequence[Revealing] = ()

    @property
    def too_few(self) -> bool:
        """True when there were too few texts to learn from."""
        return isnan(self.accuracy.value)

    @property
    def above_chance(self) -> float:
        """By how much text alone is better than chance; nan where chance is not known."""
        return nan if self.chance is None else self.accuracy.value - self.chance


@dataclass(frozen=True)
class TextAudit:
    """What the text of questions alone gives away."""

    scores: Sequence[TextScore]
    seed: int = 0
    """Of the sample, where there are more texts than are used."""

    def record(self) -> dict[str, Any]:
        """The audit as plain JSON values."""
        scores = [_plain(asdict(score)) for score in self.scores]
        return {"method": METHOD, "folds": FOLDS, "seed": self.seed, "scores": scores}


def audited(tests: Tests, seed: int = 0, done: Callable[[], object] = lambda: None) -> TextAudit:
    """Audit the texts of all tests; ``done`` is called after each score."""
    scores = []
    for (suite, test), texts in tests.items():
        for score in _scores(suite, test, texts):
            scores.append(score)
            done()
    return TextAudit(scores, seed)


def tasks_of(tests: Tests) -> int:
    """How many scores there will be."""
    return sum(
        len(_by_type(texts.questions)) + len(_by_type(texts.pairs)) + bool(len(texts.pairs)) for texts in tests.values()
    )


def _scores(suite: str, test: str, texts: TestTexts) -> Iterator[TextScore]:
    for task, sample in (("question", texts.questions), ("pair", texts.pairs)):
        for answer_type, members in _by_type(sample).items():
            share = len(members) / max(1, len(sample))
            members = members if answer_type == YES_NO else members[:MOST_OPEN]
            score = _label_score(task, suite, test, answer_type, members)
            yield replace(score, seen=max(score.n, round(share * sample.seen)))
    if len(texts.pairs):
        yield replace(_original_score(suite, test, list(texts.pairs)), seen=texts.pairs.seen)


def _by_type(sample: TextSample) -> dict[str, list[LabelledText]]:
    """The texts of each answer type, yes/no first."""
    found: dict[str, list[LabelledText]] = {}
    for text in sample:
        found.setdefault(text.answer_type, []).append(text)
    return dict(sorted(found.items(), key=lambda item: (item[0] != YES_NO, item[0])))


def _label_score(task: str, suite: str, test: str, answer_type: str, texts: Sequence[LabelledText]) -> TextScore:
    counts = Counter(text.label for text in texts)
    ranked = sorted(counts, key=lambda label: (-counts[label], label))[:ANSWERS]
    names = ["no", "yes"] if answer_type == YES_NO else ranked
    place = {name: number for number, name in enumerate(names)}
    labels = np.array([place.get(text.label, -1) for text in texts], dtype=np.int64)
    majority = counts[ranked[0]] / len(texts)
    chance = 0.5 if answer_type == YES_NO else None
    images = _images(texts)
    known = TextScore(
        task,
        suite,
        test,
        answer_type,
        len(texts),
        len(set(images.tolist())),
        TextShare(nan),
        round(majority, 3),
        chance,
    )
    if len(texts) < LEAST_TEXTS or len(counts) < 2:
        return known
    matrix = sparse(_features(task, text) for text in texts)
    folds = np.array([content_hash(1, image) % FOLDS for image in images.tolist()])
    right = (predicted(matrix, labels, folds) == labels).astype(float)
    return _explained(known, matrix, labels, names, [_shown(task, text) for text in texts], folds, images, right)


def _original_score(suite: str, test: str, texts: Sequence[LabelledText]) -> TextScore:
    """Which of the two is the original: a classifier of the difference, shown in an order that content decides."""
    images = _images(texts)
    known = TextScore("original", suite, test, "", len(texts), len(set(images.tolist())), TextShare(nan), 0.5, 0.5)
    if len(texts) < LEAST_TEXTS:
        return known
    first = np.array([content_hash(2, text.id) % 2 for text in texts])  # 1: the original comes first
    both = [(text.before or "", text.text) for text in texts]
    ordered = [(old, new) if one else (new, old) for (old, new), one in zip(both, first.tolist(), strict=True)]
    matrix = sparse((features(a) for a, _ in ordered), (features(b) for _, b in ordered))
    folds = np.array([content_hash(1, image) % FOLDS for image in images.tolist()])
    right = (predicted(matrix, first, folds, intercept=False) == first).astype(float)
    # What reveals a variant: features of one of the two texts, as one list of originals and one of variants.
    sides = sparse([features(text) for pair in both for text in pair])
    labels = np.array([1, 0] * len(both), dtype=np.int64)
    shown = [text for pair in both for text in pair]
    found = revealing(sides, labels, ("variant", "original"), shown)
    return replace(known, accuracy=_share(right, images), revealing=found)


def _explained(
    score: TextScore,
    matrix: SparseTexts,
    labels: Whole,
    names: Sequence[str],
    shown: Sequence[str],
    folds: Whole,
    images: Whole,
    right: Floats,
) -> TextScore:
    if score.answer_type != YES_NO:
        return replace(score, accuracy=_share(right, images))
    feature, label = best_rule(matrix, labels)
    other = names[1 - label]
    return replace(
        score,
        accuracy=_share(right, images),
        rule=f'contains "{feature}" → {names[label]}, else {other}' if feature else f"always {other}",
        rule_accuracy=_share(rule_hits(matrix, labels, folds), images),
        revealing=revealing(matrix, labels, names, shown),
    )


def _features(task: str, text: LabelledText) -> list[str]:
    return features(text.text) if task == "question" else pair_features(text.before or "", text.text)


def _shown(task: str, text: LabelledText) -> str:
    return text.text if task == "question" else f"{text.before} → {text.text}"


def _images(texts: Iterable[LabelledText]) -> Whole:
    return np.array([text.image for text in texts], dtype=np.int64)


def _share(right: Floats, images: Whole) -> TextShare:
    """The share of texts, with an interval over images (rounded: the last digits depend on the processor)."""
    _, which = np.unique(images, return_inverse=True)
    hits, counts = np.bincount(which, right), np.bincount(which).astype(float)
    value = float(right.mean())
    low, high = Estimate(value, (hits - value * counts) / len(right), 0.0, 1.0, float(len(right))).interval()
    return TextShare(round(value, 3), round(low, 3), round(high, 3))


def _plain(value: Any) -> Any:
    """The value with None for nan, which JSON has not."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and isnan(value) else value
