"""Plain text with one question per line: no pictures and no answers, but enough to be a pool of basic questions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from askew.data.faults import Sieve
from askew.data.stream import lines
from askew.errors import BadRecord
from askew.files import fingerprint, signature
from askew.types import Question


@dataclass(frozen=True, repr=False)
class Lines:
    """The questions of a text file, one per line, gzip or not; a question's id is the number of its line."""

    path: str
    skip_bad: bool = False
    """Leave lines that are not UTF-8 out, and list them in ``skipped``."""
    skipped: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """What the last reading left out."""

    def __repr__(self) -> str:
        return signature(self)

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return os.path.basename(self.path).split(".")[0]

    def fingerprint(self) -> str:
        """The content of the file, in 16 digits."""
        return fingerprint(self.path)

    def questions(self) -> Iterator[Question]:
        """The questions in the order of the file; blank lines are passed over."""
        self.skipped.clear()
        sieve = Sieve(self.path, self.skip_bad, self.skipped, "line")
        for number, line in lines(self.path):
            text = sieve.sift(number, None, _text, line)
            if text:
                yield Question(number, None, text)


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as wrong:
        raise BadRecord(
            f"not UTF-8: byte {line[wrong.start]:#04x} at column {wrong.start + 1}. Save the file as UTF-8."
        ) from None
