"""``askew report``: the page again, from the files of one or more runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.cli.options import add_published, add_resampling, add_runs

EXAMPLES = """\
examples:
  askew report runs/yes
  askew report runs/yes runs/prior --output both/report.html"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = EXAMPLES
    add_runs(parser)
    parser.add_argument("--output", metavar="FILE", help="the page (default: report.html in the first run's folder)")
    add_resampling(parser)
    add_published(parser)


def main(args: argparse.Namespace) -> int:
    """Write the page and print the table."""
    from askew.cli.show import show

    folders = [Path(run) for run in args.runs]
    output = Path(args.output) if args.output else folders[0] / "report.html"
    show(folders, output, args.resamples, args.seed, published=not args.no_published)
    return 0
