"""``askew merge``: join the answers of several runs in one store."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.cli.options import add_shared
from askew.errors import UsageError, plural

EXAMPLES = """\
examples:
  askew run --model hf:DIR --data mine.jsonl --suite rad --shard 1/2 --output runs/1     (on one host)
  askew run --model hf:DIR --data mine.jsonl --suite rad --shard 2/2 --output runs/2     (on another)
  askew merge runs/1 runs/2 --store answers.sqlite
  askew run --model hf:DIR --data mine.jsonl --suite rad --store answers.sqlite --output runs/whole"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("stores", nargs="+", metavar="RUN", help="folders of runs, or answer stores")
    add_shared(parser, "store")


def main(args: argparse.Namespace) -> int:
    """Merge, and print what was merged."""
    from askew.engine.store_files import merge_stores

    if not args.store:
        raise UsageError("--store is needed: the file that gets all answers.")
    merged = merge_stores([Path(place) for place in args.stores], Path(args.store))
    print(
        f"{plural(merged.copied, 'answer')} of {plural(merged.stores, 'store')} copied to {args.store}; "
        f"there before: {merged.known:,}."
    )
    if merged.differing:
        print(
            f"{plural(merged.differing, 'request has', 'requests have')} different answers in different stores; "
            "the first is kept."
        )
    for place in map(Path, args.stores):
        if (place / "answers.sqlite").is_file() and not (place / "results.json").is_file():
            print(f"{place}: this run has not ended. Give its command again, then merge again; or ask the rest later.")
    return 0
