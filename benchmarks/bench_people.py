"""Measure how simulated people fare against the reference models: `python benchmarks/bench_people.py STUDIES IMAGES`.

Adversarial VQA (Li et al. 2021, Table 1): questions / mean tries = sessions, of which 79 % succeed, with 1.6 tries
each. The worlds measured here (seeds from 500) are not those that the people's habits were calibrated on.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

from askew.collect.database import SetClock
from askew.collect.protocol import PRESETS
from askew.collect.rounds import add_model, create_round, start_round
from askew.collect.simulation.simulate import simulate
from askew.collect.simulation.simulated_person import Simulated
from askew.collect.simulation.world_content import import_world
from askew.collect.study import create_study
from askew.significance import t_quantile

ROBOTS = ("cnn-lstm", "xnm", "xnm-q3r")


def measure(images: int, seed: int) -> Simulated:
    """A round against reference models, with three writers for each image."""
    settings = replace(PRESETS["paper"], verifiers_per_question=2)
    with tempfile.TemporaryDirectory() as folder:
        study = create_study(Path(folder) / "study", settings, seed=seed, clock=SetClock(), durable=False)
        with study.database.write() as tx:
            round_id = create_round(tx, [add_model(tx, name, f"bundled:{name}") for name in ROBOTS])
        import_world(study, round_id, range(images), seed)
        with study.database.write() as tx:
            start_round(tx, round_id)
        done = simulate(study, 40, seed)
        study.close()
    return done


def main(studies: int, images: int) -> None:
    """Print the share of sessions that succeed and the tries of a session, each with its 95 % interval."""
    done = [measure(images, 500 + study) for study in range(studies)]
    for what, values in (
        ("success in per cent", [100 * one.success for one in done]),
        ("tries", [one.tries for one in done]),
    ):
        half = stdev(values) / len(values) ** 0.5 * t_quantile(0.05, len(values) - 1)
        print(f"{what}: {fmean(values):.2f} ± {half:.2f} ({len(values)} studies)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3] or ("5", "80")))
