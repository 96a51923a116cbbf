"""Read JSON one record at a time, report where a file is broken, and detect its format from its beginning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, islice, takewhile
from typing import IO, Any, NamedTuple

import ijson  # type: ignore[import-untyped]
import numpy as np
import orjson

from askew.data.json_batches import Undecided, batches
from askew.errors import BadRecord, DataError
from askew.files.limits import MAX_DEPTH, MAX_RECORD, bounded_lines, load_json
from askew.files.read_write import opened

_DROPPED = bytes(code for code in range(256) if code not in b'"[]{},')
_STEP = np.zeros(256, dtype=np.int32)
_STEP[list(b"[{")] = 1
_STEP[list(b"]}")] = -1


class _State(NamedTuple):
    """The state of the scanner at a position in JSON."""

    level: int = 0
    """The number of open brackets."""
    in_text: bool = False
    escape: bytes = b""
    """A backslash at the end of the chunk, which escapes the first character of the next one."""


class Guarded:
    """A JSON file with limits on nesting and on the length of records; counts the bytes read.

    A parser gets everything before the first bracket beyond the limit, so that it reports earlier errors first.
    """

    def __init__(self, file: IO[bytes], path: str, around: int = 2) -> None:
        """``around`` is the number of open brackets around a record."""
        self._file, self._path, self._around = file, path, around
        self.taken = 0
        self._state, self._long, self._too_deep = _State(), 0, False

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        chunk = b"" if self._too_deep else self._file.read(size)
        levels, after = _open_brackets(chunk, self._state)
        if len(levels) and levels.max() > MAX_DEPTH:
            chunk = chunk[: _shallow(chunk, self._state)]
            self._too_deep = True
        self.taken += len(chunk)
        if self._too_deep and not chunk:
            raise DataError(
                f"{self._path}: lists and objects are nested more than {MAX_DEPTH} levels deep at byte "
                f"{self.taken + 1:,}. No data that askew reads is nested so deeply; check the file."
            )
        self._long = 0 if len(levels) and levels.min() <= self._around else self._long + len(chunk)
        if self._long > MAX_RECORD:
            raise DataError(
                f"{self._path}: a record before byte {self.taken:,} is longer than {MAX_RECORD >> 20} MiB. "
                "No record that askew reads is so long; check the file."
            )
        self._state = after
        return chunk


def _open_brackets(chunk: bytes, state: _State) -> tuple[Any, _State]:
    """The number of open brackets after each bracket and comma outside strings, and the state at the end of the chunk.

    >>> [int(level) for level in _open_brackets(b'{"a": [1, "],\\\\""]}', _State())[0]]
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
    """The number of bytes before the first bracket beyond the limit on nesting."""
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


_CHUNK = 1 << 16
_BUFFER = 1 << 20
_OPTIONS: dict[str, Any] = {"use_float": True, "buf_size": _BUFFER}
"""Integers beyond 64 bits are refused. Small buffers make long strings slow: each buffer parses them from the start."""
_GLANCE = 20_000
"""The number of parser events that ``glimpse`` looks at."""


@dataclass(frozen=True)
class Glimpse:
    """The structure of a JSON file, as far as its beginning shows it."""

    top: str
    """``[`` or ``{``."""
    keys: tuple[str, ...]
    """Keys of the outermost object (the first ones), or of the first object of the outermost list."""
    inner: tuple[str, ...]
    """Keys of the first object one level further in, if there is one."""


def items(path: str, key: str) -> Iterator[tuple[int, Any]]:
    """The records of a JSON list, either the whole file or under ``key`` of an object."""
    bare = first_character(path) == "["
    count = 0
    try:
        for batch in batches(path, None if bare else key):
            yield from enumerate(batch, count + 1)
            count += len(batch)
    except Undecided:
        prefix, around = ("item", 1) if bare else (f"{key}.item", 2)
        rest = _streamed(path, lambda file: ijson.items(file, prefix, **_OPTIONS), around)
        for number, record in islice(rest, count, None):
            count = number
            yield number, record
        if count == 0 and not bare:
            _must_have_list(path, key)


