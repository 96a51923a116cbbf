"""The statistics as files: a CSV for each table and figure, an SVG for each figure, ``stats.json`` and the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import orjson

from askew.collect.stats.drawings import draw, standalone
from askew.collect.stats.page import page
from askew.collect.stats.sheets import csv_rows, json_of
from askew.collect.stats.statistics import Statistics
from askew.files.read_write import csv_line, write_joined
from askew.metrics.interval import METHOD

FORMAT = 1
PAGE = "stats.html"


def write_statistics(found: Statistics, folder: Path) -> None:
    """Write all files; each appears whole or not at all. The same study gives the same bytes."""
    for name, content in _files(found):
        write_joined(folder / name, [content])


def _files(found: Statistics) -> Iterator[tuple[str, bytes]]:
    for sheet in found.sheets:
        yield f"{sheet.name}.csv", b"".join(map(csv_line, csv_rows(sheet)))
    for sheet in found.figures:
        yield f"{sheet.name}.svg", standalone(draw(sheet), sheet).encode()
    about = found.about
    whole = {
        "askew_stats": FORMAT,
        "name": about.name,
        "source": about.source,
        "settings": asdict(about.settings),
        "rounds": {str(number): dict(facts) for number, facts in about.rounds.items()},
        "vocabulary": found.vocabulary,
        "interval": METHOD,
        "tables": {sheet.name: json_of(sheet) for sheet in found.sheets},
    }
    yield "stats.json", orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"
    yield PAGE, page(found).encode()
