"""``askew collect import``: the rewordings of an automatic attack, for people to verify."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.collect.commands.study_setup import opened_study

_IMPORT = """\
examples:
  askew collect import STUDY attacks/words
  askew collect import STUDY attacks/words --round 2 --images val2014

The folder is one of askew attack. Its successful rewordings become questions of an author of their own, with the
attacked model's reply, and wait for verifiers like those of people. Their images are added to the round, which must be
a draft unless it has them already. askew collect stats counts them apart: Table 8 says how many survive."""


def _import_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _IMPORT
    parser.add_argument("attack", metavar="FOLDER", help="a folder of askew attack")
    parser.add_argument("--round", type=int, metavar="N", help="the round they are for (default: the last)")
    parser.add_argument("--images", metavar="DIR", help="the folder of the images, if the attack does not know it")


def _import(args: argparse.Namespace) -> int:
    """Import, and say what was left out."""
    import sqlalchemy as sa

    from askew.collect.attack_import import import_attack
    from askew.collect.rounds import round_numbered
    from askew.collect.schema import round_
    from askew.errors import plural

    with opened_study(args) as study:
        with study.database.read() as tx:
            number = args.round or tx.value(sa.select(sa.func.max(round_.c.number))) or 0
            round_id = round_numbered(tx, number).id
        done = import_attack(study, Path(args.attack), round_id, args.images)
    for attack, attacked in sorted(done.attacked.items()):
        found, added = done.found[attack], done.added[attack]
        print(f"{attack}: {plural(attacked, 'question')} attacked, {found:,} answered incorrectly after rewording.")
        print(f"  Of these, {added:,} were added to round {number} for people to verify; {done.model} was attacked.")
    if not done.attacked:
        print("Nothing was attacked, so nothing was added.")
    for reason in done.left_out[:20]:
        print(f"  left out: {reason}")
    if len(done.left_out) > 20:
        print(f"  and {len(done.left_out) - 20:,} more")
    return 0


ACTIONS = {"import": (_import_options, _import)}
"""Action to the function that adds its options, and the function that runs it."""
