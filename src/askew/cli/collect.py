"""``askew collect``: collect questions that fool a model, with people or simulated ones."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew.collect.study import Study

EXAMPLES = """\
examples:
  askew collect demo
  askew collect serve study
  askew collect init study --preset small
  askew collect models study --add bundled:xnm
  askew collect round study --new
  askew collect images study --world 50
  askew collect round study --open 1
  askew collect simulate study --people 12
  askew collect check study
  askew collect freeze study --round 1
  askew collect export study --output release
  askew collect stats release --output stats
  askew run --data release --model bundled:xnm --suite accuracy --output runs/xnm"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (summary, add) in ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name != "demo":
            action.add_argument("study", metavar="STUDY", help="the study's folder")
        add(action)
    for name, summary in COMMANDS.items():
        action = actions.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        action.formatter_class = argparse.RawDescriptionHelpFormatter
        import_module(f"askew.collect.commands.{name}").add_options(action)


def main(args: argparse.Namespace) -> int:
    """Do what was asked."""
    from askew.errors import need_extras

    need_extras("askew collect", "collect")
    apart = args.action in COMMANDS
    act = import_module(f"askew.collect.commands.{args.action}").main if apart else globals()[f"_{args.action}"]
    code: int = act(args)
    return code


def _init_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--preset", default="paper", help="paper (3 writers, 9 verifiers) or small (1 writer, 2 verifiers)"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change one setting; repeatable"
    )
    parser.add_argument("--name", default="", help="what the study is called in its releases")
    parser.add_argument("--seed", type=int, metavar="S", help="the seed of the splits (default: drawn)")
    parser.add_argument("--database", metavar="URL", help="postgresql+psycopg://... instead of SQLite in the folder")


def _init(args: argparse.Namespace) -> int:
    from askew.collect.study import create_study
    from askew.collect.study_settings import settings_of
    from askew.collect.world_items import add_world_quiz
    from askew.engine.settings import check_whole
    from askew.errors import BadOption

    pairs = [text.partition("=") for text in args.set]
    for name, equals, _ in pairs:
        if not equals:
            raise BadOption(f"--set {name}: write it as NAME=VALUE, e.g. --set max_tries=3")
    if args.seed is not None:
        check_whole("seed", args.seed)
    settings = settings_of(args.preset, {name: value for name, _, value in pairs})
    study = create_study(Path(args.study), settings, args.name, args.database, seed=args.seed)
    if settings.quiz_required:
        add_world_quiz(study, 2 * settings.quiz_items)
        print("People pass a quiz about the embedded world first; see: askew collect quiz --help")
    study.close()
    print(f"Study: {args.study} ({settings.writers_per_image} writers, {settings.verifiers_per_question} verifiers)")
    print(f"Next: askew collect models {args.study} --add bundled:xnm")
    return 0


def _models_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--add", metavar="MODEL", help="a model as askew run takes it, e.g. bundled:xnm or hf:...")
    parser.add_argument("--called", metavar="NAME", help="what to call it (default: its spec)")
    parser.add_argument("--off", metavar="NAME", help="take a model out of the open round's draw")
    parser.add_argument("--on", metavar="NAME", help="put it back")


def _models(args: argparse.Namespace) -> int:
    import sqlalchemy as sa

    from askew.collect.rounds import add_model, open_round, set_model_active
    from askew.collect.schema import model
    from askew.errors import UnknownName, UsageError
    from askew.registry import make

    with _opened(args) as study, study.database.write() as tx:
        if args.add:
            add_model(tx, args.called or args.add, args.add, repr(make("model", args.add)))
        for name, active in ((args.off, False), (args.on, True)):
            if name:
                found = tx.value(sa.select(model.c.id).where(model.c.name == name))
                if found is None:
                    raise UnknownName(f"No model of the study is called {name!r}.")
                open_ = open_round(tx)
                if open_ is None:
                    raise UsageError("No round is open.")
                set_model_active(tx, open_.id, found, active)
        for row in tx.rows(sa.select(model).order_by(model.c.id)):
            print(f"{row.name}: {row.spec}")
    return 0


def _round_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--new", action="store_true", help="make the next round, with the models given or all")
    parser.add_argument("--models", metavar="NAMES", help="models of the new round, by name, with commas between")
    for option, done in (("--open", "let people write in this round"), ("--drain", "let nobody begin anything new")):
        parser.add_argument(option, type=int, metavar="N", help=done)


