"""``askew collect stats``: the tables and figures of Adversarial VQA for a study or a release."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("study", metavar="STUDY", help="the folder of the study, or of a release")
    parser.add_argument("--output", required=True, metavar="DIR", help="the folder for the page, CSV, SVG and JSON")
    parser.add_argument(
        "--vocabulary", metavar="FILE", help="answers of a closed vocabulary, one per line or a JSON list (Table 9)"
    )
    parser.add_argument(
        "--coding", action="append", default=[], metavar="FILE", help="a coder's file (Table 7); give it twice for two"
    )
    parser.add_argument("--allow-uncoded", action="store_true", help="leave out rows that a coder did not mark")


def main(args: argparse.Namespace) -> int:
    """Count, write the files, and print what matters most."""
    from askew.collect.stats.coding import read_coded
    from askew.collect.stats.statistics import opened_source, statistics
    from askew.collect.stats.stats_files import PAGE, write_statistics
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


def printed(sheet: object) -> str:
    """A table for the terminal: a line for each column, a column for each row of the table."""
    from askew.collect.stats.sheets import Sheet, interval_shown, shown

    assert isinstance(sheet, Sheet)
    rows = [["", *(line.label for line in sheet.lines)]]
    for place, column in enumerate(sheet.columns):
        cells = [line.cells[place] for line in sheet.lines]
        told = [(shown(cell, column), interval_shown(cell, column)) for cell in cells]
        rows.append([column.label, *(f"{text} ({within})" if within else text for text, within in told)])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([sheet.title, *lines, ""])
