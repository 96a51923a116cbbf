"""The second section: the numbers as pictures, each also a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askew.report.content import Content
from askew.report.figures import Figure, title
from askew.report.markup import Html, details, el, join, scroll, table
from askew.report.plots import lanes, legend, mark, scale
from askew.report.sections.both import both_section
from askew.report.sections.covered import covered_section
from askew.report.sections.noise import noise_of

CONSISTENCY = ("carets.cons", "rad.forward", "cs.2", "accuracy.variant")
"""What the heat map shows of a suite: the first that it has for its tests."""


def picture_section(content: Content) -> Html:
    """The dot plots, the noise curve, the heat map and the coverage, as far as there are numbers for them."""
    made = (_dots(content), both_section(content), _noise(content), _heat(content), covered_section(content))
    drawn = [part for part in made if part]
    return join(*drawn) if drawn else el("p", "There is nothing to draw: no suite has accuracies for its tests.")


def _dots(content: Content) -> Html | None:
    blocks, rows = [], []
    for suite in content.suites:
        lines = []
        for label, part in [("all", ""), *((test, f"test={test}") for test in suite.get("tests") or ())]:
            pairs = _before_after(content, suite["name"], part)
            if pairs:
                lines.append(_dot_row(content, label, pairs, whole=not part))
                rows += [[f"{suite['name']}, {label}", content.labels[n], b.told, a.told] for n, b, a, _ in pairs]
        if lines:
            blocks.append(join(el("h4", suite.get("title") or suite["name"]), scale(), *lines))
    if not blocks:
        return None
    return el(
        "figure",
        el("figcaption", el("h3", "Before and after the change")),
        el(
            "p", "Open: accuracy on the originals. Filled: on the variants. Soft bands: 95 % intervals.", class_="quiet"
        ),
        legend(enumerate(content.labels)) if len(content.runs) > 1 else None,
        el("div", *blocks, class_="dots"),
        details("As a table", table(["Test", "Model", "Originals", "Variants"], rows, "Accuracy before and after")),
    )


def _before_after(content: Content, suite: str, part: str) -> list[tuple[int, Figure, Figure, str]]:
    pairs = []
    for number, run in content.with_suite(suite):
        before, after = run.figure(suite, "accuracy.original", part), run.figure(suite, "accuracy.variant", part)
        if before.value is not None or after.value is not None:
            said = f"{content.labels[number]}: {before.told} → {after.told}"
            pairs.append((number, before, after, said))
    return pairs


def _dot_row(content: Content, label: str, pairs: Sequence[tuple[int, Figure, Figure, str]], whole: bool) -> Html:
    several = len(content.runs) > 1
    values = [
        el("span", mark(n) if several else None, f"{before.short} → ", el("b", after.short))
        for n, before, after, _ in pairs
    ]
    return el(
        "div",
        el("span", "All tests" if whole else label, class_="label"),
        lanes(pairs),
        el("span", *values, class_="values"),
        class_="dotrow whole" if whole else "dotrow",
    )


def _noise(content: Content) -> Html | None:
    charts = [chart for suite in content.suites if (chart := noise_of(content, suite))]
    return join(*charts) if charts else None


def _heat(content: Content) -> Html | None:
    bodies = [body for suite in content.suites if (body := _heat_body(content, suite))]
    if not bodies:
        return None
    head = [
        el("th", "Test", scope="col"),
        *(el("th", mark(n), label, scope="col") for n, label in enumerate(content.labels)),
    ]
    inner = el(
        "table",
        el("caption", "Consistency by test and model", class_="hidden"),
        el("thead", el("tr", *head)),
        *bodies,
        class_="heat",
    )
    return el(
        "figure",
        el("figcaption", el("h3", "Consistency, test by test")),
        el("p", "Per cent with 95 % interval and n; the stronger the colour, the steadier.", class_="quiet"),
        scroll(inner, "Consistency by test and model"),
    )


def _heat_body(content: Content, suite: Any) -> Html | None:
    name, tests = suite["name"], suite.get("tests") or ()
    for metric in CONSISTENCY:
        rows = {test: [run.figure(name, metric, f"test={test}") for run in content.runs] for test in tests}
        if any(figure.value is not None for row in rows.values() for figure in row):
            lines = [el("tr", el("th", test, scope="row"), *map(_heat_cell, row)) for test, row in rows.items()]
            heading = el(
                "th",
                f"{suite.get('title') or name}: {title(metric)}",
                colspan=1 + len(content.runs),
                scope="colgroup",
                class_="group",
            )
            return el("tbody", el("tr", heading), *lines)
    return None


def _heat_cell(figure: Figure) -> Html:
    if figure.value is None:
        return el("td", "—")
    step = min(9, int(10 * figure.value))
    return el(
        "td",
        figure.short,
        el("small", " · ".join(filter(None, (figure.interval, f"n {figure.n:,}")))),
        class_=f"heat{step}",
    )
