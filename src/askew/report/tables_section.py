"""The papers' tables on the page: sortable, each with its CSV, LaTeX and Markdown to copy."""

from __future__ import annotations

from askew.report.load import labels
from askew.report.markup import Html, details, el, join, scroll
from askew.report.paper_tables import (
    PUBLISHED,
    Cell,
    FilledTable,
    TableRow,
    csv_text,
    latex,
    markdown,
    sheets,
)
from askew.report.report_data import ReportData


def tables_section(content: ReportData) -> Html:
    """The tables of the suites that the section is about, each with its sources to copy."""
    ordered = [content.runs[number] for number in content.standings.order]
    names = dict(zip(content.labels, labels(ordered), strict=True)) if len(content.runs) > 1 else {}
    runs = ordered if set(names) == set(names.values()) else content.runs
    return join(*map(_sheet_html, sheets(runs, content.only)))


def published_switch(content: ReportData) -> Html | None:
    """The switch between our rows and the papers', if any table has rows of a paper."""
    return _switch() if any(sheet.published for sheet in sheets(content.runs)) else None


def _switch() -> Html:
    options = [("both", "Both"), ("ours", "Ours"), ("published", "The paper's")]
    radios = [
        el("label", el("input", type="radio", name="show", value=value, checked=value == "both"), text)
        for value, text in options
    ]
    return el("fieldset", el("legend", "Rows to show"), *radios, class_="switch needs-script")


def _sheet_html(sheet: FilledTable) -> Html:
    meanings = sheet.meanings or ("",) * len(sheet.columns)
    head = [_heading(sheet.rows.capitalize()), *map(_heading, sheet.columns, meanings)]
    inner = el(
        "table",
        el("caption", sheet.title, class_="hidden"),
        el("thead", el("tr", *head)),
        el("tbody", *map(_line_html, sheet.ours)) if sheet.ours else None,
        _published_html(sheet) if sheet.published else None,
        class_="sortable",
    )
    return el(
        "section",
        el("h3", sheet.title),
        el("p", sheet.paper, class_="quiet"),
        scroll(inner, sheet.title),
        el(
            "div",
            _source("CSV", csv_text(sheet)),
            _source("LaTeX", latex(sheet)),
            _source("Markdown", markdown(sheet)),
            class_="sources",
        ),
        class_="sheet",
    )


def _published_html(sheet: FilledTable) -> Html:
    heading = el("th", PUBLISHED, scope="rowgroup", colspan=1 + len(sheet.columns))
    return el("tbody", el("tr", heading, class_="apart"), *map(_line_html, sheet.published), class_="published")


def _heading(label: str, says: str = "") -> Html:
    """A heading that sorts when pressed, and explains itself on hover and focus."""
    explained = {"aria_description": says, "data_says": says} if says else {}
    kind = "sort term" if says else "sort"
    return el("th", el("button", label, type="button", class_=kind, **explained), scope="col")


def _line_html(line: TableRow) -> Html:
    return el(
        "tr",
        el("th", line.label, scope="row", data_sort=line.label),
        *map(_cell_html, line.cells),
        class_=None if line.published else "ours human" if line.human else "ours",
    )


def _cell_html(cell: Cell) -> Html:
    beneath = el("small", cell.beneath.replace(", ", " · ")) if cell.beneath else None
    return el("td", cell.text, beneath, data_sort="" if cell.sort is None else cell.sort)


def _source(name: str, text: str) -> Html:
    button = el("button", f"Copy {name}", type="button", class_="copy needs-script")
    return el("div", button, details(name, el("pre", text)), class_="source")
