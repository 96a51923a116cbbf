"""``askew collect delete``: delete what was written about a question, on request, also after the freeze."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """\
examples:
  askew collect delete STUDY --question 7 --reason "its author asked"
  askew collect export STUDY --output patch --version 1.0.1

The question's number is the id in examples.csv and history.jsonl, and on the owner's page of examples. This cannot be
undone: the question, the robot's reply and all answers are blanked; the log keeps the number, the time and the reason.
Earlier releases and backups still have the text."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this subcommand."""
    parser.epilog = EXAMPLES
    parser.add_argument("study", metavar="STUDY", help="the study's folder")
    parser.add_argument("--question", type=int, required=True, metavar="N", help="the question's number")
    parser.add_argument(
        "--reason", required=True, metavar="WHY", help="why; stored in the log, so leave out private data"
    )


def main(args: argparse.Namespace) -> int:
    """Delete the text, and say what is left to do."""
    from askew.collect.deletion import delete_text, released_before, rewrite_file
    from askew.collect.study import open_study
    from askew.errors import UsageError

    if not args.reason.strip():
        raise UsageError("Give the --reason; it is kept in the log.")
    study = open_study(Path(args.study))
    try:
        with study.database.write() as tx:
            delete_text(tx, None, args.question, args.reason)
            released = released_before(tx, args.question)
        clean = rewrite_file(study.database)
    finally:
        study.close()
    print(f"Question {args.question}: the question, the robot's reply and all answers to it are deleted.")
    if not clean:
        print("The database was busy: free space of its file still has the text. Stop the service and run")
        print("sqlite3 STUDY/study.sqlite VACUUM")
    if released:
        print("It was released before. Write a patch: askew collect export STUDY --output DIR --version 1.0.1")
    print("Backups and releases that were made before still have the text: delete them too.")
    return 0
