"""A table of statistics: columns with units, rows with rates, the paper's rows beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from askew.collect.stats.rates import Rate
from askew.report.score_display import DASH

Cell: TypeAlias = Rate | int | float | str | None


@dataclass(frozen=True)
class SheetColumn:
    """A column; ``unit`` is ``count``, ``percent``, ``number`` (with ``digits``) or ``text``."""

    name: str
    label: str
    unit: str = "count"
    digits: int = 1


@dataclass(frozen=True)
class Line:
    """A row: what it is about, and its cells."""

    label: str
    cells: Sequence[Cell]


@dataclass
class Sheet:
    """A table, as it goes to CSV, JSON and the page."""

    name: str
    """Of its files."""
    title: str
    about: str
    columns: Sequence[SheetColumn]
    lines: list[Line] = field(default_factory=list)
    first: str = "round"
    """What the first column has."""
    published: Sequence[tuple[str, Sequence[str]]] = ()
    """The paper's rows: label and cells in print."""
    notes: Sequence[str] = ()

    def add(self, label: str, *cells: Cell) -> None:
        """Add a row."""
        assert len(cells) == len(self.columns)
        self.lines.append(Line(label, cells))


def shown(cell: Cell, column: SheetColumn) -> str:
    """A cell in print, without its interval.

    >>> count = SheetColumn("n", "n")
    >>> shown(0.4567, SheetColumn("x", "x", "percent")), shown(1234, count), shown(None, count)
    ('45.7', '1,234', '—')
    """
    value = cell.value if isinstance(cell, Rate) else cell
    if value is None or value != value:
        return DASH
    if isinstance(value, str):
        return value
    if column.unit == "percent":
        return f"{100 * value:.{column.digits}f}"
    return f"{value:,.{column.digits}f}" if column.unit == "number" else f"{value:,}"


def interval_shown(cell: Cell, column: SheetColumn) -> str:
    """The interval of a cell in print; empty where there is none."""
    if not isinstance(cell, Rate) or not cell.is_told:
        return ""
    scale = 100 if column.unit == "percent" else 1
    return f"{scale * cell.low:.{column.digits}f}–{scale * cell.high:.{column.digits}f}"


def csv_rows(sheet: Sheet) -> Iterator[list[str | int | float | None]]:
    """The table for a CSV file: per cent and means with their intervals in columns of their own."""
    with_interval = [any(isinstance(line.cells[at], Rate) for line in sheet.lines) for at in range(len(sheet.columns))]
    head: list[str | int | float | None] = [sheet.first]
    for column, has in zip(sheet.columns, with_interval, strict=True):
        name = f"{column.name}_percent" if column.unit == "percent" else column.name
        head += [name, f"{name}_low", f"{name}_high", f"{name}_n"] if has else [name]
    yield head
    for line in sheet.lines:
        cells: list[str | int | float | None] = [line.label]
        for cell, column, has in zip(line.cells, sheet.columns, with_interval, strict=True):
            cells += _csv_cells(cell, column, has)
        yield cells


def json_of(sheet: Sheet) -> dict[str, Any]:
    """The table for stats.json; shares are fractions there."""
    return {
        "title": sheet.title,
        "about": sheet.about,
        "notes": list(sheet.notes),
        "rows": [
            {
                sheet.first: line.label,
                **{column.name: _json_cell(cell) for column, cell in zip(sheet.columns, line.cells, strict=True)},
            }
            for line in sheet.lines
        ],
        "published": [
            {sheet.first: label, **dict(zip((column.name for column in sheet.columns), cells, strict=True))}
            for label, cells in sheet.published
        ],
    }


def _csv_cells(cell: Cell, column: SheetColumn, with_interval: bool) -> list[str | int | float | None]:
    scale = 100 if column.unit == "percent" else 1

    def number(value: float) -> float | None:
        return None if value != value else float(f"{scale * value:.10g}")

    if isinstance(cell, Rate):
        return [number(cell.value), number(cell.low), number(cell.high), cell.n]
    plain = number(cell) if isinstance(cell, float) else cell
    return [plain, None, None, None] if with_interval else [plain]


def _json_cell(cell: Cell) -> Any:
    def number(value: float) -> float | None:
        return None if value != value else value

    if isinstance(cell, Rate):
        return {
            "value": number(cell.value),
            "low": number(cell.low),
            "high": number(cell.high),
            "n": cell.n,
            "images": cell.images,
        }
    return number(cell) if isinstance(cell, float) else cell
