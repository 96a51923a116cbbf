"""The lowest and highest value that a score can have, whatever was answered where answers are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.verbs import Metric

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Fillable:
    """What the column sums of a metric can be: for each incomplete group one of its rows is added to those fixed."""

    fixed: Floats
    """Column sums over the groups with all answers."""
    groups: npt.NDArray[np.int64]
    """For each row the number of its group; rows of a group stand together."""
    rows: Floats
    """Shape (rows, columns): a row for each way to fill a group in."""

    def extremes(self, fraction: Callable[[Any], tuple[Any, Any]]) -> tuple[Floats, Floats] | None:
        """The sums at which a fraction of two linear functions of them is lowest and highest, by Dinkelbach (1967).

        The denominator may not be below zero. None when it is zero in any case. Exact: a fraction is highest, with
        value λ, where numerator - λ denominator is highest, which each group decides for itself; λ then rises until it
        does so no more.
        """
        starts = self._starts()
        low, high = (self._extreme(fraction, starts, sign) for sign in (-1, 1))
        return None if low is None or high is None else (low, high)

    def columns(self) -> tuple[Floats, Floats]:
        """The lowest and the highest sum of each column by itself."""
        starts = self._starts()
        if not len(starts):
            return self.fixed, self.fixed
        low, high = (end.reduceat(self.rows, starts).sum(axis=0) for end in (np.minimum, np.maximum))
        return self.fixed + low, self.fixed + high

    def _starts(self) -> npt.NDArray[np.int64]:
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
        """The column sums with the row that is worth most in each group."""
        if not len(starts):
            return self.fixed
        most = np.repeat(np.maximum.reduceat(worth, starts), np.diff(starts, append=len(worth)))
        places = np.flatnonzero(worth >= most)
        chosen = places[np.unique(self.groups[places], return_index=True)[1]]
        return np.asarray(self.fixed + self.rows[chosen].sum(axis=0))


def bounds(metric: Metric, fillable: Fillable) -> tuple[float, float]:
    """The lowest and highest score over all ways to fill the missing answers in; nan where it is not defined.

    Most metrics are a fraction of their first two sums. Another says of which with a method ``fraction``, or brings
    ``bounds`` of its own; one of more columns that does neither has none.
    """
    if own := getattr(metric, "bounds", None):
        low, high = own(fillable)
        return float(low), float(high)
    fraction = getattr(metric, "fraction", None)
    if fraction is None and len(fillable.fixed) == 2:
        fraction = tuple
    sums = fillable.extremes(fraction) if fraction else None
    if sums is None:
        return float("nan"), float("nan")
    low, high = sorted(float(metric.combine(one)) for one in sums)
    return low, high
