"""The rows of one metric in the table of a run, each distinct row once."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.metrics.bounds import rows_of_fillings
from askew.metrics.sums import Floats, Ints
from askew.types import Outcome, Row
from askew.verbs import Metric


class RowColumn:
    """The rows of one metric, one for each record: the number of its row among the few distinct ones."""

    def __init__(self) -> None:
        self._numbers: dict[Row, int] = {}
        self._rows: Floats = np.zeros((0, 0))
        self._codes: Any = array("i")
        """The number of each record's row; -1 where the metric does not apply."""
        self._filled_records: Any = array("i")
        self._filled_codes: Any = array("i")
        """The possible rows of records with missing answers."""
        self._failed: Any = array("i")
        """The records left out because an answer that matters is missing."""

    def add(self, metric: Metric, outcome: Outcome, incomplete: bool) -> None:
        """Measure the next record."""
        row = metric.measure(outcome)
        self._codes.append(-1 if row is None else self._numbers.setdefault(row, len(self._numbers)))
        if incomplete:
            record, possible = len(self._codes) - 1, rows_of_fillings(metric, outcome)
            for one in possible:
                self._filled_records.append(record)
                self._filled_codes.append(self._numbers.setdefault(one, len(self._numbers)))
            if row is None and any(map(any, possible)):
                self._failed.append(record)

    @property
    def codes(self) -> npt.NDArray[Any]:
        """The number of each record's row; -1 where the metric does not apply."""
        return np.asarray(self._codes)

    @property
    def rows(self) -> Floats:
        """The distinct rows, shape (rows, columns)."""
        if len(self._rows) != len(self._numbers):
            self._rows = np.array(list(self._numbers), dtype=np.float64)
        return self._rows

    @property
    def total(self) -> Floats:
        """The sums of the columns over all records."""
        codes = self.codes
        return np.asarray(self.rows[codes[codes >= 0]].sum(axis=0))

    def failed_in(self, records: Ints) -> int:
        """How many of these records are left out because an answer is missing."""
        return int(np.isin(self._failed, records).sum())

    def possible_in(self, records: Ints) -> tuple[Ints, Floats]:
        """The possible rows of these records, and the record of each."""
        kept = np.isin(self._filled_records, records)
        return np.asarray(self._filled_records)[kept], self.rows[np.asarray(self._filled_codes)[kept]]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is saved."""
        return {
            "rows": self.rows,
            "codes": smallest(self.codes),
            "filled_records": np.asarray(self._filled_records),
            "filled_codes": smallest(np.asarray(self._filled_codes)),
            "failed": np.asarray(self._failed),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> RowColumn:
        """A column that was saved."""
        made = cls()
        made._numbers = {tuple(row): number for number, row in enumerate(arrays["rows"].tolist())}
        made._codes, made._failed = arrays["codes"], arrays["failed"]
        made._filled_records, made._filled_codes = arrays["filled_records"], arrays["filled_codes"]
        return made


def smallest(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers in the smallest type that holds them."""
    if values.dtype.kind not in "iu" or not len(values):
        return values
    fitting = np.result_type(np.min_scalar_type(values.min()), np.min_scalar_type(values.max()))
    return values.astype(fitting)
