"""Do 95 % intervals contain the true value in 95 % of cases, and how often is the paired test wrongly significant?

    python benchmarks/bench_intervals.py [share of the draws, e.g. 0.1]

Simulated models answer 1 to 4 questions about each of 10, 30, 100 and 1,000 images. Images differ in difficulty: a
normal image effect on the logit of a correct answer, with the standard deviation shown. Accuracy and RAD are .66 or
.95. Each cell shows how often the interval contains the true value, and how often the test of two equally good models
has p < 0.05.
Goals: coverage between 93.5 and 96.5 %, false alarms at most 6 %, give or take two standard errors of the simulation.
"""

import sys
import time
from itertools import product
from math import sqrt

import numpy as np

from askew.metrics.accuracy import Accuracy
from askew.metrics.interval import difference, interval
from askew.metrics.rad_metrics import Rad

DRAWS = {10: 12_000, 30: 12_000, 100: 6_000, 1000: 2_000}
EFFECTS = (0.5, 1.0)
COVERAGE = (0.935, 0.965)
FALSE_ALARMS = 0.06


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    start, missed = time.perf_counter(), []
    print(f"{'':28}" + "".join(f"{images:>18,}" for images in DRAWS) + "   images")
    for metric, truth, effect in product((Accuracy(), Rad()), (0.66, 0.95), EFFECTS):
        cells = []
        for images, draws in DRAWS.items():
            count = max(100, round(draws * share))
            covered, alarms = simulate(metric, truth, effect, images, count)
            cells.append(f"{covered:9.1%} {alarms:7.1%} ")
            slack = 2 * sqrt(0.05 * 0.95 / count)
            if not COVERAGE[0] - slack <= covered <= COVERAGE[1] + slack or alarms > FALSE_ALARMS + slack:
                missed.append((type(metric).__name__, truth, effect, images, covered, alarms))
        print(f"{type(metric).__name__:8} {truth:.2f}, effect {effect:.1f}    " + "".join(cells), flush=True)
    print(f"coverage, false alarms; {time.perf_counter() - start:.0f} s")
    assert not missed, missed


def simulate(metric, truth, effect, images, draws):
    """Shares of simulated data: the interval contains the true value; the test of two equal models is significant."""
    rng = np.random.default_rng([images, round(100 * truth), round(10 * effect), isinstance(metric, Rad)])
    covered = alarms = 0
    for _ in range(draws):
        first, second = answered(metric, truth, effect, 2 * images, rng)  # RAD has no use for some images
        low, high = interval(metric, first[first.any(axis=1)][:images])
        covered += low <= truth <= high
        both = np.flatnonzero(first.any(axis=1) | second.any(axis=1))[:images]
        alarms += difference(metric, first[both], second[both]).p() < 0.05
    return covered / draws, alarms / draws


def answered(metric, truth, effect, images, rng):
    """The rows by image of two equally good models on the same images."""
    hard = effect * rng.standard_normal(images)
    questions = rng.integers(1, 5, images)
    rows = []
    for _ in range(2):
        if isinstance(metric, Rad):
            original, variant = (logistic(level + hard) for level in LEVELS[truth, effect])
            asked = rng.binomial(questions, original)
            right = rng.binomial(asked, variant)
        else:
            asked = questions
            right = rng.binomial(questions, logistic(LEVELS[truth, effect, "alone"] + hard))
        rows.append(np.column_stack([right, asked]).astype(float))
    return rows


def logistic(x):
    return 1 / (1 + np.exp(-x))


def levels(truth, effect):
    """Logits at which originals are correct in 70 % of cases, and their variants in ``truth`` of those."""
    z, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    original = solve(lambda level: weights @ logistic(level + effect * z), 0.7)
    right = weights * logistic(original + effect * z)
    return original, solve(lambda level: right @ logistic(level + effect * z) / right.sum(), truth)


def alone(truth, effect):
    z, weights = np.polynomial.hermite_e.hermegauss(60)
    return solve(lambda level: weights @ logistic(level + effect * z) / weights.sum(), truth)


def solve(rising, target):
    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < target else (low, middle)
    return low


LEVELS = {key: levels(*key) for key in product((0.66, 0.95), EFFECTS)}
LEVELS |= {(*key, "alone"): alone(*key) for key in product((0.66, 0.95), EFFECTS)}

if __name__ == "__main__":
    main()
