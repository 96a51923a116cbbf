"""Labels predicted from text: a logistic regression on words, and rules with one feature; numpy alone.

Features are words and pairs of neighbouring words, as sparse columns. The regression is cross-validated with given
folds. It minimises the sum of the losses plus |w|² / (2 strength), as scikit-learn's ``LogisticRegression(C=strength)``
does; the intercept is not penalised. A rule is for example "contains *any* → no". The most revealing features are
reported with examples.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from askew.answers.normalise import tokens

_MOST_FEATURES = 30_000
"""Only this many features, the most frequent ones, are used."""
_LEAST_WITH_FEATURE = 2
"""Features of fewer texts are not used: one text cannot be both learned from and tested on."""

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]


def features(text: str) -> list[str]:
    """The distinct words of a text and its pairs of neighbouring words; ``^`` is the start, ``$`` the end.

    >>> features("Is it red?")
    ['is', 'it', 'red', '^ is', 'is it', 'it red', 'red $']
    """
    words = tokens(text)
    ends = ("^", *words, "$")
    return list(dict.fromkeys((*words, *map(" ".join, pairwise(ends)))))


def pair_features(before: str, after: str) -> list[str]:
    """The features of a changed text and of its original, followed by those that were added and removed.

    >>> pair_features("Is it red?", "Is it blue?")[-6:]
    ['added: blue', 'added: it blue', 'added: blue $', 'removed: red', 'removed: it red', 'removed: red $']
    """
    old, new = features(before), features(after)
    in_original, in_changed = set(old), set(new)
    return [
        *new,
        *(f"original: {feature}" for feature in old),
        *(f"added: {feature}" for feature in new if feature not in in_original),
        *(f"removed: {feature}" for feature in old if feature not in in_changed),
    ]


@dataclass(frozen=True)
class SparseTexts:
    """A sparse matrix, texts × features, as the row, column and value of each entry."""

    names: Sequence[str]
    """The feature of each column."""
    row: Whole
    column: Whole
    value: Floats
    count: int
    """The number of texts."""

    def dot(self, weights: Floats) -> Floats:
        """For each text, the sum of the weights of its features."""
        return np.bincount(self.row, self.value * weights[self.column], self.count).astype(np.float64, copy=False)

    def dot_transposed(self, per_text: Floats) -> Floats:
        """For each feature, the sum over the texts that have it."""
        sums = np.bincount(self.column, self.value * per_text[self.row], len(self.names))
        return sums.astype(np.float64, copy=False)


def sparse(texts: Iterable[Sequence[str]], minus: Iterable[Sequence[str]] | None = None) -> SparseTexts:
    """The matrix of texts given as lists of features; features in ``minus`` have the value -1, those in both lists 0.

    >>> matrix = sparse([["a", "b"], ["a"], ["c", "b"]])
    >>> matrix.names, matrix.row.tolist(), matrix.column.tolist()
    (['a', 'b'], [0, 0, 1, 2], [0, 1, 0, 1])
    """
    index: dict[str, int] = {}
    rows, columns, values = array("q"), array("q"), array("d")
    count = 0
    for count, (text, other) in enumerate(zip(texts, repeat(()) if minus is None else minus, strict=False), 1):
        own, others = set(text), set(other)
        for value, found in ((1.0, (f for f in text if f not in others)), (-1.0, (f for f in other if f not in own))):
            for feature in found:
                rows.append(count - 1)
                columns.append(index.setdefault(feature, len(index)))
                values.append(value)
    return _most_frequent(list(index), np.array(rows), np.array(columns), np.array(values), count)


def _most_frequent(names: list[str], row: Whole, column: Whole, value: Floats, count: int) -> SparseTexts:
    """The matrix with only the most frequent features, in an order that does not depend on the order of the texts."""
    counts = np.bincount(column, minlength=len(names)).tolist()
    enough = (place for place, number in enumerate(counts) if number >= _LEAST_WITH_FEATURE)
    kept = sorted(enough, key=lambda place: (-counts[place], names[place]))[:_MOST_FEATURES]
    new_place = np.full(len(names), -1, dtype=np.int64)
    new_place[kept] = np.arange(len(kept))
    column = new_place[column]
    used = column >= 0
    return SparseTexts([names[place] for place in kept], row[used], column[used], value[used], count)


STRENGTH = 0.1
"""The inverse of the penalty. An audit looks for weak signals in many words, which needs a strong penalty."""
_STEPS = 200
_MEMORY = 8
_NEAR = 1e-5
"""The largest gradient that counts as zero, per text."""
_DIGITS = 3
"""Decision values are rounded to this many digits, so that ties are the same on every processor."""


def predicted(texts: SparseTexts, labels: Whole, folds: Whole, intercept: bool = True) -> Whole:
    """The label of each text (0, 1, ...) predicted by a classifier that has not seen its fold.

    Texts with the label -1 are not learned from. Without any evidence, the most frequent label of the other folds is
    predicted.
    """
    classes = int(labels.max(initial=0)) + 1
    found = np.zeros(texts.count, dtype=np.int64)
    for fold in np.unique(folds):
        held = folds == fold
        learn = ~held & (labels >= 0)
        if not learn.any():
            continue
        decided = _decisions(texts, labels, learn, classes, intercept)[:, held]
        usual = np.bincount(labels[learn], minlength=classes)
        order = np.argsort(-usual, kind="stable")  # on ties argmax takes the first, which is the most frequent label
        found[held] = order[np.argmax(np.round(decided[order], _DIGITS), axis=0)]
    return found


def log_odds(texts: SparseTexts, labels: Whole, folds: Whole) -> Floats:
    """The log odds of label 1 for each text, by a classifier that has not seen its fold, rounded to a few digits."""
    found = np.zeros(texts.count)
    for fold in np.unique(folds):
        held = folds == fold
        if not held.all():
            found[held] = _decisions(texts, labels, ~held, 2, True)[1, held]
    rounded: Floats = np.round(found, _DIGITS)
    return rounded


def _decisions(texts: SparseTexts, labels: Whole, learn: NDArray[np.bool_], classes: int, intercept: bool) -> Floats:
    """The log odds of each class and text, up to a constant for each text: (classes, texts)."""
    classes, size, weight = max(2, classes), len(texts.names), learn.astype(float)
    rows = 1 if classes == 2 else classes
    hit = weight * (labels == np.arange(classes)[:, None])

    def scores(point: Floats) -> Floats:
        found = [texts.dot(line[:size]) + line[size] for line in point.reshape(rows, size + 1)]
        return np.array([np.zeros(texts.count), *found][-classes:])

    def loss(point: Floats) -> tuple[float, Floats]:
        found = scores(point)
        found -= found.max(axis=0)
        total = np.log(np.exp(found).sum(axis=0))
        slopes = (weight * np.exp(found - total) - hit)[-rows:]
        gradient = np.array([np.append(texts.dot_transposed(slope), slope.sum() * intercept) for slope in slopes])
        table = point.reshape(rows, size + 1)[:, :size]
        gradient[:, :size] += table / STRENGTH
        value = float((weight * total).sum() - (hit * found).sum() + np.square(table).sum() / (2 * STRENGTH))
        return value, gradient.ravel()

    return scores(minimised(loss, np.zeros(rows * (size + 1)), _NEAR * float(weight.sum())))


def minimised(loss: Callable[[Floats], tuple[float, Floats]], point: Floats, near: float) -> Floats:
    """Minimise a smooth convex function with L-BFGS (Liu & Nocedal 1989) until the gradient is at most ``near``."""
    value, gradient = loss(point)
    steps: list[tuple[Floats, Floats]] = []
    for _ in range(_STEPS):
        if float(np.abs(gradient).max(initial=0.0)) <= near:
            break
        move = -_quasi_newton(gradient, steps)
        slope, size = float((move * gradient).sum()), 1.0
        new_value, new_gradient = loss(point + move)
        while new_value > value + 1e-4 * size * slope and size >= 1e-10:
            size /= 2
            new_value, new_gradient = loss(point + size * move)
        change, bend = size * move, new_gradient - gradient
        if float((change * bend).sum()) > 0:
            steps = [*steps[-_MEMORY + 1 :], (change, bend)]
        point, value, gradient = point + change, new_value, new_gradient
    return point


def _quasi_newton(gradient: Floats, steps: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The gradient times the estimated inverse of the Hessian."""
    if not steps:
        return gradient / max(1.0, float(np.sqrt(np.square(gradient).sum())))
    found, shares = gradient.copy(), []
    for change, bend in reversed(steps):
        shares.append(float((change * found).sum()) / float((change * bend).sum()))
        found -= shares[-1] * bend
    change, bend = steps[-1]
    found *= float((change * bend).sum()) / float(np.square(bend).sum())
    for (change, bend), share in zip(steps, reversed(shares), strict=True):
        found += (share - float((bend * found).sum()) / float((change * bend).sum())) * change
    return found


