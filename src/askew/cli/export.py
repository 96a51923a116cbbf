"""``askew export``: write groups as questions that other harnesses can answer."""

from __future__ import annotations

import argparse

from askew.cli.options import add_shared
from askew.errors import plural

EXAMPLES = """\
examples:
  askew export bench/groups.jsonl --format lmms-eval --output lmms/askew_rad --name askew_rad
  askew export bench/groups.jsonl --format vlmevalkit --output "$LMUData" --name askew_rad
  askew export bench/groups.jsonl --format jsonl --output mine
  askew export bench/groups.jsonl --format csv --output people     (a spreadsheet to fill in)

Their log is scored as it is: askew score bench/groups.jsonl LOG --output runs/mine"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    from askew.data.export import FORMATS

    parser.add_argument("groups", metavar="GROUPS", help="groups.jsonl from askew build or run")
    parser.add_argument("--format", choices=FORMATS, required=True, help="what will answer the questions")
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
    from askew.data.groups import GroupFile
    from askew.errors import UsageError
    from askew.registry import open_data

    data = open_data(args.groups, images=args.images)
    if not isinstance(data, GroupFile):
        raise UsageError(
            f"{args.groups}: these are questions, not groups. Make groups of them first: "
            f"askew build rad --data {args.groups} --output bench"
        )
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
