"""``askew ls``: list the registered components."""

from __future__ import annotations

import argparse

from askew.errors import AskewError
from askew.registry import KINDS, describe, make, names
from askew.types import MetricFacts

EXAMPLES = "examples:\n  askew ls\n  askew ls model"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("kind", nargs="?", choices=KINDS, help="only this kind")


def main(args: argparse.Namespace) -> int:
    """Print the names with their descriptions and options."""
    for kind in [args.kind] if args.kind else KINDS:
        print("losses" if kind == "loss" else f"{kind}s")
        for name in names(kind):
            options, summary = describe(kind, name)
            print(f"  {name}\n      {summary}\n      options: {options}")
            if kind == "metric":
                print(f"      {_facts(name)}")
    return 0


_DIRECTIONS = {1: "higher is better", 0: "neither higher nor lower is better", -1: "lower is better"}


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