def _round(args: argparse.Namespace) -> int:
    import sqlalchemy as sa

    from askew.collect.rounds import change_round, create_round, round_counts, round_numbered
    from askew.collect.schema import model, round_
    from askew.errors import UnknownName

    with _opened(args) as study, study.database.write() as tx:
        if args.new:
            known = {row.name: row.id for row in tx.rows(sa.select(model).order_by(model.c.id))}
            names = args.models.split(",") if args.models else list(known)
            for name in names:
                if name not in known:
                    raise UnknownName(f"No model of the study is called {name!r}. Known: {', '.join(known) or 'none'}.")
            create_round(tx, {known[name]: 1.0 for name in names})
        if args.open is not None:
            row = round_numbered(tx, args.open)
            if row.state == "DRAFT":
                change_round(tx, row.id, "READY")
            change_round(tx, row.id, "OPEN")
        if args.drain is not None:
            change_round(tx, round_numbered(tx, args.drain).id, "DRAINING")
        for row in tx.rows(sa.select(round_).order_by(round_.c.number)):
            counts = round_counts(tx, row.id)
            places = f"{counts.places_taken} of {counts.places} places"
            print(f"Round {row.number}: {row.state}, {counts.images} images, {places}")
            for title, found in (
                ("sessions", counts.sessions),
                ("questions", counts.questions),
                ("slots", counts.slots),
            ):
                if found:
                    print(f"  {title}: {_listed(found)}")
    return 0


def _images_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--round", type=int, metavar="N", help="the draft round they are for (default: the last)")
    parser.add_argument("--folder", metavar="DIR", help="a folder of JPEG, PNG or WebP files")
    parser.add_argument("--domain", default="", help="where these images come from, for tables by domain")
    parser.add_argument("--world", type=int, metavar="N", help="N scenes of the embedded world instead")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the world (default 0)")


def _images(args: argparse.Namespace) -> int:
    import sqlalchemy as sa
    from tqdm import tqdm

    from askew.collect.image_import import import_images
    from askew.collect.rounds import round_numbered
    from askew.collect.schema import image, round_
    from askew.collect.world_images import import_world
    from askew.errors import UsageError

    if (args.folder is None) == (args.world is None):
        raise UsageError("Give --folder DIR or --world N.")
    with _opened(args) as study:
        with study.database.read() as tx:
            number = args.round or tx.value(sa.select(sa.func.max(round_.c.number))) or 0
            round_id = round_numbered(tx, number).id
            there = tx.value(sa.select(sa.func.count()).select_from(image))
        if args.folder is not None:
            files = sorted(path for path in Path(args.folder).iterdir() if path.is_file())
            done = import_images(study, files, round_id, args.domain)
        else:
            with tqdm(total=args.world, desc="Drawing", unit=" scenes", disable=not sys.stderr.isatty()) as bar:
                done = import_world(study, round_id, range(there, there + args.world), args.seed, bar.update)
    print(f"Added {done.added} images to round {number}; left out {len(done.refused)}.")
    for reason in done.refused[:20]:
        print(f"  {reason}")
    return 0


def _people_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--add", metavar="NAME", help="add a person")
    parser.add_argument("--owner", action="store_true", help="as an owner")
    parser.add_argument("--exclude", metavar="NAME", help="exclude a person: what he or she did stops to count")
    parser.add_argument("--reason", default="", help="why")
    parser.add_argument("--preview", action="store_true", help="only say what excluding would change")


def _people(args: argparse.Namespace) -> int:
    from askew.collect.accounts import add_annotator, person_named
    from askew.collect.exclusion import exclude, preview_exclusion
    from askew.collect.people_summary import people_lines
    from askew.errors import UsageError

    if args.exclude and not (args.preview or args.reason):
        raise UsageError("Give the --reason; it is kept in the log. --preview says what excluding would change.")
    with _opened(args) as study, study.database.write() as tx:
        if args.add:
            add_annotator(tx, args.add, "owner" if args.owner else "annotator")
        if args.exclude:
            found = person_named(tx, args.exclude).id
            effect = preview_exclusion(tx, found) if args.preview else exclude(tx, found, args.reason)
            would = "would stop" if args.preview else "stopped"
            print(f"{effect.verifications} answers and {effect.questions} questions {would} to count;", end=" ")
            print(f"{effect.sessions} writer places open again. In frozen rounds {effect.frozen} stay.")
        for line in people_lines(tx):
            print(line)
    return 0


