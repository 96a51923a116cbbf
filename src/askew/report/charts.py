"""The charts of a suite: dot plots, heat map and coverage matrices; each plot also as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.metrics.pairs import FAILED, HELD
from askew.report.curves import noise_curve
from askew.report.glossary import metric_term, test_term
from askew.report.load import NOTHING, facts_of
from askew.report.markup import Html, details, el, join, scrolled_table, table
from askew.report.pair_table import ABSENT, PairTable, Trait
from askew.report.report_data import ReportData
from askew.report.svg import lanes, legend, mark, scale
from askew.types import Score

Pair = tuple[int, Score, Score, str]
"""A run's number, two scores that a dot plot compares, and both in words."""

Bools = npt.NDArray[np.bool_]


def charts_section(content: ReportData) -> Html:
    """The dot plots, the noise curve, the heat map and the coverage, if there are numbers for them."""
    curves = (noise_curve(content, suite) for suite in content.suites)
    return join(_dots(content), pair_accuracy_section(content), *curves, _heat(content), coverage_section(content))


def _dots(content: ReportData) -> Html | None:
    blocks, rows = [], []
    for suite in content.suites:
        lines = []
        for label, part in [("all", ""), *((test, f"test={test}") for test in suite.get("tests") or ())]:
            pairs = _before_after(content, suite["name"], part)
            if pairs:
                lines.append(_dot_row(content, label, pairs, whole=not part))
                rows += [[f"{suite['name']}, {label}", content.labels[n], b.full, a.full] for n, b, a, _ in pairs]
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


def _before_after(content: ReportData, suite: str, part: str) -> list[Pair]:
    pairs = []
    for number, run in content.with_suite(suite):
        before, after = run.score(suite, "accuracy.original", part), run.score(suite, "accuracy.variant", part)
        if before.known or after.known:
            description = f"{content.labels[number]}: {before.full} → {after.full}"
            pairs.append((number, before, after, description))
    return pairs


def _dot_row(content: ReportData, label: str, pairs: Sequence[Pair], whole: bool, people: Sequence[Pair] = ()) -> Html:
    """A row of a dot plot: the test, its marks, and the values; what people reach is drawn as lines."""
    several = len(content.runs) > 1
    values = [
        el("span", mark(n) if several else None, f"{first.short} → ", el("b", second.short))
        for n, first, second, _ in pairs
    ]
    values += [el("span", f"people {first.short} → ", el("b", second.short)) for _, first, second, _ in people]
    reached = people[0][1:3] if people else ()
    return el(
        "div",
        el("span", "All tests" if whole else test_term(label), class_="label"),
        lanes(pairs or [(people[0][0], NOTHING, NOTHING, people[0][3])], reached),
        el("span", *values, class_="values"),
        class_="dotrow whole" if whole else "dotrow",
    )


def _heat(content: ReportData) -> Html | None:
    bodies = [body for suite in content.suites if (body := _heat_body(content, suite))]
    if not bodies:
        return None
    head = [
        el("th", "Test", scope="col"),
        *(el("th", mark(n), label, scope="col") for n, label in enumerate(content.labels)),
    ]
    return el(
        "figure",
        el("figcaption", el("h3", "Consistency, test by test")),
        el(
            "p",
            "Worst first. In per cent, with 95 % interval and n; the stronger the colour, the more consistent.",
            class_="quiet",
        ),
        scrolled_table(head, bodies, "Consistency by test and model", class_="heat"),
    )


def _heat_body(content: ReportData, suite: Any) -> Html | None:
    """The suite's first metric of consistency, or else the accuracy on its variants, test by test."""
    name, tests = suite["name"], suite.get("tests") or ()
    consistency = [metric for metric in suite.get("metrics") or () if facts_of(suite, metric).consistency]
    for metric in [*consistency, "accuracy.variant"]:
        rows = {test: [run.score(name, metric, f"test={test}") for run in content.runs] for test in tests}
        if any(score.known for row in rows.values() for score in row):
            worst_first = sorted(rows.items(), key=lambda item: _mean(item[1]))
            lines = [
                el("tr", el("th", test_term(test), scope="row"), *map(_heat_cell, row)) for test, row in worst_first
            ]
            heading = el(
                "th",
                metric_term(facts_of(suite, metric)),
                colspan=1 + len(content.runs),
                scope="colgroup",
                class_="group",
            )
            return el("tbody", el("tr", heading), *lines)
    return None


def _mean(scores: Sequence[Score]) -> float:
    known = [score.value for score in scores if score.known]
    return sum(known) / len(known) if known else 1.0


def _heat_cell(score: Score) -> Html:
    if not score.known:
        return el("td", "—")
    step = min(9, int(10 * score.value))
    return el(
        "td",
        score.short,
        el("small", " · ".join(filter(None, (score.interval, f"n {score.n:,}")))),
        class_=f"heat{step}",
    )


