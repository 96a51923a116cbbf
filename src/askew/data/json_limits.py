"""JSON on its way to a parser that streams: what nests too deeply, or is too long for one record, never gets there.

ijson keeps a path for every level and a buffer for every text, so 200 KB of brackets would take gigabytes.
"""

from __future__ import annotations

from typing import IO, Any, NamedTuple

import numpy as np

from askew.errors import DataError
from askew.files.limits import MAX_DEPTH, MAX_RECORD

_DROPPED = bytes(code for code in range(256) if code not in b'"[]{},')
_STEP = np.zeros(256, dtype=np.int32)
_STEP[list(b"[{")] = 1
_STEP[list(b"]}")] = -1


class _State(NamedTuple):
    """Where in JSON a place is."""

    level: int = 0
    """Brackets that are open."""
    in_text: bool = False
    escape: bytes = b""
    """A backslash whose letter comes next."""


class Guarded:
    """A JSON file that counts what is taken from it, and looks at it before it is handed on.

    A parser gets all that comes before the bracket that is one too many, so that it can say what is broken there.
    """

    def __init__(self, file: IO[bytes], path: str, around: int = 2) -> None:
        """``around`` is how many brackets are open around a record."""
        self._file, self._path, self._around = file, path, around
        self.taken = 0
        self._state, self._long, self._too_deep = _State(), 0, False

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        chunk = b"" if self._too_deep else self._file.read(size)
        levels, after = _levels(chunk, self._state)
        if len(levels) and levels.max() > MAX_DEPTH:
            chunk = chunk[: _shallow(chunk, self._state)]
            self._too_deep = True
        self.taken += len(chunk)
        if self._too_deep and not chunk:
            raise DataError(
                f"{self._path}: lists and objects are nested more than {MAX_DEPTH} levels deep at byte "
                f"{self.taken + 1:,}. No data that askew reads is; check the file."
            )
        self._long = 0 if len(levels) and levels.min() <= self._around else self._long + len(chunk)
        if self._long > MAX_RECORD:
            raise DataError(
                f"{self._path}: a record before byte {self.taken:,} is longer than {MAX_RECORD >> 20} MiB. "
                "No record that askew reads is; check the file."
            )
        self._state = after
        return chunk


def _levels(chunk: bytes, state: _State) -> tuple[Any, _State]:
    """How many brackets are open after each bracket and comma outside texts, and where in JSON the chunk ends.

    >>> [int(level) for level in _levels(b'{"a": [1, "],\\\\""]}', _State())[0]]
    [1, 2, 2, 1, 0]
    """
    text = (state.escape + chunk).replace(b"\\\\", b"").replace(b'\\"', b"")
    signs = np.frombuffer(text.translate(None, _DROPPED), dtype=np.uint8)
    quotes = signs == 0x22
    in_text = np.bitwise_xor.accumulate(quotes) ^ state.in_text
    levels = state.level + np.cumsum(_STEP[signs[~(in_text | quotes)]])
    level = int(levels[-1]) if len(levels) else state.level
    escape = b"\\" if text.endswith(b"\\") else b""
    return levels, _State(level, bool(in_text[-1]) if len(in_text) else state.in_text, escape)


def _shallow(chunk: bytes, state: _State) -> int:
    """How many bytes of a chunk come before the bracket that is one too many."""
    level, in_text, escaped = state.level, state.in_text, bool(state.escape)
    for place, code in enumerate(chunk):
        if escaped:
            escaped = False
        elif code == 0x5C:
            escaped = True
        elif code == 0x22:
            in_text = not in_text
        elif not in_text:
            level += int(_STEP[code])
            if level > MAX_DEPTH:
                return place
    return len(chunk)
