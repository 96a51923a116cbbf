"""Requirements on scores: ``rad.forward>=0.7``, ``CS(2) >= 60 %`` or ``rad:rad.forward@test=Y/N←C >= 60%``."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from askew.errors import UsageError
from askew.gate.checks import Check, Status
from askew.gate.names import the_score
from askew.report.load import Run
from askew.types import MetricFacts, Score

By: TypeAlias = Literal["value", "low"]
"""What must meet the requirement: the value, or the worse end of its interval."""

_FORM = re.compile(
    r"(?P<what>.*\S)\s*(?P<op>>=|<=|>|<)\s*(?P<value>[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?)\s*(?P<cent>%?)\s*"
)
MOST_DECIMALS = 15
"""The most decimals with which a value and its bound are shown."""
_OPERATORS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound on one score of a run."""

    name: str
    """The metric as it was typed, with ``@part`` if it is a part, prefixed with its suite where several have it."""
    op: str
    value: float
    text: str
    """The requirement as it was typed."""
    percent: bool = False
    """Whether the value was typed as a percentage."""

    def met(self, found: float) -> bool:
        """Whether this value meets the bound."""
        return bool(_OPERATORS[self.op](found, self.value))

    @property
    def upwards(self) -> bool:
        """Whether it is a lower bound."""
        return self.op.startswith(">")


def parse_requirement(text: str) -> Requirement:
    """Parse a requirement: metric, optional ``@part``, one of ``>= > <= <``, a number or a percentage.

    >>> parse_requirement("rad.forward@test=Y/N←C >= 60%").name, parse_requirement("CS(2) >= 60 %").value
    ('rad.forward@test=Y/N←C', 0.6)
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
    value, percent = float(form["value"]), bool(form["cent"])
    value = round(value / 100, 12) if percent else value
    return Requirement(form["what"].strip(), form["op"], value, " ".join(text.split()), percent)


def check_requirement(requirement: Requirement, run: Run, by: By = "value") -> Check:
    """Check whether a run meets a requirement; undecided if the score has no groups, or no interval if that is needed.

    Raises UsageError for a score that the run does not have, and for a value that no share can have.
    """
    score = the_score(requirement.name, run)
    _check_range(requirement, run, score)
    found = f"{score.short} ({score.interval})" if score.interval else score.short
    if not score.known or score.n == 0:
        nothing = f"There is nothing to measure: {score.suite}:{score.metric} is based on no group."
        return Check("require", requirement.text, Status.UNDECIDED, found, nothing)
    value, label = score.value, "the value"
    if by == "low":
        end = score.low if requirement.upwards else score.high
        if end != end:
            return Check(
                "require", requirement.text, Status.UNDECIDED, found, f"It has no interval: {score.no_interval}."
            )
        value, label = end, "the interval's " + ("low" if requirement.upwards else "high") + " end"
    if requirement.met(value):
        return Check("require", requirement.text, Status.PASSED, found, f"By {label}; {_basis(score)}")
    ours, bound = _apart(score.facts, value, requirement.value)
    why = f"{label[0].upper()}{label[1:]} {ours} is not {requirement.op} {bound}; {_basis(score)}"
    return Check("require", requirement.text, Status.FAILED, found, why)


def _check_range(requirement: Requirement, run: Run, score: Score) -> None:
    """Refuse 80 for a share, which would be 8,000 %."""
    table = run.tables.get(score.suite)
    metric = table.metrics.get(score.metric) if table else None
    if abs(requirement.value) <= 1 or (metric is not None and not metric.share):
        return
    typed = 100 * requirement.value if requirement.percent else requirement.value
    name, most = score.facts.title, "100 % or 1" if score.facts.unit else "1"
    meant = f"{typed / 100:g}"
    instead = f"Write {typed:g} % or {meant}" if score.facts.unit else f"Write {meant}"
    remedy = f" {instead} if that is what you mean." if abs(typed) <= 100 else ""
    raise UsageError(
        f"{requirement.text!r}: {name} is at most {most}, and {typed:g}{' %' if requirement.percent else ''} "
        f"is {100 * requirement.value:,.0f} %.{remedy}"
    )


def _apart(facts: MetricFacts, value: float, bound: float) -> tuple[str, str]:
    """Both values as text, with as many decimals as needed to see that they differ.

    >>> _apart(MetricFacts(), 0.5, 0.6), _apart(MetricFacts(), 2 / 3, 0.6667)
    (('50.0', '60.0'), ('66.667', '66.670'))
    """
    shown = facts.show(value), facts.show(bound)
    decimals = 1
    while value != bound and shown[0] == shown[1] and decimals < MOST_DECIMALS:
        decimals += 1
        shown = f"{facts.printed(value):.{decimals}f}", f"{facts.printed(bound):.{decimals}f}"
    return shown


def _basis(score: Score) -> str:
    return f"n = {score.n:,}" + (f", {score.failed:,} left out for missing answers." if score.failed else ".")
