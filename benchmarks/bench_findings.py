"""How often does "What breaks it" find something in a model without weaknesses, and how strong a weakness does it find?

    python benchmarks/bench_findings.py [share of the draws, e.g. 0.1]

The suites of the demo are built on worlds of 20, 60 and 200 scenes. A simulated model answers 80 % of the originals
correctly, and of these a share of the variants breaks, regardless of any trait: independently, or alike for all
variants of a question and all questions about an image, as strongly as models do and more. Each report has all suites
and one or three models; a false finding is any trait of any of them that "breaks significantly more often". In the last
column the variants of one question type break twice as often as all others, and the share of reports that name it is
shown.

Goal: at most 5 % of the reports without a weakness have a finding, give or take two standard errors.
"""

import sys
import time
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryDirectory

import numpy as np

import askew
from askew.metrics.break_rates import question_of
from askew.metrics.pairs import BROKE, HELD
from askew.metrics.run_table import RunTable
from askew.report.breaks import find_breaks
from askew.report.load import Run, load_run

SUITES = ("rad", "p2", "carets:size=120", "visual", "corruption:severities=3", "basic")
SCENES, DRAWS = (20, 60, 200), 400
ALIKE = {"independent": (0.0, 0.0), "as in the demo": (0.1, 0.4), "by image": (0.5, 0.3), "by question": (0.0, 0.95)}
"""The shares of image and question in what decides whether a variant breaks."""
RATES = (0.05, 0.3)
FALSE = 0.05


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    start, missed, draws = time.perf_counter(), [], max(20, round(DRAWS * share))
    print(f"{'':44}{'1 model':>9}{'3 models':>10}{'found':>8}")
    for scenes in SCENES:
        with TemporaryDirectory() as folder:
            asked = f"world:val,scenes={round(scenes * 20 / 3)}"
            askew.evaluate("constant:yes", asked, list(SUITES), output=folder, no_audit=True)
            run = load_run(Path(folder))
            for name, parts in ALIKE.items():
                for rate in RATES:
                    missed += reports(run, f"{scenes} scenes, {rate:.0%} break, {name}", rate, parts, draws)
    print(f"{time.perf_counter() - start:.0f} s")
    assert not missed, missed


def reports(run, name, rate, parts, draws):
    """The share of reports with a false finding, for one model and for three, and of those that find a weakness."""
    alone, three, found = 0, 0, 0
    for draw in range(draws):
        rng = np.random.default_rng([draw, len(name)])
        alone += bool(findings([simulated(run, rng, rate, parts)]))
        if draw % 4 == 0:
            three += bool(findings([simulated(run, rng, rate, parts) for _ in range(3)]))
            weak = findings([simulated(run, rng, rate, parts, weak="how many")])
            found += any("how many" in (one.trait.value, *(also.value for also in one.also)) for one in weak)
    most = (draws + 3) // 4
    print(f"{name:44}{alone / draws:>9.1%}{three / most:>10.1%}{found / most:>8.0%}")
    bound = lambda count: FALSE + 2 * sqrt(FALSE * (1 - FALSE) / count)  # noqa: E731
    return [name] if alone / draws > bound(draws) or three / most > bound(most) else []


def findings(runs):
    return [finding for found in find_breaks(runs) for finding in found.findings if finding.hurts]


def simulated(run, rng, rate, parts, weak=""):
    """The run with other outcomes: what breaks depends on nothing but chance, question and image."""
    tables = {name: drawn(table, rng, rate, parts, weak) for name, table in run.tables.items()}
    other = Run(run.folder, run.results)
    object.__setattr__(other, "__dict__", {**other.__dict__, "tables": tables})
    return other


def drawn(table, rng, rate, parts, weak):
    of_image, of_question = parts
    question = question_of(table)
    image = np.unique(table.column("image"), return_inverse=True)[1]
    latent = sqrt(of_image) * rng.normal(size=image.max() + 1)[image][question]
    latent += sqrt(of_question) * rng.normal(size=len(image))[question]
    latent += sqrt(1 - of_image - of_question) * rng.normal(size=len(question))
    limit = np.full(len(question), NormalDist().inv_cdf(rate))
    if ("question_type", weak) in table.traits.number_of:
        counts = table.column("trait_counts")
        owner = np.repeat(np.arange(len(counts)), counts)
        limit[owner[table.column("trait_ids") == table.traits.number_of["question_type", weak]]] = NormalDist().inv_cdf(
            min(0.9, 2 * rate)
        )
    correct = rng.random(len(image)) < 0.8
    codes = np.where(correct[question], np.where(latent < limit, BROKE, HELD), 0).astype(np.uint8)
    return RunTable.of({**table.arrays(), "pair": codes})


if __name__ == "__main__":
    main()
