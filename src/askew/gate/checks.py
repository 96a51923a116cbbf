"""The checks of the gate, and their results as text for the terminal, as Markdown and as JUnit XML.

A requirement on a score is typed as ``rad.forward>=0.7`` or ``rad:rad.forward@test=Y/N←C >= 60%``.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from textwrap import wrap
from typing import Literal, TypeAlias
from xml.etree import ElementTree

from askew.engine.settings import Settings, check_share
from askew.errors import UsageError, did_you_mean
from askew.report.load import NOTHING, Run
from askew.report.table_formats import printable
from askew.types import MetricFacts, Score


class Status(str, Enum):
    """The result of a check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """There is nothing to decide, neither in this run nor in the baseline."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check."""

    kind: str
    """``require``, ``groups``, ``no-worse`` or ``failures``."""
    name: str
    """What is required."""
    status: Status
    found: str
    """What the run has, as text."""
    why: str = ""
    """The reason for the result; for a failure also what to do."""


def is_open(checks: Iterable[Check]) -> bool:
    """Whether the gate is open: nothing failed, and something was decided.

    >>> is_open([Check("require", "a>0", Status.PASSED, "1"), Check("no-worse", "a", Status.SKIPPED, "—")])
    True
    >>> is_open([Check("no-worse", "a", Status.SKIPPED, "—")]), is_open([])
    (False, False)
    """
    statuses = {check.status for check in checks}
    return Status.FAILED not in statuses and Status.PASSED in statuses


def failures_check(run: Run, limit: float | None = None) -> Check:
    """Whether the share of failed requests is within the limit, by default the run's own.

    Requests of earlier commands count too; ``asked`` of results.json includes them.
    """
    failures = run.results.get("failures") or {}
    count = failures.get("count") or 0
    asked = failures.get("asked") or 0
    allowed = failures.get("limit", Settings.max_failures) if limit is None else limit
    check_share("max_failures", allowed)
    share = count / asked if asked else 0.0
    passed = share <= allowed
    why = "" if passed else "Run it again with the same --output: failed ones are asked again."
    return Check(
        "failures",
        f"failed answers <= {allowed:.1%}",
        Status.PASSED if passed else Status.FAILED,
        f"{share:.1%}",
        f"{count:,} of {asked:,} requests failed. {why}".rstrip(),
    )


_SIGNS = {Status.PASSED: "✓", Status.FAILED: "✗", Status.SKIPPED: "–"}
_COLORS = {Status.PASSED: "32", Status.FAILED: "31", Status.SKIPPED: "33"}
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def terminal(checks: Sequence[Check], title: str, width: int = 80, color: bool = False) -> str:
    """The checks as text: failures with reasons, one line for each requirement, one line for all comparisons."""
    lines = []
    for check in checks:
        if check.kind == "no-worse" and check.status is not Status.FAILED:
            continue
        sign = _SIGNS[check.status]
        sign = f"\x1b[{_COLORS[check.status]}m{sign}\x1b[0m" if color else sign
        lines.append(f"{sign} {printable(check.name)}   {printable(check.found)}")
        if check.status is not Status.PASSED:
            lines += wrap(printable(check.why), width, initial_indent="    ", subsequent_indent="    ")
    if summary := _summary(checks):
        lines.append(summary)
    return "\n".join([*lines, "", f"{_verdict(checks)}: {printable(title)}"])


def markdown(checks: Sequence[Check], title: str) -> str:
    """The checks as a section of Markdown, for a pull request or GitHub's step summary."""
    shown = [check for check in checks if check.kind != "no-worse" or check.status is Status.FAILED]
    rest = [check for check in checks if check not in shown]
    lines = [f"## {_SIGNS[_overall(checks)]} {_verdict(checks)}: {_escaped(title)}", "", *_table(shown)]
    if rest:
        lines += ["", "<details>", f"<summary>{_summary(checks)}</summary>", "", *_table(rest), "", "</details>"]
    return "\n".join(lines) + "\n"


def junit(checks: Sequence[Check], title: str) -> bytes:
    """The checks as JUnit XML: one test case for each check."""
    counts = Counter(check.status for check in checks)
    totals = {
        "tests": str(len(checks)),
        "failures": str(counts[Status.FAILED]),
        "errors": "0",
        "skipped": str(counts[Status.SKIPPED]),
    }
    root = ElementTree.Element("testsuites", {"name": "askew gate", **totals})
    suite = ElementTree.SubElement(root, "testsuite", {"name": _xml(title), **totals})
    for check in checks:
        case = {"classname": f"askew.gate.{check.kind}", "name": _xml(check.name), "time": "0"}
        element = ElementTree.SubElement(suite, "testcase", case)
        why = _xml(f"{check.found}. {check.why}")
        if check.status is Status.FAILED:
            ElementTree.SubElement(element, "failure", {"message": why, "type": check.kind}).text = why
        elif check.status is Status.SKIPPED:
            ElementTree.SubElement(element, "skipped", {"message": why})
        else:
            ElementTree.SubElement(element, "system-out").text = why
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _overall(checks: Sequence[Check]) -> Status:
    return Status.PASSED if is_open(checks) else Status.FAILED


