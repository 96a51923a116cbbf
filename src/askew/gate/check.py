"""One thing that the gate looks at, and how it came out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from askew.engine.settings import Settings, check_share
from askew.report.load import Run


class Status(str, Enum):
    """How a check came out."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """There is nothing to decide on, in this run as in the baseline."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    kind: str
    """``require``, ``groups``, ``no-worse`` or ``failures``."""
    name: str
    """What was asked for."""
    status: Status
    found: str
    """What the run has, in print."""
    why: str = ""
    """What decided it, for people; of a failure also what to do."""


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
    """Whether the share of askings without an answer is within the limit, the run's own unless another is given.

    What an earlier command asked counts too; ``asked`` of results.json has it already.
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
        f"{count:,} of {asked:,} askings failed. {why}".rstrip(),
    )
