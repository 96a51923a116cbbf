"""How often does the gate fail equally good models, what does it find, and does a margin decide what it says?

    python benchmarks/bench_gate.py [share of the draws, e.g. 0.1]

1. Two of the models that come with askew answer the suites of the demo. Models that are equally good could have given
   each other's answers, so in each draw the two are exchanged on a random half of the images, and the gate compares
   the one with the other, as a user would: by its headlines, with all comparisons (--all), and with all of them as one
   family.
2. Simulated models answer 2 to 5 questions about each image, with and without noise. Images and questions differ in
   difficulty, for both models alike. Each cell shows how often two models that lose equally much to noise are found to
   differ, how often those that differ by 7 points are, the same for their accuracy without noise and for R_score, and
   how often the interval of the difference contains the true one.
3. The same models with a margin that is exactly the true loss, where the gate should neither fail nor pass.

Goals: false alarms at most 5 %, coverage between 93.5 and 96.5 %, noise as well compared as accuracy (at least two
thirds of its power); passed and failed at the margin at most 2.5 % each; all give or take two standard errors.
"""

import sys
import time
from copy import copy
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import askew
from askew.engine.result import headlines
from askew.gate import BaselineComparison, Rule, Status, verdict
from askew.metrics.accuracy import Accuracy
from askew.metrics.interval import difference, jackknifed
from askew.metrics.noise import NoiseLoss, RScore
from askew.metrics.run_table import RowColumn
from askew.report.load import load_run
from askew.significance import holm

SUITES = ("accuracy", "rad", "p2", "carets:size=120", "visual", "corruption:severities=3", "basic")
SCENES, EXCHANGES = (20, 60), 600
WITH_ALL = 5  # one in so many draws compares everything
IMAGES, DRAWS = (10, 30, 60, 200), 4000
DIFFERENCE = 0.07
ALARMS, COVERAGE, POWER = 0.05, (0.935, 0.965), 2 / 3


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    start, missed = time.perf_counter(), []
    for scenes in SCENES:
        missed += false_alarms(scenes, max(40, round(EXCHANGES * share)))
    print(f"\n{'':34}{'equal':>8}{'differ':>8}{'covered':>9}")
    for images in IMAGES:
        missed += noise(images, max(200, round(DRAWS * share)))
    means = ", ".join(f"{mean_r_score(images):.2f} on {images:,}" for images in (30, 60, 200, 1000))
    print(f"mean R_score of a model that loses nothing: {means} images")
    print(f"{time.perf_counter() - start:.0f} s")
    assert not missed, missed


def false_alarms(scenes, draws):
    """Let two models answer the suites, and print how often one fails; returns the goals that were missed."""
    with TemporaryDirectory() as folder:
        asked = f"world:val,scenes={round(scenes * 20 / 3)}"
        first, second = Path(folder) / "first", Path(folder) / "second"
        askew.evaluate("bundled:xnm", asked, list(SUITES), output=first)
        askew.evaluate("bundled:cnn-lstm", str(first / "groups.jsonl"), output=second)
        print(f"{scenes} scenes: ", end="")
        return alarms_of([load_run(first), load_run(second)], draws)


def alarms_of(runs, draws):
    """Print how often one of two runs fails after answers were exchanged; returns the goals that were missed."""
    counted, all_draws = headlines(runs), draws // WITH_ALL
    rng, failed, failed_all, one_family = np.random.default_rng(0), 0, 0, 0
    for draw in range(draws):
        everything = draw < all_draws
        compared = BaselineComparison(*exchanged(runs, rng, None if everything else counted))
        checks = compared.checks()
        failed += verdict(checks) is Status.FAILED
        if everything:
            others = sum(check.kind == "others" for check in checks)
            failed_all += any(check.status in (Status.FAILED, Status.LOOK) for check in checks)
            one_family += fails_as_one_family(compared)
    print(f"{len(counted)} comparisons count, {others} others")
    print(
        f"  of {draws} draws fail {failed / draws:.1%}; of {all_draws}, with --all {failed_all / all_draws:.1%},",
        end=" ",
    )
    print(f"as one family {one_family / all_draws:.1%}. On the runs themselves:")
    print(f"  {BaselineComparison(*runs, Rule(everything=True)).note()}", flush=True)
    return [("false alarms", failed / draws)] if failed / draws > ALARMS + slack(ALARMS, draws) else []


def fails_as_one_family(compared):
    found = [*compared._losses([compared._differences[key] for key in compared.counted], "all").values()]
    found += compared._losses(compared._others).values()
    values = holm([loss.of.p for loss in found])
    return any(p < 0.05 and loss.value > 0 for p, loss in zip(values, found, strict=True))


