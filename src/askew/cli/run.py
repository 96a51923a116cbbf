"""``askew run``: run models on a suite, score their answers, write the report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from askew.cli.options import (
    MODEL_OPTIONS,
    SHARED,
    Options,
    add_asking,
    add_shared,
    as_typed,
    beside,
    data_of,
    settings_of,
    settled,
)
from askew.errors import UsageError, plural

if TYPE_CHECKING:
    from askew.engine.settings import Named, Settings

EXAMPLES = """\
examples:
  askew run --model constant:yes --data world --suite rad --output runs/yes
  askew run --model prior:data=world:train --model constant:no --data world:val --suite rad --output runs/both
  askew run --model python:my_model:answer --data mine.jsonl --images images --limit 500 --output runs/mine
  askew run --config run.yaml --seed 3
  askew run --model constant:yes --data world --suite rad --dry-run --power 3

Kill it when you like: every answer is on disk as soon as it is given, and the same command resumes.
Exit codes: 0 done, 2 wrong command or input, 3 more failed answers than --max-failures allows,
4 budget spent, 130 stopped."""


BESIDE: Options = {"max_calls": (int, "stop cleanly after this many calls"), **MODEL_OPTIONS}
"""Options of models that can also be given outside the spec."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "--model", action="append", metavar="MODEL", help="the model; can be repeated: see askew ls model"
    )
    parser.add_argument("--name", action="append", metavar="NAME", help="its name in tables (once for each --model)")
    add_shared(parser, "data", "images", "suite", "metric")
    parser.add_argument("--output", metavar="DIR", help="the run's folder")
    add_shared(parser, "limit", "seed", "skip-bad")
    parser.add_argument("--shard", metavar="I/N", help="ask only part I of N; askew merge joins the answers")
    first = parser.add_argument_group("before a run")
    first.add_argument(
        "--try", type=int, metavar="N", help="ask the first N questions, show prompts and replies, and store nothing"
    )
    first.add_argument("--dry-run", default=None, **SHARED["dry-run"])
    first.add_argument(
        "--power",
        type=float,
        metavar="POINTS",
        help="with --dry-run: say how many questions find a difference of this size between two models",
    )
    add_asking(parser, BESIDE)


def main(args: argparse.Namespace) -> int:
    """Run every model, then show and report them together."""
    from askew.cli.show import run_and_show
    from askew.engine.components import as_models, as_suite, suites_in
    from askew.engine.run import forecast

    options = settled(args, {"name": []}, required=("model", "data"))
    trial = vars(options)["try"]
    if trial is None and not options.output and not options.dry_run:
        raise UsageError("--output is needed (on the command line, or in the file of --config).")
    if trial is not None and trial < 1:
        raise UsageError(f"--try {trial}: give how many questions to ask, at least 1.")
    if options.power is not None and not options.dry_run:
        raise UsageError("--power says how many questions are needed before a run. Give --dry-run too.")
    if options.power is not None and not 0 < options.power <= 100:
        raise UsageError(f"--power {options.power:g}: give a difference in points, above 0 and at most 100.")
    if options.json and (options.dry_run or trial is not None):
        raise UsageError("--json is for the scores of a run. Leave it out with --dry-run and --try.")
    settings, data = settings_of(options), data_of(options)
    models = as_models(options.model, options.name, **beside(options, BESIDE, "model", options.model))
    if trial is not None:
        _try(models, data, trial, settings)
        return 0
    suites = [as_suite(suite, progress=not options.quiet) for suite in options.suite or suites_in(data, "rad")]
    output, published = Path(options.output or ""), not options.no_published
    if options.dry_run:
        for sentence in forecast(models, data, suites, output if options.output else None, settings, options.power):
            print(sentence)
    else:
        if not options.quiet:
            print(_plan(models, suites, output), file=sys.stderr)
        full, json = bool(options.full), options.json
        run_and_show(models, data, suites, output, settings, as_typed(), full, published=published, json=json)
        if settings.shard:
            print(
                f"These are scores of shard {settings.shard} only. For those of the whole: askew merge RUN ... --store "
                "FILE with the runs of all shards, then this command without --shard and with --store FILE."
            )
    return 0


def _plan(models: Sequence[Named], suites: Sequence[Named], output: Path) -> str:
    """Describe the steps of the run before it starts."""
    asked = models[0].name if len(models) == 1 else plural(len(models), "model")
    made = " and ".join(suite.what.name for suite in suites)
    return f"Next: make the groups of {made}, ask {asked}, score the answers, and write {output / 'report.html'}."


def _try(models: Sequence[Named], data: Named, count: int, settings: Settings) -> None:
    """Show what each model reads and replies for the first questions of the data."""
    from askew.engine.try_model import try_model
    from askew.verbs import DatasetFacts

    rule = DatasetFacts(data.what).extract
    questions = list(islice(data.what.questions(), count))
    for model in models:
        for line in try_model(model, questions, settings, rule):
            print(line)
        print()
    print(f"Questions asked: {len(questions)}. Nothing was stored. Leave --try out to run.")
