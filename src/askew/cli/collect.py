"""``askew collect``: collect questions that fool a model, with people or simulated ones."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module

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
  askew collect round next study --base world:train,seed=7 --train butd --world 50
  askew collect stats release --output stats
  askew run --data release --model bundled:xnm --suite accuracy --output runs/xnm"""


ACTIONS = {
    "demo": "show a whole study in five minutes, with simulated colleagues",
    "serve": "start the service in a browser; if the folder does not exist, a study is created",
    "init": "create a study in a new folder",
    "models": "add and list the models that people play against",
    "round": "create, open and drain rounds, and show their state",
    "images": "add images to a round, from a folder or from the embedded world",
    "people": "add, list and exclude people",
    "simulate": "let simulated people work on the open round",
    "check": "check every invariant of the study",
    "freeze": "decide the types and splits of a round, once and for all",
    "export": "write the release of all frozen rounds",
    "quiz": "add and list examples that people judge before they start to work",
    "gold": "add and list questions with known answers, mixed into what people verify",
    "import": "let people verify the rewordings of an automatic attack",
    "baseline": "let people answer the groups of a suite, as a human baseline",
    "audit": "let people judge sampled variants of a suite: grammar, meaning, label",
    "stats": "write the tables and figures of the paper for a study or a release",
    "coding": "write a sample to be coded for Table 7, and read what the coders marked",
    "delete": "permanently delete what was written about a question, also after the freeze",
    "pay": "list accepted, rejected and pending work of each person, as CSV",
    "backup": "copy a study while the service runs",
    "restore": "restore a study from a backup, and check it",
}
"""The actions, each with its summary."""

MODULES = ("study_setup", "study_work", "quality", "surveys", "attack_authors", "study_statistics", "stored_data")
"""The modules of ``askew.collect.commands``, each with some of the actions."""
FOLDERS = {
    "stats": "the folder of the study, or of a release",
    "coding": "the folder of the study, or of a release",
    "restore": "the folder of the restored study; new or empty",
}
"""What the argument STUDY is, where it is not just the study's folder."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, summary in ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        action.formatter_class = argparse.RawDescriptionHelpFormatter
        if name == "round":
            action.add_argument("next", nargs="?", choices=("next",), help="train robots and create the next round")
        if name != "demo":
            action.add_argument("study", metavar="STUDY", help=FOLDERS.get(name, "the study's folder"))
        _parts()[name][0](action)


def main(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    from askew.errors import need_extras

    need_extras("askew collect", "collect")
    return _parts()[args.action][1](args)


def _parts() -> dict[str, tuple[Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]]]:
    """Each action with the function that adds its options, and the one that runs it."""
    modules = [import_module(f"askew.collect.commands.{name}") for name in MODULES]
    return {action: parts for module in modules for action, parts in module.ACTIONS.items()}
