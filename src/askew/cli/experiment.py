"""``askew experiment NAME``: replicate a paper's table with newly trained networks."""

from __future__ import annotations

import argparse
import os
from datetime import datetime, timezone
from pathlib import Path

from askew.cli.options import add_shared, as_typed, settings_of, settled
from askew.experiments import EXPERIMENTS, ExperimentPlan, experiment

EXAMPLES = f"""\
experiments:
{chr(10).join(f"  {name:<20} {about}" for name, about in EXPERIMENTS.items())}

examples:
  askew experiment q3r --output q3r
  askew experiment rad-regression --scenes 3000 --epochs 20 --workers 2 --output rad-regression

Needs pip install 'askew[train,language,bundled]' (adversarial-rounds also collect). You can kill it at any time:
trained networks are kept, and the same command resumes. FINDING.md in the output folder has the paper's table, ours,
and whether its findings hold."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("name", metavar="NAME", choices=tuple(EXPERIMENTS), help="which experiment: see below")
    parser.add_argument("--output", required=True, metavar="DIR", help="the folder to write to")
    for option, default, text in (
        ("scenes", ExperimentPlan.scenes, "scenes of the world in all splits together"),
        ("epochs", ExperimentPlan.epochs, "epochs of each training"),
        ("seeds", ExperimentPlan.seeds, "how often each network is trained"),
    ):
        parser.add_argument(f"--{option}", type=int, default=default, metavar="N", help=f"{text} (default {default})")
    add_shared(parser, "seed", "executor", "workers", "quiet")


def main(args: argparse.Namespace) -> int:
    """Run the experiment, then write and print its finding."""
    args = settled(args)
    settings = settings_of(args)
    plan = ExperimentPlan(
        Path(args.output),
        args.scenes,
        args.epochs,
        args.seeds,
        settings.seed,
        settings.executor,
        settings.progress,
    )
    run = experiment(args.name)
    resumed = plan.begin(args.name)
    finding = run(plan)
    date = datetime.now(timezone.utc).date().isoformat()
    minutes = sum(os.times()[:4]) / 60  # of this process and of its workers
    page = finding.markdown(as_typed(), date, minutes, resumed)
    (plan.output / "FINDING.md").write_text(page, encoding="utf-8")
    print(page)
    return 0
