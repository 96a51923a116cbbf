"""``askew build SUITE``: a benchmark one can publish, with its datasheet."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.cli.options import add_build, add_config, add_data, as_typed, settled

EXAMPLES = """\
examples:
  askew build rad --data v2_OpenEnded_mscoco_val2014_questions.json --output bench
  askew build rad:originals=all --data world:val --output bench

Writes groups.jsonl (for askew run --data and askew score), the variants and their originals as VQA v2 files,
and datasheet.md: how many questions matched, were changed, or were refused and why."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = EXAMPLES
    parser.add_argument("suite", metavar="SUITE", help="which suite: see askew ls suite")
    add_data(parser)
    parser.add_argument("--output", metavar="DIR", help="the benchmark's folder")
    add_build(parser)
    parser.add_argument("--quiet", action="store_true", default=None, help="no progress bar")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Build, write, and print the coverage."""
    from askew.api import as_data, as_suite
    from askew.publish import publish
    from askew.settings import Settings

    options = settled(args, {"seed": 0}, required=("data", "output"))
    data = as_data(options.data, options.images, bool(options.skip_bad))
    settings = Settings(seed=options.seed, limit=options.limit, progress=not options.quiet)
    sheet = publish(as_suite(options.suite), data, Path(options.output), settings, as_typed())
    print(sheet)
    return 0
