"""Questions in a table, CSV or TSV: a column for each field of our own records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from askew.data.bad_records import Sieve
from askew.data.benchmarks.benchmark_tables import table_records
from askew.data.jsonl import OneFile, questions_of
from askew.types import Question

_LISTS = ("answers", "choices", "confidences")


@dataclass(frozen=True, repr=False)
class QuestionTable(OneFile):
    """Questions of a CSV or TSV file whose columns are named as the fields of JSONL; gzip or not.

    Blank cells are absent fields; several ``answers`` or ``choices`` in a cell are separated by ``|``.
    """

    images: str | None = None
    """The folder of images; without it they are expected beside the file, and may be absent."""
    skip_bad: bool = False
    """Leave out bad rows and list them in ``skipped``."""

    def questions(self) -> Iterator[Question]:
        """The questions in the order of the file."""
        self.skipped.clear()
        self.remarks.clear()
        sieve = Sieve(self.path, self.skip_bad, self.skipped, "row")
        records = ((number, _record(cells)) for number, cells in table_records(sieve))
        return questions_of(records, sieve, self.images, self.remarks)


def _record(cells: Mapping[str, str]) -> dict[str, Any]:
    """The record of a row.

    >>> _record({"image": "a.jpg", "question": " Is it? ", "answers": "yes|yes|no", "choices": ""})
    {'image': 'a.jpg', 'question': 'Is it?', 'answers': ['yes', 'yes', 'no']}
    """
    filled = ((name, cell) for name, text in cells.items() if (cell := text.strip()))
    return {name: [part.strip() for part in cell.split("|")] if name in _LISTS else cell for name, cell in filled}
