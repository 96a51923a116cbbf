"""What is needed again of many scenes, in a temporary file, so that memory stays flat."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from types import TracebackType


class Spool:
    """Pieces of bytes in the order they were added, read as often as one likes. The file is gone when closed.

    >>> with Spool() as spool:
    ...     list(spool.through([b"one", b"", b"three"])), list(spool), list(spool)
    ([b'one', b'', b'three'], [b'one', b'', b'three'], [b'one', b'', b'three'])
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="askew-")  # noqa: SIM115 - closed by __exit__
        self._lengths = array("Q")

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, piece: bytes) -> None:
        """Put one piece behind the others."""
        self._file.write(piece)
        self._lengths.append(len(piece))

    def through(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Add each piece and hand it on."""
        for piece in pieces:
            self.add(piece)
            yield piece

    def __iter__(self) -> Iterator[bytes]:
        place = 0
        for length in self._lengths:
            self._file.seek(place)
            yield self._file.read(length)
            place += length
