"""Numbers as text."""

from __future__ import annotations

DASH = "—"


def count(number: float) -> str:
    """An integer with thousands separators.

    >>> count(200000)
    '200,000'
    """
    return f"{int(number):,}"


def probability(p: float | None) -> str:
    """A p value as text.

    >>> probability(0.00002), probability(0.0312)
    ('< 0.001', '0.031')
    """
    if p is None or p != p:
        return DASH
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
