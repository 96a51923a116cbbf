"""``askew gate``: pass or fail, for a release."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from askew.cli.options import add_shared, settled

EXAMPLES = """\
examples:
  askew gate runs/new --require "rad.forward>=0.7" --require "accuracy.all>=60%"
  askew gate runs/new --no-worse-than runs/released --margin 0.01 --junit gate.xml --summary gate.md
  askew gate runs/new --require "rad.forward@test=Y/N←C>=0.6" --by low
  askew gate runs/new --config gate.yaml

A requirement is METRIC[@PART] and >=, >, <= or < a value; SUITE:METRIC where several suites have the metric.
Exit codes: 0 every check passed, 1 one failed, 2 wrong command or input."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.epilog = EXAMPLES
    parser.add_argument("run", metavar="RUN", help="the folder written by askew run or score")
    parser.add_argument("--require", action="append", metavar="REQ", help="a bound on a score; can be repeated")
    parser.add_argument(
        "--by",
        choices=("value", "low"),
        help="what must meet it: the value (default), or the worse end of the interval",
    )
    parser.add_argument(
        "--no-worse-than", metavar="RUN", help="fail if significantly worse than this run on the same groups"
    )
    parser.add_argument(
        "--alpha", type=float, metavar="P", help="significance level after Holm's correction (default 0.05)"
    )
    parser.add_argument("--margin", type=float, metavar="SHARE", help="how much worse is still allowed (default 0)")
    parser.add_argument("--metric", action="append", metavar="METRIC", help="compare only this metric; can be repeated")
    parser.add_argument(
        "--max-failures", type=float, metavar="SHARE", help="tolerated share of failed answers (default: RUN's)"
    )
    parser.add_argument("--junit", metavar="FILE", help="write the checks as JUnit XML")
    parser.add_argument(
        "--summary", metavar="FILE", help="write the checks as Markdown (appended if FILE is $GITHUB_STEP_SUMMARY)"
    )
    add_shared(parser, "config")


def main(args: argparse.Namespace) -> int:
    """Run the checks, then write and print them; returns 0 or 1."""
    from askew.errors import DataError, UsageError
    from askew.files.read_write import write_joined
    from askew.gate import check_requirement, failures_check, is_open, junit, markdown, parse_requirement, terminal
    from askew.gate.baseline import Rule, compare_to
    from askew.report.load import load_run

    options = settled(args, {"by": "value", "alpha": 0.05, "margin": 0.0})
    requirements = [parse_requirement(text) for text in options.require or []]
    if not requirements and not options.no_worse_than:
        raise UsageError('Nothing is required. Give --require "METRIC>=VALUE", or --no-worse-than RUN, or both.')
    rule = Rule(options.alpha, options.margin, tuple(options.metric or ()))
    run = load_run(Path(options.run))
    try:
        checks = [check_requirement(requirement, run, options.by) for requirement in requirements]
        if options.no_worse_than:
            checks += compare_to(run, load_run(Path(options.no_worse_than)), rule)
        checks.append(failures_check(run, options.max_failures))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as trouble:
        if args.debug:
            raise
        folders = " or ".join(filter(None, (options.run, options.no_worse_than)))
        raise DataError(
            f"{folders}: the files of the run are not as askew writes them ({trouble!r}). Run it again with the same "
            "--output; 'askew --debug gate' shows where."
        ) from trouble
    title = f"{run.model} on {run.data}"
    if options.junit:
        write_joined(options.junit, [junit(checks, title)])
    if options.summary:
        _write_summary(options.summary, markdown(checks, title))
    print(terminal(checks, title, color=sys.stdout.isatty()))
    return 0 if is_open(checks) else 1


def _write_summary(path: str, text: str) -> None:
    """GitHub's summary file may contain output of other commands, so it is appended to; any other file is replaced."""
    from askew.files.read_write import write_joined

    if path == os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    else:
        write_joined(path, [text.encode()])
