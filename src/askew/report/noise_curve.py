"""The noise curve: accuracy over noise levels, one line per model; with several rankers a panel for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askew.report.markup import SHAPES, Html, details, el, table
from askew.report.plots import axis, charted, curve, legend
from askew.report.report_data import ReportData
from askew.report.score_display import Figure

PREFIX = "made_by="
"""The slice by the rule that made the variants: here, by ranker."""

LEAST_LEVELS = 3
"""Fewer levels are no curve: before and after are in the other charts already."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve: its label, the number that gives it its colour and mark, a figure for each level."""

    label: str
    number: int
    figures: tuple[Figure, ...]


def noise_curve(content: ReportData, suite: Mapping[str, Any]) -> Html | None:
    """The curves of one suite; None if it has fewer than two noise levels besides the one without noise."""
    levels = _levels(content, suite["name"])
    if len(levels) < LEAST_LEVELS:
        return None
    panels = list(_panels(content, suite["name"], levels))
    steps = steps_for([line for _, lines in panels for line in lines])
    names = dict.fromkeys((line.number, line.label) for _, lines in panels for line in lines)
    drawn = [panel(heading, lines, levels, steps) for heading, lines in panels]
    rows = [
        [*([heading] if len(panels) > 1 else []), line.label, *(figure.full for figure in line.figures)]
        for heading, lines in panels
        for line in lines
    ]
    several = len(panels) > 1
    head = [*(["Ranker"] if several else []), "Line" if not several else "Model", *(f"noise {n}" for n in levels)]
    return el(
        "figure",
        el("figcaption", el("h3", "More noise, fewer correct answers?")),
        el(
            "p",
            f"{suite.get('title') or suite['name']}: accuracy in per cent at each noise level (0: none); "
            "bands are 95 % intervals.",
            class_="quiet",
        ),
        legend(names) if len(names) > 1 else None,
        el("div", *drawn, class_="panels") if several else drawn[0],
        details("As a table", table(head, rows, "Accuracy over noise levels")),
    )


def _levels(content: ReportData, suite: str) -> list[int]:
    named = {metric for run in content.runs for of, metric, _, _ in run.figures() if of == suite}
    ends = (metric.removeprefix("accuracy.noise.") for metric in named if metric.startswith("accuracy.noise."))
    return sorted(int(end) for end in ends if end.isdecimal())


def _panels(content: ReportData, suite: str, levels: Sequence[int]) -> Iterator[tuple[str, list[Curve]]]:
    """A panel for each ranker with a line for each model; for a single model, one panel with a line for each ranker."""
    runs = list(content.with_suite(suite))
    parts = _rankers(content, suite)

    def figures(run: Any, part: str) -> tuple[Figure, ...]:
        return tuple(run.figure(suite, f"accuracy.noise.{level}", part) for level in levels)

    if len(parts) < 2:
        yield "", [Curve(content.labels[n], n, figures(run, "")) for n, run in runs]
    elif len(runs) == 1 and len(parts) <= len(SHAPES):
        yield "", [Curve(_short(part), n, figures(runs[0][1], part)) for n, part in enumerate(parts)]
    else:
        for part in parts:
            yield _short(part), [Curve(content.labels[n], n, figures(run, part)) for n, run in runs]


def _rankers(content: ReportData, suite: str) -> list[str]:
    """The parts that have a noise curve of their own, in the order of the suite's tests."""
    found = dict.fromkeys(
        part
        for run in content.runs
        for of, metric, part, _ in run.figures()
        if of == suite and metric == "accuracy.noise.1" and part.startswith(PREFIX)
    )
    tests = [str(test) for of in content.suites if of["name"] == suite for test in of.get("tests") or ()]
    order = {test.rpartition(" ")[0]: number for number, test in reversed(list(enumerate(tests)))}
    return sorted(found, key=lambda part: order.get(_short(part), len(order)))


def _short(part: str) -> str:
    """The name of a ranker.

    >>> _short("made_by=basic/lasso")
    'lasso'
    """
    return part.removeprefix(PREFIX).partition("/")[2] or part.removeprefix(PREFIX)


def steps_for(lines: Sequence[Curve]) -> Sequence[float]:
    """The marks of an axis that holds all values and intervals of these curves."""
    values = [value for line in lines for value in _values(line)]
    return axis(min(values, default=0.0), max(values, default=1.0))


def panel(
    heading: str,
    lines: Sequence[Curve],
    levels: Sequence[int],
    steps: Sequence[float],
    title: str = "Accuracy over noise levels",
) -> Html:
    """The curves in one box, with a heading if there are several boxes."""
    box = charted(
        [curve(line.number, line.figures, steps[0], steps[-1]) for line in lines],
        [f"{100 * step:.0f}" for step in steps],
        [str(level) for level in levels],
        f"{title}{f', {heading}' if heading else ''}",
    )
    return el("div", el("h4", heading), box) if heading else box


def _values(line: Curve) -> Iterator[float]:
    for figure in line.figures:
        yield from (side for side in (figure.value, figure.low, figure.high) if side is not None)
