"""``askew ls``: list the registered components."""

from __future__ import annotations

import argparse

from askew.registry import KINDS, describe, names


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.epilog = "examples:\n  askew ls\n  askew ls model"
    parser.add_argument("kind", nargs="?", choices=KINDS, help="only this kind")


def main(args: argparse.Namespace) -> int:
    """Print the names with their descriptions and options."""
    for kind in [args.kind] if args.kind else KINDS:
        print("losses" if kind == "loss" else f"{kind}s")
        for name in names(kind):
            options, summary = describe(kind, name)
            print(f"  {name}\n      {summary}\n      options: {options}")
    return 0
