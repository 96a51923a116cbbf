"""The rows of a metric, and bounds: its lowest and highest value, whatever the missing answers would have been.

A missing answer is replaced by a text, so bounds are values that a model could have reached: if people disagree on a
question, no answer has accuracy 1. The extremes of a metric are among few ways to fill in a group, and ``Fillable``
finds them exactly over all groups.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.answers.normalise import normalise
from askew.metrics.accuracy import accuracy
from askew.metrics.correct import Correct, judged
from askew.significance import Floats, Ints
from askew.types import Mode, Outcome, Prediction, Question, Row, Variant
from askew.verbs import ComparesAnswers, CountsCorrect, FillsMissing, GivesBounds, Metric, TellsFraction


@dataclass(frozen=True)
class Fillable:
    """The possible column sums of a metric: for each incomplete group one of its rows is added to the fixed sums."""

    fixed: Floats
    """Column sums over the groups with all answers."""
    groups: Ints
    """For each row the number of its group; rows of a group are consecutive."""
    rows: Floats
    """Shape (rows, columns): a row for each way to fill a group in."""

    @staticmethod
    def joined(parts: Sequence[Fillable]) -> Fillable:
        """Several sets of groups together; they may use the same group numbers."""
        offsets = np.cumsum([0, *(int(part.groups.max(initial=-1)) + 1 for part in parts)])
        return Fillable(
            np.sum([part.fixed for part in parts], axis=0),
            np.concatenate([part.groups + offset for part, offset in zip(parts, offsets, strict=False)]),
            np.concatenate([part.rows for part in parts]),
        )

    def extremes(self, fraction: Callable[[Any], tuple[Any, Any]]) -> tuple[Floats, Floats] | None:
        """The sums that minimise and maximise a fraction of two linear functions of them (Dinkelbach 1967).

        The denominator must not be negative. None if it is always zero. Exact: the fraction has its maximum λ where
        numerator - λ denominator is largest, which each group decides independently; λ increases until it is stable.
        """
        starts = self._starts()
        low, high = (self._extreme(fraction, starts, sign) for sign in (-1, 1))
        return None if low is None or high is None else (low, high)

    def columns(self) -> tuple[Floats, Floats]:
        """The lowest and the highest sum of each column separately."""
        starts = self._starts()
        if not len(starts):
            return self.fixed, self.fixed
        low, high = (end.reduceat(self.rows, starts).sum(axis=0) for end in (np.minimum, np.maximum))
        return self.fixed + low, self.fixed + high

    def _starts(self) -> Ints:
        """Where the rows of each group begin."""
        return np.flatnonzero(np.diff(self.groups, prepend=-1)) if len(self.rows) else np.zeros(0, dtype=np.int64)

    def _extreme(self, fraction: Callable[[Any], tuple[Any, Any]], starts: Any, sign: int) -> Floats | None:
        top, bottom = fraction(self.rows.T)
        sums = self._sums(bottom, starts)
        found_top, found_bottom = fraction(sums)
        if found_bottom <= 0:
            return None
        while True:
            value = found_top / found_bottom
            better = self._sums(sign * (top - value * bottom), starts)
            found_top, found_bottom = fraction(better)
            if found_bottom <= 0 or sign * (found_top / found_bottom - value) <= 1e-13:
                return sums
            sums = better

    def _sums(self, worth: Floats, starts: Any) -> Floats:
        """The column sums with the row of highest value in each group."""
        if not len(starts):
            return self.fixed
        most = np.repeat(np.maximum.reduceat(worth, starts), np.diff(starts, append=len(worth)))
        places = np.flatnonzero(worth >= most)
        chosen = places[np.unique(self.groups[places], return_index=True)[1]]
        return np.asarray(self.fixed + self.rows[chosen].sum(axis=0))


def bounds(metric: Metric, fillable: Fillable) -> tuple[float, float]:
    """The lowest and highest score over all ways to fill in the missing answers; nan if it is not defined.

    Most metrics are the ratio of their first two sums. Others implement ``TellsFraction`` or ``GivesBounds``; a metric
    with more columns that implements neither has no bounds.
    """
    if isinstance(metric, GivesBounds):
        low, high = metric.bounds(fillable)
        return float(low), float(high)
    fraction = metric.fraction if isinstance(metric, TellsFraction) else tuple if len(fillable.fixed) == 2 else None
    sums = fillable.extremes(fraction) if fraction else None
    if sums is None:
        return float("nan"), float("nan")
    low, high = sorted(float(metric.combine(end)) for end in sums)
    return low, high


def rows_of_fillings(metric: Metric, outcome: Outcome) -> list[Row]:
    """The rows of the fillings that matter for the bounds of this metric; empty if the metric ignores the group."""
    if isinstance(metric, FillsMissing):
        rows = [metric.measure(filling) for filling in metric.fillings(outcome)]
    elif isinstance(metric, ComparesAnswers):
        correct = metric.correct if isinstance(metric, CountsCorrect) else None
        rows = [metric.measure(filling) for filling in correct_or_wrong(outcome, metric.mode, correct)]
    else:
        rows = [metric.measure(outcome, 0.0), metric.measure(outcome, 1.0)]
    return list(dict.fromkeys(row for row in rows if row is not None))


def correct_or_wrong(
    outcome: Outcome, mode: Mode, correct: Correct | None, side: Callable[[Variant], object] = lambda variant: True
) -> Iterator[Outcome]:
    """All combinations of original correct or wrong, and all variants of a ``side`` correct or wrong.

    With the rest fixed, most metrics are monotonic in the correct answers on one side.
    """
    sides = list(dict.fromkeys(side(v) for v, p in outcome.pairs() if p.answer is None))
    for choice in product((0, 1), repeat=len(sides) + 1):
        of_side = dict(zip(sides, choice, strict=False))
        variants = [
            best_and_worst(variant.question.answers, mode, correct)[of_side.get(side(variant), 0)]
            for variant in outcome.group.variants
        ]
        yield filled(outcome, best_and_worst(outcome.group.original.answers, mode, correct)[choice[-1]], variants)


def pair_by_pair(
    metric: Metric,
    outcome: Outcome,
    originals: Iterable[str],
    answers: Callable[[Variant, str], Iterable[str]],
) -> Iterator[Outcome]:
    """For each possible answer to the original, all variants at their lowest and all at their highest.

    For metrics whose row is a sum over pairs, in which only the first number depends on the answers.
    """
    for original in originals if outcome.original.answer is None else [outcome.original.answer]:
        answered = Outcome(outcome.group, replace(outcome.original, answer=original), outcome.variants)
        ranked = [
            sorted(answers(variant, original), key=partial(_first, metric, answered, variant))
            for variant in outcome.group.variants
        ]
        for end in (0, -1):
            yield filled(answered, original, [answers_to[end] for answers_to in ranked])


def _first(metric: Metric, outcome: Outcome, variant: Variant, answer: str) -> float:
    """The first number of the row of this pair alone."""
    group = replace(outcome.group, variants=(variant,))
    row = metric.measure(Outcome(group, outcome.original, (Prediction(variant.question.id, answer),)))
    return row[0] if row else 0.0


def filled(outcome: Outcome, original: str, variants: Sequence[str]) -> Outcome:
    """The outcome with these answers instead of the missing ones."""
    first = outcome.original if outcome.original.answer is not None else replace(outcome.original, answer=original)
    rest = tuple(
        replace(prediction, answer=answer) if prediction.answer is None else prediction
        for prediction, answer in zip(outcome.variants, variants, strict=True)
    )
    return Outcome(outcome.group, first, rest)


@lru_cache(maxsize=1 << 14)
def best_and_worst(answers: tuple[str, ...], mode: Mode, correct: Correct | None) -> tuple[str, str]:
    """The best possible answer to a question with these reference answers, and a wrong one.

    >>> best_and_worst(("red", "blue", "red"), "official", None)[0], best_and_worst(("1", "2"), "official", ">0.9")[0]
    ('red', '1')
    """

    def value(answer: str) -> float:
        if correct is None:
            return accuracy(answer, answers, mode)
        return judged(Question(0, None, "", answers), Prediction(0, answer), 0.0, correct, mode) or 0.0

    return max(answers, key=value, default=""), unsaid(answers)


def unsaid(taken: Iterable[str], other: int = 0) -> str:
    """A text that differs from all of these in every mode; ``other`` selects further such texts.

    >>> unsaid(["yes", "unsaid"]), unsaid(["yes"], 1)
    ('unsaidunsaid', 'unsaid unsaid')
    """
    known = set(map(normalise, taken))
    text = "unsaid"
    while normalise(" ".join([text] * (other + 1))) in known:
        text += "unsaid"
    return " ".join([text] * (other + 1))


def known_answers(outcome: Outcome) -> Sequence[str]:
    """The answers to the variants that are not missing."""
    return [prediction.answer for prediction in outcome.variants if prediction.answer is not None]


class RowColumn:
    """The rows of one metric, one for each record: the number of its row among the few distinct ones."""

    def __init__(self) -> None:
        self._numbers: dict[Row, int] = {}
        self._rows: Floats = np.zeros((0, 0))
        self._codes: Any = array("i")
        """The number of each record's row; -1 where the metric does not apply."""
        self._filled_records: Any = array("i")
        self._filled_codes: Any = array("i")
        """The possible rows of records with missing answers."""
        self._failed: Any = array("i")
        """The records left out because an answer that matters is missing."""

    def add(self, metric: Metric, outcome: Outcome, incomplete: bool) -> None:
        """Measure the next record."""
        row = metric.measure(outcome)
        self._codes.append(-1 if row is None else self._numbers.setdefault(row, len(self._numbers)))
        if incomplete:
            record, possible = len(self._codes) - 1, rows_of_fillings(metric, outcome)
            for one in possible:
                self._filled_records.append(record)
                self._filled_codes.append(self._numbers.setdefault(one, len(self._numbers)))
            if row is None and any(map(any, possible)):
                self._failed.append(record)

    @property
    def codes(self) -> npt.NDArray[Any]:
        """The number of each record's row; -1 where the metric does not apply."""
        return np.asarray(self._codes)

    @property
    def rows(self) -> Floats:
        """The distinct rows, shape (rows, columns)."""
        if len(self._rows) != len(self._numbers):
            self._rows = np.array(list(self._numbers), dtype=np.float64)
        return self._rows

    @property
    def total(self) -> Floats:
        """The sums of the columns over all records."""
        codes = self.codes
        return np.asarray(self.rows[codes[codes >= 0]].sum(axis=0))

    def failed_in(self, records: Ints) -> int:
        """How many of these records are left out because an answer is missing."""
        return int(np.isin(self._failed, records).sum())

    def possible_in(self, records: Ints) -> tuple[Ints, Floats]:
        """The possible rows of these records, and the record of each."""
        kept = np.isin(self._filled_records, records)
        return np.asarray(self._filled_records)[kept], self.rows[np.asarray(self._filled_codes)[kept]]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is saved."""
        return {
            "rows": self.rows,
            "codes": smallest(self.codes),
            "filled_records": np.asarray(self._filled_records),
            "filled_codes": smallest(np.asarray(self._filled_codes)),
            "failed": np.asarray(self._failed),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> RowColumn:
        """A column that was saved."""
        made = cls()
        made._numbers = {tuple(row): number for number, row in enumerate(arrays["rows"].tolist())}
        made._codes, made._failed = arrays["codes"], arrays["failed"]
        made._filled_records, made._filled_codes = arrays["filled_records"], arrays["filled_codes"]
        return made


def smallest(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers in the smallest type that holds them."""
    if values.dtype.kind not in "iu" or not len(values):
        return values
    fitting = np.result_type(np.min_scalar_type(values.min()), np.min_scalar_type(values.max()))
    return values.astype(fitting)
