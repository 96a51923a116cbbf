"""``askew collect quiz``: judged examples that people judge before their first work."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """\
examples:
  askew collect quiz STUDY --world 16
  askew collect quiz STUDY --add quiz.jsonl

A line of the file: {"image": "a.jpg", "question": "Is it red?", "robot_answer": "yes", "verdict": "wrong", "hint": "The
ball is blue."}, with the image's path seen from the file; verdicts are correct, wrong and unsure. Twice as many
examples as an attempt has give a second attempt examples of its own. The settings quiz_required, quiz_items,
quiz_pass_percent and quiz_attempts are set when the study is made: askew collect init STUDY --set quiz_required=true"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this subcommand."""
    parser.epilog = EXAMPLES
    parser.add_argument("study", metavar="STUDY", help="the study's folder")
    parser.add_argument("--add", metavar="FILE", help="add the examples of a JSONL file")
    parser.add_argument("--world", type=int, metavar="N", help="add N examples about scenes of the embedded world")
    parser.add_argument("--remove", type=int, metavar="ID", help="stop using an example")
    parser.add_argument("--qualify", metavar="NAME", help="let a person work who has not passed")


def main(args: argparse.Namespace) -> int:
    """Add or remove examples, and list them."""
    import sqlalchemy as sa

    from askew.collect.accounts import person_named
    from askew.collect.prepared_items import add_quiz_file
    from askew.collect.quiz import qualify, quiz_blockers, remove_quiz_item
    from askew.collect.schema_quality import quiz_item
    from askew.collect.study import open_study
    from askew.collect.world_items import add_world_quiz
    from askew.engine.settings import check_whole

    if args.world is not None:
        check_whole("world", args.world, least=1)
    study = open_study(Path(args.study))
    for done in (
        add_quiz_file(study, Path(args.add)) if args.add else None,
        add_world_quiz(study, args.world) if args.world else None,
    ):
        if done is not None:
            print(f"Added {done.added} examples; left out {len(done.left_out)}.")
            for reason in done.left_out[:20]:
                print(f"  {reason}")
    with study.database.write() as tx:
        if args.remove is not None:
            remove_quiz_item(tx, args.remove)
        if args.qualify:
            qualify(tx, person_named(tx, args.qualify).id)
            print(f"{args.qualify} needs no quiz any more.")
        for row in tx.rows(sa.select(quiz_item).where(quiz_item.c.active).order_by(quiz_item.c.id)):
            print(f"{row.id} {row.question} {row.robot_answer}: {row.verdict}")
        settings, blockers = tx.settings, quiz_blockers(tx)
    needed = "must pass" if settings.quiz_required else "need not pass"
    percent = f"{settings.quiz_pass_percent} % of {settings.quiz_items} examples, {settings.quiz_attempts} attempts"
    print(f"Annotators {needed} the quiz ({percent}).")
    for reason in blockers:
        print(f"No round can open: {reason.replace('STUDY', args.study)}")
    study.close()
    return 0
