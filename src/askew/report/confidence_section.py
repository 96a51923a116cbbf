"""The section on confidence: calibration before and after the change, and the accuracy of the surest answers.

The data of each suite is in results.json under ``calibration`` (see ``metrics/calibration.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askew.report.glossary import suite_name
from askew.report.load import NOTHING, Run
from askew.report.markup import Html, details, el, join, table
from askew.report.report_data import ReportData
from askew.report.score_display import count, probability
from askew.report.svg import axis_for, charted, diagonal, line_through
from askew.types import MetricFacts, Score

SIDES = ("before", "after")
SUREST = (1.0, 0.5)
"""Coverages that the table shows; the curve shows all."""
_CHANGE = MetricFacts("Change", signed=True, better=-1)


@dataclass(frozen=True)
class Side:
    """How sure a model is of the originals, or of the variants."""

    error: Score
    reliability: Sequence[tuple[float, Score]]
    """The mean score and the accuracy of each bin."""
    coverage: Sequence[tuple[float, Score]]
    """Each share of the answers, the surest first, and its accuracy."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Side:
        """From results.json."""
        error = Score.from_record({**_numbers(record["error"]), "n": record["n"], "images": record["images"]})
        return cls(
            error,
            [(float(row["confidence"]), _accuracy(row)) for row in record["reliability"]],
            [(float(row["share"]), _accuracy(row)) for row in record["coverage"]],
        )

    def at(self, share: float) -> Score:
        """The accuracy at a coverage."""
        return next((score for found, score in self.coverage if abs(found - share) < 1e-9), NOTHING)


@dataclass(frozen=True)
class SuiteConfidence:
    """How sure a model is in one suite."""

    sides: Mapping[str, Side]
    """Before and after the change, if there are scores."""
    change: Score
    """How much the error rises."""
    p: float | None

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> SuiteConfidence:
        """From results.json."""
        change = _numbers(record.get("change") or {})
        sides = {side: Side.of(record[side]) for side in SIDES if side in record}
        return cls(sides, Score.from_record(change, _CHANGE), change["p"])


@dataclass(frozen=True)
class Confidence:
    """One run's confidence, as recorded in results.json."""

    run: Run

    @cached_property
    def suites(self) -> Mapping[str, SuiteConfidence]:
        """The suites with scores."""
        found = {name: SuiteConfidence.of(record) for name, record in self._records.items()}
        return {name: suite for name, suite in found.items() if suite.sides}

    @property
    def reason(self) -> str:
        """Why there is nothing to show; empty if there is something."""
        if self.suites:
            return ""
        if any(record.get("outside") for record in self._records.values()):
            return "its scores are not probabilities from 0 to 1"
        if not any(record.get("answered") for record in self._records.values()):
            return "it has no answer that can be judged"
        return "it gives answers without scores"

    @property
    def _records(self) -> Mapping[str, Mapping[str, Any]]:
        return self.run.results.get("calibration") or {}


def calibration_section(content: ReportData) -> Html | None:
    """The table and the plots of every model with scores, for each suite; None if no model has any."""
    confidences = [Confidence(run) for run in content.runs]
    opened = len(content.suites) == 1
    blocks = [block for suite in content.suites if (block := _suite(content, suite, confidences, opened))]
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
        *blocks,
        _note(without_scores(content.runs, content.labels)),
    )


def calibration_note(content: ReportData) -> Html | None:
    """One line on why there is no such section; None if there is one."""
    if any(Confidence(run).suites for run in content.runs):
        return None
    return _note(without_scores(content.runs, content.labels))


def without_scores(runs: Sequence[Run], labels: Sequence[str]) -> str:
    """Which models are not in the section, and why."""
    reasons = [(label, Confidence(run).reason) for run, label in zip(runs, labels, strict=True)]
    text = "; ".join(f"{label}: {reason}" for label, reason in reasons if reason)
    return f"No calibration for {text}." if text else ""


def calibration_line(run: Run) -> str:
    """The errors of a run in a few words, for the terminal; empty without scores."""
    errors = (
        f"{name} {' → '.join(side.error.short for side in suite.sides.values())}"
        for name, suite in Confidence(run).suites.items()
    )
    return ", ".join(errors)