@dataclass(frozen=True)
class Revealing:
    """A feature, how many texts have it (``count``), and how many of these have the label it predicts (``hits``)."""

    feature: str
    label: str
    hits: int
    count: int
    example: str

    @property
    def share(self) -> float:
        """The share of the texts with the feature that have the label."""
        return self.hits / self.count


def rule_hits(texts: SparseTexts, labels: Whole, folds: Whole) -> Floats:
    """For each text, 1 if the best rule of the other folds predicts its label, else 0; labels are 0 and 1.

    A rule predicts one label for texts with a feature and the other label without; always predicting one label is a
    rule too.
    """
    found = np.zeros(texts.count)
    for fold in np.unique(folds):
        held = folds == fold
        learn = (~held).astype(float)
        feature, label = _best(texts, labels, learn)
        has = np.isin(np.arange(texts.count), texts.row[(texts.column == feature) & (texts.value != 0)])
        found[held] = (np.where(has, label, 1 - label) == labels)[held]
    return found


def best_rule(texts: SparseTexts, labels: Whole) -> tuple[str, int]:
    """The feature of the best rule over all texts, and the label it predicts; the feature is empty if always predicting
    that label is as good.

    >>> best_rule(sparse([["any"], ["any"], ["a"], ["a"]]), np.array([0, 0, 1, 1]))
    ('any', 0)
    """
    feature, label = _best(texts, labels, np.ones(texts.count))
    return ("" if feature < 0 else texts.names[feature]), label


