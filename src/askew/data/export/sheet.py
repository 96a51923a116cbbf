"""A CSV file for people: the questions in a spreadsheet, with an empty column for the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from askew.data.export.rows import IDS, Asked, picture_name
from askew.files.read_write import write_joined
from askew.files.spreadsheet import csv_line

_MARK = b"\xef\xbb\xbf"
"""By which Excel knows UTF-8."""


def write_sheet(asked: Sequence[Asked], folder: Path, name: str) -> list[Path]:
    """Write ``NAME.csv``; gives its path. Filled in, ``askew score`` takes it; what is left empty has no answer."""
    path = folder / f"{name}.csv"
    write_joined(path, _lines(asked), _MARK)
    return [path]


def _lines(asked: Sequence[Asked]) -> Iterator[bytes]:
    yield csv_line([IDS, "image", "question", "answer"])
    for one in asked:
        yield csv_line([one.encoded_ids, str(picture_name(one.question.image) or ""), one.prompt, ""])
