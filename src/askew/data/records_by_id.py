"""Records of a file by their ids: refuse repeated ids, and gather the records that belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from askew.data.bad_records import Sieve, known_id, repeated
from askew.errors import BadRecord
from askew.types import Id

T = TypeVar("T")


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
