"""Where work is done: in this process, in several processes of this machine, or on a Ray cluster (``ray_cluster.py``).

Results never depend on it.
"""

from __future__ import annotations

import os
import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, TypeVar

from askew.engine.ask import chunks
from askew.errors import BadOption, RunError
from askew.files.read_write import end_with_parent
from askew.registry import make
from askew.types import LostWorker
from askew.verbs import Executor

T = TypeVar("T")
R = TypeVar("R")

_Places: TypeAlias = dict[Future[Any], tuple[int, ProcessPoolExecutor]]
"""Items in progress: their positions, and the processes that they were given to."""
TRIES = 3
"""How often items are repeated before they are blamed for the loss of their workers."""


@contextmanager
def workers_of(spec: str) -> Iterator[Executor | None]:
    """The executor of a spec, closed at the end; None for this process alone.

    >>> with workers_of("local") as one, workers_of("local:workers=2") as two:
    ...     one, two
    (None, LocalExecutor(workers=2))
    """
    with make("executor", spec) as executor:
        yield None if executor == LocalExecutor() else executor


@dataclass
class LocalExecutor:
    """This process (``workers=1``, the default), or that many processes of this machine."""

    workers: int = 1
    _pool: ProcessPoolExecutor | None = field(default=None, init=False, repr=False, compare=False)
    _folder: TemporaryDirectory[str] | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise BadOption(f"workers is {self.workers}; give 1 or more.")
        self._numbers = count()
        self._last: tuple[Any, Any] = (None, None)
        """The last work, and the file that workers read it from or, in this process, the result of ``start``."""

    @property
    def width(self) -> int:
        """How many items are processed at the same time."""
        return self.workers

    def __enter__(self) -> LocalExecutor:
        return self

    def __exit__(self, *error: object) -> None:
        self._close_pool()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def map(self, work: Callable[[T], R], items: Iterable[T], chunk: int = 1) -> Iterator[R]:
        """The results in order, computed a few items ahead; each worker gets ``work`` once.

        >>> with LocalExecutor() as executor:
        ...     list(executor.map(abs, [-1, 2]))
        [1, 2]
        """
        if self.workers == 1:
            yield from map(work, items)
            return
        yield from map_in_order(self, work, items, chunk)

    def each(self, start: Callable[[], Callable[[T], R]], items: Iterable[T]) -> Iterator[tuple[int, R | LostWorker]]:
        """The position and the result of each item, in any order. ``start`` is called once in each worker."""
        if self.workers == 1:
            if self._last[0] is not start:
                self._last = (start, start())
            yield from ((place, self._last[1](item)) for place, item in enumerate(items))
            return
        path, places = self._saved(start), _Places()
        for place, item in enumerate(items):
            future = self._submit(path, item)
            places[future] = (place, self._processes)
            if len(places) >= 2 * self.workers:
                yield from self._finished(places)
        while places:
            yield from self._finished(places)

    def _submit(self, path: str, item: Any) -> Future[Any]:
        try:
            return self._processes.submit(_do, path, item)
        except BrokenProcessPool:  # the pool broke before
            self._close_pool()
            return self._processes.submit(_do, path, item)

    def _finished(self, places: _Places) -> Iterator[tuple[int, Any]]:
        done, _ = wait(places, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=lambda future: places[future][0]):
            place, pool = places.pop(future)
            try:
                result = future.result()
            except BrokenProcessPool:
                if pool is self._pool:  # otherwise it was closed before, when another of its items was found lost
                    self._close_pool()
                result = LostWorker("a worker process ended")
            yield place, result

    def _saved(self, work: Callable[..., Any]) -> str:
        """A file with the work, so that each worker reads it once; the same file for the same work."""
        if not is_same(self._last[0], work):
            self._folder = self._folder or TemporaryDirectory(prefix="askew-")
            path = Path(self._folder.name) / str(next(self._numbers))
            path.write_bytes(pickle.dumps(work))
            self._last = (work, str(path))
        return str(self._last[1])

    @property
    def _processes(self) -> ProcessPoolExecutor:
        if self._pool is None:
            from multiprocessing import get_context  # imported late: most commands start no worker

            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), _start_worker)
        return self._pool

    def _close_pool(self) -> None:
        if self._pool is not None:
            if self._pool._broken:  # it waits for processes that were starting when it broke, but does not end them
                for process in list((self._pool._processes or {}).values()):
                    process.kill()
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


@dataclass(frozen=True)
class MapsChunks:
    """Starts a worker that applies a function to each item of a list."""

    work: Callable[[Any], Any]

    def __call__(self) -> Callable[[list[Any]], list[Any]]:
        """Return the function that processes a list."""
        return lambda items: list(map(self.work, items))


def is_same(before: object, now: object) -> bool:
    """Whether workers have this work already."""
    if isinstance(before, MapsChunks) and isinstance(now, MapsChunks):
        return before.work is now.work
    return before is now


def map_in_order(executor: Executor, work: Callable[[T], R], items: Iterable[T], chunk: int) -> Iterator[R]:
    """``Executor.map`` by ``Executor.each``: a chunk of items is sent at a time."""
    for made in in_order(executor, MapsChunks(work), chunks(items, chunk)):
        yield from made


def in_order(executor: Executor, start: Callable[[], Callable[[T], R]], items: Iterable[T]) -> Iterator[R]:
    """The results of ``Executor.each`` in the order of the items; lost ones are repeated first."""
    rest, again = enumerate(items), deque[tuple[int, T]]()
    given: list[tuple[int, T] | None] = []
    lost, done, wanted = Counter[int](), dict[int, R](), 0

    def next_items() -> Iterator[T]:
        while numbered := again.popleft() if again else next(rest, None):
            given.append(numbered)
            yield numbered[1]

    while True:
        first = len(given)
        for place, result in executor.each(start, next_items()):
            numbered = given[first + place]
            assert numbered is not None
            number = numbered[0]
            given[first + place] = None
            if not isinstance(result, LostWorker):
                done[number] = result
                while wanted in done:
                    yield done.pop(wanted)
                    wanted += 1
                continue
            lost[number] += 1
            if lost[number] == TRIES:
                raise RunError(
                    f"Some work was given to workers {TRIES} times, and each time {result.reason}. If memory is short, "
                    "use fewer workers; in a script of your own, put the call under if __name__ == '__main__'."
                )
            again.append(numbered)
        if not again:
            return


def use_one_thread() -> None:
    """Give numerical libraries one thread in this worker; call it before numpy or torch is imported."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"


def _start_worker() -> None:
    end_with_parent()
    use_one_thread()


_loaded: dict[str, Callable[[Any], Any]] = {}
"""In a worker: its work, by the file it was read from."""


def _do(path: str, item: Any) -> Any:
    if path not in _loaded:
        _loaded.clear()
        _loaded[path] = pickle.loads(Path(path).read_bytes())()
    return _loaded[path](item)
