"""``askew compare``: compare runs, with significance tests."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.cli.options import SHOWING, add_runs, add_shared, settled

EXAMPLES = """\
examples:
  askew compare runs/yes runs/prior
  askew compare runs/* --output compared        (also writes the joint report and differences.json)

Differences are paired: the same groups, the same images for both models; p values are Holm-corrected
by family: headlines, each suite's other metrics, its parts. Beside each stands the smallest difference that
80 % of such comparisons would find: where it is larger than you care about, ask more questions
(askew run --dry-run --power 3 says how many)."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_runs(parser)
    parser.add_argument("--output", metavar="DIR", help="write report.html and differences.json there")
    add_shared(parser, "images", "overwrite", *SHOWING)


def main(args: argparse.Namespace) -> int:
    """Compare the runs."""
    from askew.cli.show import show
    from askew.errors import UsageError
    from askew.files.output_folders import check_output, note_output
    from askew.report.load import labels, load_run

    options = settled(args)
    if len(options.runs) < 2:
        raise UsageError("Two runs or more are needed. For one: askew report RUN.")
    report = Path(options.output) / "report.html" if options.output else None
    folders = [Path(run) for run in options.runs]
    if report is not None:
        named = labels([load_run(folder) for folder in folders])
        check_output(report.parent, "a report", {"runs": named}, bool(options.overwrite))
    published = not options.no_published
    show(folders, report, bool(options.full), published, images=options.images, json=options.json)
    if report is not None:
        note_output(report.parent, "a report", {"runs": named})
    return 0