def _best(texts: SparseTexts, labels: Whole, learn: Floats) -> tuple[int, int]:
    """The column of the best rule (-1: one label for all texts), and the label for texts with its feature."""
    ones, zeros = float((learn * labels).sum()), float((learn * (1 - labels)).sum())
    usual = int(ones > zeros)
    if not len(texts.names):
        return -1, 1 - usual
    of_one, of_zero = _counts(texts, labels, learn)
    right = np.stack([of_zero + ones - of_one, of_one + zeros - of_zero])  # label 0 or 1 where it is present
    label, feature = np.unravel_index(int(np.argmax(right)), right.shape)
    if right[label, feature] <= max(ones, zeros):
        return -1, 1 - usual
    return int(feature), int(label)


def revealing(texts: SparseTexts, labels: Whole, names: Sequence[str], shown: Sequence[str]) -> list[Revealing]:
    """The few features that are most associated with a label, by likelihood ratio (Dunning 1993).

    If several features occur in nearly the same texts, only the first is kept. ``names``: the two labels; ``shown``:
    the texts.
    """
    if not len(texts.names):
        return []
    of_one, of_zero = _counts(texts, labels, np.ones(texts.count))
    ones, zeros = float(labels.sum()), float((1 - labels).sum())
    table = np.stack([of_one, of_zero, ones - of_one, zeros - of_zero])  # 2 × 2 for each feature
    have, lack = of_one + of_zero, ones + zeros - of_one - of_zero
    expected = np.stack([have * ones, have * zeros, lack * ones, lack * zeros]) / (ones + zeros)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = 2 * np.where(table > 0, table * np.log(table / expected), 0.0).sum(axis=0)
    found: list[Revealing] = []
    listed: list[set[int]] = []
    order = np.argsort(-np.round(ratio, 6), kind="stable")  # rounded for the same reason as decision values
    for column in order[: 20 * _MOST_REVEALING]:
        if len(found) == _MOST_REVEALING or ratio[column] < _LEAST_RATIO:
            break
        rows = texts.row[texts.column == column]
        own = set(rows.tolist())
        if any(len(own & other) > 0.8 * len(own | other) for other in listed):
            continue
        label = int(of_one[column] / len(own) > labels.mean())
        example = next(int(row) for row in rows if labels[row] == label)
        hits = int((of_zero, of_one)[label][column])
        found.append(Revealing(texts.names[column], names[label], hits, len(own), shown[example]))
        listed.append(own)
    return found


_MOST_REVEALING = 10
_LEAST_RATIO = 10.8
"""The critical value for p = 0.001: uninformative features exceed it with this probability."""


def _counts(texts: SparseTexts, labels: Whole, learn: Floats) -> tuple[Floats, Floats]:
    """For each feature, how many of the texts that have it are labelled 1, and how many 0."""
    present = SparseTexts(texts.names, texts.row, texts.column, np.abs(texts.value), texts.count)
    return present.dot_transposed(learn * labels), present.dot_transposed(learn * (1 - labels))
