"""The gate: does a run meet the requirements of a release, and is it no worse than a baseline?

Every check is a :class:`~askew.gate.checks.Check`; the gate is open if none failed and none is undecided.
"""

from __future__ import annotations

from askew.gate.baseline import BaselineComparison, Rule, compare_to
from askew.gate.checks import EXIT_CODES, Check, Status, failures_check, verdict
from askew.gate.requirements import Requirement, check_requirement, parse_requirement
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
