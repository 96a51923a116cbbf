"""The columns of a table of statistics, shares and means with 95 % intervals clustered by image, and files of tables.

Intervals are those of the whole package (``askew.metrics.interval``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.files.read_write import resource
from askew.metrics.interval import Estimate
from askew.significance import settled
from askew.types import Cell, Column, MetricFacts, Score, Table

Ints = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def count(name: str, label: str) -> Column:
    """A column of numbers of things, or of words."""
    return Column(label, name=name)


def percent(name: str, label: str, digits: int = 1) -> Column:
    """A column of shares."""
    return Column(label, name=name, facts=MetricFacts(digits=digits))


def decimal(name: str, label: str, digits: int = 1) -> Column:
    """A column of means or medians."""
    return Column(label, name=name, facts=MetricFacts(unit="", digits=digits))


def described(
    name: str, columns: Iterable[Column], rows: str = "round", notes: Iterable[str] = (), **values: object
) -> Table:
    """A table without rows, with the texts and the paper's figures that ``tables.yaml`` has for it; ``values`` fill
    what its description leaves open, and ``notes`` come before those of the file."""
    texts = resource("collect/stats/tables.yaml")[name]
    published = {label: tuple(cells) for label, cells in texts.get("published", {}).items()}
    about = texts["about"].format(**values)
    every = (*notes, *texts.get("notes", ()))
    return Table(name, texts["title"], tuple(columns), rows, published, about, notes=every, counts=False)


def share(hits: Mask, among: Mask, images: Ints) -> Score:
    """The share of the questions ``among`` that are ``hits`` too; ``images`` has the number of each question's image.

    >>> found = share(np.array([True, False, True]), np.array([True, True, False]), np.array([0, 1, 1]))
    >>> found.value, found.n, found.images, found.has_interval
    (0.5, 2, 2, False)
    """
    return mean(hits.astype(float), among, images, is_share=True)


def mean(values: Floats, among: Mask, images: Ints, *, is_share: bool = False) -> Score:
    """The mean of the values of the questions ``among``; ``is_share`` if they are from 0 to 1, such as accuracies."""
    chosen = images[among]
    tops: Floats = np.bincount(chosen, weights=values[among]).astype(float)
    return of_sums(tops, np.bincount(chosen).astype(float), is_share=is_share)


def of_sums(tops: Floats, bottoms: Floats, *, is_share: bool) -> Score:
    """The ratio of these numerators and denominators, one sum per image, by the image's number."""
    counted = bottoms > 0
    rows = np.stack([tops[counted], bottoms[counted]]).T  # contiguous columns: each is summed several times
    top, bottom = (float(total) for total in rows.sum(axis=0))
    if not bottom:
        return Score("", float("nan"))
    value = top / bottom
    least, most, draws = (0.0, 1.0, bottom) if is_share else (-inf, inf, inf)
    low, high = Estimate(value, (rows[:, 0] - value * rows[:, 1]) / bottom, least, most, draws).interval()
    return Score("", settled(value), settled(low), settled(high), round(bottom), images=len(rows))


def csv_rows(table: Table) -> Iterator[list[str | int | float | None]]:
    """The table for a CSV file; the intervals of shares and means have columns of their own."""
    scored = [any(isinstance(line.cells[at], Score) for line in table.lines) for at in range(len(table.columns))]
    head: list[str | int | float | None] = [table.rows]
    for column, has in zip(table.columns, scored, strict=True):
        name = f"{column.name}_percent" if column.facts and column.facts.unit else column.name
        head += [name, f"{name}_low", f"{name}_high", f"{name}_n"] if has else [name]
    yield head
    for line in table.lines:
        cells: list[str | int | float | None] = [line.label]
        for cell, column, has in zip(line.cells, table.columns, scored, strict=True):
            printed = (column.facts or MetricFacts(unit="")).printed
            plain = cell.value if isinstance(cell, Score) else cell
            more = [cell.low, cell.high, cell.n] if isinstance(cell, Score) else [None] * 3
            values = [plain, *more] if has else [plain]
            cells += [_finite(float(f"{printed(v):.10g}")) if isinstance(v, float) else v for v in values]
        yield cells


def json_of(table: Table) -> dict[str, Any]:
    """The table for stats.json; shares are fractions there."""
    names = [column.name for column in table.columns]
    return {
        "title": table.title,
        "about": table.about,
        "notes": list(table.notes),
        "rows": [
            {table.rows: line.label, **dict(zip(names, map(_json_cell, line.cells), strict=True))}
            for line in table.lines
        ],
        "published": [
            {table.rows: label, **dict(zip(names, cells, strict=True))} for label, cells in table.published.items()
        ],
    }


def _json_cell(cell: Cell) -> Any:
    if isinstance(cell, Score):
        return {name: _finite(getattr(cell, name)) for name in ("value", "low", "high", "n", "images")}
    return _finite(cell) if isinstance(cell, float) else cell


def _finite(value: float) -> float | None:
    return value if value == value else None
