"""The charts of a suite: dot plots, heat map and coverage and answers that become others; each plot also as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.errors import plural
from askew.metrics.pairs import FAILED, HELD, AnswerFlips
from askew.report.caveats import CEILING, label_ceiling
from askew.report.curves import noise_curve
from askew.report.glossary import metric_term, test_term
from askew.report.load import NOTHING, facts_of
from askew.report.markup import Html, details, el, figure, join, scrolled_table, table
from askew.report.overview import to_pairs
from askew.report.pair_table import ABSENT, PairTable, Trait
from askew.report.report_data import ReportData
from askew.report.svg import lanes, legend, mark, scale
from askew.report.table_formats import count
from askew.types import Score

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DotPlot:
    """Two scores of each model beside each other, for each test: an open mark and a filled one."""

    heading: str
    note: str
    caption: str
    metrics: tuple[str, str]
    titles: tuple[str, str]
    people: str = ""
    """What the note adds if people's answers are among the runs; they are drawn as dashed lines."""


BEFORE_AFTER = DotPlot(
    "Before and after the change",
    "Open: accuracy on the originals. Filled: on the variants. Soft bands: 95 % intervals.",
    "Accuracy before and after",
    ("accuracy.original", "accuracy.variant"),
    ("Originals", "Variants"),
)
PAIR_ACCURACY = DotPlot(
    "One answer correct, both answers correct",
    "Open: single answers that are correct (ACC). Filled: pairs with both answers correct (C-ACC).",
    "ACC and C-ACC for each test",
    ("carets.acc", "carets.cacc"),
    ("ACC", "C-ACC"),
    " Dashed: what people reach, thin for ACC and thick for C-ACC.",
)
Pair = tuple[int, Score, Score, str]
"""A run's number, two scores that a dot plot compares, and both in words."""


def charts_section(content: ReportData) -> Html:
    """The dot plots, the noise curve, the heat map and the coverage, if there are numbers for them."""
    dots = dot_plot(content, BEFORE_AFTER), dot_plot(content, PAIR_ACCURACY)
    curves = (noise_curve(content, suite) for suite in content.suites)
    return join(*dots, *curves, _heat(content), coverage_section(content))


def dot_plot(content: ReportData, plot: DotPlot) -> Html | None:
    """A row for each test of each suite that has the two scores, also as a table; None if none has."""
    blocks, rows, noisy = [], [], False
    drawn = [n for n, run in enumerate(content.runs) if not (plot.people and run.is_human)]
    for suite in content.suites:
        name, tests, lines = suite["name"], suite.get("tests") or (), []
        tests = tests if len(tests) > 1 or not plot.people else ()
        for label, part in [("", ""), *((test, f"test={test}") for test in tests)]:
            pairs = list(_pairs(content, plot, name, part))
            if pairs:
                top = label_ceiling(suite, label)
                noisy = noisy or top is not None
                lines.append(_dot_row(content, label, [p for p in pairs if p[0] in drawn], pairs, top))
                where = f"{name}, {label or ('All tests' if plot.people else 'all')}"
                rows += [[where, content.labels[n], first.full, second.full] for n, first, second, _ in pairs]
        if lines:
            named = len(content.suites) > 1 or not plot.people
            blocks.append(join(el("h4", suite.get("title") or name) if named else None, scale(), *lines))
    if not blocks:
        return None
    return figure(
        plot.heading,
        plot.note + (plot.people if len(drawn) < len(content.runs) else "") + (f" {CEILING}" if noisy else ""),
        legend((n, content.labels[n]) for n in drawn) if len(drawn) > 1 else None,
        el("div", *blocks, class_="dots"),
        details("As a table", table(["Test", "Model", *plot.titles], rows, plot.caption)),
    )


def _pairs(content: ReportData, plot: DotPlot, suite: str, part: str) -> Iterator[Pair]:
    for number, run in content.with_suite(suite):
        first, second = (run.score(suite, metric, part) for metric in plot.metrics)
        label, (one, two) = content.labels[number], plot.titles
        if plot.people and first.known and second.known:
            yield number, first, second, f"{label}: {one} {first.full}, {two} {second.full}"
        elif not plot.people and (first.known or second.known):
            yield number, first, second, f"{label}: {first.full} → {second.full}"


