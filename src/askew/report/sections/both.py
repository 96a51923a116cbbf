"""Single answers against pairs: ACC and C-ACC for each test, with what people reach (Figure 2 of CARETS)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askew.report.content import Content
from askew.report.figures import NOTHING, Figure
from askew.report.markup import Html, details, el, join, table
from askew.report.plots import lanes, legend, mark, scale

Pair = tuple[int, Figure, Figure, str]
"""A run's number, its ACC, its C-ACC, and both in words."""


def both_section(content: Content) -> Html | None:
    """A figure over all suites that count right pairs; None when there is none."""
    drawn = [_suite(content, suite) for suite in content.suites]
    blocks = [block for block, _ in drawn if block]
    if not blocks:
        return None
    models = [(number, label) for number, label in enumerate(content.labels) if not content.runs[number].is_human]
    people = len(models) < len(content.runs)
    return el(
        "figure",
        el("figcaption", el("h3", "One answer right, both answers right")),
        el("p", _told(people), class_="quiet"),
        legend(models) if len(models) > 1 else None,
        el("div", *blocks, class_="dots"),
        details(
            "As a table",
            table(
                ["Test", "Model", "ACC", "C-ACC"],
                [row for _, rows in drawn for row in rows],
                "ACC and C-ACC for each test",
            ),
        ),
    )


def _told(people: bool) -> str:
    told = "Open: single answers that are right (ACC). Filled: pairs answered both rightly (C-ACC)."
    return told + (" Dashed: what people reach, thin for ACC and thick for C-ACC." if people else "")


def _suite(content: Content, suite: Mapping[str, Any]) -> tuple[Html | None, list[list[str]]]:
    lines: list[Html] = []
    rows: list[list[str]] = []
    tests = suite.get("tests") or ()
    parts = [("All tests", ""), *((test, f"test={test}") for test in tests if len(tests) > 1)]
    for label, part in parts:
        found = [
            pair for n, run in content.with_suite(suite["name"]) if (pair := _pair(content, n, suite["name"], part))
        ]
        if found:
            lines.append(_row(content, label, found, whole=not part))
            rows += [[f"{suite['name']}, {label}", content.labels[n], a.told, c.told] for n, a, c, _ in found]
    if not lines:
        return None, []
    heading = el("h4", suite.get("title") or suite["name"]) if len(content.suites) > 1 else None
    return join(heading, scale(), *lines), rows


def _pair(content: Content, number: int, suite: str, part: str) -> Pair | None:
    run = content.runs[number]
    acc, cacc = (run.figure(suite, metric, part) for metric in ("carets.acc", "carets.cacc"))
    if acc.value is None or cacc.value is None:
        return None
    said = f"{content.labels[number]}: ACC {acc.told}, C-ACC {cacc.told}"
    return number, acc, cacc, said


def _row(content: Content, label: str, found: Sequence[Pair], whole: bool) -> Html:
    models = [pair for pair in found if not content.runs[pair[0]].is_human]
    people = [pair for pair in found if content.runs[pair[0]].is_human]
    several = len(content.runs) > 1
    values = [
        el("span", mark(n) if several else None, f"{acc.short} → ", el("b", cacc.short)) for n, acc, cacc, _ in models
    ]
    values += [el("span", f"people {acc.short} → ", el("b", cacc.short)) for _, acc, cacc, _ in people]
    reached = people[0][1:3] if people else ()
    return el(
        "div",
        el("span", label, class_="label"),
        lanes(models or [(people[0][0], NOTHING, NOTHING, people[0][3])], reached),
        el("span", *values, class_="values"),
        class_="dotrow whole" if whole else "dotrow",
    )
