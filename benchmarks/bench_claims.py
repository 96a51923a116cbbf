"""How often does an experiment decide a claim wrongly?

    python benchmarks/bench_claims.py [share of the draws, e.g. 0.1]

Differences between two kinds of networks are simulated for each seed and test image: an effect of the image that all
seeds share (``test``: its standard error in points), and one of the seed (``seeds``: the standard deviation). Decided
wrongly are: a difference of 0 that is called positive or negative; a drop of exactly the margin that is called "not
lowered"; a difference of exactly ten points that is called far; and any of five claims of a page, one of them about
three networks, although all differences are 0. The interval is to contain the true difference in at least 95 %.
For comparison, the usual rule "more than two standard errors over three seeds" at the same test sets.
Goals: at most 5 % each, give or take two standard errors of the simulation.
"""

import sys
from itertools import product
from math import sqrt
from statistics import fmean, stdev

import numpy as np

from askew.experiments.claims import FAR, MARGIN, Claim, Measured, SeedDifference, decided

IMAGES = 100
DRAWS = 2_000
ERRORS = ((1.0, 0.5), (0.5, 1.0), (0.0, 1.0), (1.0, 1.0))
"""The error of the test set, and the standard deviation over seeds."""
GOAL = 0.05


def main() -> None:
    draws = max(100, round(DRAWS * (float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)))
    slack, missed = 2 * sqrt(GOAL * (1 - GOAL) / draws), []
    columns = ("difference of 0", "drop of a margin", "exactly far", "outside", "five claims", "two errors, 3 seeds")
    print(f"{'test, seeds, number':24}" + "".join(f"{name:>21}" for name in columns))
    for (test, seeds), number in product(ERRORS, (5, 10)):
        found = simulate(test, seeds, number, draws)
        print(
            f"{test:.1f}, {seeds:.1f}, {number:2} seeds{'':8}" + "".join(f"{share:21.1%}" for share in found),
            flush=True,
        )
        judged = zip(columns[:-1], found[:-1], strict=True)
        missed += [(test, seeds, number, name) for name, share in judged if share > GOAL + slack]
    assert not missed, missed


def simulate(test, seeds, number, draws):
    """The shares of draws in which something is decided wrongly, in the order of the columns."""
    rng = np.random.default_rng([round(10 * test), round(10 * seeds), number])
    wrong = np.zeros(6)
    for _ in range(draws):
        none, lower, far = (difference(true, test, seeds, number, rng) for true in (0.0, -MARGIN, FAR))
        low, high = none.interval()
        page = [[difference(0.0, test, seeds, number, rng)] for _ in range(4)]
        page.append([difference(0.0, test, seeds, number, rng) for _ in range(3)])
        three = difference(0.0, test, seeds, 3, rng).values
        wrong += (
            holds([none], 0.0) is not None,
            holds([lower], -MARGIN) is True,
            holds([far], FAR) is True,
            not low <= 0 <= high,
            any(claim.holds is not None for claim in decided([claim_of(cases, 0.0) for cases in page])),
            abs(fmean(three)) > 2 * stdev(three) / sqrt(3),
        )
    return wrong / draws


def difference(true, test, seeds, number, rng):
    """The difference of simulated networks: an effect of each image, one of each seed, and one of both."""
    both = 0.5 * seeds  # of the seed's variance, a quarter is different from image to image
    of_image = true + test * sqrt(IMAGES) * rng.standard_normal(IMAGES)
    of_seed = seeds * sqrt(0.75) * rng.standard_normal((number, 1))
    values = of_image + of_seed + both * sqrt(IMAGES) * rng.standard_normal((number, IMAGES))
    return SeedDifference.of(
        [Measured(float(row.mean()), dict(enumerate((row - row.mean()) / IMAGES))) for row in values]
    )


def holds(cases, threshold):
    return decided([claim_of(cases, threshold)])[0].holds


def claim_of(cases, threshold):
    return Claim("", {str(number): one for number, one in enumerate(cases)}, threshold)


if __name__ == "__main__":
    main()
