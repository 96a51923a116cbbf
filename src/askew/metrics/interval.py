"""The interval of a score, and the p value of a difference, from the influence of each image.

Images are the independent samples; questions about one image are not independent. A score is a function of column
sums, so the influence eᵢ of image i is known (linearised, which for a ratio is exact to first order), and Σ eᵢ² is
the variance of the score (Kish & Frankel 1974). From it:

* A bounded score gets the score interval of Wilson (1927), as if it were a proportion of an *effective number* of
  independent Bernoulli trials: (value - least) (most - value) / Σ eᵢ². For independent questions that are correct or
  wrong this is their number. The interval stays within the bounds and is asymmetric near them.
* The quantile is Student's, with effective degrees of freedom (Satterthwaite 1946): 2 over the variance of the
  logarithm of the estimated variance. The part of that variance that follows from the value alone (the variance of a
  proportion is known once the proportion is) does not reduce them.

``benchmarks/bench_intervals.py`` measures its coverage. Fewer than ten images are too few: there is no interval.
A gap between two parts of the data needs ten in each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from askew.significance import Floats, t_quantile, t_tails
from askew.types import LEAST_IMAGES
from askew.verbs import ComparesSamples, GivesInterval, MapsFraction, Metric, TellsFraction

METHOD = "score-t"
"""The name of the method in signatures."""

_NO_VARIANCE = 1e-20
"""A smaller variance, relative to the squared range, is due to rounding errors."""


@dataclass(frozen=True)
class Estimate:
    """A value, and the influence of each image on it."""

    value: float
    moves: Floats
    """One number for each image that counts; they sum to 0."""
    least: float = -inf
    """The lowest possible value."""
    most: float = inf
    draws: float = inf
    """The number of answers, if it is a proportion: the effective number is at most twice this. Answers that all have
    nearly the same accuracy do not show how often an answer is completely wrong."""
    smaller: float = inf
    """The number of images in the smaller of two samples, if the value compares two."""

    @property
    def images(self) -> int:
        """The number of images that count."""
        return len(self.moves)

    @property
    def has_interval(self) -> bool:
        """Whether there are enough images for an interval, in both samples if there are two."""
        return min(self.images, self.smaller) >= LEAST_IMAGES and self.value == self.value

    def minus(self, other: Estimate) -> Estimate:
        """The difference, over the same images."""
        return Estimate(
            self.value - other.value,
            self.moves - other.moves,
            self.least - other.most,
            self.most - other.least,
            smaller=min(self.smaller, other.smaller),
        )

    def interval(self, tails: float = 0.05) -> tuple[float, float]:
        """The interval with this error probability; (nan, nan) if there is none."""
        if not self.has_interval:
            return nan, nan
        if self._is_constant:
            return self._of_equal_images(tails)
        q = t_quantile(tails, self.df)
        if self._is_unbounded:
            half = q * sqrt(self._variance)
            return self.value - half, self.value + half
        width, share, number = self.most - self.least, self._share, self._effective
        middle = (share + q * q / (2 * number)) / (1 + q * q / number)
        half = q / (1 + q * q / number) * sqrt(share * (1 - share) / number + q * q / (4 * number * number))
        return self.least + width * max(0.0, middle - half), self.least + width * min(1.0, middle + half)

    def p(self, true: float = 0.0) -> float:
        """The two-sided p value for this true value: the error probability of the interval that ends there."""
        if not self.has_interval:
            return nan
        if self._is_constant:
            return 1.0 if abs(self.value - true) < 1e-12 else nan if self._is_unbounded else 0.0
        if self._is_unbounded:
            return t_tails((self.value - true) / sqrt(self._variance), self.df)
        share = (true - self.least) / (self.most - self.least)
        if not 0 < share < 1:
            return float(self.value == true)
        return t_tails((self._share - share) * sqrt(self._effective / (share * (1 - share))), self.df)

    def detectable(self, tails: float = 0.05, power: float = 0.8) -> float:
        """The smallest true value that would be found to differ from 0 with this probability; nan if none can be.

        It is (t₁ + t₂) standard errors, with Student's quantiles of the test and of its power (Cohen 1988). If all
        images are equal, the standard error is that of an interval as wide as theirs.
        """
        if not self.has_interval or (self._is_constant and self._is_unbounded):
            return nan
        df = self.images - 1 if self._is_constant else self.df
        least, more = t_quantile(tails, df), t_quantile(2 * (1 - power), df)
        if self._is_constant:
            return (least + more) / least * max(abs(end - self.value) for end in self._of_equal_images(tails))
        return (least + more) * sqrt(self._variance)

    @property
    def _is_unbounded(self) -> bool:
        return self.least == -inf or self.most == inf

    @property
    def _is_constant(self) -> bool:
        """Whether all images have the same value, so that the variance is uninformative."""
        width = 1.0 if self._is_unbounded else self.most - self.least
        return _squares(self.moves) <= _NO_VARIANCE * width * width

    @property
    def _share(self) -> float:
        return min(1.0, max(0.0, (self.value - self.least) / (self.most - self.least)))

    @property
    def _variance(self) -> float:
        """The variance of the value. Not corrected for a proportion p: p (1 - p) is too small by the same factor."""
        corrected = 1.0 if self._is_share else self.images / (self.images - 1)
        return corrected * _squares(self.moves)

    @property
    def _is_share(self) -> bool:
        return self.draws < inf

    @property
    def _effective(self) -> float:
        """The number of independent Bernoulli trials with this variance."""
        width = self.most - self.least
        trials = self._share * (1 - self._share) * width * width / self._variance
        return min(trials, 2 * max(self.draws, float(self.images)))

    @property
    def df(self) -> float:
        """2 over the variance of log(variance), the fourth moment corrected as for a normal distribution (n ≥ 3)."""
        n, moves = self.images, self.moves
        log_moves = moves * moves / _squares(moves) - 1 / n
        if not self._is_unbounded:
            share, width = self._share, self.most - self.least
            if 0 < share < 1:
                log_moves = log_moves - (1 - 2 * share) / (share * (1 - share)) * moves / width
        spread = _squares(log_moves) * n * (n + 1) / ((n - 1) * (n - 2))
        return max(1.0, float(f"{2 / spread:.10g}")) if spread > 1e-12 else inf

    def _of_equal_images(self, tails: float) -> tuple[float, float]:
        """The interval if all images agree: as many unseen images as Wilson's interval allows may be at a bound."""
        if self._is_unbounded:
            return nan, nan
        number = min(self.images, self.smaller)
        q = t_quantile(tails, number - 1)
        unlike = q * q / (number + q * q)
        return self.value - unlike * (self.value - self.least), self.value + unlike * (self.most - self.value)


