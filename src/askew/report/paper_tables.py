"""The papers' tables, filled from runs: as Markdown, LaTeX and CSV, and as cells for the page."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any

from askew.report.glossary import test_name
from askew.report.load import Run, facts_of, labels, tag_parts
from askew.report.score_display import DASH, count
from askew.types import Score

PUBLISHED = "Published figures: other models and data, not comparable with ours"
"""The heading of the papers' rows in every table."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text, the interval and n below it, and the number it is sorted by."""

    text: str
    interval: str = ""
    n: int | None = None
    sort: float | None = None

    @property
    def beneath(self) -> str:
        """``61.0–67.0, n 812``."""
        return ", ".join(part for part in (self.interval, f"n {count(self.n)}" if self.n is not None else "") if part)


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: a model or a data set, from a run or as published."""

    label: str
    cells: tuple[Cell, ...]
    published: bool = False
    human: bool = False


@dataclass(frozen=True, slots=True)
class FilledTable:
    """A table of one suite with every run in it."""

    id: str
    title: str
    paper: str
    rows: str
    columns: tuple[str, ...]
    lines: tuple[TableRow, ...]
    meanings: tuple[str, ...] = ()
    """What each column shows, in words."""

    @property
    def ours(self) -> list[TableRow]:
        """The rows of the runs."""
        return [line for line in self.lines if not line.published]

    @property
    def published(self) -> list[TableRow]:
        """The rows of the paper."""
        return [line for line in self.lines if line.published]


def sheets(runs: Sequence[Run], only: str = "") -> list[FilledTable]:
    """The tables of all runs, in order, each with all the runs; a plain one for a suite that defines none.

    ``only`` names the suite whose tables are wanted.
    """
    made: dict[tuple[str, str], FilledTable] = {}
    for run in runs:
        for suite in run.suites:
            if only not in ("", suite["name"]):
                continue
            for table in [*(suite.get("tables") or [_plain_table(suite)]), *_tag_table(runs, suite)]:
                key = (suite["name"], str(table.get("id", table.get("title", ""))))
                if key not in made:
                    made[key] = _sheet(runs, suite, table)
    return list(made.values())


def without_published(run: Run) -> Run:
    """The run without the published rows of its tables."""
    suites = [
        {**suite, "tables": [{**table, "published": {}} for table in suite.get("tables") or ()]} for suite in run.suites
    ]
    return replace(run, results={**run.results, "suites": suites})


def markdown_tables(runs: Sequence[Run]) -> str:
    """All tables as Markdown."""
    return "\n".join(markdown(sheet) + "\n" for sheet in sheets(runs))


def latex_tables(runs: Sequence[Run]) -> str:
    """All tables as LaTeX; requires the package booktabs."""
    return "% \\usepackage{booktabs}\n" + "\n".join(latex(sheet) + "\n" for sheet in sheets(runs))


def markdown(sheet: FilledTable) -> str:
    """One table as Markdown."""
    lines = [f"**{markdown_text(sheet.title)}** ({markdown_text(sheet.paper)})", ""]
    lines.append("| " + " | ".join([sheet.rows, *map(markdown_text, sheet.columns)]) + " |")
    lines.append("|" + " --- |" + " ---: |" * len(sheet.columns))
    lines += map(_markdown_line, sheet.ours)
    if sheet.published:
        lines.append("| " + " | ".join([f"**{PUBLISHED}**", *[""] * len(sheet.columns)]) + " |")
    lines += map(_markdown_line, sheet.published)
    return "\n".join(lines) + "\n"


def _markdown_line(line: TableRow) -> str:
    cells = [markdown_text(cell.text) + (f" ({cell.beneath})" if cell.beneath else "") for cell in line.cells]
    label = markdown_text(line.label) + (" (published)" if line.published else "")
    return "| " + " | ".join([label, *cells]) + " |"


def latex(sheet: FilledTable) -> str:
    """One table as LaTeX."""
    head = [sheet.rows, *map(latex_text, sheet.columns)]
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{latex_text(sheet.title)} ({latex_text(sheet.paper)}).}}"]
    lines += [rf"\begin{{tabular}}{{l{'r' * len(sheet.columns)}}}", r"\toprule", _latex_row(head), r"\midrule"]
    lines += map(_latex_line, sheet.ours)
    if sheet.published:
        heading = rf"\multicolumn{{{1 + len(sheet.columns)}}}{{l}}{{\emph{{{PUBLISHED}}}}} \\"
        lines += [r"\midrule", heading, r"\midrule"] if sheet.ours else [heading, r"\midrule"]
    lines += map(_latex_line, sheet.published)
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def csv_text(sheet: FilledTable) -> str:
    """One table as CSV: for each column its value, its interval and n; published rows say so in the last column."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    heads = [head for label in sheet.columns for head in (label, f"{label} 95 %", f"{label} n")]
    writer.writerow([sheet.rows, *heads, "source"])
    for line in sheet.lines:
        cells = [part for cell in line.cells for part in (cell.text, cell.interval, "" if cell.n is None else cell.n)]
        values = [str(cell).replace("−", "-").replace(DASH, "") for cell in cells]
        writer.writerow([_no_formula(line.label), *values, "published" if line.published else "run"])
    return text.getvalue()


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


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_line(line: TableRow) -> str:
    label = latex_text(line.label) + (r" \emph{(published)}" if line.published else "")
    cells = [
        latex_text(cell.text) + (rf" {{\scriptsize ({latex_text(cell.beneath)})}}" if cell.beneath else "")
        for cell in line.cells
    ]
    return _latex_row([label, *cells])


