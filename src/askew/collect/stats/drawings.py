"""Figures 4 to 10 as SVG: readable in light and dark, narrow enough for a phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from operator import attrgetter

from askew.collect.stats.figures import BANDS, TENTHS
from askew.collect.stats.tables import ALL
from askew.report.markup import Html, part
from askew.report.svg import Labelled, layers, series, stacks, svg_file, word_tree
from askew.types import Score, Table, TableRow

MOST_TYPES = 14
"""Question types in Fig. 10."""


def draw(table: Table) -> list[Html]:
    """The drawings of a figure: one, or one for each round."""
    title, about = table.title, table.about
    rows = {label: list(found) for label, found in groupby(table.lines, attrgetter("label"))}
    if table.id == "figure4":
        found = {str(row.cells[1]): _score(row, 3) for row in rows[table.lines[-1].label]}
        first = "; ".join(f"{words} {100 * rate.value:.1f} %" for words, rate in found.items() if " " not in words)
        return [word_tree(title, f"{about} First words: {first}.", found)]
    if table.id == "figure8":
        named = {name: _labelled(found) for name, found in rows.items()}
        caption = "Share of the questions, in per cent"
        return [stacks(title, _described(about, named), named, caption, 34, by_tone=True)]
    if table.id == "figure9":
        return [_confidence(table, name, found) for name, found in rows.items()]
    if table.id == "figure10":
        named = {name: _labelled(rows[name]) for name in list(rows)[:MOST_TYPES]}
        caption = "Share of the questions of a type, most frequent answer first"
        return [stacks(title, _described(about, named), named, caption, 128, by_tone=False)]
    each = {name: _labelled(found) for name, found in rows.items() if name != ALL or len(rows) == 1}
    below = f"{table.columns[0].label}; per cent of the questions of each round"
    return [series(title, _described(about, each), each, below, bars=table.id == "figure6")]


def standalone(table: Table) -> str:
    """The drawings of a figure as one SVG file."""
    return svg_file(draw(table), table.title, table.about, part("colors.css") + chart_style())


def chart_style() -> str:
    """The style of charts, for the page and for files."""
    return files("askew.collect.stats").joinpath("chart.css").read_text(encoding="utf-8")


def _confidence(table: Table, name: str, found: Sequence[TableRow]) -> Html:
    """Agreement at each confidence as a stack, and the share of the questions as a line."""
    nothing = Score("", float("nan"))
    known = {str(row.cells[0]): ([_score(row, 3 + band) for band in range(len(BANDS))], _score(row)) for row in found}
    columns = {label: known.get(label, ([nothing] * len(BANDS), nothing)) for label in TENTHS}
    about = _described(table.about, {name: _labelled(found)})
    below = f"{name}: mean confidence of the answers"
    return layers(f"{table.title}, {name}", about, columns, BANDS, "questions", below)


def _labelled(rows: Sequence[TableRow]) -> Labelled:
    return [(str(row.cells[0]), _score(row)) for row in rows]


def _score(row: TableRow, at: int = 2) -> Score:
    cell = row.cells[at]
    assert isinstance(cell, Score)
    return cell


def _described(about: str, named: Mapping[str, Labelled]) -> str:
    """A description for people who cannot see the figure: the largest share of each row."""
    parts = []
    for name, found in list(named.items())[:8]:
        label, most = max(found, key=lambda one: one[1].value if one[1].known else -1.0)
        if most.known:
            parts.append(f"{name}: most are {label} ({100 * most.value:.1f} %)")
    return f"{about} {'; '.join(parts)}."
