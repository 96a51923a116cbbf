"""How sure a model is before and after the change: calibration, and accuracy where only the surest answers count.

A table is filled outcome by outcome; its record stands in results.json, and the report draws it. Intervals are over
images, as everywhere.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

import numpy as np

from askew.metrics.accuracy import Accuracy, Side, agreement
from askew.metrics.calibration import BINS, CalibrationError, bin_of, is_probability
from askew.metrics.group_rows import Numbering, cluster_key
from askew.metrics.interval import difference, interval
from askew.metrics.scorer import ranks
from askew.metrics.sums import Floats, Ints, settled
from askew.types import Mode, Outcome, Prediction, Question

COVERAGES = tuple(tenth / 10 for tenth in range(1, 11))
"""Shares of the answers, the surest first, of which the accuracy is given."""


@dataclass
class _ScoredAnswers:
    """The answers of one side that have a score: score, accuracy, and the number of the image."""

    scores: array[float] = field(default_factory=lambda: array("d"))
    accuracies: array[float] = field(default_factory=lambda: array("d"))
    images: array[int] = field(default_factory=lambda: array("q"))

    def columns(self, rank: Ints) -> tuple[Floats, Floats, Ints]:
        """As arrays, images by their place in the order of their keys."""
        images = np.asarray(self.images, dtype=np.int64)
        return np.asarray(self.scores), np.asarray(self.accuracies), rank[images]


class ConfidenceTable:
    """Scores and accuracies of one suite, on the originals that have variants (or on all, if none has) and on the
    variants.
    """

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._images = Numbering()
        self._sides: dict[Side, _ScoredAnswers] = {
            "all": _ScoredAnswers(),
            "original": _ScoredAnswers(),
            "variant": _ScoredAnswers(),
        }
        self.answered = 0
        """Answers that can be judged."""
        self.unscored = 0
        """Of these, those without a score."""
        self.outside = 0
        """Of these, those whose score is not from 0 to 1."""

    def add(self, outcome: Outcome) -> None:
        """Note how sure the model was here, and how correct."""
        self._add(
            outcome, outcome.group.original, outcome.original, ("all", "original") if outcome.variants else ("all",)
        )
        for variant, prediction in outcome.pairs() if outcome.variants else ():
            self._add(outcome, variant.question, prediction, ("variant",))

    def _add(self, outcome: Outcome, question: Question, prediction: Prediction, sides: Sequence[Side]) -> None:
        if not question.answers or prediction.answer is None:
            return
        score = prediction.score
        self.answered += 1
        if score is None:
            self.unscored += 1
        elif is_probability(score):
            for side in sides:
                found = self._sides[side]
                found.scores.append(score)
                found.accuracies.append(agreement(prediction.answer, question.answers, self._mode))
                found.images.append(self._images[cluster_key(outcome)])
        else:
            self.outside += 1

    def record(self) -> dict[str, Any]:
        """For results.json: ``before`` and ``after`` where answers have scores, and how the error changes."""
        counts = {"answered": self.answered, "unscored": self.unscored, "outside": self.outside}
        rank = ranks(self._images)
        before: Side = "original" if self._sides["variant"].scores else "all"
        columns = {"before": self._sides[before].columns(rank), "after": self._sides["variant"].columns(rank)}
        found = {name: _side(*answers, self._mode) for name, answers in columns.items() if len(answers[0])}
        if len(found) == 2:
            rows = (_rows(*columns[name], len(self._images)) for name in ("after", "before"))
            change = difference(CalibrationError(mode=self._mode), *rows)
            found["change"] = _known(value=change.value, **_ends(change.interval()), p=change.p())
        return {**counts, "mode": self._mode, "bins": BINS, **found}


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
    """The lowest score among this share of the answers, the surest first, and how far each answer is among them.

    Equal scores at the end are all among them in part, so that no order decides.

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


def _ends(found: tuple[float, float]) -> Mapping[str, float]:
    return {"low": found[0], "high": found[1]}


def _known(**values: float) -> dict[str, float | None]:
    """Rounded so that they are the same on every machine; nan is null."""
    return {name: None if isnan(value) else settled(value) for name, value in values.items()}
