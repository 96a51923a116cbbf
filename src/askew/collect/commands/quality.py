"""``askew collect`` for quality: quiz, gold questions and payments."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from askew.collect.commands.study_setup import opened_study, print_added

if TYPE_CHECKING:
    from askew.collect.database import Tx

_QUIZ = """\
examples:
  askew collect quiz STUDY --world 16
  askew collect quiz STUDY --add quiz.jsonl

A line of the file: {"image": "a.jpg", "question": "Is it red?", "robot_answer": "yes", "verdict": "wrong", "hint": "The
ball is blue."}, with the image's path relative to the file; verdicts are correct, wrong and unsure. With twice as
many examples as an attempt has, a second attempt gets new ones. The settings quiz_required, quiz_items,
quiz_pass_percent and quiz_attempts are set with the study: askew collect init STUDY --set quiz_required=true"""


def _quiz_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _QUIZ
    parser.add_argument("--add", metavar="FILE", help="add the examples of a JSONL file")
    parser.add_argument("--world", type=int, metavar="N", help="add N examples about scenes of the embedded world")
    parser.add_argument("--remove", type=int, metavar="ID", help="stop using an example")
    parser.add_argument("--qualify", metavar="NAME", help="let a person work without passing the quiz")


def _quiz(args: argparse.Namespace) -> int:
    """Add or remove examples, and list them."""
    import sqlalchemy as sa

    from askew.collect.accounts import person_named
    from askew.collect.prepared_items import add_quiz_file
    from askew.collect.quiz import qualify, quiz_blockers, remove_quiz_item
    from askew.collect.schema import quiz_item
    from askew.collect.simulation.world_content import add_world_quiz
    from askew.engine.settings import check_whole

    if args.world is not None:
        check_whole("world", args.world, least=1)
    with opened_study(args) as study:
        if args.add:
            print_added(add_quiz_file(study, Path(args.add)), "examples")
        if args.world:
            print_added(add_world_quiz(study, args.world), "examples")
        with study.database.write() as tx:
            if args.remove is not None:
                remove_quiz_item(tx, args.remove)
            if args.qualify:
                qualify(tx, person_named(tx, args.qualify).id)
            rows = tx.rows(sa.select(quiz_item).where(quiz_item.c.active).order_by(quiz_item.c.id))
            settings, blockers = tx.settings, quiz_blockers(tx)
    if args.qualify:
        print(f"{args.qualify} no longer needs the quiz.")
    for row in rows:
        print(f"{row.id} {row.question} {row.robot_answer}: {row.verdict}")
    needed = "must pass" if settings.quiz_required else "need not pass"
    percent = f"{settings.quiz_pass_percent} % of {settings.quiz_items} examples, {settings.quiz_attempts} attempts"
    print(f"Annotators {needed} the quiz ({percent}).")
    for reason in blockers:
        print(f"No round can open: {reason.replace('STUDY', args.study)}")
    return 0


_GOLD = """\
examples:
  askew collect gold STUDY --add gold.jsonl
  askew collect gold STUDY --promote 20
  askew collect gold STUDY --world 40
  askew collect gold STUDY --void 7
  askew collect gold STUDY --results judged.csv      (for askew audit DATA --judged judged.csv)

A line of the file: {"image": "a.jpg", "question": "What color is the ball?", "answers": ["red", "dark red"]}, with the
image's path relative to the file. --promote takes verified questions to which everybody gave the same answer. Questions
that are hard to guess are better than yes/no questions. A person gets each only once; have at least 20."""


def _gold_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _GOLD
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

    parser.add_argument(
        "--results",
        metavar="FILE",
        help="write how many people answered each question that has an id correctly, as CSV",
    )


def _gold(args: argparse.Namespace) -> int:
    """Add or change gold questions, and list them with how people answered."""
    from askew.collect.gold import set_gold_state
    from askew.collect.prepared_items import add_gold_file, promote_gold
    from askew.collect.simulation.world_content import add_world_gold
    from askew.engine.settings import check_whole

    for name in ("promote", "world"):
        if getattr(args, name) is not None:
            check_whole(name, getattr(args, name), least=1)
    with opened_study(args) as study:
        if args.add:
            print_added(add_gold_file(study, Path(args.add)), "gold questions")
        if args.world:
            print_added(add_world_gold(study, args.world), "gold questions")
        promoted = None
        with study.database.write() as tx:
            if args.promote or args.question:
                promoted = promote_gold(tx, args.promote or len(args.question), args.question)
            for number, state in ((args.retire, "RETIRED"), (args.void, "VOID")):
                if number is not None:
                    set_gold_state(tx, number, state)
        if promoted is not None:
            print_added(promoted, "gold questions")
        with study.database.read() as tx:
            _list(tx)
            if args.results:
                _write_results(tx, args.results)
    return 0


def _write_results(tx: Tx, path: str) -> None:
    from askew.collect.gold import gold_results
    from askew.errors import DataError
    from askew.files.read_write import csv_line, write_joined

    found = [(key, row, "; ".join(json.loads(row.answers))) for key, row in gold_results(tx)]
    if not found:
        raise DataError(
            "No gold question has an id. Draw some with askew audit --sample; "
            "then add them with --add judge/sample.jsonl."
        )
    lines = [
        csv_line((key, row.state, row.question, answers, row.right, row.answered - row.right))
        for key, row, answers in found
    ]
    write_joined(path, [csv_line(("id", "state", "question", "answers", "right", "wrong")), *lines])
    print(f"Results: {path}")


def _list(tx: Tx) -> None:
    from askew.collect.gold import gold_table

    rows = gold_table(tx)
    for row in rows:
        answers = f"{row.right} of {row.answered} correct" if row.answered else "not answered yet"
        doubt = "; most people fail it: check its answers" if row.answered >= 5 and 2 * row.right < row.answered else ""
        print(f"{row.id} {row.state} {row.question} -> {', '.join(json.loads(row.answers))} ({answers}{doubt})")
    active = sum(row.state == "ACTIVE" for row in rows)
    few = " Add more: a newcomer gets about 20 among 40 questions." if active < 20 else ""
    print(f"{active} gold questions are shown.{few}")


_PAY = """\
examples:
  askew collect pay STUDY --rate session=0.50 answer=0.05 bonus=0.25 --output pay.csv
  askew collect pay STUDY --rate bonus=0.25 --output pay.csv --bonuses bonuses.csv --id PROLIFIC_PID

session: a finished image; answer: an answered question, gold ones included; batch: a finished batch of a survey; bonus:
a question that verifiers confirmed (type E), known once the round is frozen. --bonuses writes lines of id and amount,
as platforms accept them."""


def _pay_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _PAY
    parser.add_argument(
        "--rate",
        nargs="+",
        default=[],
        metavar="NAME=AMOUNT",
        help="what is paid for a session, an answer, a batch, a bonus",
    )
    parser.add_argument("--output", required=True, metavar="FILE", help="the CSV file, one row per person")
    parser.add_argument("--bonuses", metavar="FILE", help="also write the bonuses by a platform's ids")
    parser.add_argument("--id", metavar="NAME", help="which of the platform's ids to use, e.g. PROLIFIC_PID")


def _pay(args: argparse.Namespace) -> int:
    """Write the files, and print the totals."""
    from askew.collect.payments import bonus_csv, parse_rates, payments_csv, work_of_all
    from askew.collect.study import write_private
    from askew.errors import UsageError

    if (args.bonuses is None) != (args.id is None):
        raise UsageError("--bonuses and --id go together: the file, and the name of the ids in it.")
    rates = parse_rates(args.rate)
    with opened_study(args) as study, study.database.read() as tx:
        works = work_of_all(tx)
    bonuses = bonus_csv(works, rates, args.id) if args.id else None
    write_private(Path(args.output), payments_csv(works, rates))
    pay, bonus = sum(work.pay(rates) for work in works), sum(work.bonus(rates) for work in works)
    pending = sum(work.pay(rates, "pending") for work in works)
    print(f"{len(works)} people: pay {pay:.2f}, bonus {bonus:.2f}, total {pay + bonus:.2f}; pending {pending:.2f}.")
    print(f"Payments: {args.output}")
    if bonuses is not None:
        write_private(Path(args.bonuses), bonuses[0])
        print(f"Bonuses: {args.bonuses}; {bonuses[1]} people with a bonus have no {args.id}.")
    return 0


ACTIONS = {
    "quiz": (_quiz_options, _quiz),
    "gold": (_gold_options, _gold),
    "pay": (_pay_options, _pay),
}
"""Action to the function that adds its options, and the function that runs it."""
