"""Curves of accuracy: over noise levels, with a panel for each ranker if there are several, and over attack budgets;
and how sure a model is: calibration before and after the change, and the accuracy of its surest answers.

The data on confidence is in results.json under ``calibration`` (see ``metrics/calibration.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from askew.report.glossary import suite_name
from askew.report.load import NOTHING, Run
from askew.report.markup import Html, details, el, figure, join, table
from askew.report.overview import Lane, confidence_overview
from askew.report.report_data import ReportData
from askew.report.svg import MARKS, axis_for, charted, curve, diagonal, legend, line_through
from askew.report.table_formats import DASH, count, probability
from askew.types import MetricFacts, Score

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


SIDES = ("before", "after")
SUREST = (1.0, 0.5)
"""Coverages that the table shows; the curve shows all."""
CHANGE = MetricFacts("Change", signed=True, better=-1)

Record: TypeAlias = Mapping[str, Any]
"""How sure one model is in one suite: ``before`` and ``after`` the change, if there are scores, and the ``change``."""


def recorded(run: Run) -> dict[str, Record]:
    """The calibration of each suite in which the model gave scores."""
    records: Mapping[str, Record] = run.results.get("calibration") or {}
    return {suite: record for suite, record in records.items() if any(side in record for side in SIDES)}


def _errors(record: Record) -> list[Score]:
    """The calibration error on each side."""
    return [Score.from_record({**record[side], **record[side]["error"]}) for side in SIDES if side in record]


def _accuracies(rows: Iterable[Record], x: str) -> list[tuple[float, Score]]:
    """The accuracy at each score, or at each share of the answers, the surest first."""
    return [(row[x], Score.from_record({**row, "value": row["accuracy"]})) for row in rows]


def calibration_section(content: ReportData) -> Html | None:
    """The table and the plots of every model with scores, for each suite; None if no model has any."""
    records = [recorded(run) for run in content.runs]
    blocks: list[Html] = []
    for suite in content.suites:
        if shown := {number: record[suite["name"]] for number, record in enumerate(records) if suite["name"] in record}:
            blocks.append(_suite(content, suite, shown, opened=not blocks))
    if not blocks:
        return None
    return join(
        el(
            "p",
            "A score says how sure the model is of its answer. Scores are calibrated if answers with a score of 70 % "
            "are correct 70 % of the time; the expected calibration error is the mean distance between score and "
            "accuracy, in points (0 is best). Coverage is the share of answers that are given if only the surest ones "
            "are given and the rest withheld.",
            class_="quiet",
        ),
        el(
            "p",
            "In the plots, open and dashed marks are originals (before the change), filled ones variants (after it), "
            "with 95 % intervals as bands. On the diagonal of “accuracy over score”, scores are calibrated; below it, "
            "the model is too sure of itself.",
            class_="quiet",
        ),
        confidence_overview(content, _lanes(content, records)),
        *blocks,
        _without_scores(content),
    )


def _lanes(content: ReportData, records: Sequence[Mapping[str, Record]]) -> dict[str, list[Lane]]:
    """The errors of each suite before and after the change, the models in the order of the ranking."""
    found: dict[str, list[Lane]] = {}
    for number in content.standings.order:
        for suite, record in records[number].items():
            one, two = ([*_errors({side: record[side]} if side in record else {}), NOTHING][0] for side in SIDES)
            found.setdefault(suite, []).append((number, one, two))
    return found


def calibration_note(content: ReportData) -> Html | None:
    """One line on why there is no such section; None if there is one."""
    return None if any(map(recorded, content.runs)) else _without_scores(content)


def _without_scores(content: ReportData) -> Html | None:
    """Which models are not in the section, and why."""
    reasons = []
    for run, label in zip(content.runs, content.labels, strict=True):
        records: Sequence[Record] = list((run.results.get("calibration") or {}).values())
        if recorded(run):
            continue
        if any(record.get("outside") for record in records):
            reasons.append(f"{label}: its scores are not probabilities from 0 to 1")
        elif any(record.get("answered") for record in records):
            reasons.append(f"{label}: it gives answers without scores")
        else:
            reasons.append(f"{label}: it has no answer that can be judged")
    return el("p", f"No calibration for {'; '.join(reasons)}.", class_="quiet") if reasons else None


def calibration_line(run: Run) -> str:
    """The errors of a run in a few words, for the terminal; empty without scores."""
    found = recorded(run).items()
    return ", ".join(f"{suite} {' → '.join(error.short for error in _errors(record))}" for suite, record in found)


def _suite(content: ReportData, suite: Mapping[str, Any], shown: Mapping[int, Record], opened: bool) -> Html:
    name = suite["name"]
    head = ["Model", "Error before", "Error after", "Change"]
    head += [f"Accuracy at coverage {100 * share:.0f} %" for share in SUREST]
    rows = [[content.labels[number], *_row(record)] for number, record in shown.items()]
    panels = [panel for number, record in shown.items() for panel in _plots(content.labels[number], number, record)]
    ranges = el("span", _error_range(list(shown.values())), class_="quiet")
    return details(
        join(el("strong", suite_name(suite)), " ", ranges),
        table(head, rows, f"Confidence: {name}", class_="confidence"),
        el("div", *panels, class_="panels twos"),
        details("The plots as a table", _points(content, shown, name), folded=True),
        opened=opened,
        folded=True,
        class_="panel",
    )


def _error_range(shown: Sequence[Record]) -> str:
    """The lowest and highest error of the models, before and after the change."""
    ranges = []
    for side in SIDES:
        errors = [error for record in shown if side in record for error in _errors({side: record[side]})]
        if known := sorted((error for error in errors if error.known), key=lambda one: one.value):
            ends = dict.fromkeys((known[0].short, known[-1].short))
            ranges.append((" to ".join(ends), side))
    if len(ranges) == 1:
        return f"calibration error {ranges[0][0]}"
    return f"calibration error {', '.join(map(' '.join, ranges))}" if ranges else ""


def _row(record: Record) -> Iterator[str]:
    yield from (_errors({side: record[side]})[0].full if side in record else DASH for side in SIDES)
    change = Score.from_record(record.get("change") or {}, CHANGE)
    p = probability((record.get("change") or {}).get("p"))
    yield f"{change.short} ({change.interval}; p {p})" if change.interval else change.short
    for share in SUREST:
        sides = [dict(_accuracies(record[side]["coverage"], "share")) for side in SIDES if side in record]
        yield " → ".join(side[share].short if share in side else DASH for side in sides)


def _plots(label: str, number: int, record: Record) -> Iterator[Html]:
    """Reliability and accuracy at coverage of one model."""
    sides = [(side == "before", record[side]) for side in SIDES if side in record]
    ticks = ["0", "25", "50", "75", "100"]
    points = [(dashed, _accuracies(side["reliability"], "confidence")) for dashed, side in sides]
    lines = [line_through(number, line, 0.0, 1.0, dashed) for dashed, line in points]
    chart = charted([diagonal(), *lines], ticks, ticks, f"Accuracy over score, {label}")
    yield el("div", el("h4", f"{label}: accuracy over score"), chart)
    points = [(dashed, _accuracies(side["coverage"], "share")) for dashed, side in sides]
    steps = axis_for(score for _, line in points for _, score in line)
    lines = [line_through(number, line, steps[0], steps[-1], dashed) for dashed, line in points]
    chart = charted(lines, [f"{100 * step:.0f}" for step in steps], ticks, f"Accuracy at coverage, {label}")
    yield el("div", el("h4", f"{label}: accuracy at coverage"), chart)


def _points(content: ReportData, shown: Mapping[int, Record], suite: str) -> Html:
    rows = [
        [f"{content.labels[number]}, {side}", kind, f"{100 * at:.1f}", score.short, score.interval or DASH, n]
        for number, record in shown.items()
        for side in SIDES
        if side in record
        for kind, points, x in (("score", "reliability", "confidence"), ("coverage", "coverage", "share"))
        for at, score in _accuracies(record[side][points], x)
        for n in [count(score.n) if score.n else DASH]
    ]
    head = ["Model", "Plot", "Score or coverage", "Accuracy", "95 % interval", "Answers"]
    return table(head, rows, f"Reliability and accuracy at coverage: {suite}")
