"""Bad records: how they are detected, and whether they stop the reading or are left out and listed.

Repeated ids are refused; records that belong together are gathered by their ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from askew.errors import BadImage, BadRecord
from askew.files.read_write import fingerprint, signature
from askew.types import Id

P = ParamSpec("P")
T = TypeVar("T")

_NAMES = {
    str: "text",
    int: "a whole number",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    float: "a number",
}
_TEXT = frozenset((str,))
EXACT = 2**63
"""Ids must be below this: the parser of JSON lists refuses larger integers, or reads them as floats."""


@dataclass
class Sieve:
    """Handles the bad records of one file: the first one raises an error, or each is left out and listed."""

    path: str
    skip: bool
    skipped: list[str] = field(default_factory=list)
    word: str = "record"
    """What messages call a record: ``record``, or ``line`` if that is more helpful."""
    advice: str = "Or leave out bad records: --skip-bad, or skip_bad=true after the data."
    """The second half of the remedy; empty if reading cannot continue without the record."""

    def refuse(self, number: int, fault: BadRecord | BadImage, key: Id | None = None) -> None:
        """Report a bad record: raise an error, or note it and continue without it."""
        label = "" if key is None else f" (id {short(key)})"
        message = f"{self.path}: {self.word} {number}{label}: {fault}"
        if not self.skip:
            raise type(fault)(f"{message} {self.advice}".rstrip()) from None
        self.skipped.append(message)

    def sift(self, number: int, key: Id | None, make: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """The result of ``make``; None if the record is bad and left out."""
        try:
            return make(*args, **options)
        except (BadRecord, BadImage) as fault:
            self.refuse(number, fault, key)
            return None


def mapping(record: object) -> Mapping[str, Any]:
    """The record, which must be an object with fields.

    >>> mapping([1])
    Traceback (most recent call last):
    askew.errors.BadRecord: the record must be an object {...}, but is a list. Fix it.
    """
    if not isinstance(record, dict):
        raise BadRecord(f"the record must be an object {{...}}, but is {_kind(record)}. Fix it.")
    return record


def text(record: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """A field that must be text; without a default it must be present and not blank.

    >>> text({"question": 3}, "question")
    Traceback (most recent call last):
    askew.errors.BadRecord: 'question' must be text, but is a whole number (3). Fix the record.
    """
    value = record.get(key)
    if isinstance(value, str):
        if default is None and (not value or value.isspace()):
            raise BadRecord(f"{key!r} is blank. Fill it in.")
        return value
    if value is not None:
        raise wrong(key, "text", value)
    if default is None:
        raise missing(record, key)
    return default


def identity(record: Mapping[str, Any], key: str) -> Id:
    """A field that must be an id: text or a whole number, kept as it is.

    >>> identity({"id": "01"}, "id"), identity({"id": 1}, "id")
    ('01', 1)
    """
    value = record.get(key)
    if (type(value) is int and -EXACT < value < EXACT) or (isinstance(value, str) and value):
        return value
    if value is None:
        raise missing(record, key)
    if isinstance(value, int | float) and abs(value) >= EXACT:
        raise BadRecord(
            f"{key!r} is too large a number to be read exactly ({short(value)}). Write it as text, in quotes."
        )
    raise wrong(key, "text or a whole number", value)


def id_in(key: str) -> Callable[[object], Id]:
    """A function that returns the id in this field of a record."""
    return lambda record: identity(mapping(record), key)


def known_id(record: object, *keys: str) -> Id | None:
    """The id of a possibly bad record, for messages; None if it has none."""
    if isinstance(record, dict):
        for key in keys:
            value = record.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool):
                return value
    return None


def texts(record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A field that must be a list of texts, or be absent."""
    value = record.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise wrong(key, "a list of texts", value)
    if not _TEXT.issuperset(map(type, value)):
        raise wrong(f"{key}[…]", "text", next(part for part in value if not isinstance(part, str)))
    return tuple(value)


def missing(record: Mapping[str, Any], key: str) -> BadRecord:
    """The error for a missing or null field."""
    if key in record:
        return BadRecord(f"{key!r} is null. Fill it in.")
    present = ", ".join(list(record)[:8]) or "none"
    return BadRecord(f"{key!r} is missing (present fields: {present}). Add it.")


def wrong(key: str, wanted: str, value: object) -> BadRecord:
    """The error for a field of the wrong type."""
    return BadRecord(f"{key!r} must be {wanted}, but is {_kind(value)} ({short(value)}). Fix the record.")


def repeated(key: Id, record: object = None, first: str = "") -> BadRecord:
    """The error for a repeated id."""
    where = f" (first in {first})" if first else ""
    return BadRecord(f"the id {short(key)} occurs twice{where}. Ids must be unique; remove or rename one.")


def _kind(value: object) -> str:
    return "null" if value is None else _NAMES.get(type(value), type(value).__name__)


def short(value: object) -> str:
    """A value as shown in error messages."""
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:39] + "…"


def distinct(
    sieve: Sieve,
    records: Iterable[tuple[int, T]],
    identify: Callable[[T], Id],
    again: Callable[[Id, T, str], BadRecord] = repeated,
) -> Iterator[tuple[int, Id, T]]:
    """The number, id and content of each record with a valid and new id; the others are refused.

    ``again`` returns the error for a repeated id, given the id, its record, and where it first occurred. ``1`` and
    ``"1"`` are different ids.
    """
    seen: dict[Id, int] = {}
    for number, record in records:
        try:
            key = identify(record)
            if (first := seen.setdefault(key, number)) != number:
                raise again(key, record, f"{sieve.word} {first}")
        except BadRecord as fault:
            sieve.refuse(number, fault, known_id(record, "id", "question_id", "questionId"))
        else:
            yield number, key, record


def gathered(records: Iterable[tuple[int, Id, T]]) -> Iterator[list[tuple[int, T]]]:
    """The numbered records of each key, in the order in which the keys first appear; all are held in memory.

    >>> list(gathered([(1, "a", "x"), (2, "b", "y"), (3, "a", "z")]))
    [[(1, 'x'), (3, 'z')], [(2, 'y')]]
    """
    found: dict[Id, list[tuple[int, T]]] = {}
    for number, key, record in records:
        found.setdefault(key, []).append((number, record))
    yield from found.values()


@dataclass(frozen=True, repr=False)
class DataFiles:
    """Data in files: identified by their content, with messages about the last reading."""

    path: str
    """The file, or the folder that contains the files."""
    skipped: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """Messages about the bad records left out by the last reading."""
    remarks: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """Other messages of the last reading: fields that were not read, counts against published sizes."""

    def __repr__(self) -> str:
        return signature(self)

    def files(self) -> Sequence[str]:
        """The files that are read."""
        return [self.path]

    def fingerprint(self) -> str:
        """A hash of the content of the files, as 16 hexadecimal digits."""
        return fingerprint(*self.files())

    def begin(self) -> Counter[str]:
        """Forget the last reading; returns the counter for the records of this one."""
        self.skipped.clear()
        self.remarks.clear()
        return Counter()
