"""Shares and means with 95 % intervals by the package's own method (``askew.metrics.interval``), clustered by image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from askew.metrics.interval import interval
from askew.metrics.sums import ratio, settled
from askew.types import Outcome, Row
from askew.verbs import Metric

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share or a mean; nan where there is nothing, no interval with fewer than ten images."""

    value: float
    low: float
    high: float
    n: int
    """How many it is a share or a mean of."""
    images: int

    @property
    def is_told(self) -> bool:
        """Whether there is an interval."""
        return self.low == self.low


@dataclass(frozen=True)
class _Share(Metric):
    """Two columns, one over the other, between 0 and 1."""

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """Rows are made here, not from outcomes."""
        raise NotImplementedError

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])


@dataclass(frozen=True)
class _Mean(_Share):
    """The same for a mean, which is not between 0 and 1."""

    share: ClassVar[bool] = False


def share(hits: Mask, among: Mask, images: Ints) -> Rate:
    """The share of the questions ``among`` that are ``hits`` too; ``images`` has the number of each question's image.

    >>> found = share(np.array([True, False, True]), np.array([True, True, False]), np.array([0, 1, 1]))
    >>> found.value, found.n, found.images, found.is_told
    (0.5, 2, 2, False)
    """
    return of_sums(_per_image(images[hits & among], None), _per_image(images[among], None), is_share=True)


def mean(values: Floats, among: Mask, images: Ints) -> Rate:
    """The mean of the values of the questions ``among``."""
    chosen = images[among]
    return of_sums(_per_image(chosen, values[among]), _per_image(chosen, None), is_share=False)


def mean_share(values: Floats, among: Mask, images: Ints) -> Rate:
    """The mean of values between 0 and 1, such as accuracies."""
    chosen = images[among]
    return of_sums(_per_image(chosen, values[among]), _per_image(chosen, None), is_share=True)


def of_sums(tops: Floats, bottoms: Floats, *, is_share: bool) -> Rate:
    """The rate whose numerator and denominator are these sums over images, by the images' numbers."""
    numerators = np.zeros(len(bottoms))
    numerators[: len(tops)] = tops  # the last images may have none
    counted = bottoms > 0
    rows = np.stack([numerators[counted], bottoms[counted]]).T  # each column in one piece: it is summed several times
    top, bottom = (float(total) for total in rows.sum(axis=0))
    if not bottom:
        return Rate(float("nan"), float("nan"), float("nan"), 0, 0)
    low, high = interval(_Share() if is_share else _Mean(), rows)
    return Rate(settled(top / bottom), settled(low), settled(high), round(bottom), len(rows))


def _per_image(images: Ints, weights: Floats | None) -> Floats:
    return np.bincount(images, weights=weights).astype(float)
