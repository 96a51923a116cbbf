"""How pages write times, numbers and states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any

STATES = {
    "ASKED": "Waiting for the robot",
    "ANSWERED": "Not judged yet",
    "MODEL_FAILED": "The robot failed",
    "CORRECT": "Robot was right",
    "UNSURE": "Not sure",
    "VERIFYING": "Robot was wrong, being verified",
    "VERIFIED": "Robot was wrong, verified",
    "ABANDONED": "Not finished",
    "WITHDRAWN": "Withdrawn",
}


def moment(milliseconds: int | None) -> str:
    """A time for people, in UTC.

    >>> moment(0)
    '1970-01-01 00:00 UTC'
    >>> moment(None)
    '—'
    """
    if milliseconds is None:
        return "—"
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def machine_time(milliseconds: int) -> str:
    """A time for the ``datetime`` attribute.

    >>> machine_time(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def duration(milliseconds: int) -> str:
    """How long, in whole minutes or seconds.

    >>> duration(20 * 60_000), duration(61_000), duration(59_000), duration(-5)
    ('20 minutes', '1 minute', '59 seconds', '0 seconds')
    """
    seconds = max(0, milliseconds // 1000)
    n, unit = (seconds // 60, "minute") if seconds >= 60 else (seconds, "second")
    return f"{n} {unit}" if n == 1 else f"{n} {unit}s"


def counted(n: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "question"), counted(1200, "question")
    ('1 question', '1,200 questions')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def state_words(state: str) -> str:
    """A question's state in plain words."""
    return STATES.get(state, state.capitalize())


FILTERS: Mapping[str, Callable[..., Any]] = {
    "moment": moment,
    "machine_time": machine_time,
    "duration": duration,
    "counted": counted,
    "state_words": state_words,
}
