"""``askew export``: write groups as questions that other harnesses can answer."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from askew.cli.options import add_shared
from askew.errors import plural

if TYPE_CHECKING:
    from askew.data.export_training import TrainingSample

EXAMPLES = """\
examples:
  askew export bench/groups.jsonl --format lmms-eval --output lmms/askew_rad --name askew_rad
  askew export bench/groups.jsonl --format vlmevalkit --output "$LMUData" --name askew_rad
  askew export bench/groups.jsonl --format jsonl --output mine
  askew export bench/groups.jsonl --format csv --output people     (a spreadsheet to fill in)
  askew export bench/groups.jsonl --format messages --output sft   (training data: also llava, sharegpt)
  askew export runs/mine --format dpo --output dpo                 (preference pairs: wrong answers are rejected)

Their log is scored as it is: askew score bench/groups.jsonl LOG --output runs/mine"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    from askew.data.export import FORMATS
    from askew.data.export_training import TRAINING_FORMATS

    parser.add_argument(
        "groups", metavar="GROUPS", help="groups.jsonl from askew build or run; for dpo, a run's folder"
    )
    parser.add_argument(
        "--format",
        choices=(*FORMATS, *TRAINING_FORMATS),
        required=True,
        help="what will answer the questions, or (llava, sharegpt, messages, dpo) learn from them",
    )
    parser.add_argument("--output", metavar="DIR", required=True, help="the folder to write to")
    add_shared(parser, "images", "overwrite")
    parser.add_argument(
        "--name", default="askew", metavar="NAME", help="the name of the task or table there (default askew)"
    )
    parser.add_argument(
        "--prompt", metavar="TEXT", help="text after each question (default: answer with a single word or phrase)"
    )
    parser.add_argument(
        "--image-data",
        choices=("inline", "paths"),
        default="inline",
        help="for vlmevalkit: images in the table itself (default), or their paths on this machine",
    )


def main(args: argparse.Namespace) -> int:
    """Write the files and describe them."""
    from askew.data.export import export
    from askew.data.export_training import TRAINING_FORMATS, preferences, supervised
    from askew.data.groups import GroupFile
    from askew.errors import UsageError
    from askew.registry import open_data
    from askew.report.load import load_run

    if args.format == "dpo":
        run = load_run(Path(args.groups), None if args.images is None else Path(args.images))
        return _export_training(preferences((record for _, record in run.outcomes()), run.image), args)
    data = open_data(args.groups, images=args.images)
    if not isinstance(data, GroupFile):
        raise UsageError(
            f"{args.groups}: these are questions, not groups. Make groups of them first: "
            f"askew build rad --data {args.groups} --output bench"
        )
    if args.format in TRAINING_FORMATS:
        return _export_training(supervised(data.groups()), args)
    made = export(
        data.groups(),
        args.output,
        args.format,
        args.name,
        args.prompt,
        args.image_data == "inline",
        bool(args.overwrite),
    )
    alike = f" (for {plural(made.ids, 'id')}; what reads alike is asked once)" if made.ids > made.questions else ""
    print(f"{plural(made.questions, 'question')}{alike}:")
    for path in made.files:
        print(f"  {path}")
    return 0


def _export_training(samples: Iterator[TrainingSample], args: argparse.Namespace) -> int:
    """Write training data and describe it."""
    from askew.data.export_training import export_training
    from askew.errors import UsageError

    if args.prompt is not None or args.image_data != "inline":
        raise UsageError("--prompt and --image-data are for other formats: training data has the questions alone.")
    made = export_training(samples, args.output, args.format, args.name, bool(args.overwrite))
    print(f"{plural(made.questions, 'sample')}:")
    for path in made.files:
        print(f"  {path}")
    return 0
