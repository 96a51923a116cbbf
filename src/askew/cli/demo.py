"""``askew demo``: the whole job on the embedded world, ending in a report."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.cli.options import as_typed

MODELS = ("constant:yes", "constant:no", "prior:data=world:train,scenes={scenes}")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = "examples:\n  askew demo\n  askew demo --scenes 1000 --output demo"
    parser.add_argument("--scenes", type=int, default=200, metavar="N", help="scenes to evaluate on (default 200)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the seed (default 0)")
    parser.add_argument("--output", default="demo", metavar="DIR", help="where everything goes (default demo)")


def main(args: argparse.Namespace) -> int:
    """Make the world, ask the baselines, show the table, write the report."""
    from askew.api import as_data, as_model, as_suite
    from askew.cli.show import run_all
    from askew.settings import Settings

    world = f"world:all,scenes={args.scenes},seed={args.seed}"
    print(f"A world of {args.scenes} scenes; the models are baselines that never look at a picture.")
    models = [as_model(f"constant:{word}", name=f"always {word}") for word in ("yes", "no")]
    models.append(as_model(f"prior:data=world:all,scenes={args.scenes},seed={args.seed + 1}", name="language prior"))
    suites = [as_suite("rad:originals=all")]
    run_all(models, as_data(world), suites, Path(args.output), Settings(seed=args.seed, progress=True), as_typed())
    return 0
