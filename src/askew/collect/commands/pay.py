"""``askew collect pay``: accepted, rejected and pending work of each annotator, as CSV."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """\
examples:
  askew collect pay STUDY --rate session=0.50 answer=0.05 bonus=0.25 --output pay.csv
  askew collect pay STUDY --rate bonus=0.25 --output pay.csv --bonuses bonuses.csv --id PROLIFIC_PID

session: a finished image; answer: an answered question, gold ones included; bonus: a question that verifiers confirmed
(type E), known once the round is frozen. --bonuses writes lines of id and amount, as platforms take them."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this subcommand."""
    parser.epilog = EXAMPLES
    parser.add_argument("study", metavar="STUDY", help="the study's folder")
    parser.add_argument(
        "--rate", nargs="+", default=[], metavar="NAME=AMOUNT", help="what is paid for a session, an answer, a bonus"
    )
    parser.add_argument("--output", required=True, metavar="FILE", help="the CSV file, one row per person")
    parser.add_argument("--bonuses", metavar="FILE", help="also write the bonuses by a platform's ids")
    parser.add_argument("--id", metavar="NAME", help="which of the platform's ids, e.g. PROLIFIC_PID")


def main(args: argparse.Namespace) -> int:
    """Write the files, and print the totals."""
    from askew.collect.payments import bonus_csv, parse_rates, payments_csv, work_of_all
    from askew.collect.study import open_study
    from askew.errors import UsageError
    from askew.files.read_write import write_joined

    if (args.bonuses is None) != (args.id is None):
        raise UsageError("--bonuses and --id go together: the file, and the name of the ids in it.")
    rates = parse_rates(args.rate)
    study = open_study(Path(args.study))
    with study.database.read() as tx:
        works = work_of_all(tx)
    study.close()
    bonuses = bonus_csv(works, rates, args.id) if args.id else None
    write_joined(Path(args.output), [payments_csv(works, rates)])
    pay, bonus = sum(work.pay(rates) for work in works), sum(work.bonus(rates) for work in works)
    pending = sum(work.pay(rates, "pending") for work in works)
    print(f"{len(works)} people: pay {pay:.2f}, bonus {bonus:.2f}, total {pay + bonus:.2f}; pending {pending:.2f}.")
    print(f"Payments: {args.output}")
    if bonuses is not None:
        write_joined(Path(args.bonuses), [bonuses[0]])
        print(f"Bonuses: {args.bonuses}; {bonuses[1]} people with a bonus have no {args.id}.")
    return 0