def _sheet(runs: Sequence[Run], suite: Mapping[str, Any], table: Mapping[str, Any]) -> FilledTable:
    columns, rows = table.get("columns", []), table.get("rows", "model")
    lines = [
        TableRow(label, tuple(_cell(run, suite["name"], column) for column in columns), human=run.is_human)
        for label, run in _rows(runs, rows)
        if any(other["name"] == suite["name"] for other in run.suites)
    ]
    published = table.get("published") or {}
    decimals = max((_decimals(value) for values in published.values() for value in values), default=0)
    lines += [
        TableRow(
            str(label), tuple(_published(value, decimals) for value in _padded(values, len(columns))), published=True
        )
        for label, values in published.items()
    ]
    return FilledTable(
        id=str(table.get("id") or f"{suite['name']}-table"),
        title=str(table.get("title") or suite.get("title") or suite["name"]),
        paper=str(suite.get("paper") or suite["name"]),
        rows=rows,
        columns=tuple(str(column.get("label", "")) for column in columns),
        lines=tuple(lines),
        meanings=tuple(_meaning(suite, column) for column in columns),
    )


def _meaning(suite: Mapping[str, Any], column: Mapping[str, Any]) -> str:
    """What a column shows: the metric in words, and the part of the data that it is measured on."""
    metric, part = str(column.get("metric", "")), str(column.get("part", ""))
    facts = facts_of(suite, metric)
    name = facts.explanation(facts.title)
    of, _, value = part.partition("=")
    kind = {"made_by": "variants made by"}.get(of, of.rpartition(".")[2].replace("_", " "))
    where = f"test {test_name(value)}" if of == "test" else f"{kind} {value}".strip()
    what = f"number of questions for {name}" if column.get("show") == "n" else name
    return f"{what}; only {where}" if part else what


def _rows(runs: Sequence[Run], rows: str) -> list[tuple[str, Run]]:
    """The runs with their labels, people last; or one run for each data set."""
    if rows != "data":
        return sorted(zip(labels(runs), runs, strict=True), key=lambda row: row[1].is_human)
    return list({run.data: run for run in reversed(runs)}.items())[::-1]


def _cell(run: Run, suite: str, column: Mapping[str, Any]) -> Cell:
    score = run.score(suite, column.get("metric", ""), column.get("part", ""))
    if column.get("show") == "n":
        asked = score.n + score.failed  # the number of questions does not depend on the model
        return Cell(count(asked), sort=asked) if score.metric else Cell(DASH)
    return figure_cell(score)


def figure_cell(score: Score) -> Cell:
    """A score as a cell."""
    if not score.known:
        return Cell(DASH, n=score.n if score.metric else None)
    interval = score.interval or f"no interval: {score.no_interval}"
    return Cell(score.short, interval, score.n, round(score.facts.printed(score.value), 6))


def _published(value: Any, decimals: int) -> Cell:
    """A figure as the paper prints it: 74.40 beside 67.15, with its trailing zero."""
    if value is None:
        return Cell(DASH)
    if not isinstance(value, int | float):
        return Cell(str(value))
    text = f"{value:,}" if isinstance(value, int) else f"{value:.{decimals}f}"
    return Cell(text.replace("-", "−"), sort=float(value))


def _decimals(value: Any) -> int:
    return len(str(value).partition(".")[2]) if isinstance(value, float) else 0


def _padded(values: Sequence[float | None], length: int) -> list[float | None]:
    return [*values, *[None] * (length - len(values))][:length]


def _plain_table(suite: Mapping[str, Any]) -> Mapping[str, Any]:
    metric = (suite.get("headline") or {}).get("metric", "accuracy.variant")
    tests = suite.get("tests") or ()
    parts = [("all", ""), *((test, f"test={test}") for test in tests if len(tests) > 1)]
    return {
        "id": f"{suite['name']}-plain",
        "title": f"{suite.get('title') or suite['name']}: {facts_of(suite, metric).title}",
        "columns": [{"label": label, "metric": metric, "part": part} for label, part in parts],
    }


def _tag_table(runs: Sequence[Run], suite: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The headline by round and by domain, for data collected in rounds (Li et al. 2021, Tables 2 and 10)."""
    metric = (suite.get("headline") or {}).get("metric", "")
    parts = tag_parts(runs, suite["name"], metric)
    if not parts:
        return []
    columns = [(part.replace("=", " ", 1).capitalize(), part) for part in parts]
    return [
        {
            "id": f"{suite['name']}-rounds",
            "title": f"{facts_of(suite, metric).title} by round and domain",
            "columns": [{"label": label, "metric": metric, "part": part} for label, part in [("All", ""), *columns]],
        }
    ]
