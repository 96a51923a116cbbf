"""Ready-made groups: options of a suite that only matter when groups are made are refused, and never claimed."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any

from askew.errors import AskewError, BadOption
from askew.verbs import Suite, SuiteFacts


def refuse_unheeded(suite: Suite, source: str) -> None:
    """Refuse an option that was set and changes nothing of what is measured: it is for making groups.

    >>> from askew.suites.rad import RadSuite
    >>> refuse_unheeded(RadSuite(correct="any"), "groups.jsonl")
    >>> refuse_unheeded(RadSuite(yes=0.0), "groups.jsonl")
    Traceback (most recent call last):
    askew.errors.BadOption: rad: yes=0.0 is for making groups, and those of groups.jsonl are made already. Leave it \
out, or give the questions they were made from.
    """
    for name, without in _set(suite).items():
        if without is not None and _measured(without) == _measured(suite):
            raise BadOption(
                f"{suite.name}: {name}={getattr(suite, name)!r} is for making groups, and those of {source} are made "
                "already. Leave it out, or give the questions they were made from."
            )


def signature(suite: Suite) -> str:
    """The suite with the options that were set; those that the groups were made with are unknown.

    >>> from askew.suites.rad import RadSuite
    >>> signature(RadSuite(correct="any"))
    "RadSuite(correct='any') on ready-made groups"
    """
    options = ", ".join(f"{name}={getattr(suite, name)!r}" for name in _set(suite))
    known = f"{type(suite).__name__}({options})" if is_dataclass(suite) else repr(suite)
    return f"{known} on ready-made groups"


def _set(suite: Any) -> dict[str, Suite | None]:
    """The options that are not as they are by default, each with the suite without it; None where it needs it."""
    found: dict[str, Suite | None] = {}
    for option in fields(suite) if is_dataclass(suite) else ():
        if option.init and option.repr and option.default is not MISSING:
            try:
                without = replace(suite, **{option.name: option.default})
            except AskewError:
                without = None
            if without != suite:
                found[option.name] = without
    return found


def _measured(suite: Suite) -> str:
    """All that a suite does with groups that are there."""
    parts = (suite.tests, suite.metrics, suite.tables, suite.headline, suite.accuracy, suite.correct)
    return repr([*parts, SuiteFacts(suite).slices])
