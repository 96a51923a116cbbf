"""A check of the gate, its result, and the verdict over all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from askew.engine.settings import Settings, check_share
from askew.report.load import Run


class Status(str, Enum):
    """The result of a check."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    """It matters, but the data do not decide it."""
    LOOK = "worth a look"
    """Significantly worse in a comparison that the verdict does not depend on."""
    SKIPPED = "skipped"
    """There is nothing to decide, neither in this run nor in the baseline."""


EXIT_CODES = {Status.PASSED: 0, Status.FAILED: 1, Status.UNDECIDED: 2}
"""The exit code of each verdict; 2 is also that of wrong commands and unreadable files."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check."""

    kind: str
    """``require``, ``groups``, ``no-worse``, ``others`` (comparisons that do not count) or ``failures``."""
    name: str
    """What is required."""
    status: Status
    found: str
    """What the run has, as text."""
    why: str = ""
    """The reason for the result; for a failure also what to do."""
    cells: tuple[str, ...] = ()
    """Of a comparison: the score now, the score before, the loss with its interval, the smallest detectable loss."""


def verdict(checks: Iterable[Check]) -> Status:
    """Failed if a check failed, else undecided if one is or if nothing passed, else passed.

    >>> passed, look = Check("require", "a>0", Status.PASSED, "1"), Check("others", "b", Status.LOOK, "0")
    >>> verdict([passed, look]).value, verdict([look]).value
    ('passed', 'undecided')
    """
    statuses = {check.status for check in checks}
    for status in (Status.FAILED, Status.UNDECIDED):
        if status in statuses:
            return status
    return Status.PASSED if Status.PASSED in statuses else Status.UNDECIDED


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
