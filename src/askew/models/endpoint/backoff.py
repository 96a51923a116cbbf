"""How long to wait before the next try."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from random import Random

LONGEST = 30.0
"""Seconds; no wait of our own choice is longer."""
YEAR = 366 * 86400.0
"""Seconds; a reply that asks for more is taken as asking for this."""


def jitter(first: float, failed: int, rng: Random) -> float:
    """Full jitter: anything between nothing and a bound that doubles with each failed try.

    Many clients that failed together so do not come back together. Only the time depends on this chance.

    >>> all(0 <= jitter(0.5, 3, Random(seed)) <= 2.0 for seed in range(99))
    True
    """
    return rng.uniform(0.0, min(LONGEST, first * 2.0 ** min(failed - 1, 16)))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds a reply asks one to wait: ``Retry-After`` as a number or a date, or ``retry-after-ms``.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (7.0, 0.25, None)
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> retry_after({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, noon)
    30.0
    >>> retry_after({"retry-after": "soon"}), retry_after({"retry-after": "Thu, 01 Jan 2026 12:00:30 +99999999"})
    (None, None)
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    said = headers.get("retry-after", "")
    if (seconds := _number(said)) is not None:
        return seconds
    try:
        date = parsedate_to_datetime(said)
        if date.tzinfo is None:
            date = date.replace(tzinfo=timezone.utc)
        left = (date - (now or datetime.now(timezone.utc))).total_seconds()
    except (TypeError, ValueError, IndexError, OverflowError):  # a date, a time or a zone that there is not
        return None
    return min(max(0.0, left), YEAR)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return min(value, YEAR) if 0 <= value < float("inf") else None
