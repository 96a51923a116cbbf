"""Decode lists of JSON records in batches: several times as fast as event by event, in little memory.

If a file may not be valid JSON, :class:`Undecided` is raised, and the caller continues with a parser that says what is
wrong and where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import orjson

from askew.files.limits import MAX_DEPTH
from askew.files.read_write import opened

CHUNK = 1 << 15
"""Bytes decoded at once; in larger batches, the garbage collector would visit every record several times."""
_ENDS = 1 << 17
"""The maximum number of bytes before the list, and after it."""
_SIGN = np.zeros(256, dtype=bool)
_SIGN[list(b'"[]{},')] = True
_STEP = np.zeros(256, dtype=np.int32)
_STEP[list(b"[{")] = 1
_STEP[list(b"]}")] = -1
_OTHERS = bytes(code for code in range(256) if code not in b'"[]{}')
_DEEPEST = MAX_DEPTH - 2
"""The maximum nesting of a record, which is in a list that may be in an object."""
_USUAL_DEPTH = 3
"""Few records are nested more deeply."""
_LONG = 1 << 21
"""Longer records are left to the other parser, which needs less memory for them."""
_SEPARATOR = re.compile(rb',\s*\{\s*"[^"\\]*"')
"""The comma after a record, and the first key of the next one."""


class Undecided(Exception):
    """Raised where another parser must decide whether the text is valid."""


def batches(path: str, key: str | None) -> Iterator[list[Any]]:
    """The records of the list under ``key`` of the outermost object, or of the outermost list, many at a time.

    A comma followed by the same bytes as an earlier separator is assumed to separate two records; it does if the text
    before it can be decoded. Brackets and quotes are only counted if there is no such comma or it does not.
    """
    with opened(path) as file:
        waiting, separator, some, more = _after_opening(file, key), b"", False, True
        while more:
            more = bool(chunk := file.read(max(CHUNK, len(waiting))))  # twice as much each time in a long record
            waiting += chunk
            place = waiting.rfind(separator) if separator and more else -1
            records = _decoded(waiting[:place]) if place > 0 else None
            if records is None:
                signs, levels = _open_brackets(waiting)
                if levels.min(initial=0) < 0:
                    break
                commas = [place for place in signs[levels == 0].tolist() if waiting[place] == 0x2C]
                if not commas and len(waiting) <= _LONG:
                    continue
                place = commas[-1] if commas else 0
                records = _decoded(waiting[:place])
                found = _SEPARATOR.match(waiting, place)
                separator = found[0] if found else b""
            if records is None:
                raise Undecided
            yield records
            waiting, some = waiting[place + 1 :], True
        yield from _last(waiting, some)
        _check_rest(waiting, file, key)


def _last(waiting: bytes, some: bool) -> Iterator[list[Any]]:
    """The records up to the end of the list; ``some``: there were others before them."""
    text = waiting[: _end(waiting)]
    records = _decoded(text) if some or text.strip() else []
    if records is None:
        raise Undecided
    yield records


def _end(waiting: bytes) -> int:
    """The position of the bracket that ends the list."""
    signs, levels = _open_brackets(waiting)
    ends = signs[levels < 0]
    if not len(ends) or waiting[ends[0]] != 0x5D:
        raise Undecided
    return int(ends[0])


def _after_opening(file: IO[bytes], key: str | None) -> bytes:
    """The first bytes of the list; what precedes it must be valid JSON without another list of this name."""
    first = file.read(_ENDS)
    if key is None:
        found = re.match(rb"\s*\[", first)
    else:
        found = re.search(rb'"%b"\s*:\s*\[' % re.escape(key.encode()), first)
        if found and key in _fields(first[: found.start()] + b'"":0}'):
            raise Undecided
    if not found:
        raise Undecided
    return first[found.end() :]


def _check_rest(waiting: bytes, file: IO[bytes], key: str | None) -> None:
    """Check that what follows the list completes the object and has no other list of this name."""
    rest = waiting[_end(waiting) + 1 :] + file.read(_ENDS)
    if file.read(1) or (rest.strip(b" \t\r\n") if key is None else key in _fields(b'{"":0' + rest)):
        raise Undecided


def _fields(text: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise Undecided from None
    if not isinstance(found, dict) or _is_deep(text):
        raise Undecided
    return found


def _decoded(text: bytes) -> list[Any] | None:
    """The records of a text, separated by commas; None if there are none, or it is not valid or nested too deeply."""
    try:
        records: list[Any] = orjson.loads(b"[%b]" % text)
    except orjson.JSONDecodeError:
        return None
    return None if not records or _is_deep(text) else records


def _is_deep(text: bytes) -> bool:
    """Whether valid JSON is nested more deeply than is allowed.

    >>> _is_deep(b'{"a": "[[[[", "b": [1]}' * 100), _is_deep(b"[" * 100 + b"]" * 100)
    (False, True)
    """
    signs = _unescaped(text).translate(None, _OTHERS)
    if 2 * signs.count(b'""') == signs.count(b'"'):  # no string has a bracket: remove pairs from the inside
        left = signs.translate(None, b'"')
        for _ in range(_USUAL_DEPTH):
            left = left.replace(b"{}", b"").replace(b"[]", b"")
        if not left:
            return False
    return bool(_levels(np.frombuffer(signs, dtype=np.uint8))[1].max(initial=0) > _DEEPEST)


def _open_brackets(text: bytes) -> tuple[Any, Any]:
    """The positions of brackets and commas outside strings, and the number of open brackets after each."""
    codes = np.frombuffer(_unescaped(text), dtype=np.uint8)
    signs = np.flatnonzero(_SIGN[codes])
    outside, levels = _levels(codes[signs])
    return signs[outside], levels


def _levels(signs: Any) -> tuple[Any, Any]:
    """Which of these signs are outside strings (quotes are not), and the number of open brackets after each of them."""
    quotes = signs == 0x22
    outside = ~(np.logical_xor.accumulate(quotes) | quotes) if quotes.any() else ~quotes
    return outside, np.cumsum(_STEP[signs[outside]])


def _unescaped(text: bytes) -> bytes:
    """The text with escaped backslashes and quotes replaced by as many other characters."""
    return text.replace(b"\\\\", b"__").replace(b'\\"', b"__") if b"\\" in text else text
