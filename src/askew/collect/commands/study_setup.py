"""``askew collect`` before people take part: create a study, add models, rounds, images and people."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askew.collect.image_import import Added
    from askew.collect.study import Study


def _init_options(parser: argparse.ArgumentParser) -> None:
    presets = "paper (3 writers, 9 verifiers) or small (1 writer, 2 verifiers)"
    parser.add_argument("--preset", default="paper", help=presets)
    repeatable(parser, "--set", "NAME=VALUE", "change one setting; can be repeated")
    parser.add_argument("--identity", metavar="ID", help="which id of a platform is the person (PROLIFIC_PID)")
    parser.add_argument("--name", default="", help="what the study is called in its releases")
    parser.add_argument("--seed", type=int, metavar="S", help="the seed of the splits (default: random)")
    parser.add_argument("--database", metavar="URL", help="postgresql+psycopg://... instead of SQLite in the folder")


def _init(args: argparse.Namespace) -> int:
    from askew.collect.protocol import settings_of
    from askew.collect.simulation.world_content import add_world_quiz
    from askew.collect.study import create_study
    from askew.engine.settings import check_whole

    if args.seed is not None:
        check_whole("seed", args.seed)
    changes = pairs_of(args.set, "--set", "max_tries=3")
    settings = settings_of(args.preset, changes | ({"identity": args.identity} if args.identity else {}))
    with closing(create_study(Path(args.study), settings, args.name, args.database, seed=args.seed)) as study:
        if settings.quiz_required:
            add_world_quiz(study, 2 * settings.quiz_items)
            print("People must first pass a quiz about the embedded world; see: askew collect quiz --help")
    writers, verifiers = settings.writers_per_image, settings.verifiers_per_question
    print(f"Study: {args.study} (writers per image: {writers}, verifiers per question: {verifiers})")
    print(f"Next: askew collect models {args.study} --add bundled:xnm")
    return 0


def _models_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--add", metavar="MODEL", help="a model as for askew run, e.g. bundled:xnm or hf:...")
    parser.add_argument("--called", metavar="NAME", help="its name in releases (default: its spec without folders)")
    parser.add_argument("--off", metavar="NAME", help="stop drawing a model in the open round")
    parser.add_argument("--on", metavar="NAME", help="draw it again")


def _models(args: argparse.Namespace) -> int:
    import sqlalchemy as sa

    from askew.collect.robots import stored_spec, usable_spec, without_secrets
    from askew.collect.rounds import add_model, free_name, open_round, set_model_active
    from askew.collect.schema import model
    from askew.errors import UnknownName, UsageError
    from askew.registry import make

    with opened_study(args) as study, study.database.write() as tx:
        if args.add:
            spec = stored_spec(args.add, study.folder)
            add_model(tx, args.called or free_name(tx, without_secrets(args.add)), spec, repr(make("model", args.add)))
        for name, active in ((args.off, False), (args.on, True)):
            if name:
                found = tx.value(sa.select(model.c.id).where(model.c.name == name))
                if found is None:
                    raise UnknownName(
                        f"No model of the study is called {name!r}. List them: askew collect models STUDY"
                    )
                open_ = open_round(tx)
                if open_ is None:
                    raise UsageError("No round is open. Open one: askew collect round STUDY --open 1")
                set_model_active(tx, open_.id, found, active)
        rows = tx.rows(sa.select(model).order_by(model.c.id))
    for row in rows:
        print(f"{row.name}: {without_secrets(usable_spec(row.spec, study.folder))}")
    return 0


_NEXT = """\
examples:
  askew collect round study --new
  askew collect round study --open 1
  askew collect round next study --base world:train,seed=7 --train butd --train xnm --world 40
  askew collect round next study --base vqa:train --train butd --features regions.tsv --folder street=photos
  askew collect round next study --base vqa:train --train hf:smolvlm --set lora=r=16 --set steps=500 --folder photos
  askew collect round next study --model hf:my-better-model --folder photos