def nested_items(path: str, *keys: str) -> Iterator[tuple[int, Any]]:
    """The records of a list inside nested objects; ``keys`` is the path to it."""
    prefix = ".".join((*keys, "item"))
    return _streamed(path, lambda file: ijson.items(file, prefix, **_OPTIONS), len(keys) + 1)


def pairs(path: str) -> Iterator[tuple[int, tuple[str, Any]]]:
    """The keys and values of a JSON object."""
    if first_character(path) != "{":
        raise DataError(f"{path}: this must be a JSON object {{id: record, ...}}, but is a list. Check the file.")
    return _streamed(path, lambda file: ijson.kvitems(file, "", **_OPTIONS), 1)


def lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers; ``parsed`` parses them."""
    with opened(path) as file:
        for number, line in enumerate(bounded_lines(file, path), 1):
            if line := line.strip():
                yield number, line


def parsed(line: bytes) -> Any:
    """The value of one line of JSON; a broken line is one bad record, and the next line can still be read.

    >>> parsed(b'{"question": "Is it?"}')
    {'question': 'Is it?'}
    >>> parsed(b'{"question": "Is it?"')
    Traceback (most recent call last):
    askew.errors.BadRecord: broken JSON at column 22: unexpected end of data. A line holds one whole record; fix it.
    """
    try:
        return load_json(line)
    except orjson.JSONDecodeError as trouble:
        decoded(line)
        raise BadRecord(
            f"broken JSON at column {trouble.colno}: {trouble.msg}. A line holds one whole record; fix it."
        ) from None


def decoded(line: bytes) -> str:
    """The text of one line.

    >>> decoded("sí".encode("latin-1"))
    Traceback (most recent call last):
    askew.errors.BadRecord: not UTF-8: byte 0xed at column 2. Save the file as UTF-8.
    """
    try:
        return line.decode()
    except UnicodeDecodeError as wrong:
        raise BadRecord(
            f"not UTF-8: byte {line[wrong.start]:#04x} at column {wrong.start + 1}. Save the file as UTF-8."
        ) from None


def first_character(path: str) -> str:
    """The first character that is not whitespace: ``[`` for a list, ``{`` for an object."""
    with opened(path) as file:
        while chunk := file.read(_CHUNK):
            if chunk := chunk.strip():
                sign = chr(chunk[0])
                if sign not in "[{":
                    raise DataError(
                        f"{path}: this is not JSON: it begins with {sign!r}, not with '{{' or '['. Check the file."
                    )
                return sign
    raise DataError(f"{path}: the file contains only whitespace. Copy or download it again.")


def glimpse(path: str) -> Glimpse:
    """The structure of the first JSON value of a file, from its beginning only."""
    top = first_character(path)
    outer = 1 if top == "{" else 2
    keys: list[tuple[int, str]] = []
    with opened(path) as file:
        try:
            events = ijson.basic_parse(Guarded(file, path), multiple_values=True, **_OPTIONS)
            for level, event, value in _levels(islice(events, _GLANCE)):
                if event == "map_key":
                    keys.append((level, value))
                elif event == "end_map" and level < outer:
                    break
                elif event == "end_map":
                    keys.append((level, ""))
        except ijson.JSONError:
            pass  # reading the file reports where it is broken
    return Glimpse(top, tuple(key for level, key in keys if key and level == outer), _first_inside(keys, outer))


def _levels(events: Iterable[tuple[str, Any]]) -> Iterator[tuple[int, str, Any]]:
    """Events with their nesting level; the end of a list or object has the level around it."""
    level = 0
    for event, value in events:
        level += event.startswith("start_")
        level -= event.startswith("end_")
        yield level, event, value


def _first_inside(keys: Sequence[tuple[int, str]], outer: int) -> tuple[str, ...]:
    """The keys of the first object inside the outer one ("" marks the end of an object, one level up)."""
    inside = list(dropwhile(lambda entry: entry[0] <= outer, keys))
    own = inside[0][0] if inside else 0
    whole = takewhile(lambda entry: entry[0] >= own, inside)
    return tuple(key for level, key in whole if key and level == own)


def scalar(path: str, key: str) -> str | None:
    """The string under ``key`` of the outermost object; None if there is no such string."""
    if first_character(path) != "{":
        return None
    with opened(path) as file:
        try:
            events = ijson.parse(Guarded(file, path), **_OPTIONS)
            found = next((value for prefix, event, value in events if prefix == key and event == "string"), None)
        except ijson.JSONError:
            return None  # reading the file reports where it is broken
    return None if found is None else str(found)


def _must_have_list(path: str, key: str) -> None:
    found = dict.fromkeys(glimpse(path).keys)
    if key not in found:
        shown = ", ".join(list(found)[:8]) or "none"
        raise DataError(f"{path}: there is no list {key!r} in it (its keys: {shown}). Is this the right file?")
    with opened(path) as file:
        event = next(
            (event for prefix, event, _ in ijson.parse(Guarded(file, path), **_OPTIONS) if prefix == key),
            None,
        )
    if event != "start_array":
        raise DataError(f"{path}: {key!r} must be a list of records. Is this the right file?")


def _streamed(path: str, read: Callable[[Any], Iterator[Any]], around: int) -> Iterator[tuple[int, Any]]:
    number = 0
    with opened(path) as file:
        guarded = Guarded(file, path, around)
        try:
            for number, record in enumerate(read(guarded), 1):
                yield number, record
        except ijson.JSONError as trouble:
            reason = _reason(trouble).replace(
                "integer overflow", "a whole number too large to be read; write it as text"
            )
            problem = "not UTF-8" if "UTF8" in reason else "broken JSON"
            remedy = "Save the file as UTF-8" if "UTF8" in reason else "Fix the file or download it again"
            raise DataError(
                f"{path}: {problem} near {_place(path, guarded.taken)}, after record {number}: {reason}. "
                f"{remedy}; a JSON file that is broken in the middle cannot be read past that place (JSONL can)."
            ) from None


def _reason(trouble: Exception) -> str:
    first = trouble.args[0]
    text = first.decode(errors="replace") if isinstance(first, bytes) else str(first)
    text = text.split("\n", 1)[0]
    text = re.sub(r"^(lexical|parse) error: ", "", text).strip().rstrip(".")
    return "the file ends too early" if text == "premature EOF" else text


def _place(path: str, taken: int) -> str:
    """Line, column and byte of the first error in the first ``taken`` bytes, found by parsing them again."""
    parser = ijson.basic_parse_coro(_Nothing(), use_float=True)
    line, column, byte = 1, 0, 0
    with opened(path) as file:
        while chunk := file.read(_CHUNK):
            slow = byte + len(chunk) >= taken - _BUFFER
            for piece in (chunk[i : i + 1] for i in range(len(chunk))) if slow else (chunk,):
                newline = piece.rfind(b"\n")
                line += piece.count(b"\n")
                column = column + len(piece) if newline < 0 else len(piece) - newline - 1
                byte += len(piece)
                try:
                    parser.send(piece)
                except (ijson.JSONError, StopIteration):
                    return f"line {line}, column {column} (byte {byte})"
    return f"its end (line {line}, byte {byte})"


class _Nothing:
    """Discards events."""

    def send(self, event: object) -> None:
        """Discard the event."""


def format_of(path: str) -> str:
    """``vqa``, ``gqa``, ``jsonl``, ``groups``; or not data: ``annotations``, ``scenes``, ``results``, ``""``."""
    return _format(glimpse(path))


def may_be(path: str, kind: str) -> bool:
    """Whether a file is of this kind, or of an unknown kind (reading it then reports why)."""
    try:
        return format_of(path) in (kind, "")
    except DataError:
        return True


def _format(shape: Glimpse) -> str:
    keys, inner = set(shape.keys), set(shape.inner)
    if {"group", "original"} <= keys:
        return "groups"
    if "question" in keys:
        return "vqa" if shape.top == "[" and "question_id" in keys and "image" not in keys else "jsonl"
    if {"question_id", "answers"} <= keys or "annotations" in keys:
        return "annotations"
    if keys & {"id", "question_id", "questionId"} and keys & {"answer", "prediction"}:
        return "results"
    if "questions" in keys:
        return "vqa"
    if "imageId" in inner:
        return "gqa"
    return "scenes" if "objects" in inner else ""
