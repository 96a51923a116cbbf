"""RAD, and whether it predicts how a model does on augmentations it was not tested with (Rosenberg et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import ClassVar, Literal

import numpy as np

from askew.errors import UsageError
from askew.metrics.accuracy import soft
from askew.metrics.correct import Correct, CorrectMetric, judged, judged_pairs
from askew.significance import Floats, settled
from askew.types import Mode, Outcome, Row


@dataclass(frozen=True)
class Rad(CorrectMetric):
    """Share of correctly answered originals whose variant is answered correctly too (Rosenberg et al. 2021, eq. 1).

    RAD(D, D′) = |J(D) ∩ J(D′)| / |J(D)|, where J are the indices answered correctly; ``backward`` is RAD(D′, D), over
    correctly answered variants. An index is a variant with its original, so an original with three variants counts
    three times on either side. A group outside J has a row of zeros: it adds nothing and is not in the score's n.
    Not defined, nan, when J is empty.

    >>> float(Rad().combine((3.0, 4.0)))  # four originals correct, three of their variants
    0.75
    """

    conditional: ClassVar[bool] = True
    consistency: ClassVar[bool] = True

    backward: bool = False
    correct: Correct = "modal"
    mode: Mode = "official"

    @property
    def title(self) -> str:
        """RAD, and its direction if it is the other one."""
        return "RAD backward" if self.backward else "RAD"

    @property
    def stands_for(self) -> str:
        """As the paper calls it."""
        return "robustness to augmented data" + (", from variant to original" if self.backward else "")

    @property
    def sentence(self) -> str:
        """What it counts."""
        if self.backward:
            return "of the variants it answers correctly, those also correct before the change"
        return "of the originals it answers correctly, those still correct when changed"

    @property
    def limited_by_labels(self) -> bool:
        """Forward: of variants with a right label, true answers to the originals are all correct."""
        return not self.backward

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(pairs correct on both sides, pairs correct on this side)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        if not pairs:
            return None
        both = sum(original * variant for original, variant in pairs)
        return both, sum(variant if self.backward else original for original, variant in pairs)


@dataclass(frozen=True)
class Introspect(CorrectMetric):
    """One cell of VQA-Introspect (Selvaraju et al. 2020): share of pairs with main and sub-question correct or wrong.

    Does a model that answers a reasoning question also answer the perception questions behind it? The main question is
    the original, its sub-questions are the variants. The four cells add up to one; the paper's consistency is RAD: the
    share of correct sub-questions among those whose main question is correct.
    """

    main: bool = True
    sub: bool = True
    correct: Correct = "modal"
    mode: Mode = "official"

    @property
    def better(self) -> Literal[0, 1]:
        """Higher for pairs with both answers correct; the other cells alone are neither better nor worse."""
        return 1 if self.main and self.sub else 0

    @property
    def title(self) -> str:
        """The cell as the paper writes it."""
        return f"M{'✓' if self.main else '✗'}S{'✓' if self.sub else '✗'}"

    @property
    def sentence(self) -> str:
        """What it counts."""
        if self.main != self.sub:
            return f"pairs with only the {'main question' if self.main else 'sub-question'} correct"
        return (
            "pairs with both the main question and the sub-question correct" if self.main else "pairs with both wrong"
        )

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(pairs in the cell, pairs)."""
        pairs = judged_pairs(outcome, failed, self.correct, self.mode)
        return (float(pairs.count((float(self.main), float(self.sub)))), float(len(pairs))) if pairs else None


FEATURES = ("Accuracy(D)", "RAD(D, D′)", "RAD(D′, D)")
_SUBSETS = ((0, 1, 2), (0,), (1,), (2,))
"""The features of each row of Table 4."""


@dataclass(frozen=True)
class Sides:
    """One model on one augmentation: sums over the pairs of an original and its variant that were answered."""

    pairs: int = 0
    accuracy: float = 0.0
    """Sum of the originals' accuracies."""
    variant_accuracy: float = 0.0
    original_right: float = 0.0
    variant_right: float = 0.0
    both_right: float = 0.0


@dataclass(frozen=True)
class Fit:
    """A row of Table 4: how well these features predict a model's accuracy on a held-out augmentation."""

    features: tuple[str, ...]
    r_squared: Mapping[str, float]
    """R² for each held-out augmentation."""
    mean: float
    sd: float
    """The mean over the augmentations."""


def sides(outcomes: Iterable[Outcome], correct: Correct = "modal", mode: Mode = "official") -> dict[str, Sides]:
    """The sums of one model for each augmentation (the variants' ``test``), for ``predicts_generalisation``."""
    rows_of: dict[str, list[tuple[float, ...]]] = {}
    for outcome in outcomes:
        original = outcome.group.original, outcome.original
        before, right = soft(*original, None, mode), judged(*original, None, correct, mode)
        for variant, prediction in outcome.pairs():
            after = soft(variant.question, prediction, None, mode)
            also_right = judged(variant.question, prediction, None, correct, mode)
            if before is not None and right is not None and after is not None and also_right is not None:
                row = (before, after, right, also_right, right * also_right)
                rows_of.setdefault(variant.test, []).append(row)
    return {test: Sides(len(rows), *map(fsum, zip(*rows, strict=True))) for test, rows in rows_of.items()}


