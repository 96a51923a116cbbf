"""The first screen of the report as the output of a notebook's cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askew.report.first_screen import standalone
from askew.report.load import Run
from askew.report.markup import el

HEIGHT = 640
"""Of the frame in pixels; it scrolls."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_HEAD = f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
_STYLE = f"width:100%;height:{HEIGHT}px;border:1px solid rgba(128,128,128,.4);border-radius:6px"


def notebook_page(runs: Sequence[Run], differences: Sequence[Mapping[str, Any]] = ()) -> str:
    """The first screen in a frame of its own, so that its style and the notebook's do not touch each other."""
    page = _HEAD + standalone(runs, differences)
    return str(el("iframe", srcdoc=page, title="The first screen of askew's report", sandbox="", style=_STYLE))
