"""``askew demo``: run everything on the embedded world, and write a report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from askew.cli.options import add_shared, as_typed, settings_of, settled
from askew.errors import need_extras

if TYPE_CHECKING:
    from askew.engine.settings import Named, Settings

MODELS = {
    "always yes": "constant:yes",
    "language": "bundled:language",
    "CNN+LSTM": "bundled:cnn-lstm",
    "XNM": "bundled:xnm",
    "XNM + Q3R": "bundled:xnm-q3r",
}
"""The models. None of them was trained on a scene of the validation split."""

SUITES = (
    "accuracy",
    "rad",
    "p2",
    "backtranslate:attempts=1",
    "carets:size=120",
    "visual",
    "corruption:severities=3",
    "basic:pool=world:train,scenes=300,seed={seed}",
)
"""All suites except attacks, which run afterwards."""

ATTACKED = "XNM"
"""The model that is attacked at the end."""

SHARE = 20 / 3
"""The number of scenes in the world per scene of its validation split."""

EXAMPLES = "examples:\n  askew demo\n  askew demo --scenes 300 --output demo"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--scenes", type=int, default=60, metavar="N", help="scenes to evaluate on (default 60)")
    add_shared(parser, "seed", "overwrite", "quiet")
    parser.add_argument("--output", default="demo", metavar="DIR", help="the folder to write to (default demo)")


def main(args: argparse.Namespace) -> int:
    """Build the world, run the reference models on every suite, print the table, write the report."""
    from askew.cli.show import run_and_show
    from askew.engine.components import as_data, as_model, as_suite

    need_extras("The demo", "bundled", "language", "rank", "translate")
    args = settled(args)
    settings = settings_of(args)
    print(_plan(args.scenes), flush=True)
    models = [as_model(spec, name=name) for name, spec in MODELS.items()]
    suites = [as_suite(suite.format(seed=args.seed)) for suite in SUITES]
    world = as_data(f"world:val,scenes={round(args.scenes * SHARE)},seed={args.seed}")
    output = Path(args.output)
    _step(1, "making the variants of 8 suites, then asking 5 models", settings)
    run_and_show(models, world, suites, output, settings, as_typed())
    attack(models, world, output, settings)
    return 0


def _plan(scenes: int) -> str:
    """Describe what the demo does, and how long it takes."""
    seconds = 20 + round(0.65 * scenes)
    return (
        f"askew demo: {len(MODELS)} small models that come with askew, {len(SUITES)} suites and an attack, on {scenes} "
        "scenes\nthat no model has seen. Nothing is downloaded. "
        f"It takes about {seconds} s on a free core, the first time:\n"
        "1 variants, answers and report; 2 the attack; 3 the same attack on all models."
    )


def _step(number: int, does: str, settings: Settings) -> None:
    """Announce a step on stderr, unless the run is quiet."""
    if settings.progress:
        print(f"\nStep {number} of 3: {does}", file=sys.stderr, flush=True)


def attack(models: Sequence[Named], world: Named, output: Path, settings: Settings) -> None:
    """Reword questions until one model answers them incorrectly, ask all models the rewordings, and show the table."""
    from askew.cli.show import heard, run_and_show
    from askew.engine.attack_run import AttackRun, AttackSettings
    from askew.engine.components import as_attack, as_data, as_suite
    from askew.suites.attack_suite import AttackSuite

    _step(2, f"rewording questions by reviewed rules (SEARs) until {ATTACKED} answers incorrectly", settings)
    attacked = next(model for model in models if model.name == ATTACKED)
    folder = output / "attack"
    run = AttackRun(attacked, world, as_attack("sears"), AttackSuite(), folder, AttackSettings(), settings)
    for _ in heard(run.run(as_typed()), settings.progress):
        pass
    _step(3, "asking all models the rewordings that were found", settings)
    found = as_data(str(folder))
    run_and_show(models, found, [as_suite("attack")], output / "transfer", settings, as_typed())