def _verdict(checks: Sequence[Check]) -> str:
    failed = sum(check.status is Status.FAILED for check in checks)
    if failed:
        return f"FAILED, {failed} of {len(checks)} checks"
    return "PASSED" if is_open(checks) else "FAILED, nothing could be decided"


def _summary(checks: Sequence[Check]) -> str:
    compared = Counter(check.status for check in checks if check.kind == "no-worse")
    if not compared[Status.PASSED] and not compared[Status.SKIPPED]:
        return ""
    skipped = f", {compared[Status.SKIPPED]} could not be decided" if compared[Status.SKIPPED] else ""
    plural = "" if compared[Status.PASSED] == 1 else "s"
    sign = _SIGNS[Status.PASSED if compared[Status.PASSED] else Status.SKIPPED]
    return f"{sign} {compared[Status.PASSED]} comparison{plural} no worse than before{skipped}"


def _table(checks: Sequence[Check]) -> Iterator[str]:
    yield "| | check | found | why |"
    yield "| --- | --- | --- | --- |"
    for check in checks:
        yield f"| {_SIGNS[check.status]} | {_escaped(check.name)} | {_escaped(check.found)} | {_escaped(check.why)} |"


def _escaped(text: str) -> str:
    """Markdown that shows as this text.

    >>> _escaped("a|b <i>")
    'a\\\\|b \\\\<i\\\\>'
    """
    return _MARKDOWN.sub(r"\\\1", printable(text))


def _xml(text: str) -> str:
    return _NO_XML.sub("�", text)


By: TypeAlias = Literal["value", "low"]
"""What must meet the requirement: the value, or the worse end of its interval."""

_FORM = re.compile(
    r"(?P<what>.*\S)\s*(?P<op>>=|<=|>|<)\s*(?P<value>[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?)\s*(?P<cent>%?)\s*"
)
MOST_DECIMALS = 15
"""The most decimals with which a value and its bound are shown."""
CLOSE = 0.4
"""The least similarity of a metric or part that a hint suggests."""
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
    """Check whether a run meets a requirement. A score that was not measured, or has no groups, does not meet it."""
    score = _score(requirement, run)
    if score is NOTHING:
        return _failed(requirement, "—", _unknown(requirement, run))
    found = _shown(score)
    if not score.known or score.n == 0:
        nothing = f"There is nothing to measure: {score.suite}:{score.metric} is based on no group."
        return _failed(requirement, found, nothing)
    value, label = score.value, "the value"
    if by == "low":
        end = score.low if requirement.upwards else score.high
        if end != end:
            return _failed(requirement, found, f"It has no interval: {score.no_interval}.")
        value, label = end, "the interval's " + ("low" if requirement.upwards else "high") + " end"
    if requirement.met(value):
        return Check("require", requirement.text, Status.PASSED, found, f"By {label}; {_basis(score)}")
    hint = " Values are fractions: write 0.7 or 70 %, not 70." if abs(requirement.value) > 1 >= abs(value) else ""
    ours, bound = _apart(score.facts, value, requirement.value)
    why = f"{label[0].upper()}{label[1:]} {ours} is not {requirement.op} {bound}"
    return _failed(requirement, found, f"{why}; {_basis(score)}{hint}")


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


def _failed(requirement: Requirement, found: str, why: str) -> Check:
    return Check("require", requirement.text, Status.FAILED, found, why)


def _shown(score: Score) -> str:
    return f"{score.short} ({score.interval})" if score.interval else score.short


def _basis(score: Score) -> str:
    return f"n = {score.n:,}" + (f", {score.failed:,} left out for missing answers." if score.failed else ".")


def _score(requirement: Requirement, run: Run) -> Score:
    """The score that the requirement names; NOTHING if the run has no such score."""
    matches = [
        score
        for score in run.scores()
        if score.part == requirement.part and requirement.name in (score.metric, f"{score.suite}:{score.metric}")
    ]
    if len(matches) > 1:
        names = " or ".join(f"{score.suite}:{score.metric}" for score in matches)
        raise UsageError(f"{requirement.text!r}: several suites have this metric. Say which: {names}.")
    return matches[0] if matches else NOTHING


def _unknown(requirement: Requirement, run: Run) -> str:
    names = {score: (score.metric, f"{score.suite}:{score.metric}") for score in run.scores()}
    parts = [score.part for score, known in names.items() if requirement.name in known]
    if parts:
        return f"The run has no part {requirement.part!r} of it.{did_you_mean(requirement.part, parts, CLOSE)}"
    metrics = sorted({score.metric for score in run.scores()})
    known = ", ".join(metrics) or "none"
    return (
        f"The run has no metric {requirement.name!r}.{did_you_mean(requirement.name, metrics, CLOSE)} It has: {known}."
    )