def _squares(values: Floats) -> float:
    """The sum of products, without BLAS, whose order of summation differs between processors."""
    return float(np.square(values).sum())


def estimate(metric: Metric, images: Floats) -> Estimate:
    """A metric's fraction, or else its score, from its rows summed by image, shape (images, columns).

    A metric with two columns is their ratio unless it implements ``TellsFraction``. One that is not a fraction of sums
    is linearised by leaving out one image at a time.
    """
    fraction = metric.fraction if isinstance(metric, TellsFraction) else tuple if images.shape[1] == 2 else None
    if fraction is not None and len(images):
        top, bottom = fraction(images.T)
        whole = float(np.sum(bottom))
        value = float(np.sum(top)) / whole if whole else nan
        same = abs(value - float(metric.combine(images.sum(axis=0)))) < 1e-9 or isinstance(metric, MapsFraction)
        if whole and same:
            least, most = (metric.least, 1.0) if metric.share else (-inf, inf)
            return Estimate(value, np.asarray(top - value * bottom) / whole, least, most, whole if least == 0 else inf)
    return jackknifed(metric, images)


def proportion(images: Floats) -> Estimate:
    """The first column over the second, a share from 0 to 1 of the latter; summed by image, shape (images, 2)."""
    top, bottom = images.T
    whole = float(bottom.sum())
    value = float(top.sum()) / whole if whole else nan
    return Estimate(value, np.asarray(top - value * bottom) / whole if whole else top, 0.0, 1.0, whole)


def jackknifed(metric: Metric, images: Floats) -> Estimate:
    """The score itself, linearised by leaving out one image at a time."""
    least, most = (min(0.0, metric.least), 1.0) if metric.share else (-inf, inf)
    n = len(images)
    if n < 2:
        return Estimate(float(metric.combine(images.sum(axis=0))) if n else nan, np.zeros(n), least, most)
    total = images.sum(axis=0)
    without = np.asarray(metric.combine(total[:, None] - images.T), dtype=float)
    value = float(metric.combine(total))
    moves = np.where(np.isnan(without), 0.0, value - without) * (n - 1) / n
    smaller = min(metric.samples(images)) if isinstance(metric, ComparesSamples) else inf
    return Estimate(value, moves - moves.mean(), least, most, smaller=smaller)


def interval(metric: Metric, images: Floats, tails: float = 0.05) -> tuple[float, float]:
    """The interval of a score from its rows summed by image; (nan, nan) if there are too few images."""
    if isinstance(metric, GivesInterval):
        return metric.interval(images, tails)
    low, high = estimate(metric, images).interval(tails)
    return metric.of_fraction(low, high) if low == low and isinstance(metric, MapsFraction) else (low, high)


def difference(metric: Metric, first: Floats, second: Floats) -> Estimate:
    """The score over the first rows minus that over the second, over the same images in the same order."""
    return estimate(metric, first).minus(estimate(metric, second))
