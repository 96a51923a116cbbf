"""The suites' tables, filled from runs; every :class:`askew.types.Table` as Markdown, LaTeX, HTML, CSV and text."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any
from unicodedata import combining, east_asian_width

from askew.report.glossary import test_name
from askew.report.load import Run, facts_of, labels, tag_parts
from askew.report.markup import Html, el, scrolled_table
from askew.types import Cell, Column, MetricFacts, Score, Table, TableRow

DASH = "—"


def count(number: float) -> str:
    """An integer with thousands separators.

    >>> count(200000)
    '200,000'
    """
    return f"{int(number):,}"


def probability(p: float | None) -> str:
    """A p value as text.

    >>> probability(0.00002), probability(0.0312)
    ('< 0.001', '0.031')
    """
    if p is None or p != p:
        return DASH
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


PUBLISHED = "Published figures: other models and data, not comparable with ours"
"""The heading of the papers' rows in every table."""


def cell_text(cell: Cell, column: Column) -> str:
    """A cell in print, without its interval.

    >>> cell_text(0.4567, Column("Share", facts=MetricFacts())), cell_text(1234, Column("n"))
    ('45.7', '1,234')
    """
    if isinstance(cell, Score):
        return cell.short
    if isinstance(cell, float):
        return (column.facts or MetricFacts(unit="")).show(cell)
    return DASH if cell is None else f"{cell:,}" if isinstance(cell, int) else cell


def beneath(cell: Cell, table: Table) -> list[str]:
    """The interval of a cell, and how much it is computed from."""
    if not isinstance(cell, Score):
        return []
    n = [f"n {cell.n:,}"]
    if not table.counts:
        return [cell.interval] if cell.interval else n if cell.n else []
    if not cell.known:
        return n if cell.metric else []
    return [cell.interval or f"no interval: {cell.no_interval}", *n]


def published_rows(table: Table) -> Iterator[TableRow]:
    """The paper's rows as it prints them, all figures with the same decimals: 74.40 beside 67.15."""
    numbers = [value for values in table.published.values() for value in values if isinstance(value, float)]
    decimals = max((len(str(value).partition(".")[2]) for value in numbers), default=0)
    for label, values in table.published.items():
        cells = [f"{value:.{decimals}f}".replace("-", "−") if isinstance(value, float) else value for value in values]
        yield TableRow(str(label), (*cells, *[None] * (len(table.columns) - len(cells)))[: len(table.columns)])


def markdown(table: Table) -> str:
    """One table as Markdown."""
    head = [table.rows, *(markdown_text(column.label) for column in table.columns)]
    about = f" ({markdown_text(table.about)})" if table.about else ""
    lines = [f"**{markdown_text(table.title)}**{about}", ""] if table.title else []
    lines.append(markdown_row(head))
    lines.append("|" + " --- |" + " ---: |" * len(table.columns))
    lines += [markdown_row(_texts(row, table, markdown_text, " ({})")) for row in table.lines]
    published = [_texts(row, table, markdown_text, " ({})", " (published)") for row in published_rows(table)]
    if published:
        lines.append(markdown_row([f"**{PUBLISHED}**", *[""] * len(table.columns)]))
    return "\n".join([*lines, *map(markdown_row, published)]) + "\n"


def markdown_row(cells: Iterable[str]) -> str:
    """One row of a table in Markdown."""
    return "| " + " | ".join(cells) + " |"