def _note(text: str) -> Html | None:
    return el("p", text, class_="quiet") if text else None


def _suite(
    content: ReportData, suite: Mapping[str, Any], confidences: Sequence[Confidence], opened: bool
) -> Html | None:
    name = suite["name"]
    shown = [(number, run.suites[name]) for number, run in enumerate(confidences) if name in run.suites]
    if not shown:
        return None
    head = ["Model", "Error before", "Error after", "Change"]
    head += [f"Accuracy at coverage {100 * share:.0f} %" for share in SUREST]
    rows = [[content.labels[number], *_row(confidence)] for number, confidence in shown]
    panels = [panel for number, model in shown for panel in _panels(content.labels[number], number, model.sides)]
    return details(
        join(el("strong", suite_name(suite)), " ", el("span", _error_range([one for _, one in shown]), class_="quiet")),
        table(head, rows, f"Confidence: {name}", class_="confidence"),
        el("div", *panels, class_="panels twos"),
        details("The plots as a table", _points(content, shown, name)),
        opened=opened,
        class_="panel",
    )


def _error_range(shown: Sequence[SuiteConfidence]) -> str:
    """The lowest and highest error of the models, before and after the change."""
    ranges = []
    for side in SIDES:
        errors = [found.sides[side].error for found in shown if side in found.sides]
        if known := sorted((error for error in errors if error.known), key=lambda one: one.value):
            ends = list(dict.fromkeys((known[0].short, known[-1].short)))
            ranges.append((" to ".join(ends), side))
    if len(ranges) == 1:
        return f"calibration error {ranges[0][0]}"
    return f"calibration error {', '.join(map(' '.join, ranges))}" if ranges else ""


def _row(found: SuiteConfidence) -> Iterator[str]:
    change = found.change
    yield from (found.sides[side].error.full if side in found.sides else "—" for side in SIDES)
    yield f"{change.short} ({change.interval}; p {probability(found.p)})" if change.interval else change.short
    yield from (" → ".join(side.at(share).short for side in found.sides.values()) for share in SUREST)


def _panels(label: str, number: int, sides: Mapping[str, Side]) -> Iterator[Html]:
    """Reliability and accuracy at coverage of one model."""
    ticks = ["0", "25", "50", "75", "100"]
    lines = [line_through(number, side.reliability, 0.0, 1.0, dashed=name == "before") for name, side in sides.items()]
    chart = charted([diagonal(), *lines], ticks, ticks, f"Accuracy over score, {label}")
    yield el("div", el("h4", f"{label}: accuracy over score"), chart)
    steps = axis_for(score for side in sides.values() for _, score in side.coverage)
    lines = [
        line_through(number, side.coverage, steps[0], steps[-1], dashed=name == "before")
        for name, side in sides.items()
    ]
    chart = charted(lines, [f"{100 * step:.0f}" for step in steps], ticks, f"Accuracy at coverage, {label}")
    yield el("div", el("h4", f"{label}: accuracy at coverage"), chart)


def _points(content: ReportData, shown: Sequence[tuple[int, SuiteConfidence]], suite: str) -> Html:
    rows = [
        [f"{content.labels[number]}, {name}", kind, f"{100 * x:.1f}", score.short, score.interval or "—", n]
        for number, found in shown
        for name, side in found.sides.items()
        for kind, points in (("score", side.reliability), ("coverage", side.coverage))
        for x, score in points
        for n in [count(score.n) if score.n else "—"]
    ]
    head = ["Model", "Plot", "Score or coverage", "Accuracy", "95 % interval", "Answers"]
    return table(head, rows, f"Reliability and accuracy at coverage: {suite}")


def _accuracy(row: Mapping[str, Any]) -> Score:
    numbers = _numbers({"value": row["accuracy"], "low": row.get("low"), "high": row.get("high")})
    return Score.from_record({**numbers, "n": int(row.get("n", 0))})


def _numbers(record: Mapping[str, Any]) -> dict[str, float | None]:
    """Value, ends of the interval and p of a record, each a number or None."""
    found = {name: record.get(name) for name in ("value", "low", "high", "p")}
    return {name: None if value is None else float(value) for name, value in found.items()}
