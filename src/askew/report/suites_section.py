"""The section on the suites: one panel for each, with its verdicts, charts, tables and attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askew.report.attack_section import SUITE as ATTACK
from askew.report.attack_section import attack_section
from askew.report.breaks import Breaks, worst_by_suite
from askew.report.caveats import coverage_lines, made_nothing, modes_sentence
from askew.report.charts import charts_section
from askew.report.confidence_section import calibration_note
from askew.report.glossary import suite_meaning, suite_name
from askew.report.load import measured_apart
from askew.report.markup import Html, details, el, join
from askew.report.plots import mark
from askew.report.report_data import ReportData, differences_section
from askew.report.score_display import Figure, title
from askew.report.tables_section import published_switch, tables_section
from askew.report.verdict import as_html, sentences_by_suite


def suites_section(content: ReportData, breaks: Sequence[Breaks]) -> Html:
    """Every suite in a panel of its own, then how the models differ."""
    panels = [_panel(content, suite, breaks) for suite in content.suites]
    differences = differences_section(content.differences)
    return join(
        _apart(content),
        published_switch(content),
        *panels,
        calibration_note(content),
        details("Differences between models, with p values", differences, class_="panel") if differences else None,
    )


def _panel(content: ReportData, suite: Mapping[str, Any], breaks: Sequence[Breaks]) -> Html:
    about = content.about(suite["name"])
    summary = join(
        el("strong", suite_name(suite)),
        " ",
        el("span", " · ".join(filter(None, (str(suite.get("title") or ""), _range(content, suite)))), class_="quiet"),
    )
    says = suite_meaning(suite)
    return details(
        summary,
        el("p", f"{says[:1].upper()}{says[1:]}.") if says else None,
        *(el("p", line, class_="quiet") for line in _coverage(content, suite)),
        _verdicts(about, suite, breaks),
        charts_section(about),
        attack_section(about) if suite["name"] == ATTACK else None,
        tables_section(about),
        class_="panel",
    )


def _range(content: ReportData, suite: Mapping[str, Any]) -> str:
    """The headline of the models from the lowest to the highest."""
    metric = str((suite.get("headline") or {}).get("metric", ""))
    figures = [run.figure(suite["name"], metric) for run in content.runs]
    known = sorted((figure for figure in figures if figure.value is not None), key=_value)
    if not known:
        return "no group" if made_nothing(suite) else ""
    low, high = known[0], known[-1]
    return f"{title(metric)} {low.short if len(known) == 1 else f'{low.short} to {high.short}'}"


def _value(figure: Figure) -> float:
    return figure.value or 0.0


def _coverage(content: ReportData, suite: Mapping[str, Any]) -> list[str]:
    """How much of the data the suite asks, once for runs that do not differ in it."""
    lines = (
        line
        for run in content.runs
        for one in run.suites
        if one["name"] == suite["name"]
        for line in coverage_lines(one, run.results.get("data") or {})
    )
    return list(dict.fromkeys(lines))


def _verdicts(content: ReportData, suite: Mapping[str, Any], breaks: Sequence[Breaks]) -> Html | None:
    """A sentence for each model on this suite."""
    items = []
    for number, run in content.with_suite(suite["name"]):
        label = content.labels[number]
        told = sentences_by_suite(run, label, worst_by_suite(breaks, number)).get(suite["name"])
        if told:
            items.append(el("li", mark(number) if len(content.runs) > 1 else None, el("p", *as_html(told, label))))
    return el("ul", *items, class_="verdicts") if items else None


def _apart(content: ReportData) -> Html | None:
    apart = measured_apart(content.runs)
    text = "These runs measured some numbers in different ways (see their signatures), so they cannot be compared: "
    modes = modes_sentence({name: run.results for name, run in zip(content.labels, content.runs, strict=True)})
    return el("p", text + ", ".join(apart) + ". " + modes) if apart else None
