"""``askew ls``: list the registered components."""

from __future__ import annotations

import argparse
from textwrap import fill

from askew.cli.options import add_shared, write_json
from askew.errors import AskewError, UnknownName, did_you_mean
from askew.registry import KINDS, describe, make, names
from askew.types import MetricFacts

EXAMPLES = """\
examples:
  askew ls                    the names of all components
  askew ls suite              what each suite is
  askew ls suite rad p2       their options"""

_DIRECTIONS = {1: "higher is better", 0: "neither higher nor lower is better", -1: "lower is better"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("kind", nargs="?", choices=KINDS, help="only this kind, with a sentence on each")
    parser.add_argument("name", nargs="*", default=[], help="only these of the kind, with their options")
    add_shared(parser, "json")


def main(args: argparse.Namespace) -> int:
    """Print names; of one kind also descriptions; of named components also their options."""
    if not args.kind:
        if args.json:
            write_json(args.json, {kind: [_record(kind, name) for name in names(kind)] for kind in KINDS})
        for kind in KINDS:
            print(
                fill(
                    ", ".join(names(kind)),
                    80,
                    initial_indent=f"{_plural(kind):11}",
                    subsequent_indent=" " * 11,
                    break_on_hyphens=False,
                )
            )
        print("\nDescriptions: askew ls suite. Options: askew ls suite rad.")
        return 0
    known = names(args.kind)
    for name in args.name:
        if name not in known:
            raise UnknownName(
                f"No {args.kind} is called {name!r}.{did_you_mean(name, known)} Known: {', '.join(known)}."
            )
    listed = [_record(args.kind, name) for name in args.name or known]
    write_json(args.json, {args.kind: listed})
    for one in listed:
        print(f"{one['name']}\n    {one['summary']}")
        if args.name:
            print(f"    options: {one['options']}")
        if "facts" in one:
            print(f"    {one['facts']}")
    return 0


def _record(kind: str, name: str) -> dict[str, str]:
    options, summary = describe(kind, name)
    facts = {"facts": _facts(name)} if kind == "metric" else {}
    return {"name": name, "summary": summary, "options": options, **facts}


def _plural(kind: str) -> str:
    return "losses" if kind == "loss" else f"{kind}s"


def _facts(name: str) -> str:
    """What a metric with its default options says about itself.

    >>> _facts("rad")
    'RAD, in %, higher is better, conditional: of the originals it answers correctly, those still correct when changed'
    """
    try:
        facts = MetricFacts.of(make("metric", name))
    except AskewError as broken:
        return f"not known: {broken}"
    said = [facts.title or name, f"in {facts.unit}" if facts.unit else "", _DIRECTIONS[facts.better]]
    text = ", ".join([part for part in said if part] + ["conditional"] * facts.conditional)
    return f"{text}: {facts.sentence}" if facts.sentence else text