def _dot_row(
    content: ReportData, label: str, models: Sequence[Pair], pairs: Sequence[Pair], ceiling: float | None = None
) -> Html:
    """A row of a dot plot: the test, its marks, and the values; what people reach is drawn as lines."""
    several, people = len(content.runs) > 1, [pair for pair in pairs if pair not in models]
    values = [
        el("span", mark(n) if several else None, f"{first.short} → ", el("b", second.short))
        for n, first, second, _ in models
    ]
    values += [el("span", f"people {first.short} → ", el("b", second.short)) for _, first, second, _ in people]
    reached = people[0][1:3] if people else ()
    return el(
        "div",
        el("span", test_term(label) if label else "All tests", class_="label"),
        lanes(models or [(people[0][0], NOTHING, NOTHING, people[0][3])], reached, ceiling),
        el("span", *values, class_="values"),
        class_="dotrow" if label else "dotrow whole",
    )


def heat_cell(text: str, share: float, *small: str, address: str = "") -> Html:
    """A cell of a heat map: the stronger the colour, the larger the share."""
    beneath = " · ".join(filter(None, small))
    shown = el("a", text, href=address, class_="to-pairs") if address else text
    return el("td", shown, el("small", beneath), class_=f"heat{min(9, int(10 * share))}")


def _heat(content: ReportData) -> Html | None:
    bodies = [body for suite in content.suites if (body := _heat_body(content, suite))]
    if not bodies:
        return None
    models = (el("th", mark(n), label, scope="col") for n, label in enumerate(content.labels))
    return figure(
        "Consistency, test by test",
        "Worst first. In per cent, with 95 % interval and n; the stronger the colour, the more consistent.",
        scrolled_table(
            [el("th", "Test", scope="col"), *models], bodies, "Consistency by test and model", class_="heat"
        ),
    )


def _heat_body(content: ReportData, suite: Any) -> Html | None:
    """The suite's first metric of consistency, or else the accuracy on its variants, test by test."""
    name, tests = suite["name"], suite.get("tests") or ()
    consistency = [metric for metric in suite.get("metrics") or () if facts_of(suite, metric).consistency]
    for metric in [*consistency, "accuracy.variant"]:
        rows = {test: [run.score(name, metric, f"test={test}") for run in content.runs] for test in tests}
        known = {test: [score.value for score in row if score.known] for test, row in rows.items()}
        if any(known.values()):
            title = metric_term(facts_of(suite, metric))
            heading = el("th", title, colspan=1 + len(content.runs), scope="colgroup", class_="group")
            lines = [
                el(
                    "tr",
                    el("th", test_term(test), scope="row"),
                    *(
                        heat_cell(
                            one.short,
                            one.value,
                            one.interval,
                            f"n {one.n:,}",
                            address=to_pairs(suite=name, test=test, model=number),
                        )
                        if one.known
                        else el("td", "—")
                        for number, one in enumerate(rows[test])
                    ),
                )
                for test in sorted(rows, key=lambda test: fmean(known[test] or [1.0]))
            ]
            return el("tbody", el("tr", heading), *lines)
    return None


def coverage_section(content: ReportData) -> Html | None:
    """A matrix for each suite with several models, and a collapsible one for each test; None if there is none."""
    blocks: list[Html] = []
    numbers_of, heads = content.pair_table.number_of, content.pair_table.heads
    for suite in content.suites:
        name, tests = suite["name"], suite.get("tests") or ()
        numbers = [number for number, _ in content.with_suite(name)]
        if len(numbers) < 2 or not tests:
            continue
        whole = heads[:, 0] == numbers_of.get(Trait(name, "suite", name), -1)
        blocks.append(_coverage_table(content, numbers, whole, suite.get("title") or name))
        if len(tests) > 1:
            each = ((test, heads[:, 1] == numbers_of.get(Trait(name, "test", test), -1)) for test in tests)
            tables = [_coverage_table(content, numbers, chosen, test) for test, chosen in each]
            blocks.append(details(f"Test by test ({name})", *tables, folded=True))
    if not blocks:
        return None
    return figure(
        "Who covers whom",
        "Of the pairs that the model in the column answers correctly on both sides (n), the percentage that the model "
        "in the row also answers correctly. Only pairs that both models answered.",
        *blocks,
    )


def coverage_matrix(pair_table: PairTable, chosen: Bools) -> list[list[tuple[float | None, int]]]:
    """``coverage[i][j]``: the share of run j's correct pairs that run i also has correct, and the number of run j's."""
    right = [(codes == HELD) & chosen for codes in pair_table.codes]
    known = [_answered(codes) for codes in pair_table.codes]
    found = []
    for ours, answered in zip(right, known, strict=True):
        base = [theirs & answered for theirs in right]
        counts = [int(pairs.sum()) for pairs in base]
        shared = [int((ours & pairs).sum()) for pairs in base]
        found.append([(both / n if n else None, n) for both, n in zip(shared, counts, strict=True)])
    return found