"round next" lets each --train robot (a network, or hf:FOLDER by an adapter) learn from --base and the train splits of
all finished rounds, keeps the epoch that is best on their dev splits, and puts it and each --model into the next
round, with images that no round had before. Killed, the same command goes on. The round is a draft: look at it, then
open it."""


def _round_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _NEXT
    to_come = parser.add_argument_group("round next")
    repeatable(to_come, "--base", "DATA", "training data besides the finished rounds; repeated, they add up")
    repeatable(to_come, "--train", "ROBOT", "train a network (askew ls net) or hf:FOLDER; can be repeated")
    repeatable(to_come, "--model", "MODEL", "let people play against this model as it is; can be repeated")
    repeatable(to_come, "--folder", "[DOMAIN=]DIR", "new images, with their domain; can be repeated")
    to_come.add_argument("--world", type=int, default=0, metavar="N", help="N new scenes of the embedded world")
    to_come.add_argument("--features", default="world", help="image features for training (default world)")
    repeatable(to_come, "--set", "NAME=VALUE", "a setting of the training, e.g. epochs=5; can be repeated")
    parser.add_argument("--new", action="store_true", help="create the next round, with the given models or all")
    repeatable(parser, "--models", "NAMES", "names of the new round's models, separated by commas or repeated")
    for option, effect in (("--open", "let people write in this round"), ("--drain", "let nobody start anything new")):
        parser.add_argument(option, type=int, metavar="N", help=effect)


def _round(args: argparse.Namespace) -> int:
    import sqlalchemy as sa

    from askew.collect.rounds import change_round, create_round, round_counts, round_numbered, start_round
    from askew.collect.schema import model, round_
    from askew.errors import UnknownName

    if args.next:
        return _next_round(args)
    _refuse_next_options(args)
    lines = []
    with opened_study(args) as study, study.database.write() as tx:
        if args.new:
            known = {row.name: row.id for row in tx.rows(sa.select(model).order_by(model.c.id))}
            given = args.models or list(known)
            names = [name for one in given for name in ([one] if one in known else one.split(","))]
            for name in names:
                if name not in known:
                    raise UnknownName(f"No model of the study is called {name!r}. Known: {', '.join(known) or 'none'}.")
            create_round(tx, [known[name] for name in dict.fromkeys(names)])
            kept = "given" if args.models else "all of the study; --models chooses"
            lines.append(f"The new round plays against {', '.join(names)} ({kept}).")
        if args.open is not None:
            start_round(tx, round_numbered(tx, args.open).id)
        if args.drain is not None:
            change_round(tx, round_numbered(tx, args.drain).id, "DRAINING")
        for row in tx.rows(sa.select(round_).order_by(round_.c.number)):
            counts = round_counts(tx, row.id)
            places = f"{counts.places_taken} of {counts.places} places"
            lines.append(f"Round {row.number}: {row.state}, {counts.images} images, {places}")
            for title in ("sessions", "questions", "slots"):
                if found := getattr(counts, title):
                    lines.append(f"  {title}: {listed_counts(found)}")
    print("\n".join(lines))
    return 0


_NEXT_OPTIONS = ("base", "train", "model", "folder", "world", "set")


def _refuse_next_options(args: argparse.Namespace) -> None:
    from askew.errors import UsageError

    for name in _NEXT_OPTIONS:
        if getattr(args, name):
            raise UsageError(f"--{name} is an option of: askew collect round next STUDY")


def _next_round(args: argparse.Namespace) -> int:
    from askew.collect.retraining import NextRound, make_next_round
    from askew.engine.settings import check_whole
    from askew.errors import UsageError

    if args.new or args.models or args.open is not None or args.drain is not None:
        raise UsageError("round next creates the round; leave --new, --models, --open and --drain out.")
    check_whole("world", args.world)
    settings = pairs_of(args.set, "--set", "epochs=5")
    plan = NextRound(
        tuple(args.base),
        tuple(args.train),
        tuple(args.model),
        tuple(args.folder),
        args.world,
        args.features,
        settings,
    )
    with opened_study(args) as study:
        number = make_next_round(study, plan, progress=sys.stderr.isatty(), say=print)
    print(f"Next: askew collect round {args.study} --open {number}")
    return 0


def _images_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--round", type=int, metavar="N", help="the draft round they are for (default: the last)")
    parser.add_argument("--folder", metavar="DIR", help="a folder of JPEG, PNG or WebP files")
    parser.add_argument("--domain", default="", help="where these images come from, for tables by domain")
    parser.add_argument("--world", type=int, metavar="N", help="N scenes of the embedded world instead")
    parser.add_argument("--seed", type=int, metavar="S", help="the seed of the study's first world scenes (default 0)")


def _images(args: argparse.Namespace) -> int:
    import sqlalchemy as sa
    from tqdm import tqdm

    from askew.collect.image_import import import_images
    from askew.collect.rounds import round_numbered
    from askew.collect.schema import image, round_
    from askew.collect.simulation.world_content import import_world
    from askew.errors import UsageError

    if (args.folder is None) == (args.world is None):
        raise UsageError("Give --folder DIR or --world N.")
    with opened_study(args) as study:
        with study.database.read() as tx:
            number = args.round or tx.value(sa.select(sa.func.max(round_.c.number))) or 0
            round_id = round_numbered(tx, number).id
            present = tx.count(image)
        if args.folder is not None:
            files = sorted(path for path in Path(args.folder).iterdir() if path.is_file())
            done = import_images(study, files, round_id, args.domain)
        else:
            with tqdm(total=args.world, desc="Drawing", unit=" scenes", disable=not sys.stderr.isatty()) as bar:
                done = import_world(study, round_id, range(present, present + args.world), args.seed, bar.update)
    print_added(done, f"images to round {number}")
    return 0


def _people_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--add", metavar="NAME", help="add a person")
    parser.add_argument("--owner", action="store_true", help="add the person as an owner")
    parser.add_argument("--exclude", metavar="NAME", help="exclude a person, whose work then no longer counts")
    parser.add_argument("--reason", default="", help="why")
    parser.add_argument("--preview", action="store_true", help="only show what excluding would change")


def _people(args: argparse.Namespace) -> int:
    from askew.collect.accounts import add_annotator, person_named
    from askew.collect.agreement import people_lines
    from askew.collect.moderation import exclude, preview_exclusion
    from askew.errors import UsageError

    if args.exclude and not (args.preview or args.reason):
        raise UsageError("Give the --reason; it is kept in the log. --preview shows what excluding would change.")
    lines = []
    with opened_study(args) as study, study.database.write() as tx:
        if args.add:
            add_annotator(tx, args.add, "owner" if args.owner else "annotator")
        if args.exclude:
            found = person_named(tx, args.exclude).id
            effect = preview_exclusion(tx, found) if args.preview else exclude(tx, found, args.reason)
            would = "would stop" if args.preview else "stopped"
            lines.append(
                f"{effect.verifications} answers and {effect.questions} questions {would} counting; {effect.sessions} "
                f"writer places open again. In frozen rounds {effect.frozen} stay. {effect.surveyed} answers "
                f"in open surveys {would} counting."
            )
        lines += people_lines(tx)
    print("\n".join(lines) or "Nobody takes part yet. Invite people on the owner's page People, or --add NAME.")
    return 0


def listed_counts(counts: dict[str, int]) -> str:
    """Names with their counts, in one line."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def print_added(done: Added, noun: str) -> None:
    """How many were added, and the first that were left out."""
    print(f"Added {done.added} {noun}; left out {len(done.left_out)}.")
    for reason in done.left_out[:20]:
        print(f"  {reason}")


def repeatable(parser: argparse._ActionsContainer, option: str, metavar: str, effect: str) -> None:
    """Add an option that can be given several times."""
    parser.add_argument(option, action="append", default=[], metavar=metavar, help=effect)


def pairs_of(words: Sequence[str], option: str, example: str) -> dict[str, str]:
    """What a repeated option of the form NAME=VALUE says."""
    from askew.errors import BadOption

    pairs = [word.partition("=") for word in words]
    for name, equals, _ in pairs:
        if not equals:
            raise BadOption(f"{option} {name}: write it as NAME=VALUE, e.g. {option} {example}")
        if [other for other, _, _ in pairs].count(name) > 1:
            raise BadOption(f"{option} {name} is given twice. Give it once.")
    return {name: value for name, _, value in pairs}


def opened_study(args: argparse.Namespace) -> closing[Study]:
    """The study of a command, closed at the end."""
    from askew.collect.study import open_study

    return closing(open_study(Path(args.study)))


ACTIONS = {
    "init": (_init_options, _init),
    "models": (_models_options, _models),
    "round": (_round_options, _round),
    "images": (_images_options, _images),
    "people": (_people_options, _people),
}
"""Action to the function that adds its options, and the function that runs it."""
