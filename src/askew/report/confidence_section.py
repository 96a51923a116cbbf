"""The section on confidence: calibration before and after the change, and accuracy where only the surest answers count.

What is drawn stands in results.json under ``calibration``, suite by suite (see ``metrics/calibration.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askew.errors import DataError
from askew.report.load import Run
from askew.report.markup import Html, details, el, join, table
from askew.report.plots import axis, charted, line_through
from askew.report.report_data import ReportData
from askew.report.score_display import NOTHING, Figure, count, probability

SIDES = ("before", "after")
SUREST = (1.0, 0.5)
"""Coverages that the table shows; the curve has all."""
_ERROR, _CHANGE, _ACCURACY = "calibration-error", "calibration-change", "accuracy"


@dataclass(frozen=True)
class Side:
    """How sure a model is of the originals, or of the variants."""

    error: Figure
    reliability: Sequence[tuple[float, Figure]]
    """For each bin its mean score and its accuracy."""
    coverage: Sequence[tuple[float, Figure]]
    """For each share of the answers, the surest first, their accuracy."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Side:
        """From results.json; raises whatever a record of another shape leads to."""
        error = Figure.of({**_numbers(record["error"]), "metric": _ERROR, "n": record["n"], "images": record["images"]})
        return cls(
            error,
            [(float(row["confidence"]), _accuracy(row)) for row in record["reliability"]],
            [(float(row["share"]), _accuracy(row)) for row in record["coverage"]],
        )

    def at(self, share: float) -> Figure:
        """The accuracy at a coverage."""
        return next((figure for found, figure in self.coverage if abs(found - share) < 1e-9), NOTHING)


@dataclass(frozen=True)
class SuiteConfidence:
    """How sure a model is in one suite."""

    sides: Mapping[str, Side]
    """Before and after, as far as there are scores."""
    change: Figure
    """How much the error rises."""
    p: float | None

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> SuiteConfidence:
        """From results.json; raises whatever a record of another shape leads to."""
        change = _numbers(record.get("change") or {})
        sides = {side: Side.of(record[side]) for side in SIDES if side in record}
        return cls(sides, Figure.of({**change, "metric": _CHANGE}), change["p"])


@dataclass(frozen=True)
class Confidence:
    """What results.json says of one run's confidence."""

    run: Run

    @cached_property
    def suites(self) -> Mapping[str, SuiteConfidence]:
        """The suites with scores."""
        try:
            found = {name: SuiteConfidence.of(record) for name, record in self._records.items()}
        except (AttributeError, KeyError, TypeError, ValueError) as trouble:
            raise DataError(
                f"{self.run.folder / 'results.json'}: 'calibration' cannot be read ({trouble!r}). Run 'askew run' "
                "with this --output again; answers that are stored are not asked twice."
            ) from None
        return {name: suite for name, suite in found.items() if suite.sides}

    @property
    def reason(self) -> str:
        """Why there is nothing to show; nothing where there is something."""
        if self.suites:
            return ""
        if not self._records:
            return "its results are of an earlier version of askew; run the same command again to have them"
        if any(record.get("outside") for record in self._records.values()):
            return "its scores are not probabilities from 0 to 1"
        if not any(record.get("answered") for record in self._records.values()):
            return "it has no answer that can be judged"
        return "it gives answers without scores"

    @property
    def _records(self) -> Mapping[str, Mapping[str, Any]]:
        return self.run.results.get("calibration") or {}


def calibration_section(content: ReportData) -> Html | None:
    """For each suite the table and the plots of every model with scores; None where no model has any."""
    found = [Confidence(run) for run in content.runs]
    blocks = [block for suite in content.suites if (block := _suite(content, suite, found))]
    if not blocks:
        return None
    return join(
        el(
            "p",
            "A score says how sure the model is of its answer. Calibrated scores are as high as the accuracy of "
            "answers with that score: expected calibration error is the mean distance of the two, in points; 0 is "
            "best. Coverage: only the surest answers are given, and the rest withheld.",
            class_="quiet",
        ),
        *blocks,
        _note(without_scores(content.runs, content.labels)),
    )


def calibration_note(content: ReportData) -> Html | None:
    """One line that says why there is no such section."""
    if any(Confidence(run).suites for run in content.runs):
        return None
    return _note(without_scores(content.runs, content.labels))


def without_scores(runs: Sequence[Run], labels: Sequence[str]) -> str:
    """Which models are not in the section, and why."""
    reasons = [(label, Confidence(run).reason) for run, label in zip(runs, labels, strict=True)]
    said = "; ".join(f"{label}: {reason}" for label, reason in reasons if reason)
    return f"No calibration of {said}." if said else ""


