"""The gate: does a run meet the requirements of a release, and is it no worse than a baseline?

Every check is a :class:`~askew.gate.checks.Check`; the gate is closed if one of them failed.
"""

from __future__ import annotations

from askew.gate.baseline import compare_to
from askew.gate.checks import (
    Check,
    Requirement,
    Status,
    check_requirement,
    failures_check,
    is_open,
    junit,
    markdown,
    parse_requirement,
    terminal,
)

__all__ = [
    "Check",
    "Requirement",
    "Status",
    "check_requirement",
    "compare_to",
    "failures_check",
    "is_open",
    "junit",
    "markdown",
    "parse_requirement",
    "terminal",
]