def _simulate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--people", type=int, default=40, metavar="N", help="how many people (default 40)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of what they do (default 0)")
    parser.add_argument("--skill", type=float, metavar="P", help="how often a question fools the robots (default 0.42)")
    parser.add_argument("--careless", type=float, metavar="P", help="how often a verifier does not look (default 0.05)")


def _simulate(args: argparse.Namespace) -> int:
    import sqlalchemy as sa
    from tqdm import tqdm

    from askew.collect.database import SetClock
    from askew.collect.schema import event
    from askew.collect.simulate import Skill, simulate
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

    with _opened(args) as study, study.database.read() as tx:
        found = violations(tx)
    for line in found:
        print(line)
    print(f"{len(INVARIANTS)} invariants: {f'{len(found)} do not hold.' if found else 'all hold.'}")
    return 1 if found else 0


def _freeze_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--round", type=int, required=True, metavar="N", help="the round; an open one is drained first")
    parser.add_argument("--seed", type=int, metavar="S", help="the seed of the splits (default: the study's)")
    parser.add_argument("--drop-incomplete", action="store_true", help="leave out what is not finished")
    parser.add_argument("--preview", action="store_true", help="only say what would be decided")


def _freeze(args: argparse.Namespace) -> int:
    import sqlalchemy as sa

    from askew.collect.expiry import expire
    from askew.collect.freeze import freeze, preview_freeze
    from askew.collect.rounds import change_round, round_numbered
    from askew.collect.schema import study as study_table

    with _opened(args) as study, study.database.write() as tx:
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
        print(f"{kind}: {counts[kind]:,}" + (f" ({_listed(splits)})" if splits else ""))
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

    with _opened(args) as study:
        manifest = release(study, Path(args.output), args.version)
    for one in manifest["rounds"]:
        print(f"Round {one['round']}: {one['images']} images, {_listed(one['splits'])}")
    print(f"Release: {args.output} (datasheet.md says what is in it)")
    print(f"Next: askew run --data {args.output} --model bundled:xnm --suite accuracy --output runs")
    return 0


def _serve_options(parser: argparse.ArgumentParser) -> None:
    from askew.collect.web.options import add_serve_options

    add_serve_options(parser)


def _serve(args: argparse.Namespace) -> int:
    from askew.collect.web.options import serve_with

    return serve_with(args)


def _demo_options(parser: argparse.ArgumentParser) -> None:
    from askew.collect.web.options import add_demo_options

    add_demo_options(parser)


def _demo(args: argparse.Namespace) -> int:
    from askew.collect.web.options import demo_with

    return demo_with(args)


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


@contextmanager
def _opened(args: argparse.Namespace) -> Iterator[Study]:
    """The study of a command, closed at the end."""
    from askew.collect.study import open_study

    study = open_study(Path(args.study))
    try:
        yield study
    finally:
        study.close()


ACTIONS: dict[str, tuple[str, Any]] = {
    "demo": ("the whole journey alone in five minutes, with simulated colleagues", _demo_options),
    "serve": ("start the service in a browser; a folder that does not exist becomes a study", _serve_options),
    "init": ("make a study in a new folder", _init_options),
    "models": ("add and list the models that people play against", _models_options),
    "round": ("make, open and drain rounds, and see how they stand", _round_options),
    "images": ("add images to a round, from a folder or from the embedded world", _images_options),
    "people": ("add, list and exclude people", _people_options),
    "simulate": ("let simulated people work on the open round", _simulate_options),
    "check": ("check every invariant of the study", _check_options),
    "freeze": ("decide types and splits of a round, once and for all", _freeze_options),
    "export": ("write the release of all frozen rounds", _export_options),
}
COMMANDS = {
    "quiz": "add and list examples that people judge before their first work",
    "gold": "add and list questions with known answers, mixed into what people verify",
    "stats": "write the tables and figures of the paper for a study or a release",
    "coding": "write Table 7's sample to code, and read what coders marked",
    "delete": "delete what was written about a question for good, on request, also after the freeze",
    "pay": "list accepted, rejected and pending work of each person, as CSV",
    "backup": "copy a study while the service runs",
    "restore": "make a study from a backup, and check it",
}
"""Actions with a file of their own in ``askew.collect.commands``."""
