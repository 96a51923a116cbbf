"""Data kept in a temporary file instead of in memory: blocks of bytes, objects, and distinct numbers."""

from __future__ import annotations

import os
import pickle
import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import repeat
from tempfile import TemporaryFile
from typing import Generic, TypeAlias, TypeVar
from weakref import finalize

import numpy as np
import numpy.typing as npt

from askew.errors import DataError

T = TypeVar("T")
Numbers: TypeAlias = npt.NDArray[np.int64]


class TempBlocks:
    """Blocks of bytes in a temporary file, which is deleted when it is closed or no longer used.

    >>> blocks = TempBlocks()
    >>> blocks.append(b"ab"), blocks.append(b"cde"), blocks.read(3, 2)
    (0, 2, b'cde')
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="askew-", buffering=0)  # noqa: SIM115
        self._size = 0
        self.close = finalize(self, self._file.close)
        """Delete the file."""

    def append(self, block: bytes) -> int:
        """Write a block; returns the offset at which it begins."""
        start, left = self._size, memoryview(block)
        try:
            self._file.seek(start)
            while left:
                left = left[self._file.write(left) :]
        except OSError as trouble:
            raise DataError(
                f"records cannot be written to the temporary folder ({trouble.strerror}). Free some disk space there, "
                "or use another folder: TMPDIR=FOLDER."
            ) from None
        self._size += len(block)
        return start

    def read(self, size: int, start: int) -> bytes:
        """``size`` bytes from the offset ``start``."""
        if sys.platform != "win32":
            return os.pread(self._file.fileno(), size, start)
        self._file.seek(start)
        return self._file.read(size)

    def read_all(self, sizes: Sequence[int], starts: Sequence[int]) -> list[bytes]:
        """The bytes at several offsets; faster than calling ``read`` for each."""
        if sys.platform != "win32":
            return list(map(os.pread, repeat(self._file.fileno()), sizes, starts))
        return list(map(self.read, sizes, starts))


class TempObjects(Generic[T]):
    """Objects in a temporary file, read again in the order in which they were added; each must be picklable.

    >>> objects = TempObjects()
    >>> objects.append({"a": 1}), objects.append([2]), list(objects)
    (None, None, [{'a': 1}, [2]])
    """

    def __init__(self) -> None:
        self._blocks: TempBlocks | None = None
        self._written: list[tuple[int, int]] = []
        """The size and offset of each object."""

    def append(self, item: T) -> None:
        """Write an object."""
        block = pickle.dumps(item)
        self._blocks = self._blocks or TempBlocks()
        self._written.append((len(block), self._blocks.append(block)))

    def __iter__(self) -> Iterator[T]:
        for size, start in self._written:
            assert self._blocks is not None
            yield pickle.loads(self._blocks.read(size, start))


class DistinctNumbers:
    """Distinct whole numbers from -2⁶³ to 2⁶³ - 1; most of them are in a temporary file.

    >>> numbers = DistinctNumbers()
    >>> for number in (7, 8, 7, -1):
    ...     numbers.add(number)
    >>> len(numbers), [part.tolist() for part in numbers.parts()]
    (3, [[-1, 7, 8]])
    """

    def __init__(self) -> None:
        self._recent = array("q")
        self._blocks: TempBlocks | None = None
        self._places: list[tuple[int, Numbers]] = []
        """The offset of each block, and the index in it at which each part ends."""

    def add(self, number: int) -> None:
        """Add a number."""
        self._recent.append(number)
        if len(self._recent) == _RECENT:
            self._write()

    def parts(self) -> Iterator[Numbers]:
        """All numbers, in sorted parts; no number is in two parts."""
        if self._blocks is None:
            yield np.unique(np.asarray(self._recent))
            return
        if self._recent:
            self._write()
        for part in range(_PARTS):
            yield np.unique(np.concatenate([self._read(start, ends, part) for start, ends in self._places]))

    def __len__(self) -> int:
        return sum(map(len, self.parts()))

    def _write(self) -> None:
        """Write the recent numbers as a block, grouped by part, so that one part at a time can be read."""
        numbers = np.unique(np.asarray(self._recent))
        part = (numbers.astype(np.uint64) * _ODD) >> np.uint64(64 - 6)
        ends = np.cumsum(np.bincount(part.astype(np.int64), minlength=_PARTS))
        self._blocks = self._blocks or TempBlocks()
        self._places.append((self._blocks.append(numbers[np.argsort(part, kind="stable")].tobytes()), ends))
        del self._recent[:]

    def _read(self, start: int, ends: Numbers, part: int) -> Numbers:
        first, end = int(ends[part - 1]) if part else 0, int(ends[part])
        assert self._blocks is not None
        return np.frombuffer(self._blocks.read(8 * (end - first), start + 8 * first), np.int64)


_RECENT = 1 << 16
_PARTS = 64
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Multiplying by this number spreads similar numbers over different parts."""
