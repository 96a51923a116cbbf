"""``askew score``: score a file of predictions; no model is run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from askew.cli.options import SHOWING, add_shared, as_typed, data_of, settings_of, settled

EXAMPLES = """\
examples:
  askew score bench/groups.jsonl answers.json --output runs/mine
  askew score v2_OpenEnded_mscoco_val2014_questions.json results.json --output runs/vqa     (plain VQA accuracy)
  askew score POPE/output/coco llava-v1.5-13b.jsonl --output runs/llava

PREDICTIONS: official results [{"question_id", "answer"}], GQA's [{"questionId", "prediction"}], JSONL, answers of
LLaVA, logs of lmms-eval, VLMEvalKit and inspect, results of POPE, HallusionBench, SugarCrepe and MME; or a folder."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "groups", metavar="GROUPS", help="groups.jsonl from askew build, or any data for plain accuracy"
    )
    parser.add_argument("predictions", metavar="PREDICTIONS", help="the answers, by question id")
    add_shared(parser, "suite")
    parser.add_argument("--output", metavar="DIR", required=True, help="the run's folder")
    add_shared(parser, "metric", "images", "skip-bad", "limit")
    parser.add_argument(
        "--allow-missing", action="store_true", help="count questions without a prediction as not answered"
    )
    parser.add_argument("--ids", metavar="FILE", help="ids.jsonl of the export, for logs that have row numbers as ids")
    parser.add_argument(
        "--name", default="", metavar="NAME", help="the model's name in tables (default: the file's name)"
    )
    add_shared(parser, "seed", "overwrite", "quiet", "extract", "accuracy", "no-audit", *SHOWING)


def main(args: argparse.Namespace) -> int:
    """Score the predictions, and print and report the scores."""
    from askew.cli.show import run_and_show
    from askew.engine.components import as_suite, suites_in
    from askew.engine.settings import Named
    from askew.models.prediction_file import Predictions
    from askew.verbs import DatasetFacts

    args = settled(args, {"extract": "", "batch_size": 4096})
    data = data_of(args, args.groups)
    args.extract = args.extract or DatasetFacts(data.what).extract
    settings = settings_of(args)
    path = Path(args.predictions)
    answers = Predictions(args.predictions, args.allow_missing, args.ids, data.what)
    if answers.remark:
        print(answers.remark, file=sys.stderr)
    model = Named(answers, f"predictions:{path}", args.name or path.stem)
    suites = [as_suite(suite) for suite in args.suite or suites_in(data, "accuracy")]
    published = not args.no_published
    # lenient: --allow-missing permits non-answers, so they are not an error here
    run_and_show(
        [model],
        data,
        suites,
        Path(args.output),
        settings,
        as_typed(),
        args.full,
        lenient=True,
        published=published,
        json=args.json,
    )
    return 0
