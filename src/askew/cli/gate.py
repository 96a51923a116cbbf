"""``askew gate``: pass or fail, for a release."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from pathlib import Path
from shutil import get_terminal_size

from askew.cli.options import add_shared, settled, write_json

EXAMPLES = """\
examples:
  askew gate runs/new --require "rad.forward>=0.7" --require "accuracy.all>=60%"
  askew gate runs/new --require "CS(2) >= 60 %" --require "C-ACC@NEGATION-DIR >= 0.5" --by low
  askew gate runs/new --no-worse-than runs/released --junit gate.xml --summary gate.md
  askew gate runs/new --no-worse-than runs/released --margin 2        (must lose less than 2 points)
  askew gate runs/new --no-worse-than runs/released --metric noise.loss.1 --metric "CS(2)"
  askew gate runs/new --config gate.yaml

A requirement is METRIC[@PART] and >=, >, <= or < a value; SUITE:METRIC where several suites have the metric.
METRIC is a name in results.json (cs.2) or in tables (CS(2)). Of the comparisons with another run only the
headlines count, or those named with --metric: of equally good runs, at most 5 % fail.
Exit codes: 0 passed, 1 failed, 2 could not decide (too few images, runs that cannot be compared) or could
not read (wrong command or input)."""

_LEAST_MARGIN = 0.1
"""A smaller margin, in points, is a share that was meant: 0.01 for one point."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
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
    parser.add_argument(
        "--margin",
        type=float,
        metavar="POINTS",
        help="fail if it loses more than this, pass only if it loses less; between them, undecided (exit code 2). "
        "Without it, fail if any loss is significant",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="METRIC",
        help="let this score count instead of the headlines; can be repeated",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        default=None,
        help="let all comparisons count; says how often equally good runs would fail",
    )
    parser.add_argument(
        "--max-failures", type=float, metavar="SHARE", help="tolerated share of failed answers (default: RUN's)"
    )
    parser.add_argument("--junit", metavar="FILE", help="write the checks as JUnit XML")
    parser.add_argument(
        "--summary", metavar="FILE", help="write the checks as Markdown (appended if FILE is $GITHUB_STEP_SUMMARY)"
    )
    add_shared(parser, "json", "config")


def main(args: argparse.Namespace) -> int:
    """Run the checks, then write and print them; returns the exit code of the verdict."""
    from askew.errors import UsageError
    from askew.files.read_write import write_joined
    from askew.gate import (
        EXIT_CODES,
        BaselineComparison,
        Rule,
        check_requirement,
        failures_check,
        junit,
        markdown,
        parse_requirement,
        terminal,
        verdict,
    )
    from askew.report.load import load_run

    options = settled(args, {"by": "value", "alpha": 0.05})
    requirements = [parse_requirement(text) for text in options.require or []]
    if not requirements and not options.no_worse_than:
        raise UsageError('Nothing is required. Give --require "METRIC>=VALUE", or --no-worse-than RUN, or both.')
    rule = Rule(options.alpha, _margin(options.margin), tuple(options.metric or ()), bool(vars(options)["all"]))
    run = load_run(Path(options.run))
    notes: list[str] = []
    checks = [check_requirement(requirement, run, options.by) for requirement in requirements]
    if options.no_worse_than:
        compared = BaselineComparison(run, load_run(Path(options.no_worse_than)), rule)
        checks += compared.checks()
        notes += filter(None, [compared.note()])
    checks.append(failures_check(run, options.max_failures))
    title = f"{run.model} on {run.data}"
    if options.junit:
        write_joined(options.junit, [junit(checks, title)])
    text = markdown(checks, title, notes)
    if options.summary and options.summary == os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(options.summary, "a", encoding="utf-8") as file:  # it may contain output of other commands
            file.write(text)
    elif options.summary:
        write_joined(options.summary, [text.encode()])
    said = [{**asdict(check), "status": check.status.value} for check in checks]
    write_json(options.json, {"title": title, "verdict": verdict(checks).value, "checks": said, "notes": notes})
    width = max(80, min(120, get_terminal_size().columns))
    print(terminal(checks, title, width, sys.stdout.isatty(), notes))
    return EXIT_CODES[verdict(checks)]


def _margin(points: float | None) -> float | None:
    """The margin as a fraction, from points."""
    from askew.errors import UsageError

    if points is None:
        return None
    if points == 0:
        raise UsageError("--margin 0: no run can be shown to lose nothing. Leave --margin out to fail if it loses.")
    if not _LEAST_MARGIN <= points <= 100:
        meant = f" Write {100 * points:g} for {100 * points:g} points." if 0 < points < _LEAST_MARGIN else ""
        raise UsageError(f"--margin {points:g}: the margin is in points, from {_LEAST_MARGIN} to 100.{meant}")
    return points / 100
