"""A table of statistics with its units; shares and means in it have 95 % intervals, clustered by image.

Intervals are those of the whole package (``askew.metrics.interval``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from askew.metrics.interval import interval
from askew.metrics.sums import ratio, settled
from askew.report.score_display import DASH
from askew.types import Outcome, Row
from askew.verbs import Metric

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share or a mean; nan if there is nothing to count, no interval with fewer than ten images."""

    value: float
    low: float
    high: float
    n: int
    """How many it is a share or a mean of."""
    images: int

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return self.low == self.low


@dataclass(frozen=True)
class _Share(Metric):
    """The ratio of two columns, between 0 and 1."""

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """Not used: rows are built in this module, not from outcomes."""
        raise NotImplementedError

    def combine(self, sums: Any) -> Any:
        """Their ratio."""
        return ratio(sums[0], sums[1])


@dataclass(frozen=True)
class _Mean(_Share):
    """The same for a mean, which need not be between 0 and 1."""

    share: ClassVar[bool] = False


def share(hits: Mask, among: Mask, images: Ints) -> Rate:
    """The share of the questions ``among`` that are ``hits`` too; ``images`` has the number of each question's image.

    >>> found = share(np.array([True, False, True]), np.array([True, True, False]), np.array([0, 1, 1]))
    >>> found.value, found.n, found.images, found.has_interval
    (0.5, 2, 2, False)
    """
    return of_sums(_per_image(images[hits & among], None), _per_image(images[among], None), is_share=True)


def mean(values: Floats, among: Mask, images: Ints) -> Rate:
    """The mean of the values of the questions ``among``."""
    chosen = images[among]
    return of_sums(_per_image(chosen, values[among]), _per_image(chosen, None), is_share=False)


def mean_share(values: Floats, among: Mask, images: Ints) -> Rate:
    """The mean of values between 0 and 1, such as accuracies."""
    chosen = images[among]
    return of_sums(_per_image(chosen, values[among]), _per_image(chosen, None), is_share=True)


def of_sums(tops: Floats, bottoms: Floats, *, is_share: bool) -> Rate:
    """The rate with these numerators and denominators, one sum per image, by the image's number."""
    numerators = np.zeros(len(bottoms))
    numerators[: len(tops)] = tops  # the last images may have none
    counted = bottoms > 0
    rows = np.stack([numerators[counted], bottoms[counted]]).T  # contiguous columns: each is summed several times
    top, bottom = (float(total) for total in rows.sum(axis=0))
    if not bottom:
        return Rate(float("nan"), float("nan"), float("nan"), 0, 0)
    low, high = interval(_Share() if is_share else _Mean(), rows)
    return Rate(settled(top / bottom), settled(low), settled(high), round(bottom), len(rows))


def _per_image(images: Ints, weights: Floats | None) -> Floats:
    return np.bincount(images, weights=weights).astype(float)


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
    """Also the name of its files."""
    title: str
    about: str
    columns: Sequence[SheetColumn]
    lines: list[Line] = field(default_factory=list)
    first: str = "round"
    """The heading of the first column."""
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
    """The interval of a cell in print, with "to" if it begins below zero; empty if there is none."""
    if not isinstance(cell, Rate) or not cell.has_interval:
        return ""
    scale = 100 if column.unit == "percent" else 1
    between = " to " if cell.low < 0 else "–"
    return f"{scale * cell.low:.{column.digits}f}{between}{scale * cell.high:.{column.digits}f}"


def csv_rows(sheet: Sheet) -> Iterator[list[str | int | float | None]]:
    """The table for a CSV file; the intervals of shares and means have columns of their own."""
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