def exchanged(runs, rng, only=None):
    """Two runs with the answers of these exchanged on a random half of the images, the same in every suite.

    ``only``: leave out all metrics but these, pairs of suite and metric.
    """
    first, second = (copy(run) for run in runs)
    images = np.unique(np.concatenate([table.column("image") for table in runs[0].tables.values()]))
    swapped = images[rng.random(len(images)) < 0.5]
    tables = {}, {}
    for suite, table in runs[0].tables.items():
        other = runs[1].tables[suite]
        assert np.array_equal(table.column("key"), other.column("key"))
        swap = np.isin(table.column("image")[table.column("group")], swapped)
        ours, theirs = copy(table), copy(other)
        kept = [name for name in table.metrics if only is None or (suite, name) in only]
        ours.metrics = theirs.metrics = {name: table.metrics[name] for name in kept}
        pairs = {name: exchange(table.rows[name], other.rows[name], swap) for name in kept}
        ours.rows, theirs.rows = ({name: pair[side] for name, pair in pairs.items()} for side in (0, 1))
        ours.robust_rows, theirs.robust_rows = ours.rows, theirs.rows
        tables[0][suite], tables[1][suite] = ours, theirs
    first.__dict__["tables"], second.__dict__["tables"] = tables
    return first, second


def exchange(first, second, swap):
    """Two columns with the rows of these records exchanged."""
    width = max(first.rows.shape[1], second.rows.shape[1])
    rows = np.vstack([column.rows.reshape(len(column.rows), width) for column in (first, second)])
    shifted = np.where(second.codes < 0, -1, second.codes + len(first.rows))
    made = []
    for ours, theirs in ((first.codes, shifted), (shifted, first.codes)):
        column = RowColumn()
        column._rows, column._numbers = rows, dict.fromkeys(range(len(rows)))
        column._codes = np.where(swap, theirs, ours)
        made.append(column)
    return made


def noise(images, draws):
    """Print power and coverage for simulated models under noise; returns the goals that were missed."""
    rng, found, at_margin = np.random.default_rng(images), {}, np.zeros(2)
    loss, clean, r_score = NoiseLoss(), Accuracy(), RScore()
    for differ in (0.0, DIFFERENCE):
        truth = difference(loss, *simulated(rng, 400_000, differ)).value
        tests = np.zeros(4)
        for _ in range(draws):
            first, second = simulated(rng, images, differ)
            lost = difference(loss, first[:, :3], second[:, :3])
            low, high = lost.interval()
            r = jackknifed(r_score, first).minus(jackknifed(r_score, second))
            first, second = simulated(rng, images, differ, noisy=False)
            accuracy = difference(clean, first[:, [0, 2]], second[:, [0, 2]])
            tests += lost.p() < 0.05, accuracy.p() < 0.05, r.p() < 0.05, low <= truth <= high
            if differ:
                at_margin += high < truth, low > truth
        found[differ] = tests / draws
    equal, differ = found[0.0], found[DIFFERENCE]
    for place, name in enumerate(("accuracy lost to noise", "accuracy without noise", "R_score (not compared)")):
        covered = f"{(equal[3] + differ[3]) / 2:9.1%}" if place == 0 else ""
        print(f"{images:4} images: {name:22}{equal[place]:8.1%}{differ[place]:8.1%}{covered}")
    passed, failed = at_margin / draws
    print(f"{images:4} images: a margin of exactly the loss: passed {passed:.1%}, failed {failed:.1%}", flush=True)
    goals = {
        "false alarms": equal[0] <= ALARMS + slack(ALARMS, draws),
        "power": differ[0] >= POWER * differ[1] - slack(0.5, draws),
        "margin": max(passed, failed) <= 0.025 + slack(0.025, draws),
        "coverage": all(
            COVERAGE[0] - slack(0.05, draws) <= one[3] <= COVERAGE[1] + slack(0.05, draws) for one in found.values()
        ),
    }
    return [(name, images) for name, met in goals.items() if not met]


def mean_r_score(images, draws=400):
    """The mean R_score of models whose answers become wrong as often as correct."""
    rng, metric = np.random.default_rng(images), RScore()
    return np.mean([metric.combine(simulated(rng, images, 0.0, breaks=0.0578)[0].sum(axis=0)) for _ in range(draws)])


def simulated(rng, images, differ, noisy=True, breaks=0.14):
    """Rows by image (clean, noisy, 1 for each question, changed) of two models, of which the second is worse.

    ``differ``: how much more it loses to noise, or, if not ``noisy``, how much lower its accuracy is.
    """
    questions = rng.integers(2, 6, images)
    image = np.repeat(np.arange(images), questions)
    hard = rng.standard_normal(images)[image] + rng.standard_normal(len(image))
    made = []
    for worse in (
        0.0,
        differ,
    ):  # noise breaks so many of the correct answers, 72 % of all, and mends 15 % of the others
        level = 1.3 if noisy else 1.3 - 6.2 * worse
        before = rng.random(len(image)) < 1 / (1 + np.exp(-level - hard))
        broken = rng.random(len(image)) < breaks + worse / 0.722
        mended = rng.random(len(image)) < 0.15
        after = np.where(before, ~broken, mended)
        columns = before, after, np.ones(len(image)), before != after
        made.append(np.column_stack([np.bincount(image, column, images) for column in columns]))
    return made


def slack(share, draws):
    return 2 * sqrt(share * (1 - share) / draws)


if __name__ == "__main__":
    main()
