"""Work on many scenes, in this process or in several, with the results in the order of the scenes.

Scenes, drafts and groups go to other processes and to temporary files as pickled bytes. Frozen dataclasses with slots
and named tuples are slow to pickle, so each is written as a call with its fields, which takes a third of the time.
"""

from __future__ import annotations

import gc
import io
import pickle
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from operator import attrgetter
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any, Protocol, TypeVar

from askew.perturb.carets.arguments import Noun, QuestionArguments
from askew.perturb.carets.attributes import Value
from askew.perturb.carets.question_pairs import PairDraft, QuestionPair
from askew.types import Group, ImageRef, Kind, Question, Refusal, Relation, Scene, Thing, Variant
from askew.verbs import Executor

T = TypeVar("T")
R = TypeVar("R")


class MapItems(Protocol):
    """Applies a function to each of many items and yields the results in order, like ``map``."""

    def __call__(self, work: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """The results, computed lazily."""
        ...


def map_by(executor: Executor | None) -> MapItems:
    """A ``map`` that runs in workers, which get the function once, or in this process if there are none."""
    if executor is None:
        return lambda work, items: (without_gc(work, item) for item in items)
    return lambda work, items: (without_gc(unpacked, done) for done in executor.map(_Packs(work), items))


@dataclass(frozen=True)
class _Packs:
    """In a worker: does the work, and packs the result."""

    work: Callable[[Any], Any]

    def __call__(self, item: Any) -> bytes:
        return packed(without_gc(self.work, item))


def without_gc(work: Callable[[T], R], item: T) -> R:
    """Call ``work(item)`` without garbage collection: there are no cycles, and it would take a third of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return work(item)
    finally:
        if collecting:
            gc.enable()


def packed(what: object) -> bytes:
    """Pickle to bytes, quickly; ``unpacked`` is the inverse.

    >>> unpacked(packed([Thing("1", "cup", ("red",))]))
    [Thing(id='1', name='cup', attributes=('red',), box=None)]
    """
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _CALLS
    pickler.dump(what)
    return file.getvalue()


def unpacked(what: bytes) -> Any:
    """The inverse of ``packed``. Only for bytes written by this run."""
    return pickle.loads(what)


def _call(kind: type[Any]) -> Callable[[Any], tuple[type[Any], tuple[Any, ...]]]:
    values = tuple if issubclass(kind, tuple) else attrgetter(*(each.name for each in fields(kind)))
    return lambda it: (kind, values(it))


_KINDS = (
    Group,
    ImageRef,
    Kind,
    Question,
    Refusal,
    Relation,
    Scene,
    Thing,
    Variant,
    QuestionArguments,
    PairDraft,
    Noun,
    QuestionPair,
    Value,
)
_CALLS: dict[type[Any], Callable[[Any], Any]] = {kind: _call(kind) for kind in _KINDS}


class TempFile:
    """A temporary file of byte strings, which can be read repeatedly in the order they were added.

    >>> with TempFile() as file:
    ...     list(file.write_through([b"one", b"", b"three"])), list(file), list(file)
    ([b'one', b'', b'three'], [b'one', b'', b'three'], [b'one', b'', b'three'])
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="askew-")  # noqa: SIM115 - closed by __exit__
        self._ends = array("Q", [0])

    def __enter__(self) -> TempFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, piece: bytes) -> None:
        """Append a byte string."""
        self._file.seek(self._ends[-1])
        self._file.write(piece)
        self._ends.append(self._ends[-1] + len(piece))

    def write_through(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Append each byte string and yield it."""
        for piece in pieces:
            self.add(piece)
            yield piece

    def read(self, place: int) -> bytes:
        """The byte string that was added at this place."""
        self._file.seek(self._ends[place])
        return self._file.read(self._ends[place + 1] - self._ends[place])

    def __iter__(self) -> Iterator[bytes]:
        return map(self.read, range(len(self._ends) - 1))
