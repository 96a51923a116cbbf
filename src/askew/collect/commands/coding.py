"""``askew collect coding``: Table 7's sample to code, and what coders said of it."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askew.collect.stats.told_examples import Source


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("study", metavar="STUDY", help="the folder of the study, or of a release")
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--write", metavar="FILE", help="write a random sample of successful questions, to be coded")
    todo.add_argument("--read", nargs="+", metavar="FILE", help="read what one or two coders marked")
    parser.add_argument("--size", type=int, default=300, metavar="N", help="questions per round (default 300)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the sample (default 0)")
    parser.add_argument("--allow-uncoded", action="store_true", help="leave out rows that a coder did not mark")


def main(args: argparse.Namespace) -> int:
    """Write the sample, or read coders' files."""
    from askew.collect.stats.statistics import opened_source
    from askew.engine.settings import check_whole

    check_whole("size", args.size, least=1)
    check_whole("seed", args.seed)
    with opened_source(Path(args.study)) as source:
        return _write(args, source) if args.write else _read(args, source)


def _write(args: argparse.Namespace, source: Source) -> int:
    from collections import Counter

    from askew.collect.stats.coding import LABELS, NO_LABEL, draw_sample, sample_lines
    from askew.errors import UsageError
    from askew.files.read_write import write_joined

    if Path(args.write).exists():
        raise UsageError(f"{args.write}: the file is there already. It may hold a coder's work; give another name.")
    source.about()
    with closing(source.examples()) as examples:
        sample = draw_sample(examples, args.seed, args.size)
    if not sample:
        raise UsageError("No question has been verified yet, so there is nothing to code.")
    write_joined(args.write, sample_lines(sample))
    for number, count in sorted(Counter(one.round for one in sample).items()):
        short = " (all there are)" if count < args.size else ""
        print(f"Round {number}: {count} questions{short}")
    print(f"Mark labels with x: {', '.join(LABELS)}; or {NO_LABEL}. Give each coder a copy of {args.write}, then:")
    print(f"  askew collect coding {args.study} --read FIRST.csv SECOND.csv")
    return 0


def _read(args: argparse.Namespace, source: Source) -> int:
    from askew.collect.commands.stats import printed
    from askew.collect.stats.coding import check_coded, kappa_table, read_coded, table7

    coders = [read_coded(path, allow_uncoded=args.allow_uncoded) for path in args.read]
    with closing(source.examples()) as examples:
        check_coded(coders, examples)
    for sheet in (table7(coders), kappa_table(coders)):
        if sheet is not None:
            print(printed(sheet))
            for note in sheet.notes:
                print(note)
    return 0
