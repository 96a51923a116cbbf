"""Work on many scenes, here or in processes of their own, with the results in the order of the scenes."""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from multiprocessing import connection, get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias

from askew.errors import BadOption
from askew.perturb.carets.balance import Pool
from askew.types import Group, ImageRef, Refusal, Scene

if TYPE_CHECKING:
    from askew.perturb.carets.generator import CaretsGenerator

Pictured: TypeAlias = tuple[Scene, ImageRef | None]
Wanted: TypeAlias = tuple[Scene, ImageRef | None, list[tuple[str, int]]]
"""A scene, its picture, and the test and place of each of its drafts that are kept."""
Over: TypeAlias = Callable[[Callable[["Shift", Any], Any], Iterable[Any]], Iterator[Any]]
"""Does a piece of work on each of many items and gives the results in their order."""

TEXT_CHUNK, PICTURE_CHUNK = 32, 2
"""How many scenes a process is given at a time; few where pictures come back."""


@dataclass
class Drawn:
    """The drafts of many scenes, as little of them as can be: about 15 bytes for each."""

    pool: Pool = field(default_factory=Pool)
    tests: array[int] = field(default_factory=lambda: array("B"))
    places: array[int] = field(default_factory=lambda: array("H"))
    lengths: array[int] = field(default_factory=lambda: array("I"))
    """How many drafts each scene has."""

    def join(self, other: Drawn) -> None:
        """Put the drafts of further scenes behind."""
        self.pool.join(other.pool)
        self.tests.extend(other.tests)
        self.places.extend(other.places)
        self.lengths.extend(other.lengths)

    def wanted(self, scenes: Iterable[Pictured], size: int | None, tests: tuple[str, ...]) -> Iterator[Wanted]:
        """The scenes once more, each with those of its drafts that are kept."""
        drafts = zip(self.pool.kept(size), self.tests, self.places, strict=True)
        for (scene, image), count in zip(scenes, self.lengths, strict=True):
            yield scene, image, [(tests[test], place) for kept, test, place in islice(drafts, count) if kept]


@dataclass(frozen=True)
class Shift:
    """What one process does with one scene."""

    maker: CaretsGenerator
    seed: int

    def draw(self, scene: Scene) -> Drawn:
        """The drafts of a scene."""
        drawn = Drawn()
        for draft in self.maker.pool(scene, self.seed):
            drawn.pool.add(draft.entry())
            drawn.tests.append(self.maker.tests.index(draft.test))
            drawn.places.append(draft.place)
        drawn.lengths.append(len(drawn.tests))
        return drawn

    def make(self, wanted: Wanted) -> list[Group | Refusal]:
        """The kept drafts of a scene in words, and what it gives none for."""
        scene, image, places = wanted
        drafts = self.maker.again(scene, self.seed, places)
        written = (self.maker.written(draft, scene, image, self.seed) for draft in drafts)
        return [*chain.from_iterable(written), *self.maker.refused(scene)]


@contextmanager
def crew(shift: Shift, workers: int) -> Iterator[Over]:
    """Who does the work: this process alone, or so many others, each of which is given the shift once."""
    if workers < 1:
        raise BadOption(f"carets: workers is {workers}; give 1 or more.")
    if workers == 1:
        yield lambda work, items: (work(shift, item) for item in items)
        return
    chunk = PICTURE_CHUNK if shift.maker.picture else TEXT_CHUNK
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, (shift,))
    try:
        yield partial(_spread, pool, chunk, 2 * workers)
    except BrokenProcessPool:
        raise BadOption(
            "carets: a worker process ended. Give workers=1, or, in a script of your own, begin under "
            "if __name__ == '__main__'."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _spread(
    pool: ProcessPoolExecutor, chunk: int, ahead: int, work: Callable[[Shift, Any], Any], items: Iterable[Any]
) -> Iterator[Any]:
    """The work on chunks of the items, only so many chunks ahead of what is taken."""
    waiting: deque[Future[list[Any]]] = deque()
    rest = iter(items)
    while some := list(islice(rest, chunk)):
        waiting.append(pool.submit(_do, work, some))
        if len(waiting) > ahead:
            yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


_shift: list[Shift] = []
"""The shift of this process, when it is a worker."""


def _begin(shift: Shift) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    _shift.append(shift)


def _end_with_parent() -> None:
    """End this worker when the process that began it is gone, even if it was killed."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _do(work: Callable[[Shift, Any], Any], items: list[Any]) -> list[Any]:
    return [work(_shift[0], item) for item in items]
