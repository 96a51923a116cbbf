"""The first screen of the report as the output of a notebook's cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askew.report.breaks import find_breaks
from askew.report.first_screen import first_screen
from askew.report.load import Run
from askew.report.markup import el, framed
from askew.report.pair_table import read_pairs
from askew.report.report_data import ReportData

HEIGHT = 560
"""Of the frame in pixels; it scrolls."""


def notebook_page(runs: Sequence[Run], differences: Sequence[Mapping[str, Any]] = ()) -> str:
    """The first screen in a frame of its own, so that its style and the notebook's do not touch each other."""
    pairs = read_pairs(runs)
    content = ReportData(runs, differences, pairs)
    page = framed(
        first_screen(content, find_breaks(pairs)),
        title="askew",
        eyebrow="askew",
        heading="Do the answers change as they should?",
        subtitle=", ".join(content.labels),
        first="verdict",
        allowed=("img-src data:",),
    )
    frame = el("iframe", srcdoc=page, title="The first screen of askew's report", sandbox="", style=_STYLE)
    return str(frame)


_STYLE = f"width:100%;height:{HEIGHT}px;border:1px solid rgba(128,128,128,.4);border-radius:6px"
