"""``askew collect`` while people work and afterwards: demo, serve, simulate, check, freeze and export.

Heavy modules are imported only when they are used, since ``askew collect --help`` reads all options.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path

from askew.collect.commands.study_setup import listed_counts, opened_study, pairs_of, repeatable
from askew.errors import need

_SERVE = """\
examples:
  askew collect serve STUDY
  askew collect serve STUDY --set-up         (own images: everything else in the browser)
  askew collect serve STUDY --model bundled:xnm --model openai:gpt-4o-mini --preset small
  askew collect serve STUDY --host 0.0.0.0 --trusted-host collect.example.org --forwarded-allow-ips 127.0.0.1

The first start prints a link that creates the owner's account; it works once. Behind a proxy with TLS, name the
public host with --trusted-host. Several processes may serve one study."""

_DEMO = """\
examples:
  askew collect demo
  askew collect demo --output my-demo --port 8001
  askew collect demo --rounds 2 --seconds 60

Open the link, create the owner's account, and fool the robot. Simulated colleagues answer your questions meanwhile,
and leave you some of theirs. Ctrl-C ends it: the round is frozen and released, ready for askew run.

With --rounds 2, Ctrl-C ends a round: colleagues do what is left, the robot learns from it (this needs
pip install 'askew[train,bundled]'), and the next round has new images. At the end the command says whether the robot
got better, with an interval."""


def _serve_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _SERVE
    parser.add_argument("--host", default="127.0.0.1", metavar="IP", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="port to listen on (default 8000; 0: any)")
    parser.add_argument("--owner-link", action="store_true", help="print a new one-time link for the owner")
    new = parser.add_argument_group("for a new study")
    new.add_argument("--database", metavar="URL", help="postgresql+psycopg://user@host/name instead of a file")
    repeatable(new, "--model", "MODEL", "a robot: a model as for askew run; can be repeated")
    new.add_argument("--preset", metavar="NAME", help="paper (3 writers, 9 verifiers; the default) or small (1 and 2)")
    new.add_argument("--identity", metavar="ID", help="which id of a platform is the person (default PROLIFIC_PID)")
    new.add_argument(
        "--set-up", action="store_true", help="if there is none, an empty study that its owner sets up in the browser"
    )
    new.add_argument("--scenes", type=int, metavar="N", help="images of the embedded world (default 60)")
    net = parser.add_argument_group("network")
    net.add_argument("--http", action="store_true", help="serve plain HTTP to other computers in a private network")
    net.add_argument("--root-path", default="", metavar="PATH", help="where a proxy mounts the service, e.g. /collect")
    net.add_argument("--forwarded-allow-ips", default="", metavar="IPS", help="proxies whose headers are trusted")
    repeatable(net, "--trusted-host", "HOST", "a host name of the service; can be repeated")
    framing = "may show the pages in a frame and receive the last form, e.g. https://www.mturk.com; can be repeated"
    repeatable(net, "--platform", "ORIGIN", framing)
    repeatable(net, "--limit", "NAME=N", "change a limit, e.g. sign_ins=20; can be repeated")
    private = "a model's host name in a private network; can be repeated (addresses and localhost are allowed anyway)"
    repeatable(net, "--private-host", "HOST", private)


def _serve(args: argparse.Namespace) -> int:
    need("starlette", "collect")
    from askew.collect.protocol import changed
    from askew.collect.web.first_study import NewStudy
    from askew.collect.web.security import Limits
    from askew.collect.web.serve import Address, serve

    given = (args.database, args.model or None, args.preset, args.scenes, args.identity)
    new = NewStudy(Path(args.study), *given, set_up=args.set_up)
    limits = changed(Limits(), pairs_of(args.limit, "--limit", "sign_ins=20"), "limit")
    names = tuple(args.trusted_host), tuple(args.platform)
    address = Address(args.host, args.port, args.http, args.root_path, args.forwarded_allow_ips, *names)
    return serve(new, address, owner_link=args.owner_link, private_hosts=args.private_host, limits=limits)


def _demo_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _DEMO
    parser.add_argument("--output", metavar="DIR", default="collect-demo", help="folder (default collect-demo)")
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="port to listen on (default 8000; 0: any)")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="rounds; the robot learns in between")
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="stop each round after this many seconds (default: on Ctrl-C)"
    )


def _demo(args: argparse.Namespace) -> int:
    need("starlette", "collect")
    from askew.collect.simulation.demo_study import demo

    if args.rounds != 1:
        from askew.collect.simulation.demo_rounds import demo_rounds

        return demo_rounds(Path(args.output), args.port, args.rounds, args.seconds)
    return demo(Path(args.output), args.port, args.seconds)


def _simulate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--people", type=int, default=40, metavar="N", help="how many people (default 40)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of what they do (default 0)")
    form = "what fooled the robots most often before, instead of anything they know"
    parser.add_argument("--skill", type=float, metavar="P", help=f"how often people ask {form} (default 0.8)")
    parser.add_argument("--careless", type=float, metavar="P", help="how often a verifier does not look (default 0.05)")


def _simulate(args: argparse.Namespace) -> int:
    import sqlalchemy as sa
    from tqdm import tqdm

    from askew.collect.database import SetClock
    from askew.collect.rounds import open_round, round_counts
    from askew.collect.schema import event
    from askew.collect.simulation.simulate import simulate
    from askew.collect.simulation.simulated_person import Skill
    from askew.collect.study import open_study
    from askew.engine.settings import check_whole

    check_whole("people", args.people, least=1)
    check_whole("seed", args.seed)
    given = {"attack": args.skill, "careless": args.careless}
    skill = Skill(**{name: value for name, value in given.items() if value is not None})
    clock = SetClock()
    with closing(open_study(Path(args.study), clock, durable=False)) as study:
        with study.database.read() as tx:
            clock.milliseconds = 1000 + (tx.value(sa.select(sa.func.max(event.c.at))) or clock.milliseconds)
        with tqdm(desc="Verifying", unit=" answers", disable=not sys.stderr.isatty()) as bar:
            done = simulate(study, args.people, args.seed, skill, progress=bar.update)
        with study.database.read() as tx:
            open_ = open_round(tx)
            waiting = round_counts(tx, open_.id).questions.get("VERIFYING", 0) if open_ is not None else 0
    work = f"{done.sessions} sessions, {done.questions} questions, {done.verifications} verifications"
    print(f"{done.people} people: {work}.")
    if done.gold:
        print(f"{done.gold} answers to gold questions; {done.excluded} people were excluded by them.")
    print(f"{100 * done.success:.1f} % of the sessions succeeded, with {done.tries:.2f} tries each.")
    if waiting:
        short = "1 question has" if waiting == 1 else f"{waiting:,} questions have"
        print(f"Too few people: {short} fewer answers than the study needs, and nobody is left to add one.")
        print("Let more people work (simulate with more --people), or freeze with --drop-incomplete.")
    return 0


def _check_options(parser: argparse.ArgumentParser) -> None:
    pass


def _check(args: argparse.Namespace) -> int:
    from askew.collect.invariants import INVARIANTS, OTHERS, notices, violations

    with opened_study(args) as study, study.database.read() as tx:
        found, to_do = violations(tx), notices(tx)
    for line in (*found, *(line.replace("STUDY", args.study) for line in to_do)):
        print(line)
    print(f"{len(INVARIANTS) + OTHERS} invariants: {f'{len(found)} do not hold.' if found else 'all hold.'}")
    return 1 if found else 0


def _freeze_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--round", type=int, required=True, metavar="N", help="the round; an open one is drained first")
    parser.add_argument("--seed", type=int, metavar="S", help="the seed of the splits (default: the study's)")
    parser.add_argument("--drop-incomplete", action="store_true", help="leave out what is not finished")
    parser.add_argument("--preview", action="store_true", help="only show what would be decided")


def _freeze(args: argparse.Namespace) -> int:
    import sqlalchemy as sa

    from askew.collect.freeze import freeze_now, preview_freeze
    from askew.collect.rounds import round_numbered
    from askew.collect.schema import study as study_table

    with opened_study(args) as study, study.database.write() as tx:
        row = round_numbered(tx, args.round)
        seed = tx.value(sa.select(study_table.c.seed)) if args.seed is None else args.seed
        if args.preview:
            found = preview_freeze(tx, row.id, seed)
        else:
            found = freeze_now(tx, row.id, seed, drop_incomplete=args.drop_incomplete)
    for kind, splits in found.table().items():
        print(f"{kind}: {found.counts[kind]:,}" + (f" ({listed_counts(splits)})" if splits else ""))
    if found.over_cap:
        print(f"Left out of train: {len(found.over_cap):,} questions of authors with too large a share of it.")
    if found.error_rates is not None:
        print("Model error rate: {:.1f} % of all, {:.1f} % verified (E).".format(*found.error_rates))
    return 0


def _export_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", required=True, metavar="DIR", help="the release's folder; new or empty")
    parser.add_argument("--version", default="1.0.0", help="the release's version (default 1.0.0)")


def _export(args: argparse.Namespace) -> int:
    from askew.collect.release import questions_to_ask, release

    with opened_study(args) as study:
        manifest = release(study, Path(args.output), args.version)
    for one in manifest["rounds"]:
        print(f"Round {one['round']}: {one['images']} images, {listed_counts(one['splits'])}")
    print(f"Release: {args.output} (datasheet.md says what is in it)")
    data = questions_to_ask(Path(args.output))
    if data is None:
        print("No question is in a split: none is verified, or all were left out.")
    else:
        print(f"Next: askew run --data {data} --model bundled:xnm --suite accuracy --output runs")
    return 0


ACTIONS = {
    "demo": (_demo_options, _demo),
    "serve": (_serve_options, _serve),
    "simulate": (_simulate_options, _simulate),
    "check": (_check_options, _check),
    "freeze": (_freeze_options, _freeze),
    "export": (_export_options, _export),
}
"""Action to the function that adds its options, and the function that runs it."""