def calibration_line(run: Run) -> str:
    """The errors of a run in a few words, for the terminal; nothing without scores."""
    errors = (
        f"{name} {' → '.join(side.error.short for side in suite.sides.values())}"
        for name, suite in Confidence(run).suites.items()
    )
    return ", ".join(errors)


def _note(text: str) -> Html | None:
    return el("p", text, class_="quiet") if text else None


def _suite(content: ReportData, suite: Mapping[str, Any], found: Sequence[Confidence]) -> Html | None:
    name = suite["name"]
    shown = [(number, one.suites[name]) for number, one in enumerate(found) if name in one.suites]
    if not shown:
        return None
    head = ["Model", "Error before", "Error after", "Change"]
    head += [f"Accuracy at coverage {100 * share:.0f} %" for share in SUREST]
    rows = [[content.labels[number], *_row(found)] for number, found in shown]
    panels = [panel for number, found in shown for panel in _panels(content.labels[number], number, found.sides)]
    return el(
        "figure",
        el("figcaption", el("h3", str(suite.get("title") or name))),
        table(head, rows, f"Confidence: {name}", class_="confidence"),
        el(
            "p",
            "Open and dashed: before the change (originals). Filled: after it (variants), with bands of 95 % "
            "intervals. Accuracy over score: on the diagonal scores are right, below it the model is too sure of "
            "itself. Accuracy at coverage: of that share of the answers, the surest. All in per cent.",
            class_="quiet",
        ),
        el("div", *panels, class_="panels twos"),
        details("The plots as a table", _points(content, shown, name)),
    )


def _row(found: SuiteConfidence) -> Iterator[str]:
    change = found.change
    yield from (found.sides[side].error.full if side in found.sides else "—" for side in SIDES)
    yield f"{change.short} ({change.interval}; p {probability(found.p)})" if change.interval else change.short
    yield from (" → ".join(side.at(share).short for side in found.sides.values()) for share in SUREST)


def _panels(label: str, number: int, sides: Mapping[str, Side]) -> Iterator[Html]:
    """Reliability and accuracy at coverage of one model."""
    ticks = ["0", "25", "50", "75", "100"]
    diagonal = el("line", x1=0, y1="100%", x2="100%", y2=0, class_="rest")
    lines = [line_through(number, side.reliability, 0.0, 1.0, dashed=name == "before") for name, side in sides.items()]
    chart = charted([diagonal, *lines], ticks, ticks, f"Accuracy over score, {label}")
    yield el("div", el("h4", f"{label}: accuracy over score"), chart)
    figures = [figure for side in sides.values() for _, figure in side.coverage]
    ends = [end for f in figures for end in (f.value, f.low, f.high) if end is not None]
    steps = axis(min(ends, default=0.0), max(ends, default=1.0))
    lines = [
        line_through(number, side.coverage, steps[0], steps[-1], dashed=name == "before")
        for name, side in sides.items()
    ]
    chart = charted(lines, [f"{100 * step:.0f}" for step in steps], ticks, f"Accuracy at coverage, {label}")
    yield el("div", el("h4", f"{label}: accuracy at coverage"), chart)


def _points(content: ReportData, shown: Sequence[tuple[int, SuiteConfidence]], suite: str) -> Html:
    rows = [
        [f"{content.labels[number]}, {name}", kind, f"{100 * x:.1f}", figure.short, figure.interval or "—", n]
        for number, found in shown
        for name, side in found.sides.items()
        for kind, points in (("score", side.reliability), ("coverage", side.coverage))
        for x, figure in points
        for n in [count(figure.n) if figure.n else "—"]
    ]
    head = ["Model", "Plot", "Score or coverage", "Accuracy", "95 % interval", "Answers"]
    return table(head, rows, f"Reliability and accuracy at coverage: {suite}")


def _accuracy(row: Mapping[str, Any]) -> Figure:
    numbers = _numbers({"value": row["accuracy"], "low": row.get("low"), "high": row.get("high")})
    return Figure.of({**numbers, "metric": _ACCURACY, "n": int(row.get("n", 0))})


def _numbers(record: Mapping[str, Any]) -> dict[str, float | None]:
    """Value, ends and p of a record, each a number or nothing."""
    found = {name: record.get(name) for name in ("value", "low", "high", "p")}
    return {name: None if value is None else float(value) for name, value in found.items()}
