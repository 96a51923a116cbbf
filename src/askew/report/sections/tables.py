"""The third section: the papers' tables with our rows and theirs, and how the models differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askew.report.answer_forms import modes_sentence
from askew.report.content import Content
from askew.report.figures import count, probability, title
from askew.report.load import measured_apart
from askew.report.markup import Html, details, el, join, scroll, table
from askew.report.tables import PUBLISHED, Cell, Line, Sheet, difference_text, latex, markdown, sheets
from askew.report.terminal import is_significant
from askew.significance import LEAST_IMAGES

LISTED = 200
"""Comparisons that are listed on demand."""


def tables_section(content: Content) -> Html:
    """Every table, with a switch between ours and the paper's where the paper has figures."""
    made = sheets(content.runs)
    switch = _switch() if any(sheet.published for sheet in made) else None
    return join(_apart(content), switch, *map(_sheet, made), _differences(content))


def _apart(content: Content) -> Html | None:
    apart = measured_apart(content.runs)
    told = "These runs measured some numbers in different ways (see their signatures), so they cannot be compared: "
    modes = modes_sentence({name: run.results for name, run in zip(content.labels, content.runs, strict=True)})
    return el("p", told + ", ".join(apart) + ". " + modes) if apart else None


def _switch() -> Html:
    options = [("both", "Both"), ("ours", "Ours"), ("published", "The paper's")]
    radios = [
        el("label", el("input", type="radio", name="show", value=value, checked=value == "both"), text)
        for value, text in options
    ]
    return el("fieldset", el("legend", "Rows to show"), *radios, class_="switch needs-script")


def _sheet(sheet: Sheet) -> Html:
    head = [_heading(sheet.rows.capitalize()), *map(_heading, sheet.columns)]
    inner = el(
        "table",
        el("caption", sheet.title, class_="hidden"),
        el("thead", el("tr", *head)),
        el("tbody", *map(_line, sheet.ours)) if sheet.ours else None,
        _published(sheet) if sheet.published else None,
        class_="sortable",
    )
    return el(
        "section",
        el("h3", sheet.title),
        el("p", sheet.paper, class_="quiet"),
        scroll(inner, sheet.title),
        el("div", _source("Markdown", markdown(sheet)), _source("LaTeX", latex(sheet)), class_="sources"),
        class_="sheet",
    )


def _published(sheet: Sheet) -> Html:
    heading = el("th", PUBLISHED, scope="rowgroup", colspan=1 + len(sheet.columns))
    return el("tbody", el("tr", heading, class_="apart"), *map(_line, sheet.published), class_="published")


def _heading(label: str) -> Html:
    return el("th", el("button", label, type="button", class_="sort"), scope="col")


def _line(line: Line) -> Html:
    return el(
        "tr",
        el("th", line.label, scope="row", data_sort=line.label),
        *map(_cell, line.cells),
        class_=None if line.published else "ours human" if line.human else "ours",
    )


def _cell(cell: Cell) -> Html:
    beneath = el("small", cell.beneath.replace(", ", " · ")) if cell.beneath else None
    return el("td", cell.text, beneath, data_sort="" if cell.sort is None else cell.sort)


def _source(name: str, text: str) -> Html:
    button = el("button", f"Copy {name}", type="button", class_="copy needs-script")
    return el("div", button, details(name, el("pre", text)), class_="source")


def _differences(content: Content) -> Html | None:
    if not content.differences:
        return None
    families: dict[str, list[Mapping[str, Any]]] = {}
    for item in content.differences:
        families.setdefault(str(item.get("family") or "other"), []).append(item)
    first = sorted(families.pop("headline", []), key=lambda item: (item["suite"], item["metric"]))
    told = (
        "Paired on the same questions. p after Holm's correction for all comparisons of a family: the headlines "
        f"({_tested(first)}), and apart from them each suite's other metrics and its parts. ▲ ▼ where it is under "
        f"0.05; — where it cannot be told, with fewer than {LEAST_IMAGES} images."
    )
    return el(
        "section",
        el("h3", "Differences between models"),
        el("p", told, class_="quiet"),
        _difference_table(first, "Differences in the headlines") if first else None,
        *(_family(name, items) for name, items in families.items()),
        class_="sheet",
    )


def _family(name: str, items: Sequence[Mapping[str, Any]]) -> Html:
    listed = sorted(items, key=_order)[:LISTED]
    shown = f"the {count(len(listed))} clearest of {count(len(items))}, " if len(listed) < len(items) else ""
    heading = f"{name[:1].upper()}{name[1:]}: {shown}p corrected for {_tested(items)}"
    return details(heading, _difference_table(listed, f"Differences: {name}"))


def _tested(items: Sequence[Mapping[str, Any]]) -> str:
    number = sum(item.get("p_holm") is not None and item["p_holm"] == item["p_holm"] for item in items)
    return f"{count(number)} comparison{'' if number == 1 else 's'}"


def _difference_table(items: Sequence[Mapping[str, Any]], caption: str) -> Html:
    rows = [
        [
            " · ".join(filter(None, (str(item["suite"]), title(item["metric"]), str(item.get("part", ""))))),
            f"{item['a']} − {item['b']}",
            difference_text(item["metric"], item) + _arrow(item),
            probability(item.get("p_holm")),
            f"{item.get('n') or 0:,}",
        ]
        for item in items
    ]
    return table(["Number", "Models", "Difference (95 %)", "p", "n"], rows, caption, class_="differences")


def _order(item: Mapping[str, Any]) -> float:
    """The clearest first; what could not be tested last."""
    p = item.get("p_holm")
    return 2.0 if p is None or p != p else float(p)


def _arrow(item: Mapping[str, Any]) -> str:
    if not is_significant(item):
        return ""
    return " ▲" if (item.get("difference") or 0) > 0 else " ▼"
