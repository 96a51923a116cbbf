"""Curves of accuracy: over noise levels, with a panel for each ranker if there are several, and over attack budgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askew.report.load import Run
from askew.report.markup import Html, details, el, figure, table
from askew.report.report_data import ReportData
from askew.report.svg import MARKS, axis_for, charted, curve, legend
from askew.types import Score

PREFIX = "made_by="
"""The slice by the rule that made the variants: here, by ranker."""

LEAST_LEVELS = 3
"""Fewer levels do not make a curve: before and after are already in the other charts."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve: its label, the number that determines its colour and mark, and a score for each level."""

    label: str
    number: int
    scores: tuple[Score, ...]


Panel = tuple[str, Sequence[Curve]]
"""Curves in one box, with a heading if there are several boxes."""


def curves_figure(
    heading: str, note: str, title: str, panels: Sequence[Panel], places: Sequence[int], head: Sequence[str]
) -> Html:
    """The panels on one scale, with a legend and as a table; ``places`` are the labels below the curves."""
    lines = [line for _, found in panels for line in found]
    names = dict.fromkeys((line.number, line.label) for line in lines)
    steps = axis_for(score for line in lines for score in line.scores)
    several = len(panels) > 1
    boxes = []
    for name, found in panels:
        box = charted(
            [curve(line.number, line.scores, steps[0], steps[-1]) for line in found],
            [f"{100 * step:.0f}" for step in steps],
            [str(place) for place in places],
            f"{title}{f', {name}' if name else ''}",
        )
        boxes.append(el("div", el("h4", name), box) if name else box)
    rows = [
        [*([name] if several else []), line.label, *(score.full for score in line.scores)]
        for name, found in panels
        for line in found
    ]
    return figure(
        heading,
        note,
        legend(names) if len(names) > 1 else None,
        el("div", *boxes, class_="panels") if several else boxes[0],
        details("As a table", table(head, rows, title)),
    )


def noise_curve(content: ReportData, suite: Mapping[str, Any]) -> Html | None:
    """The curves of one suite; None if it has fewer than two noise levels besides the one without noise."""
    name = suite["name"]
    levels = numbered([run for _, run in content.with_suite(name)], name, "accuracy.noise.")
    if len(levels) < LEAST_LEVELS:
        return None
    panels = list(_panels(content, name, levels))
    note = "accuracy in per cent at each noise level (0: none); bands are 95 % intervals."
    return curves_figure(
        "More noise, fewer correct answers?",
        f"{suite.get('title') or name}: {note}",
        "Accuracy over noise levels",
        panels,
        levels,
        [*(["Ranker", "Model"] if len(panels) > 1 else ["Line"]), *(f"noise {n}" for n in levels)],
    )


def numbered(runs: Sequence[Run], suite: str, prefix: str) -> list[int]:
    """The numbers of the metrics of a suite with this prefix, e.g. its noise levels, in order."""
    named = {score.metric for run in runs for score in run.scores() if score.suite == suite and not score.part}
    ends = (metric.removeprefix(prefix) for metric in named if metric.startswith(prefix))
    return sorted(int(end) for end in ends if end.isdecimal())


def _panels(content: ReportData, suite: str, levels: Sequence[int]) -> Iterator[Panel]:
    """A panel for each ranker with a line for each model; for a single model, one panel with a line for each ranker."""
    runs = list(content.with_suite(suite))
    parts = _rankers(content, suite)

    def scores(run: Run, part: str) -> tuple[Score, ...]:
        return tuple(run.score(suite, f"accuracy.noise.{level}", part) for level in levels)

    if len(parts) < 2:
        yield "", [Curve(content.labels[n], n, scores(run, "")) for n, run in runs]
    elif len(runs) == 1 and len(parts) <= MARKS:
        yield "", [Curve(_short(part), n, scores(runs[0][1], part)) for n, part in enumerate(parts)]
    else:
        for part in parts:
            yield _short(part), [Curve(content.labels[n], n, scores(run, part)) for n, run in runs]


def _rankers(content: ReportData, suite: str) -> list[str]:
    """The parts that have a noise curve of their own, in the order of the suite's tests."""
    found = dict.fromkeys(
        score.part
        for run in content.runs
        for score in run.scores()
        if (score.suite, score.metric) == (suite, "accuracy.noise.1") and score.part.startswith(PREFIX)
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