def latex(table: Table) -> str:
    """One table as LaTeX; requires the package booktabs."""
    head = [table.rows, *(latex_text(column.label) for column in table.columns)]
    small = r" {{\scriptsize ({})}}"
    ours = [_texts(row, table, latex_text, small) for row in table.lines]
    published = [_texts(row, table, latex_text, small, r" \emph{(published)}") for row in published_rows(table)]
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{latex_text(table.title)} ({latex_text(table.about)}).}}"]
    lines += [rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}", r"\toprule", _latex_row(head), r"\midrule"]
    lines += map(_latex_row, ours)
    if published:
        heading = rf"\multicolumn{{{1 + len(table.columns)}}}{{l}}{{\emph{{{PUBLISHED}}}}} \\"
        lines += [r"\midrule", heading, r"\midrule"] if ours else [heading, r"\midrule"]
    lines += map(_latex_row, published)
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _texts(row: TableRow, table: Table, escaped: Callable[[str], str], small: str, mark: str = "") -> Iterator[str]:
    """The cells of a row as text, each with its interval and n in brackets; ``mark`` follows the label."""
    yield escaped(row.label) + mark
    for cell, column in zip(row.cells, table.columns, strict=True):
        under = ", ".join(beneath(cell, table))
        yield escaped(cell_text(cell, column)) + (small.format(escaped(under)) if under else "")


Address = Callable[[TableRow, Column], str]
"""Where a cell leads to; empty if nowhere."""


def html(table: Table, sortable: bool = False, most: int | None = None, address: Address | None = None) -> Html:
    """One table in a scrollable box: at most so many rows, then those of the paper.

    ``sortable``: the headings are buttons by which a script sorts the rows; each explains its column on hover.
    ``address``: what our cells with a value link to.
    """
    heads = [_heading(column, sortable, _is_text(table, place)) for place, column in enumerate(table.columns)]
    bodies = [_body(table, table.lines[:most], sortable, address)] if table.lines else []
    if table.published:
        heading = el("th", PUBLISHED, scope="rowgroup", colspan=1 + len(table.columns))
        rows = _rows(table, published_rows(table), sortable)
        bodies.append(el("tbody", el("tr", heading, class_="apart"), *rows, class_="published"))
    first = _heading(Column(table.rows.capitalize()), sortable, False)
    return scrolled_table([first, *heads], bodies, table.title, class_="sortable" if sortable else None)


def _body(table: Table, rows: Iterable[TableRow], sortable: bool, address: Address | None) -> Html:
    return el("tbody", *_rows(table, rows, sortable, "ours" if sortable else None, address))


def _rows(
    table: Table, rows: Iterable[TableRow], sortable: bool, kind: str | None = None, address: Address | None = None
) -> Iterator[Html]:
    texts = [_is_text(table, place) for place in range(len(table.columns))]
    for row in rows:
        cells = [
            el(
                "td",
                _linked(cell_text(cell, column), address and isinstance(cell, Score) and address(row, column)),
                el("small", " · ".join(under)) if (under := beneath(cell, table)) else None,
                class_="text" if is_text else None,
                data_sort=_sort_key(cell) if sortable else None,
            )
            for cell, column, is_text in zip(row.cells, table.columns, texts, strict=True)
        ]
        label = el("th", row.label, scope="row", data_sort=row.label if sortable else None)
        yield el("tr", label, *cells, class_=f"{kind} human" if kind and row.human else kind)


def _linked(text: str, address: str | bool | None) -> str:
    return el("a", text, href=address, class_="to-pairs") if address else text


def _sort_key(cell: Cell) -> str | float:
    """What a script sorts a column by."""
    if isinstance(cell, Score):
        return round(cell.facts.printed(cell.value), 6) if cell.known else ""
    if isinstance(cell, str):
        return float(cell.replace("−", "-")) if _NUMBER.fullmatch(cell) else ""
    return "" if cell is None or cell != cell else cell


_NUMBER = re.compile(r"−?\d+(\.\d+)?")


def _heading(column: Column, sortable: bool, is_text: bool) -> Html:
    """A heading; if the table is sortable, one that sorts when pressed and explains itself on hover and focus."""
    if not sortable:
        return el("th", column.label, scope="col", class_="text" if is_text else None)
    explained = {"aria_description": column.says, "data_says": column.says} if column.says else {}
    kind = "sort term" if column.says else "sort"
    return el("th", el("button", column.label, type="button", class_=kind, **explained), scope="col")


def _is_text(table: Table, place: int) -> bool:
    """Whether a column has words rather than numbers."""
    return any(isinstance(row.cells[place], str) for row in table.lines)


