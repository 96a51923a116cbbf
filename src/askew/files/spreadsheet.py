"""Cells of files that people open in a spreadsheet: text is never a formula.

What begins with one of these signs is run by Excel, LibreOffice and Google Sheets, and may fetch or send data (OWASP,
"CSV Injection"); an apostrophe before it makes it text. Files for programs keep the text as it is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(text: str) -> str:
    """Text as a cell of a CSV or XLSX file for people.

    >>> safe_cell("=HYPERLINK(A1)"), safe_cell("a-b"), safe_cell("-1")
    ("'=HYPERLINK(A1)", 'a-b', "'-1")
    """
    return f"'{text}" if text.startswith(FORMULA_SIGNS) else text


def csv_line(cells: Sequence[str | int | float | None]) -> bytes:
    """One line of a CSV file for people; numbers stay numbers."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(
        [safe_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    )
    return line.getvalue().encode()
