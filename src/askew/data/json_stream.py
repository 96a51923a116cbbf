"""Read JSON one record at a time, report where a file is broken, and detect its format from its beginning."""

from __future__ import annotations

import codecs
import io
import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, NoReturn

import orjson

from askew.errors import BadRecord, DataError
from askew.files.limits import MAX_DEPTH, MAX_RECORD, bounded_lines, is_deep, load_json
from askew.files.read_write import opened

_CHUNK = 1 << 16
_GLANCE = 1 << 19
"""The number of bytes that ``glimpse`` looks at."""
_BLANK = " \t\n\r"
_SPACE = re.compile(rf"[{_BLANK}]*")
_COMMA = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_LONGEST_TOKEN = 16
"""An error so near to the end of the text in memory may only say that the text is cut there."""
_SHALLOW = 4
"""Objects that are not wanted are passed over value by value to this depth, and lists element by element, as they may
be large."""


@dataclass
class BrokenJson(Exception):
    """Raised for text that is not valid JSON; ``_text_of`` turns it into a DataError."""

    problem: str
    byte: int | None
    """The offset of the first wrong byte; None if the file ends too early."""
    reason: str
    remedy: str


def _not_json(constant: str) -> NoReturn:
    raise ValueError(f"the value {constant} is not JSON")


def _finite(number: str) -> float:
    if math.isinf(value := float(number)):
        raise ValueError(f"the number {number[:20]} is too large")
    return value


