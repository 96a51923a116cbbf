"""Rules with one feature ("contains *any* → no"), and the features that reveal most, with examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askew.audit.text_classifier import Floats, SparseTexts, Whole

_DIGITS = 6


@dataclass(frozen=True)
class Revealing:
    """A feature, how many texts have it, and how many of these have the label it points to."""

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
    """1 for each text whose label the best rule of the other folds gives, else 0; labels are 0 and 1.

    A rule says: with this feature one label, without it the other. One label for all is a rule too.
    """
    found = np.zeros(texts.count)
    for fold in np.unique(folds):
        held = folds == fold
        learn = (~held).astype(float)
        feature, label = _best(texts, labels, learn)
        has = np.zeros(texts.count, dtype=bool) if feature < 0 else texts.dot(_only(texts, feature)) != 0
        found[held] = (np.where(has, label, 1 - label) == labels)[held]
    return found


def best_rule(texts: SparseTexts, labels: Whole) -> tuple[str, int]:
    """The feature of the best rule over all texts, and its label; an empty feature if always one label is as good.

    >>> from askew.audit.text_classifier import sparse
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
    right = np.stack([of_zero + ones - of_one, of_one + zeros - of_zero])  # label 0 or 1 for those that have it
    label, feature = np.unravel_index(int(np.argmax(right)), right.shape)
    if right[label, feature] <= max(ones, zeros):
        return -1, 1 - usual
    return int(feature), int(label)


def revealing(
    texts: SparseTexts, labels: Whole, names: Sequence[str], shown: Sequence[str], most: int = 10
) -> list[Revealing]:
    """The features whose texts differ most from the others in their labels, by the likelihood ratio (Dunning 1993).

    Of features of nearly the same texts the first is kept. ``names``: the two labels; ``shown``: the texts.
    """
    if not len(texts.names):
        return []
    of_one, of_zero = _counts(texts, labels, np.ones(texts.count))
    ratio = _likelihood_ratio(of_one, of_zero, float(labels.sum()), float((1 - labels).sum()))
    found: list[Revealing] = []
    listed: list[set[int]] = []
    for column in np.argsort(-np.round(ratio, _DIGITS), kind="stable")[: 20 * most]:
        if len(found) == most or ratio[column] < _LEAST_RATIO:
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


_LEAST_RATIO = 10.8
"""Of an uninformative feature a higher ratio has a probability of 0.001."""


def _likelihood_ratio(of_one: Floats, of_zero: Floats, ones: float, zeros: float) -> Floats:
    """Dunning's G² of each feature's two by two table."""
    table = np.stack([of_one, of_zero, ones - of_one, zeros - of_zero])
    have, lack, whole = of_one + of_zero, ones + zeros - of_one - of_zero, ones + zeros
    expected = np.stack([have * ones, have * zeros, lack * ones, lack * zeros]) / whole
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(table > 0, table * np.log(table / expected), 0.0)
    found: Floats = 2 * terms.sum(axis=0)
    return found


def _counts(texts: SparseTexts, labels: Whole, learn: Floats) -> tuple[Floats, Floats]:
    """How many of the texts with each feature have the label 1, and 0."""
    present = SparseTexts(texts.names, texts.row, texts.column, np.abs(texts.value), texts.count)
    return present.dot_transposed(learn * labels), present.dot_transposed(learn * (1 - labels))


def _only(texts: SparseTexts, column: int) -> Floats:
    weights = np.zeros(len(texts.names))
    weights[column] = 1.0
    return weights
