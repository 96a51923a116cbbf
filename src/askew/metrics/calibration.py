"""Calibration: whether a model's scores match how often its answers are correct, before and after the change.

A model is calibrated when eight in ten of its answers with score 0.8 are correct (Guo et al. 2017). Accuracy here is
VQA accuracy in the run's mode, so an answer may be partly correct. The table of calibration, and of accuracy when only
the most confident answers count, is computed from the table of the run; it is in results.json, and the report draws it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, ClassVar, Literal, TypeGuard, get_args

import numpy as np

from askew.errors import BadOption
from askew.metrics.accuracy import Accuracy, Side, check_mode, soft
from askew.metrics.bounds import Fillable, best_and_worst, filled
from askew.metrics.interval import difference, interval
from askew.metrics.run_table import ORIGINAL, VARIANT, RunTable
from askew.significance import Floats, Ints, ratio, settled
from askew.types import Mode, Outcome, Prediction, Question, Row
from askew.verbs import Metric

BINS = 10
_EDGE = 1e-9


@dataclass(frozen=True)
class CalibrationError(Metric):
    """Expected calibration error: how far scores are from accuracy, over bins of equal width (Guo et al. 2017, eq. 3).

    Answers are sorted into bins by their score; the distance between mean score and mean accuracy of a bin counts by
    its share of the answers. Answers without a score from 0 to 1 are left out. By chance alone it is above 0, the
    more so the fewer answers there are.

    >>> from askew.types import Group
    >>> asked = Question(1, None, "Is it?", ("yes",) * 10)
    >>> outcome = lambda answer, score: Outcome(Group(1, "s", asked), Prediction(1, answer, score))
    >>> metric, data = CalibrationError(), [outcome("yes", 0.9), outcome("no", 0.9), outcome("yes", 0.25)]
    >>> round(float(metric.combine(np.sum([metric.measure(each) for each in data], axis=0))), 6)  # (0.8 + 0.75) / 3
    0.516667
    """

    outer_bounds: ClassVar[bool] = True
    better: ClassVar[Literal[-1]] = -1
    title: ClassVar[str] = "Calibration error"
    sentence: ClassVar[str] = "distance between score and accuracy, over ten bins of scores"

    of: Side = "all"
    bins: int = BINS
    mode: Mode = "official"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        if self.of not in get_args(Side):
            raise BadOption(f"Calibration error of what? {self.of!r} is not one of {', '.join(get_args(Side))}.")
        if not 1 <= self.bins <= 100:
            raise BadOption(f"calibration-error: bins={self.bins}; 1 to 100 are possible.")

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """(answers, accuracy minus score summed over each bin ...); missing answers have no score and are left out."""
        row = [0.0] * (self.bins + 1)
        for question, prediction, times in answers_of_side(outcome, self.of):
            accuracy, score = soft(question, prediction, None, self.mode), prediction.score
            if accuracy is not None and is_probability(score):
                row[0] += times
                row[1 + bin_of(score, self.bins)] += times * (accuracy - score)
        return tuple(row) if row[0] else None

    def combine(self, sums: Any) -> Any:
        """The distances of all bins over the answers."""
        return ratio(np.abs(np.asarray(sums)[1:]).sum(axis=0), np.asarray(sums)[0])

    def fillings(self, outcome: Outcome) -> Iterator[Outcome]:
        """Fill in missing answers as correct at the lower end of each bin, and as wrong at its upper end."""
        original = best_and_worst(outcome.group.original.answers, self.mode, None)
        variants = [best_and_worst(v.question.answers, self.mode, None) for v in outcome.group.variants]
        for number in range(self.bins):
            ends = number / self.bins, (number + 1) / self.bins - (_EDGE if number + 1 < self.bins else 0.0)
            for side, score in enumerate(ends):
                given = filled(outcome, original[side], [pair[side] for pair in variants])
                scored = (
                    replace(after, score=score) if before.answer is None else after
                    for before, after in zip(
                        (outcome.original, *outcome.variants), (given.original, *given.variants), strict=True
                    )
                )
                first, *rest = scored
                yield Outcome(outcome.group, first, tuple(rest))

    def bounds(self, fillable: Fillable) -> tuple[float, float]:
        """Each bin separately as close to and as far from calibration as possible."""
        low, high = fillable.columns()
        least = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))[1:].sum()
        most = np.maximum(np.abs(low), np.abs(high))[1:].sum()
        return float(ratio(least, high[0])), float(np.minimum(1.0, ratio(most, low[0])))


def is_probability(score: float | None) -> TypeGuard[float]:
    """Whether a score is a valid probability.

    >>> [is_probability(score) for score in (0.0, 1.0, None, 1.5, float("nan"))]
    [True, True, False, False, False]
    """
    return score is not None and 0.0 <= score <= 1.0


def bin_of(score: float, bins: int = BINS) -> int:
    """The bin of a score; its lower end belongs to a bin, and 1 to the last.

    >>> [bin_of(score) for score in (0.0, 0.05, 0.1, 0.99, 1.0)]
    [0, 0, 1, 9, 9]
    """
    return min(bins - 1, int(score * bins))


def answers_of_side(outcome: Outcome, of: Side) -> Iterator[tuple[Question, Prediction, int]]:
    """The questions of one side with their answers, and how often each counts."""
    if of == "variant":
        yield from ((variant.question, prediction, 1) for variant, prediction in outcome.pairs())
    elif of == "all" or outcome.variants:
        yield outcome.group.original, outcome.original, len(outcome.variants) if of == "paired" else 1


COVERAGES = tuple(tenth / 10 for tenth in range(1, 11))
"""The shares of the most confident answers for which the accuracy is given."""


def calibration_record(table: RunTable, mode: Mode) -> dict[str, Any]:
    """The scores and accuracies of a suite, on the variants and on their originals (on all if none has a variant).

    For results.json: ``before`` and ``after`` if answers have scores, and how the error changes.
    """
    counts = {"answered": table.answered, "unscored": table.unscored, "outside": table.outside}
    side, scores, accuracies = (table.column(name) for name in ("side", "score", "accuracy"))
    _, images = np.unique(table.column("image")[table.column("scored_group")], return_inverse=True)
    size = int(images.max(initial=-1)) + 1
    varied = side == VARIANT
    chosen = {"before": side == ORIGINAL if varied.any() else ~varied, "after": varied}
    columns = {name: (scores[rows], accuracies[rows], images[rows]) for name, rows in chosen.items() if rows.any()}
    sides = {name: _side(*answers, mode) for name, answers in columns.items()}
    if len(sides) == 2:
        rows = (_rows(*columns[name], size) for name in ("after", "before"))
        change = difference(CalibrationError(mode=mode), *rows)
        sides["change"] = _known(value=change.value, **_ends(change.interval()), p=change.p())
    return {**counts, "mode": mode, "bins": BINS, **sides}


def _side(scores: Floats, accuracies: Floats, images: Ints, mode: Mode) -> dict[str, Any]:
    """One side: expected calibration error, reliability bins and the accuracy at each coverage."""
    metric, size = CalibrationError(mode=mode), int(images.max()) + 1
    rows = _rows(scores, accuracies, images, size)
    error = _known(value=float(metric.combine(rows.sum(axis=0))), **_ends(interval(metric, rows[rows.any(axis=1)])))
    bins = np.array([bin_of(score) for score in scores.tolist()])
    in_bins = [bins == number for number in range(BINS)]
    return {
        "n": len(scores),
        "images": int(np.count_nonzero(rows.any(axis=1))),
        "accuracy": settled(accuracies.mean()),
        "confidence": settled(scores.mean()),
        "error": error,
        "reliability": [
            {
                "n": int(inside.sum()),
                "confidence": settled(scores[inside].mean()),
                **_accuracy(accuracies, images, inside),
            }
            for inside in in_bins
            if inside.any()
        ],
        "coverage": [
            {"share": share, "score": settled(least), **_accuracy(accuracies, images, weights)}
            for share in COVERAGES
            for least, weights in [surest(scores, share)]
        ],
    }


def surest(scores: Floats, share: float) -> tuple[float, Floats]:
    """The lowest score among this share of the most confident answers, and the weight of each answer among them.

    Answers tied at the lowest score get equal fractions, so their order does not matter.

    >>> least, weights = surest(np.array([0.9, 0.5, 0.5, 0.2]), 0.5)
    >>> least, weights.tolist()
    (0.5, [1.0, 0.5, 0.5, 0.0])
    """
    wanted = share * len(scores)
    least = np.sort(scores)[::-1][max(0, int(np.ceil(wanted - 1e-9)) - 1)]
    above, equal = scores > least, scores == least
    return float(least), above + equal * ((wanted - above.sum()) / equal.sum())


def _rows(scores: Floats, accuracies: Floats, images: Ints, size: int) -> Floats:
    """Rows of ``CalibrationError`` summed by image, also of images without answers: shape (size, 1 + bins)."""
    bins = np.array([bin_of(score) for score in scores.tolist()], dtype=np.int64)
    counts = np.bincount(images, minlength=size)
    distances = np.bincount(images * BINS + bins, accuracies - scores, minlength=size * BINS)
    return np.column_stack([counts, distances.reshape(size, BINS)]).astype(np.float64)


def _accuracy(accuracies: Floats, images: Ints, weights: Any) -> dict[str, float | None]:
    """The weighted mean of accuracies with its interval over images."""
    weights = np.asarray(weights, dtype=float)
    sums = [np.bincount(images, weights * accuracies), np.bincount(images, weights)]
    rows: Floats = np.column_stack(sums).astype(np.float64)
    top, bottom = rows.sum(axis=0)
    return _known(accuracy=float(top / bottom), **_ends(interval(Accuracy(), rows[rows[:, 1] > 0])))


def _ends(ends: tuple[float, float]) -> Mapping[str, float]:
    return {"low": ends[0], "high": ends[1]}


def _known(**values: float) -> dict[str, float | None]:
    """Rounded so that values are equal on every machine; nan becomes null."""
    return {name: None if isnan(value) else settled(value) for name, value in values.items()}