def terminal(table: Table, rooms: Sequence[int], width: int = 80) -> Iterator[str]:
    """One table as text: a column of labels and one for each of the table's columns, of so many characters each."""
    yield fit(table.title, rooms[0]) + "".join(right(c.label, n) for c, n in zip(table.columns, rooms[1:], strict=True))
    yield "─" * width
    for row in table.lines:
        cells = zip(row.cells, table.columns, rooms[1:], strict=True)
        yield (fit(row.label, rooms[0]) + "".join(right(cell_text(cell, c), n) for cell, c, n in cells)).rstrip()


def csv_text(table: Table) -> str:
    """One table as CSV: for each column its value, its interval and n; published rows say so in the last column."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    heads = [head for column in table.columns for head in (column.label, f"{column.label} 95 %", f"{column.label} n")]
    writer.writerow([table.rows, *heads, "source"])
    for source, rows in (("run", table.lines), ("published", published_rows(table))):
        for row in rows:
            values = [
                part for cell, column in zip(row.cells, table.columns, strict=True) for part in _csv(cell, column)
            ]
            writer.writerow([_no_formula(row.label), *values, source])
    return text.getvalue()


def _csv(cell: Cell, column: Column) -> Iterator[str]:
    """Value, interval and n of a cell."""
    score = cell if isinstance(cell, Score) else None
    interval = (score.interval or f"no interval: {score.no_interval}") if score and score.known else ""
    n = str(score.n) if score and score.metric else ""
    for text in (cell_text(cell, column), interval, n):
        yield text.replace("−", "-").replace(DASH, "")


def _no_formula(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet would calculate it.

    >>> _no_formula("=1+1"), _no_formula("XNM")
    ("'=1+1", 'XNM')
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def markdown_text(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> markdown_text("a|b_c*")
    'a\\|b\\_c\\*'
    """
    return re.sub(r"([\\`*_\[\]<>|#~$])", r"\\\1", " ".join(text.split()))


def latex_text(text: str) -> str:
    r"""Text that LaTeX prints as it is.

    >>> latex_text("50% of a_b & Y/N←C")
    '50\\% of a\\_b \\& Y/N$\\leftarrow$C'
    """
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "←": r"$\leftarrow$",
    "→": r"$\rightarrow$",
    "′": "$'$",
    "±": r"$\pm$",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "Δ": r"$\Delta$",
    "μ": r"$\mu$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
} | {character: "\\" + character for character in "%_&#$"}


def printable(text: str) -> str:
    """The text on one line, without control sequences.

    >>> printable("a\\x1b[31mb")
    'a�[31mb'
    """
    return "".join(character if character.isprintable() else "�" for character in " ".join(text.split()))


def _columns(character: str) -> int:
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """The text in at most so many columns of a terminal."""
    if sum(map(_columns, text)) <= width:
        return text
    kept, used = "", 1
    for character in text:
        used += _columns(character)
        if used > width:
            break
        kept += character
    return kept + "…"


def right(text: str, width: int) -> str:
    """Padded on the left to this many columns."""
    return " " * (width - sum(map(_columns, text))) + text


def fit(text: str, width: int) -> str:
    """Cut or padded to this many columns.

    >>> fit("猫 model", 5), fit("cat", 5)
    ('猫 m…', 'cat  ')
    """
    text = cut(text, width)
    return text + " " * (width - sum(map(_columns, text)))


def filled_tables(runs: Sequence[Run], only: str = "") -> list[Table]:
    """The tables of all runs, in order, each with all the runs; a plain one for a suite that defines none.

    ``only`` names the suite whose tables are wanted.
    """
    found: dict[tuple[str, str], Table] = {}
    for suite in (suite for run in runs for suite in run.suites if only in ("", suite["name"])):
        for record in [*(suite.get("tables") or [_plain_table(suite)]), *_tag_table(runs, suite)]:
            key = (suite["name"], str(record.get("id", record.get("title", ""))))
            if key not in found:
                found[key] = _filled(runs, suite, record)
    return list(found.values())


