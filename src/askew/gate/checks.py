"""The checks of the gate and their results: as text for the terminal, as Markdown, as JUnit XML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from textwrap import wrap
from xml.etree import ElementTree

from askew.engine.settings import Settings, check_share
from askew.report.load import Run
from askew.report.terminal import printable


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
    found = {check.status for check in checks}
    return Status.FAILED not in found and Status.PASSED in found


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
    if summed := _summed(checks):
        lines.append(summed)
    return "\n".join([*lines, "", f"{_verdict(checks)}: {printable(title)}"])


def markdown(checks: Sequence[Check], title: str) -> str:
    """The checks as a section of Markdown, for a pull request or GitHub's step summary."""
    asked = [check for check in checks if check.kind != "no-worse" or check.status is Status.FAILED]
    rest = [check for check in checks if check not in asked]
    lines = [f"## {_SIGNS[_overall(checks)]} {_verdict(checks)}: {_escaped(title)}", "", *_table(asked)]
    if rest:
        lines += ["", "<details>", f"<summary>{_summed(checks)}</summary>", "", *_table(rest), "", "</details>"]
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


def _summed(checks: Sequence[Check]) -> str:
    compared = Counter(check.status for check in checks if check.kind == "no-worse")
    if not compared[Status.PASSED] and not compared[Status.SKIPPED]:
        return ""
    skipped = f", {compared[Status.SKIPPED]} could not be told" if compared[Status.SKIPPED] else ""
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
