"""``askew build SUITE``: build a benchmark to publish, with a datasheet, or questions to train on."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.cli.options import Options, add_listed, add_shared, as_typed, beside, data_of, settings_of, settled
from askew.errors import UsageError

EXAMPLES = """\
examples:
  askew build rad --data v2_OpenEnded_mscoco_val2014_questions.json --output bench
  askew build rad:originals=all --data world:val --output bench
  askew build carets --scenes val_sceneGraphs.json --images images --tests all --size 5000 --output bench
  askew build carets --scenes train_sceneGraphs.json --for training --output more-questions
  askew build basic --data world:val --pool world:train --ranker lasso --top 21 --output bench
  askew build basic --for ranking --data questions.txt --pool pool.txt --ranker paper --workers 2 --output bqd

Writes groups.jsonl (for askew run --data and askew score), the variants and their originals as VQA v2 files,
and datasheet.md: how many variants each test made or refused, and why.
With --for training: the questions alone, as VQA v2 and as GQA files.
With --for ranking: the ranked basic questions alone, without groups."""


BESIDE: Options = {
    "tests": (str, "carets: which tests, with commas between (default all)"),
    "size": (str, "carets: pairs of each test, or paper for Table 6 (default: as many as the scenes give)"),
    "pool": (str, "basic: where basic questions come from: data, or a text file with one question per line"),
    "ranker": (str, "basic: what ranks them: see askew ls ranker"),
    "top": (int, "basic: how many are kept for each question"),
    "kind": (str, "basic: general, or yesno for only the yes/no questions of the pool"),
}
"""Options of suites that can also be given outside the spec."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("suite", metavar="SUITE", help="which suite: see askew ls suite")
    add_shared(parser, "data", "images", "skip-bad")
    parser.add_argument("--scenes", metavar="FILE", help="GQA scene graphs instead of --data")
    parser.add_argument("--output", metavar="DIR", help="the benchmark's folder")
    parser.add_argument(
        "--for",
        dest="purpose",
        choices=("testing", "training", "ranking"),
        help="groups to test with (default), questions, or rankings",
    )
    add_shared(parser, "no-audit")
    add_listed(parser, BESIDE, "suites that take them")
    add_shared(parser, "executor", "workers", "limit", "seed", "overwrite", "quiet", "config")


def main(args: argparse.Namespace) -> int:
    """Build the benchmark, write it, and print the coverage."""
    from askew.engine.components import as_suite
    from askew.engine.publish import publish, publish_rankings, publish_training

    options = settled(args, {"purpose": "testing"}, required=("output",))
    if bool(options.data) == bool(options.scenes):
        raise UsageError("Give --data, or --scenes for scene graphs.")
    settings = settings_of(options)
    data = data_of(options, options.data or f"scenes:{options.scenes}")
    extra = beside(options, BESIDE, "suite", [options.suite])
    suite = as_suite(options.suite, progress=not options.quiet, **extra)
    if options.purpose == "training":
        print(publish_training(suite, data, Path(options.output), settings, as_typed()))
    elif options.purpose == "ranking":
        print(publish_rankings(suite, data, Path(options.output), settings, as_typed()))
    else:
        print(publish(suite, data, Path(options.output), settings, as_typed()))
    return 0