class JsonText:
    """The text of a JSON file, decoded value by value, so that only one value and some text around it are in memory.

    >>> text = JsonText(io.BytesIO(b'{"a": 1, "list": [{"b": 2}, 3]}'), "a.json")
    >>> [list(text.values()) if key == "list" else text.value() for key in text.fields()]
    [1, [{'b': 2}, 3]]
    """

    def __init__(self, file: IO[bytes], path: str) -> None:
        self._file, self._path = file, path
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._decode = json.JSONDecoder(parse_constant=_not_json, parse_float=_finite).raw_decode
        self._text, self._at, self._ended = "", 0, False
        self._escaped = False
        """Whether characters may be written as numbers in the text in memory."""
        self._passed = 0
        """The number of bytes before the text in memory."""
        self._wrong: BrokenJson | None = None
        """The error that follows the text in memory."""
        self.records = 0
        """The number of records read so far, for messages."""

    def peek(self) -> str:
        """The next character that is not whitespace; empty at the end of the file."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._read_on()

    def value(self) -> Any:
        """The next value."""
        if self._text[self._at : self._at + 1] in _BLANK:
            self.peek()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except json.JSONDecodeError as trouble:
                open_text = trouble.msg.startswith("Unterminated")
                if self._ended:
                    early = open_text or trouble.pos >= len(self._text.rstrip())
                    self._break(trouble.pos, "" if early else trouble.msg)
                if not open_text and trouble.pos + _LONGEST_TOKEN < len(self._text):
                    self._break(trouble.pos, trouble.msg)
            except ValueError as trouble:
                self._break(self._at, str(trouble).partition(";")[0])
            except RecursionError:
                self._refuse_depth()
            else:
                if end + 2 < len(self._text) or self._ended:
                    break  # otherwise a number may go on, as in 1e+5
            self._read_on()
        if end - self._at > MAX_DEPTH and self._openings(end) > MAX_DEPTH and is_deep(value):
            self._refuse_depth()
        if self._escaped and self._text.find("\\u", self._at, end) >= 0:
            self._check_unicode(value)
        self._at = end
        return value

    def values(self) -> Iterator[Any]:
        """The values of the list that is next."""
        for _ in self.elements():
            yield self.value()
            self.records += 1

    def fields(self) -> Iterator[str]:
        """The keys of the object that is next; the value of each must be read before the next key."""
        self._take("{")
        if self.peek() == "}":
            self._at += 1
            return
        while True:
            if (sign := self.peek()) != '"':
                self._break(self._at, "Expecting a key in double quotes" if sign else "")
            key: str = self.value()
            self._take(":")
            yield key
            if self._take(",}") == "}":
                return

    def items(self) -> Iterator[tuple[str, Any]]:
        """The keys and values of the object that is next."""
        for key in self.fields():
            yield key, self.value()
            self.records += 1

    def skip(self, levels: int = _SHALLOW) -> None:
        """Pass over the next value."""
        sign = self.peek() if levels else ""
        if sign == "[":
            for _ in self.elements():
                self.value()
        elif sign == "{":
            for _ in self.fields():
                self.skip(levels - 1)
        else:
            self.value()

    def first_keys(self, found: list[str], levels: int = _SHALLOW) -> None:
        """Pass over the next value; adds the keys of the first object in it that has any, as they are read."""
        sign = self.peek() if levels and not found else ""
        if sign == "[":
            for _ in self.elements():
                if found:
                    self.value()
                else:
                    self.first_keys(found, levels - 1)
        elif sign == "{":
            for key in self.fields():
                found.append(key)
                self.skip()
        else:
            self.skip(levels)

    def end(self) -> None:
        """Check that nothing follows."""
        if self.peek():
            self._break(self._at, "Extra data")

    def elements(self) -> Iterator[None]:
        """Stop before each element of the list that is next; it must be read before the next one."""
        self._take("[")
        if self.peek() == "]":
            self._at += 1
            return
        while True:
            yield
            if comma := _COMMA.match(self._text, self._at):
                self._at = comma.end()
            elif self._take(",]") == "]":
                return

    def _take(self, signs: str) -> str:
        """The next character, which must be one of these."""
        found = self.peek()
        if not found or found not in signs:
            self._break(self._at, f"Expecting {' or '.join(map(repr, signs))}" if found else "")
        self._at += 1
        return found

    def _read_on(self) -> None:
        """Forget what was read, and read at least as much as is left."""
        if self._wrong is not None:
            raise self._wrong
        left = self._text[self._at :]
        self._passed += len(self._text[: self._at].encode())
        if len(left) > MAX_RECORD:
            raise DataError(
                f"{self._path}: a record before byte {self._passed + len(left):,} is longer than {MAX_RECORD >> 20} "
                "MiB. No record that askew reads is so long; check the file."
            )
        self._text, self._at = left, 0
        chunk = self._file.read(max(_CHUNK, len(left)))
        self._ended = not chunk
        try:
            self._text += self._utf8.decode(chunk, final=self._ended)
        except UnicodeDecodeError as wrong:  # the text before it is read first
            self._text += wrong.object[: wrong.start].decode()
            place = self._passed + len(self._text.encode())
            self._wrong = BrokenJson("not UTF-8", place, wrong.reason, "Save the file as UTF-8")
        self._escaped = "\\u" in self._text

    def _openings(self, end: int) -> int:
        return self._text.count("[", self._at, end) + self._text.count("{", self._at, end)

    def _check_unicode(self, value: Any) -> None:
        """Refuse halves of surrogate pairs, which cannot be written again."""
        try:
            orjson.dumps(value)
        except TypeError as trouble:
            if "surrogates" in str(trouble):
                self._break(self._at, "a text has half of a surrogate pair (\\ud800 to \\udfff)")

    def _refuse_depth(self) -> NoReturn:
        byte = self._passed + len(self._text[: self._at].encode()) + 1
        raise DataError(
            f"{self._path}: a record is nested more than {MAX_DEPTH} levels deep (at byte {byte:,}). No data that "
            "askew reads is nested so deeply; check the file."
        ) from None

    def _break(self, at: int, reason: str) -> NoReturn:
        """Refuse the text; without a reason, because it ends too early."""
        byte = self._passed + len(self._text[:at].encode()) if reason else None
        reason = f"{reason[0].lower()}{reason[1:]}" if reason else "the file ends too early"
        raise BrokenJson("broken JSON", byte, reason, "Fix the file or download it again") from None


def _place(path: str, byte: int | None) -> str:
    """Line, column and number of the byte at this offset of a file; None for its end."""
    line, column, passed = 1, 0, 0
    with opened(path) as file:
        while chunk := file.read(_CHUNK if byte is None else min(_CHUNK, byte - passed)):
            newline = chunk.rfind(b"\n")
            line += chunk.count(b"\n")
            column = column + len(chunk) if newline < 0 else len(chunk) - newline - 1
            passed += len(chunk)
    if byte is None:
        return f"its end (line {line}, byte {passed})"
    return f"line {line}, column {column + 1} (byte {passed + 1})"


@contextmanager
def _text_of(path: str) -> Iterator[JsonText]:
    with opened(path) as file:
        text = JsonText(file, path)
        try:
            yield text
        except BrokenJson as broken:
            raise DataError(
                f"{path}: {broken.problem} near {_place(path, broken.byte)}, after record {text.records}: "
                f"{broken.reason}. {broken.remedy}; a JSON file that is broken in the middle cannot be read past that "
                "place (JSONL can)."
            ) from None


def items(path: str, key: str) -> Iterator[tuple[int, Any]]:
    """The records of a JSON list, either the whole file or under ``key`` of an object."""
    if first_character(path) == "[":
        return nested_items(path)
    return _listed(path, key)


def _listed(path: str, key: str) -> Iterator[tuple[int, Any]]:
    number = 0
    for number, record in nested_items(path, key):
        yield number, record
    if number:
        return
    with _text_of(path) as text:
        keys = []
        for name in text.fields():
            keys.append(name)
            text.skip()
    if key not in keys:
        shown = ", ".join(keys[:8]) or "none"
        raise DataError(f"{path}: there is no list {key!r} in it (its keys: {shown}). Is this the right file?")


def nested_items(path: str, *keys: str) -> Iterator[tuple[int, Any]]:
    """The records of a list inside nested objects; ``keys`` is the path to it."""
    with _text_of(path) as text:
        yield from enumerate(_inside(text, path, keys), 1)
        text.end()


def _inside(text: JsonText, path: str, keys: tuple[str, ...]) -> Iterator[Any]:
    """The values of the list under these keys."""
    if not keys:
        yield from text.values()
        return
    if text.peek() != "{":
        text.skip()
        return
    for name in text.fields():
        if name != keys[0]:
            text.skip()
        elif len(keys) == 1 and text.peek() != "[":
            raise DataError(f"{path}: {name!r} must be a list of records. Is this the right file?")
        else:
            yield from _inside(text, path, keys[1:])


def pairs(path: str) -> Iterator[tuple[int, tuple[str, Any]]]:
    """The keys and values of a JSON object."""
    if first_character(path) != "{":
        raise DataError(f"{path}: this must be a JSON object {{id: record, ...}}, but is a list. Check the file.")
    return _numbered_pairs(path)


def _numbered_pairs(path: str) -> Iterator[tuple[int, tuple[str, Any]]]:
    with _text_of(path) as text:
        yield from enumerate(text.items(), 1)
        text.end()


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


@dataclass(frozen=True)
class Glimpse:
    """The structure of a JSON file, as far as its beginning shows it."""

    top: str
    """``[`` or ``{``."""
    keys: tuple[str, ...]
    """Keys of the outermost object (the first ones), or of the first object of the outermost list."""
    inner: tuple[str, ...]
    """Keys of the first object one level further in, if there is one."""


def glimpse(path: str) -> Glimpse:
    """The structure of the first JSON value of a file, from its beginning only."""
    keys: list[str] = []
    inner: list[str] = []
    with opened(path) as file, suppress(BrokenJson):  # reading the file reports where it is broken
        text = JsonText(io.BytesIO(file.read(_GLANCE)), path)
        if text.peek() == "[":
            for _ in text.elements():
                if text.peek() == "{":
                    break
                text.skip()
        for key in text.fields() if text.peek() == "{" else ():
            keys.append(key)
            text.first_keys(inner)
    return Glimpse(first_character(path), tuple(keys), tuple(inner))


def scalar(path: str, key: str) -> str | None:
    """The string under ``key`` of the outermost object; None if there is no such string."""
    if first_character(path) != "{":
        return None
    with opened(path) as file, suppress(BrokenJson):  # reading the file reports where it is broken
        text = JsonText(file, path)
        for name in text.fields():
            if name == key:
                found = text.value()
                return found if isinstance(found, str) else None
            text.skip()
    return None


def format_of(path: str) -> str:
    """``vqa``, ``gqa``, ``jsonl``, ``hub``, ``groups``; not data: ``annotations``, ``scenes``, ``results``, ``""``."""
    return _format(glimpse(path))


def is_seed_bench(shape: Glimpse) -> bool:
    """Whether a JSON file is that of SEED-Bench: its questions, and the names of their types."""
    return {"questions", "question_type"} <= set(shape.keys)


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
    if keys & {"conversations", "messages"} or {"question_id", "image", "text"} <= keys:
        return "hub"
    if is_seed_bench(shape):
        return "hub"
    if {"question_id", "answers"} <= keys or "annotations" in keys:
        return "annotations"
    if keys & {"id", "question_id", "questionId"} and keys & {"answer", "prediction"}:
        return "results"
    if "questions" in keys:
        return "vqa"
    if "imageId" in inner:
        return "gqa"
    if {"question", "answer"} <= inner:
        return "hub"
    return "scenes" if "objects" in inner else ""
