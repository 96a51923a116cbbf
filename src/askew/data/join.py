"""Questions and their annotations brought together, whatever the order of the two files, in flat memory."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from askew.data.faults import Sieve, identity, mapping
from askew.data.index import Index, distinct
from askew.data.stream import items
from askew.errors import BadRecord
from askew.types import Id

LOOK_AHEAD = 1024
"""How many annotations may wait in memory for their question before all of them go to a file on disk."""


def question_id(record: object) -> Id:
    """The id of a record of the VQA family."""
    return identity(mapping(record), "question_id")


class Annotations:
    """The annotations of a file, to be taken by question id, once each.

    Both files usually have the same order: then the next annotation is the wanted one. Those that come too early wait
    in memory, a few, and when they become many the file's order is another one, and the rest is indexed on disk.
    """

    def __init__(self, sieve: Sieve) -> None:
        self._sieve = sieve
        self._rest = distinct(sieve, items(sieve.path, "annotations"), question_id)
        self._waiting: dict[Id, tuple[int, Mapping[str, Any]]] = {}
        self._indexed: Index | None = None

    def close(self) -> None:
        """Remove what lies on disk."""
        self._rest.close()
        if self._indexed is not None:
            self._indexed.close()

    def take(self, key: Id) -> tuple[int, Mapping[str, Any]] | None:
        """Record number and annotation of this question; None when there is none (any more)."""
        if (found := self._waiting.pop(key, None)) is not None:
            return found
        if self._indexed is not None:
            return self._indexed.pop(key)
        for number, here, record in self._rest:
            if here == key:
                return number, record
            self._waiting[here] = (number, record)
            if len(self._waiting) > LOOK_AHEAD:
                self._index()
                return self.take(key)
        return None

    def refuse_left_over(self) -> None:
        """Every annotation that was not taken has no question."""
        for number, key, _ in self._rest:
            self._refuse(number, key)
        for key, (number, _) in self._waiting.items():
            self._refuse(number, key)
        if self._indexed is not None:
            for number, key in self._indexed.numbers():
                self._refuse(number, key)

    def _index(self) -> None:
        self._indexed = Index()
        early = ((number, key, record) for key, (number, record) in self._waiting.items())
        for number, key, record in chain(early, self._rest):
            self._indexed.add(key, number, record)
        self._waiting = {}

    def _refuse(self, number: int, key: Id) -> None:
        fault = BadRecord("an annotation without a question. Take the questions file of the same split.")
        self._sieve.refuse(number, fault, key)
