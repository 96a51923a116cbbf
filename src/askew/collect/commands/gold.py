"""``askew collect gold``: questions with known answers, mixed into what people verify."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askew.collect.database import Tx
    from askew.collect.prepared_items import Added

EXAMPLES = """\
examples:
  askew collect gold STUDY --add gold.jsonl
  askew collect gold STUDY --promote 20
  askew collect gold STUDY --world 40
  askew collect gold STUDY --void 7

A line of the file: {"image": "a.jpg", "question": "What color is the ball?", "answers": ["red", "dark red"]}, with the
image's path seen from the file. --promote takes verified questions to which everybody gave one answer. Questions that a
guess rarely answers are better than yes or no. A person meets each once; have at least 20."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this subcommand."""
    parser.epilog = EXAMPLES
    parser.add_argument("study", metavar="STUDY", help="the study's folder")
    parser.add_argument("--add", metavar="FILE", help="add the questions of a JSONL file")
    parser.add_argument("--promote", type=int, metavar="N", help="add up to N verified questions of the study")
    parser.add_argument("--question", type=int, nargs="+", metavar="ID", help="add these verified questions")
    parser.add_argument("--world", type=int, metavar="N", help="add N questions about scenes of the embedded world")
    parser.add_argument("--retire", type=int, metavar="ID", help="stop showing a gold question")
    parser.add_argument(
        "--void",
        type=int,
        metavar="ID",
        help="withdraw a gold question that was a mistake: its results no longer count",
    )


def main(args: argparse.Namespace) -> int:
    """Add or change gold questions, and list them with how people answered."""
    from askew.collect.gold import set_gold_state
    from askew.collect.prepared_items import add_gold_file, promote_gold
    from askew.collect.study import open_study
    from askew.collect.world_items import add_world_gold
    from askew.engine.settings import check_whole

    for name in ("promote", "world"):
        if getattr(args, name) is not None:
            check_whole(name, getattr(args, name), least=1)
    study = open_study(Path(args.study))
    if args.add:
        _told(add_gold_file(study, Path(args.add)))
    if args.world:
        _told(add_world_gold(study, args.world))
    with study.database.write() as tx:
        if args.promote or args.question:
            _told(promote_gold(tx, args.promote or len(args.question), args.question))
        for number, state in ((args.retire, "RETIRED"), (args.void, "VOID")):
            if number is not None:
                set_gold_state(tx, number, state)
        _list(tx)
    study.close()
    return 0


def _told(done: Added) -> None:
    print(f"Added {done.added} gold questions; left out {len(done.left_out)}.")
    for reason in done.left_out[:20]:
        print(f"  {reason}")


def _list(tx: Tx) -> None:
    from askew.collect.gold import gold_table

    rows = gold_table(tx)
    for row in rows:
        answers = f"{row.right} of {row.answered} right" if row.answered else "not answered yet"
        doubt = "; most people fail it: check its answers" if row.answered >= 5 and 2 * row.right < row.answered else ""
        print(f"{row.id} {row.state} {row.question} -> {', '.join(row.answers)} ({answers}{doubt})")
    active = sum(row.state == "ACTIVE" for row in rows)
    few = " Add more: a newcomer meets about 20 among 40 questions." if active < 20 else ""
    print(f"{active} gold questions are shown.{few}")
