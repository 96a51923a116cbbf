"""``askew collect stats`` and ``coding``: the paper's tables and figures, and Table 7's sample for coders."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from askew.collect.commands.study_setup import repeatable

if TYPE_CHECKING:
    from askew.collect.stats.sources import Source
    from askew.types import Table


def _stats_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", required=True, metavar="DIR", help="the folder for the page, CSV, SVG and JSON")
    vocabulary = "answers of a closed vocabulary, one per line or a JSON list (Table 9)"
    parser.add_argument("--vocabulary", metavar="FILE", help=vocabulary)
    repeatable(parser, "--coding", "FILE", "a coder's file (Table 7); repeat it for two coders")
    parser.add_argument("--allow-uncoded", action="store_true", help="leave out rows that a coder did not mark")


def _stats(args: argparse.Namespace) -> int:
    """Count, write the files, and print the main tables."""
    from askew.collect.stats.human_coding import read_coded
    from askew.collect.stats.page import PAGE, write_statistics
    from askew.collect.stats.statistics import opened_source, statistics
    from askew.collect.stats.vocabulary import read_vocabulary

    coders = [read_coded(path, allow_uncoded=args.allow_uncoded) for path in args.coding]
    vocabulary = read_vocabulary(args.vocabulary) if args.vocabulary else None
    with opened_source(Path(args.study)) as source:
        found = statistics(source, vocabulary, coders)
    write_statistics(found, Path(args.output))
    for name in ("table1", "sessions"):
        print(printed(found.sheet(name)))
    notes = [note for sheet in found.tables for note in sheet.notes if note.startswith(("Round ", "No vocabulary"))]
    for note in dict.fromkeys(notes):
        print(note)
    print(f"Page: {Path(args.output) / PAGE} (tables as CSV, figures as SVG, stats.json beside it)")
    return 0


def printed(table: Table) -> str:
    """A table for the terminal: a line for each column, a column for each row of the table."""
    from askew.report.table_formats import beneath, cell_text

    rows = [["", *(row.label for row in table.lines)]]
    for place, column in enumerate(table.columns):
        cells = [row.cells[place] for row in table.lines]
        pairs = [(cell_text(cell, column), " ".join(beneath(cell, table))) for cell in cells]
        rows.append([column.label, *(f"{text} ({under})" if "–" in under else text for text, under in pairs)])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([table.title, *lines, ""])


def _coding_options(parser: argparse.ArgumentParser) -> None:
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--write", metavar="FILE", help="write a random sample of successful questions, to be coded")
    todo.add_argument("--read", nargs="+", metavar="FILE", help="read what one or two coders marked")
    parser.add_argument("--size", type=int, default=300, metavar="N", help="questions per round (default 300)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the sample (default 0)")
    parser.add_argument("--allow-uncoded", action="store_true", help="leave out rows that a coder did not mark")


def _coding(args: argparse.Namespace) -> int:
    """Write the sample, or read coders' files."""
    from askew.collect.stats.statistics import opened_source
    from askew.engine.settings import check_whole

    check_whole("size", args.size, least=1)
    check_whole("seed", args.seed)
    with opened_source(Path(args.study)) as source:
        return _write(args, source) if args.write else _read_coded(args, source)


def _write(args: argparse.Namespace, source: Source) -> int:
    from collections import Counter

    from askew.collect.stats.human_coding import LABELS, NO_LABEL, draw_sample, sample_lines
    from askew.errors import UsageError
    from askew.files.read_write import write_joined

    if Path(args.write).exists():
        raise UsageError(f"{args.write}: the file exists already. It may hold a coder's work; give another name.")
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


def _read_coded(args: argparse.Namespace, source: Source) -> int:
    from askew.collect.stats.human_coding import check_coded, kappa_table, read_coded, table7

    coders = [read_coded(path, allow_uncoded=args.allow_uncoded) for path in args.read]
    with closing(source.examples()) as examples:
        check_coded(coders, examples)
    for sheet in (table7(coders), *([kappa_table(coders)] if len(coders) == 2 else [])):
        print(printed(sheet))
        for note in sheet.notes:
            print(note)
    return 0


ACTIONS = {
    "stats": (_stats_options, _stats),
    "coding": (_coding_options, _coding),
}
"""Action to the function that adds its options, and the function that runs it."""
