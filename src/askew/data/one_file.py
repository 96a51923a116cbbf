"""What the readers of a single file share: the file's name, its content, and what was left out of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from askew.files.fingerprint import fingerprint, signature


@dataclass(frozen=True, repr=False)
class OneFile:
    """A data set that lies in one file: called by the file's name, known by its content.

    >>> OneFile("pools/basic.txt.gz").name, OneFile("pools/basic.txt.gz")
    ('basic', OneFile(path='basic.txt.gz'))
    """

    path: str
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
