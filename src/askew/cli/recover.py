"""``askew recover``: recover the intact rows of a damaged answer store."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.errors import plural

EXAMPLES = """\
examples:
  askew recover runs/mine                       (the folder of a run)
  askew recover shared/answers.sqlite           (a file of --store)"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("store", metavar="STORE", help="the damaged answer store, or the folder of a run")


def main(args: argparse.Namespace) -> int:
    """Write the new store and print what was recovered."""
    from askew.engine.store_files import recover

    found, aside = recover(Path(args.store))
    print(
        f"{plural(len(found.rows), 'answer is', 'answers are')} intact and kept; "
        f"left out: {plural(len(found.damaged), 'damaged row')}."
    )
    if found.unread:
        rows = f"about {plural(found.lost, 'more row')}" if found.rows else "any rows"
        print(f"SQLite cannot read a part of the file that may hold {rows} ({found.trouble}).")
    print(f"The damaged file is now {aside}. The same command as before asks again what is lost.")
    return 0
