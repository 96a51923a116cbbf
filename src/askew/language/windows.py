"""What a layer made of each window that it has seen: most windows of a question are those of earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Make = Callable[[Ints, NDArray[Any]], object]
"""Works out windows and writes what it makes of each into the rows given."""

_BITS = 21
"""How many bits of a window's code each of its three rows has."""
_LAST = np.iinfo(np.int64).max
"""Stands behind all codes."""


class Windows:
    """Windows of three rows, each with what was made of it.

    >>> windows = Windows(np.empty(8, np.int64))
    >>> rows = windows.rows(np.array([0, 5, 6, 0, 5, 6, 0]), np.array([1, 2, 4]), lambda new, out: new.sum(1, out=out))
    >>> windows.made[rows].tolist(), len(windows)
    ([11, 11, 11], 2)
    """

    def __init__(self, room: NDArray[Any]) -> None:
        """What is made is written into this room, row after row; more is taken when it is full."""
        self.made = room
        """What was made, in rows, with some room behind."""
        self.forget()

    def forget(self) -> None:
        """Forget all windows; their memory is used again."""
        self._codes: Ints = np.array([_LAST])  # ascending
        self._rows: Ints = np.array([0])
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def rows(self, ids: Ints, places: Ints, make: Make) -> Ints:
        """The rows of what is made of the windows around some places of a sequence; new ones are made first."""
        codes = ids[places - 1] << 2 * _BITS | ids[places] << _BITS | ids[places + 1]
        distinct, which = np.unique(codes, return_inverse=True)
        at = np.asarray(np.searchsorted(self._codes, distinct))
        new = self._codes[at] != distinct
        if new.any():
            self._add(distinct[new], at[new], make)
            at += np.cumsum(new) - new
        found: Ints = self._rows[at][which]
        return found

    def _add(self, codes: Ints, at: Ints, make: Make) -> None:
        count = self._count + len(codes)
        if count > len(self.made):
            room = np.empty((2 * count, *self.made.shape[1:]), self.made.dtype)
            room[: self._count] = self.made[: self._count]
            self.made = room
        windows = np.stack([codes >> shift & (1 << _BITS) - 1 for shift in (2 * _BITS, _BITS, 0)], axis=1)
        make(windows, self.made[self._count : count])
        old = np.ones(count + 1, np.bool_)
        old[at + np.arange(len(at))] = False
        self._codes = _merged(old, self._codes, codes)
        self._rows = _merged(old, self._rows, np.arange(self._count, count))
        self._count = count


def _merged(old: NDArray[np.bool_], before: Ints, new: Ints) -> Ints:
    """Two sequences in one, with what was there before where it says so."""
    merged = np.empty(len(old), np.int64)
    merged[old] = before
    merged[~old] = new
    return merged