def without_published(run: Run) -> Run:
    """The run without the published rows of its tables."""
    suites = [
        {**suite, "tables": [{**table, "published": {}} for table in suite.get("tables") or ()]} for suite in run.suites
    ]
    return replace(run, results={**run.results, "suites": suites})


def markdown_tables(runs: Sequence[Run]) -> str:
    """All tables as Markdown."""
    return "\n".join(markdown(table) + "\n" for table in filled_tables(runs))


def latex_tables(runs: Sequence[Run]) -> str:
    """All tables as LaTeX; requires the package booktabs."""
    return "% \\usepackage{booktabs}\n" + "\n".join(latex(table) + "\n" for table in filled_tables(runs))


def _filled(runs: Sequence[Run], suite: Mapping[str, Any], record: Mapping[str, Any]) -> Table:
    """A table as recorded with its suite, with a row for each run: people last, or one run for each data set."""
    columns = tuple(Column(**column, says=_meaning(suite, column)) for column in record.get("columns", ()))
    rows = record.get("rows") or "model"
    if rows == "data":
        labelled = list({run.data: run for run in reversed(runs)}.items())[::-1]
    else:
        labelled = sorted(zip(labels(runs), runs, strict=True), key=lambda row: row[1].is_human)
    return Table(
        id=str(record.get("id") or f"{suite['name']}-table"),
        title=str(record.get("title") or suite.get("title") or suite["name"]),
        about=str(suite.get("paper") or suite["name"]),
        rows=rows,
        columns=columns,
        lines=[
            TableRow(label, tuple(_cell(run, suite["name"], column) for column in columns), human=run.is_human)
            for label, run in labelled
            if any(other["name"] == suite["name"] for other in run.suites)
        ],
        published=record.get("published") or {},
    )


def _meaning(suite: Mapping[str, Any], column: Mapping[str, Any]) -> str:
    """What a column shows: the metric in words, and the part of the data that it is measured on."""
    part, facts = str(column.get("part", "")), facts_of(suite, str(column.get("metric", "")))
    name = facts.explanation(facts.title)
    of, _, value = part.partition("=")
    kind = {"made_by": "variants made by"}.get(of, of.rpartition(".")[2].replace("_", " "))
    where = f"test {test_name(value)}" if of == "test" else f"{kind} {value}".strip()
    what = f"number of questions for {name}" if column.get("show") == "n" else name
    return f"{what}; only {where}" if part else what


def _cell(run: Run, suite: str, column: Column) -> Cell:
    score = run.score(suite, column.metric, column.part)
    if column.show != "n":
        return score
    return score.n + score.failed if score.metric else None  # the number of questions does not depend on the model


def _plain_table(suite: Mapping[str, Any]) -> Mapping[str, Any]:
    metric = (suite.get("headline") or {}).get("metric", "accuracy.variant")
    tests = suite.get("tests") or ()
    parts = [("all", ""), *((test, f"test={test}") for test in tests if len(tests) > 1)]
    title = f"{suite.get('title') or suite['name']}: {facts_of(suite, metric).title}"
    return _layout(f"{suite['name']}-plain", title, metric, parts)


def _tag_table(runs: Sequence[Run], suite: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The headline by round and by domain, for data collected in rounds (Li et al. 2021, Tables 2 and 10)."""
    metric = (suite.get("headline") or {}).get("metric", "")
    parts = [(part.replace("=", " ", 1).capitalize(), part) for part in tag_parts(runs, suite["name"], metric)]
    title = f"{facts_of(suite, metric).title} by round and domain"
    return [_layout(f"{suite['name']}-rounds", title, metric, [("All", ""), *parts])] if parts else []


def _layout(name: str, title: str, metric: str, parts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    columns = [{"label": label, "metric": metric, "part": part} for label, part in parts]
    return {"id": name, "title": title, "columns": columns}
