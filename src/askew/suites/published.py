"""The papers' own figures, which tables show beside ours."""

from __future__ import annotations

from functools import cache
from typing import Any

from askew.files.resources import resource

Rows = dict[str, tuple[float | None, ...]]


@cache
def published(suite: str) -> dict[str, Rows]:
    """The figures in ``SUITE.yaml``: for each table, row label to values as printed there.

    >>> published("rad")["rad"]["BUTD (VQA)"][0]
    67.15
    """
    tables: dict[str, dict[str, Any]] = resource(f"suites/{suite}.yaml")
    return {name: {row: tuple(values) for row, values in rows.items()} for name, rows in tables.items()}