def _answered(codes: npt.NDArray[np.uint8]) -> Bools:
    """Which pairs have an answer on both sides."""
    return np.asarray((codes != ABSENT) & (codes // 3 != FAILED) & (codes % 3 != FAILED))


def _coverage_table(content: ReportData, numbers: list[int], chosen: Any, caption: str) -> Html:
    found = coverage_matrix(content.pair_table, np.asarray(chosen))

    def cell(i: int, j: int) -> Html:
        share, n = found[i][j]
        if i == j:
            return el("td", "–", el("small", f"n {n:,}"))
        return el("td", "—") if share is None else heat_cell(f"{100 * share:.1f}", share, f"n {n:,}")

    named = {n: (mark(n), f" {content.labels[n]}") for n in numbers}
    head = [el("th", "Share of → that ↓ covers", scope="col"), *(el("th", *named[n], scope="col") for n in numbers)]
    lines = [el("tr", el("th", *named[i], scope="row"), *(cell(i, j) for j in numbers)) for i in numbers]
    label = f"Who covers whom: {caption}"
    return join(el("h4", caption), scrolled_table(head, [el("tbody", *lines)], caption, label, class_="heat"))


@dataclass(frozen=True, slots=True)
class Matrix:
    """The most frequent answers before (rows) and after (columns) the change, and how often each pair occurs."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[int, int], ...], ...]
    """How many pairs, and how many of them wrong after the change."""
    covered: int
    total: int


def matrix(flips: AnswerFlips, most: int = 12) -> Matrix:
    """The flips between the most frequent answers.

    >>> flips = AnswerFlips()
    >>> for before, after, wrong in [("2", "yes", False), ("2", "no", True), ("2", "no", True), ("red", "no", False)]:
    ...     flips.add(before, after, wrong)
    >>> matrix(flips)
    Matrix(rows=('2', 'red'), columns=('no', 'yes'), cells=(((2, 2), (1, 0)), ((1, 0), (0, 0))), covered=4, total=4)
    """
    before: dict[str, int] = {}
    after: dict[str, int] = {}
    for (old, new), (n, _) in flips.counts.items():
        before[old] = before.get(old, 0) + n
        after[new] = after.get(new, 0) + n
    rows, columns = _top(before, most), _top(after, most)
    cells = tuple(tuple(_cell(flips, row, column) for column in columns) for row in rows)
    covered = sum(n for line in cells for n, _ in line)
    return Matrix(rows, columns, cells, covered, flips.dropped + sum(before.values()))


def _top(counts: dict[str, int], most: int) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda answer: (-counts[answer], answer))[:most])


def _cell(flips: AnswerFlips, row: str, column: str) -> tuple[int, int]:
    n, wrong = flips.counts.get((row, column), (0, 0))
    return n, wrong


def flip_section(flips: AnswerFlips | None) -> Html | None:
    """The matrix as a collapsible table; None if nothing was counted."""
    if not flips or not flips.counts:
        return None
    shown = matrix(flips)
    text = (
        f"Rows: the model's {len(shown.rows)} most frequent answers to the original; columns: its answers to the "
        "variant. Below each count is the number of these variants that were answered incorrectly. "
        f"{count(shown.covered)} of {plural(shown.total, 'pair')} shown."
    )
    return details(
        "Answers before and after the change", el("p", text, class_="quiet"), _matrix_html(shown), folded=True
    )


def _matrix_html(shown: Matrix) -> Html:
    largest = max((n for row in shown.cells for n, _ in row), default=1) or 1
    head = [
        el("th", "answer before ↓ after →", scope="col"),
        *(el("th", answer or "(empty)", scope="col") for answer in shown.columns),
    ]
    rows = []
    for answer, row in zip(shown.rows, shown.cells, strict=True):
        cells = [
            _cell_html(n, wrong, largest, answer == column)
            for column, (n, wrong) in zip(shown.columns, row, strict=True)
        ]
        rows.append(el("tr", el("th", answer or "(empty)", scope="row"), *cells))
    return scrolled_table(head, [el("tbody", *rows)], "Flip matrix", class_="heat flips")


def _cell_html(n: int, wrong: int, largest: int, same: bool) -> Html:
    if not n:
        return el("td", "·", class_="same" if same else None)
    shade = f"heat{min(9, int(9 * (n / largest) ** 0.5))}"
    return el(
        "td",
        count(n),
        el("small", f"{count(wrong)} ✗" if wrong else "all ✓"),
        class_=f"{shade} same" if same else shade,
    )
