"""Plain text with one question per line: no pictures and no answers, but enough to be a pool of basic questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from askew.data.faults import Sieve
from askew.data.one_file import OneFile
from askew.data.stream import decoded, lines
from askew.types import Question


@dataclass(frozen=True, repr=False)
class Lines(OneFile):
    """The questions of a text file, one per line, gzip or not; a question's id is the number of its line."""

    skip_bad: bool = False
    """Leave lines that are not UTF-8 out, and list them in ``skipped``."""

    def questions(self) -> Iterator[Question]:
        """The questions in the order of the file; blank lines are passed over."""
        self.skipped.clear()
        sieve = Sieve(self.path, self.skip_bad, self.skipped, "line")
        for number, line in lines(self.path):
            text = sieve.sift(number, None, decoded, line)
            if text:
                yield Question(number, None, text)