def pair_accuracy_section(content: ReportData) -> Html | None:
    """A dot plot over all suites with C-ACC; None if there is none."""
    drawn = [_pair_accuracy_rows(content, suite) for suite in content.suites]
    blocks = [block for block, _ in drawn if block]
    if not blocks:
        return None
    models = [(number, label) for number, label in enumerate(content.labels) if not content.runs[number].is_human]
    people = len(models) < len(content.runs)
    return el(
        "figure",
        el("figcaption", el("h3", "One answer correct, both answers correct")),
        el("p", _pair_accuracy_caption(people), class_="quiet"),
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


def _pair_accuracy_caption(people: bool) -> str:
    text = "Open: single answers that are correct (ACC). Filled: pairs with both answers correct (C-ACC)."
    return text + (" Dashed: what people reach, thin for ACC and thick for C-ACC." if people else "")


def _pair_accuracy_rows(content: ReportData, suite: Mapping[str, Any]) -> tuple[Html | None, list[list[str]]]:
    lines: list[Html] = []
    rows: list[list[str]] = []
    tests = suite.get("tests") or ()
    parts = [("All tests", ""), *((test, f"test={test}") for test in tests if len(tests) > 1)]
    for label, part in parts:
        found = [
            pair
            for n, run in content.with_suite(suite["name"])
            if (pair := _pair_accuracy_figures(content, n, suite["name"], part))
        ]
        if found:
            models = [pair for pair in found if not content.runs[pair[0]].is_human]
            people = [pair for pair in found if content.runs[pair[0]].is_human]
            lines.append(_dot_row(content, label, models, not part, people))
            rows += [[f"{suite['name']}, {label}", content.labels[n], a.full, c.full] for n, a, c, _ in found]
    if not lines:
        return None, []
    heading = el("h4", suite.get("title") or suite["name"]) if len(content.suites) > 1 else None
    return join(heading, scale(), *lines), rows


def _pair_accuracy_figures(content: ReportData, number: int, suite: str, part: str) -> Pair | None:
    run = content.runs[number]
    acc, cacc = (run.score(suite, metric, part) for metric in ("carets.acc", "carets.cacc"))
    if not acc.known or not cacc.known:
        return None
    description = f"{content.labels[number]}: ACC {acc.full}, C-ACC {cacc.full}"
    return number, acc, cacc, description


def coverage_section(content: ReportData) -> Html | None:
    """A matrix for each suite with several models, and a collapsible one for each test; None if there is none."""
    blocks = [block for suite in content.suites for block in _coverage_of_suite(content, suite)]
    if not blocks:
        return None
    return el(
        "figure",
        el("figcaption", el("h3", "Who covers whom")),
        el(
            "p",
            "Of the pairs that the model in the column answers correctly on both sides (n), the percentage that the "
            "model in the row also answers correctly. Only pairs that both models answered.",
            class_="quiet",
        ),
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


def _coverage_of_suite(content: ReportData, suite: Mapping[str, Any]) -> Iterator[Html]:
    numbers = [number for number, _ in content.with_suite(suite["name"])]
    if len(numbers) < 2 or not suite.get("tests"):
        return
    heads = content.pair_table.heads
    name, title = suite["name"], suite.get("title") or suite["name"]
    yield _coverage_table(content, numbers, heads[:, 0] == _number(content, name, "suite", name), title)
    each = [
        _coverage_table(content, numbers, heads[:, 1] == _number(content, name, "test", test), test)
        for test in suite["tests"]
        if len(suite["tests"]) > 1
    ]
    if each:
        yield details(f"Test by test ({name})", *each)


def _number(content: ReportData, suite: str, dimension: str, value: str) -> int:
    """The index of this trait in the table; -1 if no pair has it."""
    return content.pair_table.number_of.get(Trait(suite, dimension, value), -1)


def _coverage_table(content: ReportData, numbers: list[int], chosen: Any, caption: str) -> Html:
    found = coverage_matrix(content.pair_table, np.asarray(chosen))
    head = [el("th", "Share of → that ↓ covers", scope="col")]
    head += [el("th", *_named(content, n), scope="col") for n in numbers]
    lines = [
        el(
            "tr",
            el("th", *_named(content, i), scope="row"),
            *(_coverage_cell(*found[i][j], same=i == j) for j in numbers),
        )
        for i in numbers
    ]
    label = f"Who covers whom: {caption}"
    return join(el("h4", caption), scrolled_table(head, [el("tbody", *lines)], caption, label, class_="heat"))


def _named(content: ReportData, number: int) -> tuple[Html, str]:
    return mark(number), f" {content.labels[number]}"


def _coverage_cell(share: float | None, n: int, same: bool) -> Html:
    if same:
        return el("td", "–", el("small", f"n {n:,}"))
    if share is None:
        return el("td", "—")
    return el("td", f"{100 * share:.1f}", el("small", f"n {n:,}"), class_=f"heat{min(9, int(10 * share))}")
