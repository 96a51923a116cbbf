"""The gate: does a run meet the requirements of a release, and is it no worse than a baseline?

Every check is a :class:`~askew.gate.requirements.Check`; the gate is open if none failed and none is undecided.
"""

from __future__ import annotations

from askew.gate.baseline import BaselineComparison, Rule, compare_to
from askew.gate.requirements import (
    EXIT_CODES,
    Check,
    Requirement,
    Status,
    check_requirement,
    failures_check,
    parse_requirement,
    verdict,
)
from askew.gate.show import junit, markdown, terminal

__all__ = [
    "EXIT_CODES",
    "BaselineComparison",
    "Check",
    "Requirement",
    "Rule",
    "Status",
    "check_requirement",
    "compare_to",
    "failures_check",
    "junit",
    "markdown",
    "parse_requirement",
    "terminal",
    "verdict",
]
