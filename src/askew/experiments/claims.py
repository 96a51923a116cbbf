"""Whether a claim about trained networks holds: one test for all experiments.

A claim says that a difference is larger than a threshold: 0 for "A is better than B", ``FAR`` for "far better", and
minus ``MARGIN`` for "not worse". Networks to be compared are trained with the same seeds and tested on the same images,
so there is one difference per seed. Its mean over k seeds is uncertain for two reasons, and the variances are added:

* other seeds would give other networks: the variance of the differences, divided by k;
* other test images would give other figures: the sum of squares of each image's influence on the mean.

The degrees of freedom of the sum are Satterthwaite's (1946), and the test is Student's. The networks in a case share
their test images, so without the second part no number of seeds would reveal an unlucky test set.

A claim about several networks holds if it holds for each, and does not hold if it fails for one of them (Bonferroni).
The p values of all claims of a page are corrected by Holm's method. ``benchmarks/bench_claims.py`` simulates all of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, nan, sqrt
from statistics import fmean, variance

from askew.errors import plural
from askew.significance import holm, t_quantile, t_tails

LEAST_SEEDS = 5
"""With fewer seeds than this every claim is undecided."""
MARGIN = 1.0
"""Accuracy that falls by less than this, in points, is not lowered."""
FAR = 10.0
"""A difference larger than this, in points, is far."""
ERROR = 0.05
"""The probability that some claim of a page is decided wrongly."""
POWER = 0.8
MOST_SEEDS = 1000


@dataclass(frozen=True)
class Measured:
    """A figure of one network, and the influence of each test image on it."""

    value: float
    influence: Mapping[Hashable, float]

    def __sub__(self, other: Measured) -> Measured:
        return mean_of([self, other], (1, -1))


def mean_of(measured: Sequence[Measured], weights: Sequence[float] = ()) -> Measured:
    """The weighted sum of figures, by default their mean; images that they share are matched.

    >>> mean_of([Measured(1.0, {"a": 2.0, "b": -2.0}), Measured(3.0, {"b": 1.0, "c": -1.0})])
    Measured(value=2.0, influence={'a': 1.0, 'b': -0.5, 'c': -0.5})
    """
    total: dict[Hashable, float] = {}
    shares = weights or [1 / len(measured)] * len(measured)
    for one, share in zip(measured, shares, strict=True):
        for image, moved in one.influence.items():
            total[image] = total.get(image, 0.0) + share * moved
    return Measured(sum(share * one.value for one, share in zip(measured, shares, strict=True)), total)


@dataclass(frozen=True)
class SeedDifference:
    """The difference between two kinds of networks that are trained with the same seeds and tested on the same images.

    >>> found = SeedDifference((1.0, 2.0, 3.0, 2.0, 2.0), images=100, image_variance=0.1)
    >>> f"{found.mean:.2f} ± {found.error:.2f}, df {found.df:.1f}"
    '2.00 ± 0.45, df 15.4'
    """

    values: tuple[float, ...]
    """One difference per seed."""
    images: int = 0
    image_variance: float = 0.0
    """The variance of the mean due to the choice of test images."""

    @classmethod
    def of(cls, first: Sequence[Measured], second: Sequence[Measured] = ()) -> SeedDifference:
        """The first minus the second, seed by seed; without a second, the first is already a difference."""
        found = [one - other for one, other in zip(first, second, strict=True)] if second else list(first)
        moves = [moved for moved in mean_of(found).influence.values() if moved]
        count = len(moves)
        spread = sum(moved * moved for moved in moves) * count / (count - 1) if count > 1 else 0.0
        return cls(tuple(one.value for one in found), count, float(spread))

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return fmean(self.values)

    @property
    def error(self) -> float:
        """The standard error of the mean, over seeds and test images; nan with one seed."""
        return sqrt(self._variance(len(self.values)))

    @property
    def df(self) -> float:
        """The degrees of freedom of the error."""
        return self._df(len(self.values))

    def interval(self) -> tuple[float, float]:
        """The 95 % interval; (nan, nan) with one seed."""
        if len(self.values) < 2:
            return nan, nan
        half = self.error * t_quantile(ERROR, self.df) if self.error else 0.0
        return self.mean - half, self.mean + half

    def p_larger(self, threshold: float) -> float:
        """The one-sided p value for a difference above the threshold; nan with fewer than ``LEAST_SEEDS`` seeds.

        >>> found = SeedDifference((1.0, 2.0, 3.0, 2.0, 2.0))
        >>> round(found.p_larger(0), 4), round(found.p_larger(2), 4), round(found.p_larger(4), 4)
        (0.0016, 0.5, 0.9984)
        """
        if len(self.values) < LEAST_SEEDS:
            return nan
        gap = self.mean - threshold
        if not self.error:
            return 0.5 if not gap else float(gap < 0)
        tail = t_tails(gap / self.error, self.df) / 2
        return tail if gap > 0 else 1 - tail

    def seeds_needed(self, threshold: float, tails: float) -> float:
        """How many seeds would show this difference in 80 % of cases if it is the true one; inf if more than a
        thousand, because it is too small for the test images.

        >>> SeedDifference((1.0, 2.0, 3.0)).seeds_needed(0, 0.05), SeedDifference((1.0, -1.0)).seeds_needed(0, 0.05)
        (5.0, inf)
        """
        if len(self.values) < 2:
            return nan
        gap = abs(self.mean - threshold)
        for seeds in (*range(LEAST_SEEDS, 100), *range(100, MOST_SEEDS + 1, 10)):
            error, df = sqrt(self._variance(seeds)), self._df(seeds)
            if gap > error * (t_quantile(tails, df) + t_quantile(2 * (1 - POWER), df)):
                return float(seeds)
        return inf

    def _variance(self, seeds: int) -> float:
        of_seeds: float = variance(self.values) / seeds if len(self.values) > 1 else nan
        return of_seeds + self.image_variance

    def _df(self, seeds: int) -> float:
        of_seeds, of_images = variance(self.values) / seeds, self.image_variance
        parts = of_seeds**2 / (seeds - 1) + (of_images**2 / (self.images - 1) if self.images > 1 else 0.0)
        return max(1.0, (of_seeds + of_images) ** 2 / parts) if parts else inf


@dataclass(frozen=True)
class Claim:
    """A claim of a paper: in each case the difference is larger than a threshold."""

    text: str
    cases: Mapping[str, SeedDifference]
    """The differences, by the numbers they are made of: ``XNM 64.8 → 65.3``."""
    threshold: float = 0.0
    digits: int = 1
    p: float = nan
    """Two-sided; corrected for the other claims once ``decided``."""
    claims: int = 1
    """How many claims the page has."""

    @property
    def p_holds(self) -> float:
        """The p value of what is claimed: that of the case in which it is least certain."""
        return max(one.p_larger(self.threshold) for one in self.cases.values())

    @property
    def p_fails(self) -> float:
        """The p value of the opposite: that of the case in which it is most certain, times the number of cases."""
        least = min(1 - one.p_larger(self.threshold) for one in self.cases.values())
        return min(len(self.cases) * least, 1.0)

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds; None if our numbers do not decide it."""
        return self.p_holds < self.p_fails if self.p <= ERROR else None

    def markdown(self) -> str:
        """As a line of a list."""
        verdict = {True: "Holds", False: "Does not hold", None: "Undecided"}[self.holds]
        return f"- {self.text} **{verdict}**: {'; '.join(map(self._case, self.cases))}.{self._advice()}"

    def _case(self, name: str) -> str:
        found, digits = self.cases[name], self.digits
        low, high = found.interval()
        interval = f", {low:+.{digits}f} to {high:+.{digits}f}" if low == low else ""
        return f"{name} ({found.mean:+.{digits}f}{interval})"

    def _advice(self) -> str:
        """How many seeds would decide an undecided claim."""
        if self.holds is not None:
            return ""
        seeds = min(len(one.values) for one in self.cases.values())
        few = f" {plural(seeds, 'seed')}: at least {LEAST_SEEDS} are needed." if seeds < LEAST_SEEDS else ""
        tails = ERROR / self.claims  # needed by every case, or by the first that shows the opposite
        below = [one for one in self.cases.values() if one.mean < self.threshold]
        needed = (
            min(one.seeds_needed(self.threshold, tails / len(self.cases)) for one in below)
            if below
            else max(one.seeds_needed(self.threshold, tails) for one in self.cases.values())
        )
        if needed == inf:
            return few + f" Differences as small as these need more than {MOST_SEEDS:,} seeds, or more test scenes."
        if needed != needed or needed <= seeds:
            return few
        return few + f" If the differences stay as they are, about {ceil(needed)} seeds decide it."


def decided(claims: Sequence[Claim]) -> list[Claim]:
    """The claims of a page with their p values corrected together, by Holm's method."""
    p_values = holm([min(2 * min(claim.p_holds, claim.p_fails), 1.0) for claim in claims])  # nan stays nan
    return [replace(claim, p=p, claims=len(claims)) for claim, p in zip(claims, p_values, strict=True)]
