"""``askew report``: rewrite the report from the files of one or more runs."""

from __future__ import annotations

import argparse
from html import escape
from pathlib import Path

from askew.cli.options import SHOWING, add_runs, add_shared, settled

EXAMPLES = """\
examples:
  askew report runs/yes
  askew report runs/yes runs/prior --output both/report.html
  askew report runs/yes --judged judged.csv                      (with the label noise that people found)"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_runs(parser)
    parser.add_argument("--output", metavar="FILE", help="the page (default: report.html in the first run's folder)")
    add_shared(parser, "judged", "images", "overwrite", *SHOWING)


def main(args: argparse.Namespace) -> int:
    """Write the page and print the table."""
    from askew.cli.show import show
    from askew.files.output_folders import check_page
    from askew.report.html import page_title
    from askew.report.load import load_run

    options = settled(args)
    folders = [Path(run) for run in options.runs]
    output = Path(options.output) if options.output else folders[0] / "report.html"
    if options.output:
        check_page(output, escape(page_title([load_run(folder) for folder in folders])), bool(options.overwrite))
    published, judged = not options.no_published, options.judged or ()
    show(folders, output, bool(options.full), published, options.images, judged, options.json)
    return 0