def predicts_generalisation(instances: Sequence[Mapping[str, Sides]], intercept: bool = False) -> list[Fit]:
    """Hold out each augmentation in turn and predict the models' accuracy on it from the others, pooled.

    y(T) = b₁ Accuracy(D) + b₂ RAD(D, D′) + b₃ RAD(D′, D) + ε by least squares over the models (``instances``), then
    with each feature alone. The paper's equation has no constant term, so ``intercept`` is off by default. R² is
    1 − Σ(y − ŷ)² / Σ(y − ȳ)² with a constant term (nan if all y are equal), and 1 − Σ(y − ŷ)² / Σy² without, as
    statistics packages print it. Pooled means that the pairs of the other augmentations count as one set.
    """
    found: list[dict[str, float]] = [{} for _ in _SUBSETS]
    for target, x, y in _regressions(instances, len(FEATURES) + intercept + 1):
        for columns, r_squared in zip(_SUBSETS, found, strict=True):
            r_squared[target] = settled(fit(x[:, columns], y, intercept))
    return [
        Fit(
            features=tuple(FEATURES[column] for column in columns),
            r_squared=r_squared,
            mean=settled(np.mean(list(r_squared.values()))),
            sd=settled(np.std(list(r_squared.values()))),
        )
        for columns, r_squared in zip(_SUBSETS, found, strict=True)
    ]


def prediction_errors(instances: Sequence[Mapping[str, Sides]]) -> Floats:
    """The errors of predicting each model by a regression, with a constant term, over the others.

    One line for each set of features, in the order of ``predicts_generalisation``, and one column for each model: the
    squared error over the variance of what is predicted, averaged over the augmentations. 1 − the mean of a line is R².
    """
    regressions = list(_regressions(instances, len(FEATURES) + 3))
    found = np.zeros((len(_SUBSETS), len(instances)))
    for line, columns in zip(found, _SUBSETS, strict=True):
        for _, x, y in regressions:
            design = np.column_stack([x[:, columns], np.ones(len(y))])
            influence = design @ np.linalg.pinv(design)
            errors = (y - influence @ y) / (1 - np.diag(influence))
            line += np.square(errors) / np.square(y - y.mean()).mean() / len(regressions)
    return found


def _regressions(instances: Sequence[Mapping[str, Sides]], least: int) -> Iterator[tuple[str, Floats, Floats]]:
    """Each augmentation that all models have, with the features of the others and the accuracies to be predicted."""
    tests = _shared_tests(instances)
    if len(tests) < 2 or len(instances) < least:
        raise UsageError(
            f"Predicting an augmentation from the others takes 2 augmentations and {least} models or more; "
            f"there are {len(tests)} ({', '.join(tests)}) and {len(instances)}. Score more models on the same suite."
        )
    for target in tests:
        x = np.array([_features([one[test] for test in tests if test != target]) for one in instances])
        yield target, x, np.array([one[target].variant_accuracy / one[target].pairs for one in instances])


def has_rad(instance: Mapping[str, Sides]) -> bool:
    """Whether RAD is defined for a model whichever augmentation is held out: both sides need a correct answer.

    >>> has_rad({"a": Sides(9, 5, 5, 5, 5, 5), "b": Sides(9, 5, 5, 5, 5, 5)}), has_rad({"a": Sides(9), "b": Sides(9)})
    (True, False)
    """
    kept = [[side for test, side in instance.items() if test != target] for target in instance]
    return all(any(s.original_right for s in rest) and any(s.variant_right for s in rest) for rest in kept)


def fit(x: Floats, y: Floats, intercept: bool) -> float:
    """R² of the least-squares prediction of y from the columns of x.

    >>> fit(np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 4.0]), intercept=True)  # ŷ = 1.5 x − 2/3
    0.9642857143
    """
    design = np.column_stack([x, np.ones(len(x))]) if intercept else x
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    total = float(np.square(y - y.mean() if intercept else y).sum())
    return settled(1 - float((residual**2).sum()) / total) if total else float("nan")


def _features(others: Sequence[Sides]) -> tuple[float, float, float]:
    pairs = sum(side.pairs for side in others)
    both = fsum(side.both_right for side in others)
    original = fsum(side.original_right for side in others)
    variant = fsum(side.variant_right for side in others)
    if not original or not variant:
        raise UsageError(
            "RAD is not defined for a model that answers no original, or no variant, correctly on the augmentations "
            f"it is predicted from ({pairs} pairs). Leave that model out."
        )
    return fsum(side.accuracy for side in others) / pairs, both / original, both / variant


def _shared_tests(instances: Sequence[Mapping[str, Sides]]) -> list[str]:
    everything = sorted({test for one in instances for test in one})
    return [test for test in everything if all(test in one and one[test].pairs for one in instances)]
