"""The charts that sections begin with: one row for each suite or model, linked to its panel or its pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

import numpy as np

from askew.metrics.pairs import BROKE, HELD, RIGHT, WRONG
from askew.report.glossary import suite_name
from askew.report.load import NOTHING
from askew.report.markup import Html, el, figure, scrolled_table
from askew.report.pair_table import ABSENT
from askew.report.report_data import ReportData
from askew.report.svg import lanes, legend, mark, scale, shares
from askew.report.table_formats import count
from askew.types import Score

FIXED, STAYED = 3 * WRONG + RIGHT, 3 * WRONG + WRONG
OUTCOMES: Mapping[str, str] = {
    "broke": "correct → wrong",
    "fixed": "wrong → correct",
    "held": "correct → correct",
    "stayed": "wrong → wrong",
    "failed": "no answer",
}
"""The outcomes of a pair, as named in the filter of the viewer."""

Lane = tuple[int, Score, Score]
"""A run's number, and its score before and after the change."""


def to_pairs(**wanted: str | int) -> str:
    """The address that shows these pairs in the viewer.

    >>> to_pairs(suite="rad", outcome="broke", model=2)
    '#suite=rad&outcome=broke&model=2'
    """
    return "#" + urlencode(wanted)


def suites_overview(content: ReportData) -> Html | None:
    """How robust each model is in each suite; None if no suite changes anything."""
    rows = []
    for suite in content.suites:
        name = suite["name"]
        scores = [(n, run.still_correct(name)) for n, run in content.with_suite(name) if n in _sighted(content)]
        rows.append((suite, [(n, NOTHING, score) for n, score in scores if score.known]))
    note = (
        "Of the questions answered correctly before the change, the share still correct after it, as in the ranking; "
        "soft bands: 95 % intervals. Each suite's name leads to its panel."
    )
    return _rows(content, "Who keeps correct answers?", note, rows, linked=True)


def confidence_overview(content: ReportData, errors: Mapping[str, Sequence[Lane]]) -> Html | None:
    """The calibration error of each model in each suite, before and after the change."""
    note = "Expected calibration error in points, lower is better. Open: before the change. Filled: after it."
    rows = [(suite, errors.get(suite["name"], ())) for suite in content.suites]
    ends = [score.high if score.has_interval else score.value for _, row in rows for one in row for score in one[1:]]
    top = next((end for end in (0.1, 0.2, 0.4) if end >= max((one for one in ends if one == one), default=0)), 1.0)
    return _rows(content, "Who knows when it is wrong?", note, rows, top)


def _sighted(content: ReportData) -> list[int]:
    """The runs whose robustness means something: those of models that see the image, if there are any."""
    return [number for number in content.standings.order if number not in content.standings.blind]


def _rows(
    content: ReportData, heading: str, note: str, rows: Iterable[tuple[Mapping[str, object], Sequence[Lane]]],
    top: float = 1.0, linked: bool = False,
) -> Html | None:  # fmt: skip
    """A dot plot with a row for each suite in which some model has a score."""
    drawn, shown = [], dict[int, str]()
    for suite, row in rows:
        if not row:
            continue
        name = suite_name(suite)
        shown |= {number: content.labels[number] for number, _, _ in row}
        texts = [" → ".join(score.short for score in (first, second) if score.known) for _, first, second in row]
        values = [el("span", mark(one[0]), el("b", text)) for one, text in zip(row, texts, strict=True)]
        described = [(*one, f"{content.labels[one[0]]}: {text}") for one, text in zip(row, texts, strict=True)]
        drawn.append(
            el(
                "div",
                el("span", el("a", name, href=f"#suite-{suite['name']}") if linked else name, class_="label"),
                lanes(described, top=top),
                el("span", *values, class_="values"),
                class_="dotrow",
            )
        )
    if not drawn:
        return None
    names = legend(shown.items()) if len(content.runs) > 1 else None
    return figure(heading, note, names, el("div", scale(top), *drawn, class_="dots"), class_="overview")


def pairs_overview(content: ReportData) -> Html:
    """What the changes did to the answers of each model: a bar, and the counts, each linked to its pairs."""
    codes = {"broke": [BROKE], "fixed": [FIXED], "held": [HELD], "stayed": [STAYED]}
    rows = []
    for number in content.standings.order:
        found = np.bincount(content.pair_table.codes[number], minlength=ABSENT + 1)
        counts = {name: int(found[codes[name]].sum()) for name in codes}
        counts["failed"] = int(found[:ABSENT].sum()) - sum(counts.values())
        total = max(1, sum(counts.values()))
        rows.append(
            el(
                "tr",
                el("th", mark(number), " ", content.labels[number], scope="row"),
                el("td", shares([(name, n / total) for name, n in counts.items()]), class_="wide"),
                *(el("td", _counted(name, n, number) if n else "0") for name, n in counts.items()),
            )
        )
    heads = [el("th", text, scope="col") for text in ("Model", el("span", "As a bar", class_="hidden"))]
    heads += [
        el("th", el("span", class_=f"swatch outcome-{name}"), text, scope="col") for name, text in OUTCOMES.items()
    ]
    note = "Every pair of an original question and a variant, by its answers. Each number leads to its pairs below."
    table = scrolled_table(heads, [el("tbody", *rows)], "Outcomes of the pairs of each model", class_="outcomes")
    return figure("What did the changes do?", note, table, class_="overview")


def _counted(outcome: str, n: int, model: int) -> Html:
    return el("a", count(n), href=to_pairs(outcome=outcome, model=model))
