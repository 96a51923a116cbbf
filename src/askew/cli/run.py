"""``askew run``: ask a model, score its answers, write the report."""

from __future__ import annotations

import argparse
from dataclasses import fields
from itertools import zip_longest
from pathlib import Path

from askew.cli.options import add_build, add_config, add_data, as_typed, settled, several

EXAMPLES = """\
examples:
  askew run --model constant:yes --data world --suite rad --output runs/yes
  askew run --model prior:data=world:train --model constant:no --data world:val --suite rad --output runs/both
  askew run --model python:my_model:answer --data mine.jsonl --images pictures --limit 500 --output runs/mine
  askew run --config run.yaml --seed 3

Kill it when you like: every answer is on disk as soon as it is given, and the same command goes on.
Exit codes: 0 done, 2 wrong command or input, 3 more failed answers than --max-failures allows, 130 stopped."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        "--model", action="append", metavar="MODEL", help="who is asked (again for more models): see askew ls model"
    )
    parser.add_argument("--name", action="append", metavar="NAME", help="what tables call it (once for each --model)")
    add_data(parser)
    parser.add_argument(
        "--suite", action="append", metavar="SUITE", help="what is measured (again for more): see askew ls suite"
    )
    parser.add_argument(
        "--metric", action="append", metavar="METRIC", help="a metric besides the suite's: see askew ls metric"
    )
    parser.add_argument("--output", metavar="DIR", help="the run's folder")
    add_build(parser)
    parser.add_argument("--batch-size", type=int, metavar="N", help="questions asked at once (default 64)")
    parser.add_argument(
        "--resamples", type=int, metavar="N", help="bootstrap resamples behind each interval (default 2000)"
    )
    parser.add_argument(
        "--max-failures", type=float, metavar="SHARE", help="share of failed answers that is tolerated (default 0.05)"
    )
    parser.add_argument("--store", metavar="FILE", help="keep answers in this file, to share them between runs")
    parser.add_argument("--quiet", action="store_true", default=None, help="no progress bars")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Run every model, then show and report them together."""
    from askew.api import as_data, as_model, as_suite
    from askew.cli.show import run_all
    from askew.settings import Settings

    options = settled(args, {"suite": "rad", "name": []}, required=("model", "data", "output"))
    models = [as_model(model, name) for model, name in zip_longest(several(options.model), several(options.name))]
    given = {f.name: getattr(options, f.name, None) for f in fields(Settings)} | {"progress": not options.quiet}
    given["metrics"] = several(options.metric or [])
    run_all(
        models,
        as_data(options.data, options.images, bool(options.skip_bad)),
        [as_suite(suite) for suite in several(options.suite)],
        Path(options.output),
        Settings(**{key: value for key, value in given.items() if value is not None}),
        as_typed(),
    )
    return 0
