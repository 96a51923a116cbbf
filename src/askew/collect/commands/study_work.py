"""``askew collect`` while people work and after: serve, simulate, check, freeze and export."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from askew.collect.commands.study_setup import listed_counts, opened_study


def _demo_options(parser: argparse.ArgumentParser) -> None:
    from askew.collect.web.serve_options import add_demo_options

    add_demo_options(parser)


def _demo(args: argparse.Namespace) -> int:
    from askew.collect.web.serve_options import demo_with

    return demo_with(args)


def _serve_options(parser: argparse.ArgumentParser) -> None:
    from askew.collect.web.serve_options import add_serve_options

    add_serve_options(parser)


def _serve(args: argparse.Namespace) -> int:
    from askew.collect.web.serve_options import serve_with

    return serve_with(args)


def _simulate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--people", type=int, default=40, metavar="N", help="how many people (default 40)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of what they do (default 0)")
    parser.add_argument("--skill", type=float, metavar="P", help="how often a question fools the robots (default 0.44)")
    parser.add_argument("--careless", type=float, metavar="P", help="how often a verifier does not look (default 0.05)")


def _simulate(args: argparse.Namespace) -> int:
    import sqlalchemy as sa
    from tqdm import tqdm

    from askew.collect.database import SetClock
    from askew.collect.schema import event
    from askew.collect.simulate import simulate
    from askew.collect.simulated_skill import Skill
    from askew.collect.study import open_study
    from askew.engine.settings import check_whole

    check_whole("people", args.people, least=1)
    check_whole("seed", args.seed)
    given = {"attack": args.skill, "careless": args.careless}
    skill = Skill(**{name: value for name, value in given.items() if value is not None})
    clock = SetClock()
    study = open_study(Path(args.study), clock, durable=False)
    with study.database.read() as tx:
        clock.milliseconds = 1000 + (tx.value(sa.select(sa.func.max(event.c.at))) or clock.milliseconds)
    with tqdm(desc="Verifying", unit=" answers", disable=not sys.stderr.isatty()) as bar:
        done = simulate(study, args.people, args.seed, skill, progress=bar.update)
    study.close()
    work = f"{done.sessions} sessions, {done.questions} questions, {done.verifications} verifications"
    print(f"{done.people} people: {work}.")
    if done.gold:
        print(f"{done.gold} answers to gold questions; {done.excluded} people were excluded by them.")
    print(f"{100 * done.success:.1f} % of the sessions succeeded, with {done.tries:.2f} tries each.")
    return 0


def _check_options(parser: argparse.ArgumentParser) -> None:
    pass


def _check(args: argparse.Namespace) -> int:
    from askew.collect.invariants import INVARIANTS, violations

    with opened_study(args) as study, study.database.read() as tx:
        found = violations(tx)
    for line in found:
        print(line)
    print(f"{len(INVARIANTS)} invariants: {f'{len(found)} do not hold.' if found else 'all hold.'}")
    return 1 if found else 0


def _freeze_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--round", type=int, required=True, metavar="N", help="the round; an open one is drained first")
    parser.add_argument("--seed", type=int, metavar="S", help="the seed of the splits (default: the study's)")
    parser.add_argument("--drop-incomplete", action="store_true", help="leave out what is not finished")
    parser.add_argument("--preview", action="store_true", help="only show what would be decided")


def _freeze(args: argparse.Namespace) -> int:
    import sqlalchemy as sa

    from askew.collect.expiry import expire
    from askew.collect.freeze import freeze, preview_freeze
    from askew.collect.rounds import change_round, round_numbered
    from askew.collect.schema import study as study_table

    with opened_study(args) as study, study.database.write() as tx:
        row = round_numbered(tx, args.round)
        seed = tx.value(sa.select(study_table.c.seed)) if args.seed is None else args.seed
        if args.preview:
            found = preview_freeze(tx, row.id, seed)
        else:
            if row.state == "OPEN":
                change_round(tx, row.id, "DRAINING")
            expire(tx)
            found = freeze(tx, row.id, seed, drop_incomplete=args.drop_incomplete)
    counts = Counter(found.types.values())
    for kind, splits in found.table().items():
        print(f"{kind}: {counts[kind]:,}" + (f" ({listed_counts(splits)})" if splits else ""))
    if found.over_cap:
        print(f"Left out of train: {len(found.over_cap):,} questions of authors with too large a share of it.")
    total, verified = sum(counts[kind] for kind in "ABCDE"), sum(counts[kind] for kind in "CDE")
    if total:
        print(
            f"Model error rate: {100 * verified / total:.1f} % of all, {100 * counts['E'] / total:.1f} % verified (E)."
        )
    return 0


def _export_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", required=True, metavar="DIR", help="the release's folder; new or empty")
    parser.add_argument("--version", default="1.0.0", help="the release's version (default 1.0.0)")


def _export(args: argparse.Namespace) -> int:
    from askew.collect.release import release

    with opened_study(args) as study:
        manifest = release(study, Path(args.output), args.version)
    for one in manifest["rounds"]:
        print(f"Round {one['round']}: {one['images']} images, {listed_counts(one['splits'])}")
    print(f"Release: {args.output} (datasheet.md says what is in it)")
    print(f"Next: askew run --data {args.output} --model bundled:xnm --suite accuracy --output runs")
    return 0


ACTIONS = {
    "demo": (_demo_options, _demo),
    "serve": (_serve_options, _serve),
    "simulate": (_simulate_options, _simulate),
    "check": (_check_options, _check),
    "freeze": (_freeze_options, _freeze),
    "export": (_export_options, _export),
}
"""For each action what adds its options, and what does it."""
