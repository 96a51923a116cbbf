"""MMVP (Tong et al. 2024): a question about two images that look alike to CLIP but have different answers.

A folder with ``Questions.csv`` (``Index, Question, Options, Correct Answer``; in some copies the first is spelt
``lndex``, with a small L) and ``MMVP Images/{1..300}.jpg``. Rows 2k - 1 and 2k are a pair. Neither is the original of
the other: the first row is taken as such, and the metrics are symmetric.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askew.data.bad_records import distinct, text
from askew.data.benchmarks.benchmark_reader import GroupBenchmark
from askew.data.table_files import table_records
from askew.errors import BadRecord
from askew.types import Expect, Group, Id, Kind, Question, Variant

NAME = "Questions.csv"
_INDEX = ("Index", "lndex")
"""The column of the index, as published copies spell it."""
_OPTIONS = re.compile(r"\s*\(a\)\s*(?P<a>.+?)\s*\(b\)\s*(?P<b>.+?)\s*", re.DOTALL)
_SWAPPED = {"99", "100", "279", "280"}
"""Rows whose published labels are swapped within their pair, as lmms-eval corrects them."""


@dataclass(frozen=True, repr=False)
class Mmvp(GroupBenchmark):
    """MMVP: one question about two images that look alike to CLIP (Tong et al. 2024)."""

    title: ClassVar[str] = "MMVP"
    suites: ClassVar[Sequence[str]] = ("mmvp",)
    rule: ClassVar[str] = "short"
    wanted: ClassVar[str] = f"{NAME} and the folder 'MMVP Images'"

    labels: Literal["published", "corrected"] = "published"
    """``corrected``: with the labels of rows 99, 100, 279 and 280 swapped, as lmms-eval does."""

    def expected(self) -> Mapping[str, int]:
        """150 pairs."""
        return {"pairs": 150} if os.path.basename(self.files()[0]) == NAME else {}

    def read_groups(self, counts: Counter[str]) -> Iterator[Group]:
        """The pairs in the order of the file."""
        sieve = self.sieve(self.files()[0], "row")
        if self.labels == "corrected":
            self.remarks.append(f"{self.title}: the labels of rows {', '.join(sorted(_SWAPPED, key=int))} are swapped.")
        first: Question | None = None
        for number, key, record in distinct(sieve, table_records(sieve), _key):
            question = sieve.sift(number, key, self._question, str(key), record)
            if number % 2 == 0:  # the header is row 1
                first = question
                continue
            if first is not None and question is not None:
                counts["pairs"] += 1
                variant = Variant(question, Expect.GIVEN, "pair", "mmvp")
                yield Group(first.id, "mmvp", first, (variant,))
            first = None

    def _question(self, key: str, record: Mapping[str, Any]) -> Question:
        options = _OPTIONS.fullmatch(text(record, "Options"))
        correct = text(record, "Correct Answer").strip().strip("()")
        if options is None or correct not in ("a", "b"):
            raise BadRecord("options must be '(a) ... (b) ...' and the answer (a) or (b). Fix the row.")
        if self.labels == "corrected" and key in _SWAPPED:
            correct = "b" if correct == "a" else "a"
        choices = (options["a"], options["b"])
        image = self.image(f"MMVP Images/{key}.jpg")
        return Question(key, image, text(record, "Question"), (options[correct],), Kind("choice"), choices=choices)


def _key(record: Mapping[str, Any]) -> Id:
    return text(record, next((name for name in _INDEX if name in record), _INDEX[0]))
