"""Requirements on scores: ``rad.forward>=0.7``, ``rad:rad.forward@test=Y/N←C >= 60%``."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeAlias

from askew.errors import UsageError
from askew.gate.checks import Check, Status
from askew.report.load import Run
from askew.report.score_display import NOTHING, Figure, printed, show

By: TypeAlias = Literal["value", "low"]
"""What must meet the requirement: the value, or the worse end of its interval."""

_FORM = re.compile(
    r"(?P<what>.*\S)\s*(?P<op>>=|<=|>|<)\s*(?P<value>[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?)\s*(?P<cent>%?)\s*"
)
MOST_DECIMALS = 15
"""Tolerance for rounding errors; typed values differ by more."""
_OPERATORS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound on one score of a run."""

    name: str
    """The metric, prefixed with its suite if several suites have it: ``rad:rad.forward``."""
    part: str
    op: str
    value: float
    text: str
    """The requirement as it was typed."""

    def met(self, found: float) -> bool:
        """Whether this value meets the bound."""
        return bool(_OPERATORS[self.op](found, self.value))

    @property
    def upwards(self) -> bool:
        """Whether it is a lower bound."""
        return self.op.startswith(">")


def parse_requirement(text: str) -> Requirement:
    """Parse a requirement: metric, optional ``@part``, one of ``>= > <= <``, a number or a percentage.

    >>> parse_requirement("rad.forward@test=Y/N←C >= 60%")
    Requirement(name='rad.forward', part='test=Y/N←C', op='>=', value=0.6, text='rad.forward@test=Y/N←C >= 60%')
    >>> parse_requirement("rad.forward=0.7")
    Traceback (most recent call last):
    askew.errors.UsageError: 'rad.forward=0.7' is not a requirement. Write it as metric>=0.7, or ...
    """
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise UsageError(
            f"{text!r} is not a requirement. Write it as metric>=0.7, or metric@test=NAME>=0.7; "
            "the signs are >=, >, <= and <, the value is a fraction or a percentage such as 70%."
        )
    name, _, part = form["what"].partition("@")
    value = float(form["value"])
    value = round(value / 100, 12) if form["cent"] else value
    return Requirement(name.strip(), part.strip(), form["op"], value, " ".join(text.split()))


def check_requirement(requirement: Requirement, run: Run, by: By = "value") -> Check:
    """Check whether a run meets a requirement. A score that was not measured, or rests on no group, does not."""
    suite, metric, figure = _figure(requirement, run)
    if figure is NOTHING:
        return _failed(requirement, "—", _unknown(requirement, run))
    found = _shown(figure)
    if figure.value is None or figure.n == 0:
        return _failed(requirement, found, f"There is nothing to measure: {suite}:{metric} rests on no group.")
    value, called = figure.value, "the value"
    if by == "low":
        end = figure.low if requirement.upwards else figure.high
        if end is None:
            return _failed(requirement, found, f"It has no interval: {figure.no_interval}.")
        value, called = end, "the interval's " + ("low" if requirement.upwards else "high") + " end"
    if requirement.met(value):
        return Check("require", requirement.text, Status.PASSED, found, f"By {called}; {_rests_on(figure)}")
    hint = " Values are fractions: write 0.7 or 70 %, not 70." if abs(requirement.value) > 1 >= abs(value) else ""
    ours, bound = _apart(metric, value, requirement.value)
    why = f"{called[0].upper()}{called[1:]} {ours} is not {requirement.op} {bound}"
    return _failed(requirement, found, f"{why}; {_rests_on(figure)}{hint}")


def _apart(metric: str, value: float, bound: float) -> tuple[str, str]:
    """Both as text, with as many decimals as needed to see that they differ.

    >>> _apart("accuracy.all", 0.5, 0.6), _apart("accuracy.all", 2 / 3, 0.6667)
    (('50.0', '60.0'), ('66.667', '66.670'))
    """
    shown = show(metric, value), show(metric, bound)
    decimals = 1
    while value != bound and shown[0] == shown[1] and decimals < MOST_DECIMALS:
        decimals += 1
        shown = f"{printed(metric, value):.{decimals}f}", f"{printed(metric, bound):.{decimals}f}"
    return shown


def _failed(requirement: Requirement, found: str, why: str) -> Check:
    return Check("require", requirement.text, Status.FAILED, found, why)


def _shown(figure: Figure) -> str:
    return f"{figure.short} ({figure.interval})" if figure.interval else figure.short


def _rests_on(figure: Figure) -> str:
    return f"n = {figure.n:,}" + (f", {figure.failed:,} left out for missing answers." if figure.failed else ".")


def _figure(requirement: Requirement, run: Run) -> tuple[str, str, Figure]:
    """Suite, metric and score that the requirement names; NOTHING if the run has no such score."""
    meant = [
        (suite, metric, figure)
        for suite, metric, part, figure in run.figures()
        if part == requirement.part and requirement.name in (metric, f"{suite}:{metric}")
    ]
    if len(meant) > 1:
        spelled = " or ".join(f"{suite}:{metric}" for suite, metric, _ in meant)
        raise UsageError(f"{requirement.text!r}: several suites have this metric. Say which: {spelled}.")
    return meant[0] if meant else ("", requirement.name, NOTHING)


def _unknown(requirement: Requirement, run: Run) -> str:
    scores = [(suite, metric, part) for suite, metric, part, _ in run.figures()]
    parts = [part for suite, metric, part in scores if requirement.name in (metric, f"{suite}:{metric}")]
    if parts:
        return f"The run has no part {requirement.part!r} of it.{did_you_mean(requirement.part, parts)}"
    metrics = [metric for _, metric, _ in scores]
    known = ", ".join(sorted(set(metrics))) or "none"
    return f"The run has no metric {requirement.name!r}.{did_you_mean(requirement.name, metrics)} It has: {known}."


def did_you_mean(name: str, known: list[str]) -> str:
    """A hint with the most similar known name, to be appended to a sentence; empty if none is similar.

    >>> did_you_mean("rad.foward", ["rad.forward", "cs.2"])
    " Did you mean 'rad.forward'?"
    """
    close = get_close_matches(name, known, n=1, cutoff=0.4)
    return f" Did you mean {close[0]!r}?" if close and close[0] else ""
