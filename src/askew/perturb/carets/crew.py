"""Work on many scenes, here or in processes of their own, with the results in the order of the scenes."""

from __future__ import annotations

import gc
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress, count, islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from askew.errors import BadOption
from askew.perturb.carets.balance import Pool
from askew.perturb.carets.packing import packed, unpacked
from askew.perturb.carets.plausibility import Counts
from askew.types import Group, ImageRef, Refusal, Scene
from askew.worker import end_with_parent

if TYPE_CHECKING:
    from askew.perturb.carets.generator import CaretsGenerator

T = TypeVar("T")
R = TypeVar("R")
Wanted: TypeAlias = tuple[bytes, bytes, bytes]
"""Packed scenes with their pictures, their packed drafts, and a one for each of these that is kept."""

TEXT_CHUNK, PICTURE_CHUNK = 64, 2
"""How many scenes are worked on at a time; few where pictures come back."""


def pieces(scenes: Iterable[tuple[Scene, ImageRef | None]], pictures: bool) -> Iterator[bytes]:
    """The scenes with their pictures, some at a time, packed."""
    rest = iter(scenes)
    while some := list(islice(rest, PICTURE_CHUNK if pictures else TEXT_CHUNK)):
        yield packed(some)


def counted(scenes: bytes) -> Counts:
    """What is counted in packed scenes."""
    return Counts.of(scene for scene, _ in unpacked(scenes))


@dataclass(frozen=True)
class Shift:
    """What is done with some scenes, once it is known what is plausible in them."""

    maker: CaretsGenerator
    seed: int

    def draw(self, scenes: bytes) -> tuple[Pool, bytes]:
        """The drafts of packed scenes: what balance looks at, and themselves, packed."""
        drawn = [list(self.maker.pool(scene, self.seed)) for scene, _ in unpacked(scenes)]
        pool = Pool()
        for drafts in drawn:
            for draft in drafts:
                pool.add(draft.entry())
        return pool, packed(drawn)

    def make(self, wanted: Wanted) -> list[Group | Refusal]:
        """The kept drafts of some scenes in words, and what these give none for."""
        scenes, drawn, kept = wanted
        flags = iter(kept)
        made: list[Group | Refusal] = []
        for (scene, image), drafts in zip(unpacked(scenes), unpacked(drawn), strict=True):
            for draft in compress(drafts, flags):
                made.extend(self.maker.written(draft, scene, image, self.seed))
            made.extend(self.maker.refused(scene))
        return made


class Over(Protocol):
    """Does a piece of work on each of many items and gives the results in their order."""

    def __call__(self, work: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """The results, each when it is asked for."""
        ...


@contextmanager
def crew(workers: int) -> Iterator[Over]:
    """Who does the work: this process alone, or so many others. Work goes to each of them once, by a file."""
    if workers < 1:
        raise BadOption(f"carets: workers is {workers}; give 1 or more.")
    if workers == 1:
        yield lambda work, items: (uncollected(work, item) for item in items)
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin)
    with TemporaryDirectory(prefix="askew-") as folder:
        files = (Path(folder) / str(number) for number in count())
        try:
            yield lambda work, items: _spread(pool, 2 * workers, _filed(work, next(files)), items)
        except BrokenProcessPool:
            raise BadOption(
                "carets: a worker process ended. Give workers=1, or, in a script of your own, begin under "
                "if __name__ == '__main__'."
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


def _begin() -> None:
    end_with_parent()
    gc.disable()


def _spread(pool: ProcessPoolExecutor, ahead: int, work: str, items: Iterable[Any]) -> Iterator[Any]:
    """The work on each of the items, only so many ahead of what is taken."""
    waiting: deque[Future[bytes]] = deque()
    for item in items:
        waiting.append(pool.submit(_do, work, item))
        if len(waiting) > ahead:
            yield uncollected(unpacked, waiting.popleft().result())
    while waiting:
        yield uncollected(unpacked, waiting.popleft().result())


def _filed(work: Callable[[Any], Any], path: Path) -> str:
    path.write_bytes(pickle.dumps(work))
    return str(path)


def _do(work: str, item: Any) -> bytes:
    return packed(uncollected(_work(work), item))


def uncollected(work: Callable[[T], R], item: T) -> R:
    """The work on one item, without the collector of cycles: there are none, and it would take a third of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return work(item)
    finally:
        if collecting:
            gc.enable()


_known: dict[str, Callable[[Any], Any]] = {}
"""The work of this process, when it is a worker, by its file."""


def _work(path: str) -> Callable[[Any], Any]:
    if path not in _known:
        _known.clear()
        _known[path] = pickle.loads(Path(path).read_bytes())
    return _known[path]
