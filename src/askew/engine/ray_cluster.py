"""Work on a Ray cluster: one actor per worker, each on whatever host has room for it.

Only Ray's core is used, without its retries: a lost item is reported, and the caller decides what to do. Hosts need the
same askew and the same packages; this is checked before work begins. A Ray cluster runs the code of anyone who can
reach its ports, so keep it in a private network.
"""

from __future__ import annotations

import os
import pickle
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from askew.engine.executors import TRIES, is_same, map_in_order, use_one_thread
from askew.engine.run_folder import versions
from askew.errors import BadOption, MissingExtra, RunError, first_line
from askew.files.images import content_hash
from askew.files.read_write import package_digest
from askew.types import ImageRef, LostWorker

T = TypeVar("T")
R = TypeVar("R")

PATIENCE = 120.0
"""After this many seconds without any worker, the work fails."""


@dataclass
class RayExecutor:
    """A Ray cluster: ``ray:address=auto`` for a running one, ``ray`` starts one on this machine."""

    address: str = ""
    """``auto`` or ``HOST:PORT``; by default a cluster of this machine alone is started."""
    workers: int = 0
    """How many workers; 0 for as many as the cluster has room for."""
    gpus: float = 0.0
    """GPUs for each worker."""
    cpus: float = 1.0
    """CPUs for each worker."""
    _actors: dict[Any, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The actors that are ready, each with the name of its host."""

    def __post_init__(self) -> None:
        for name in ("workers", "gpus", "cpus"):
            if getattr(self, name) < 0:
                raise BadOption(f"ray: {name} is {getattr(self, name)}; give 0 or more.")
        self._ray: Any = None
        self._started_here = False
        self._not_started = 0
        """Workers in a row that were lost while they started."""
        self._starting: dict[Any, Any] = {}
        self._last: tuple[Any, Any] = (None, None)
        """The last work, and its reference in Ray's object store."""
        self._number = 0
        """The number of the last work."""

    @property
    def width(self) -> int:
        """How many items are processed at the same time."""
        self._connect()
        return max(1, len(self._actors) + len(self._starting))

    def __enter__(self) -> RayExecutor:
        return self

    def __exit__(self, *error: object) -> None:
        if self._ray is None:
            return
        for actor in (*self._actors, *self._starting.values()):
            self._ray.kill(actor)
        self._actors.clear()
        self._starting.clear()
        self._last = (None, None)
        if self._started_here:
            self._ray.shutdown()
        self._ray = None

    def map(self, work: Callable[[T], R], items: Iterable[T], chunk: int = 1) -> Iterator[R]:
        """The results in order, computed a few items ahead; each worker gets ``work`` once."""
        return map_in_order(self, work, items, chunk)

    def each(self, start: Callable[[], Callable[[T], R]], items: Iterable[T]) -> Iterator[tuple[int, R | LostWorker]]:
        """The position and the result of each item, in any order. ``start`` is called once in each worker."""
        self._connect()
        if not is_same(self._last[0], start):
            self._last = (start, self._ray.put(pickle.dumps(start)))
            self._number += 1
        number, sent = self._number, self._last[1]
        numbered, idle = enumerate(items), deque(self._actors)
        running: dict[Any, tuple[int, Any]] = {}
        item = next(numbered, None)
        while item is not None or running:
            while idle and item is not None:
                actor = idle.popleft()
                running[actor.do.remote(number, sent, item[1])] = (item[0], actor)
                item = next(numbered, None)
            if not running:  # every worker was lost
                self._wait_for_actors()
                idle.extend(self._actors)
                continue
            for ready in self._wait(running):
                if ready in self._starting:
                    fresh = self._enlist(ready)
                    idle.extend(() if fresh is None else (fresh,))
                    continue
                place, actor = running.pop(ready)
                result = self._result(ready, actor)
                idle.extend(() if isinstance(result, LostWorker) else (actor,))
                yield place, result

    def sees(self, image: ImageRef) -> bool:
        """Whether every worker finds the same image at this path."""
        self._connect()
        self._wait_for_actors()
        said = [actor.sees.remote(image) for actor in self._actors]
        return all(self._result(one, actor) is True for one, actor in zip(said, list(self._actors), strict=True))

    def _connect(self) -> None:
        if self._ray is not None:
            return
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is sent anywhere
        try:
            import ray
        except ModuleNotFoundError:
            raise MissingExtra("The executor 'ray' needs Ray. Try: pip install 'askew[ray]'") from None
        self._ray = ray
        if not ray.is_initialized():
            self._started_here = True
            try:
                _check_reachable(self.address)
                own: dict[str, Any] = {} if self.address else {"include_dashboard": False}
                ray.init(address=self.address or "local", log_to_driver=False, **own)
            except Exception as trouble:  # Ray raises plain exceptions too, e.g. if the machine is too busy to start it
                self._ray, self._started_here = None, False
                said = first_line(str(trouble))
                raise RunError(
                    f"ray: no cluster at {self.address or 'this machine'} ({said}). Start one with: ray start --head"
                ) from trouble
        for _ in range(self.workers or self._room()):
            self._start_actor()
        self._wait_for_actors()

    def _room(self) -> int:
        """How many workers the cluster has room for."""
        found = self._ray.cluster_resources()
        rooms = [found.get(name, 0) // each for name, each in (("GPU", self.gpus), ("CPU", self.cpus)) if each]
        room = int(min(rooms)) if rooms else 1
        if room < 1:
            raise RunError(
                f"ray: the cluster has no room for a worker with {self.cpus:g} CPUs and {self.gpus:g} GPUs; it has "
                f"{found.get('CPU', 0):g} and {found.get('GPU', 0):g}. Ask for less: ray:cpus=...,gpus=..."
            )
        return room

    def _start_actor(self) -> None:
        kind = self._ray.remote(_Worker).options(
            num_cpus=self.cpus, num_gpus=self.gpus, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD"
        )
        actor = kind.remote(os.getcwd(), os.environ.get("ASKEW_CACHE", ""))
        self._starting[actor.hello.remote()] = actor

    def _enlist(self, ready: Any) -> Any | None:
        """Use a started actor after comparing versions; None if it was lost in the meantime."""
        actor = self._starting.pop(ready)
        said = self._result(ready, actor)
        if isinstance(said, LostWorker):
            self._not_started += 1
            if self._not_started >= TRIES and not self._actors:
                raise RunError(f"ray: no worker can be started: {said.reason}. Is askew installed on all hosts?")
            return None
        self._not_started = 0
        host, there = said
        here = installed()
        different = sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name))
        if different:
            name = different[0]
            raise RunError(
                f"ray: the host {host} has another {name} than this one ({there.get(name)}, here {here.get(name)}). "
                "Install the same versions on all hosts; otherwise results could depend on where they were computed."
            )
        self._actors[actor] = host
        return actor

    def _wait_for_actors(self) -> None:
        """Wait until one worker is ready; then use all that are."""
        deadline = time.monotonic() + PATIENCE
        while not self._actors:
            if not self._starting:
                self._start_actor()
            for ready in self._wait({}, timeout=1.0):
                self._enlist(ready)
            if time.monotonic() > deadline:
                raise RunError(
                    f"ray: no worker became ready within {PATIENCE:.0f} seconds. Check the cluster (ray status); "
                    "answers given so far are kept, and the same command resumes from there."
                )
        for ready in self._wait({}, timeout=0.0):
            self._enlist(ready)

    def _wait(self, running: dict[Any, Any], timeout: float | None = None) -> list[Any]:
        waited = [*running, *self._starting]
        if not waited:
            return []
        ready, _ = self._ray.wait(waited, num_returns=1 if timeout is None else len(waited), timeout=timeout)
        return list(ready)

    def _result(self, ready: Any, actor: Any) -> Any:
        """A result, or LostWorker if its worker was lost; another worker is started in its place."""
        errors = self._ray.exceptions
        ended = (errors.RayActorError, errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError)
        try:
            return self._ray.get(ready)
        except (*ended, errors.ObjectLostError) as trouble:
            host = self._actors.pop(actor, "an unknown host")
            self._start_actor()
            said = str(trouble).strip().splitlines()[-1:] or [""]
            return LostWorker(f"the worker on {host} was lost ({type(trouble).__name__}: {said[0].strip()[:200]})")
        except errors.RayTaskError as trouble:
            raise (trouble.cause if isinstance(trouble.cause, Exception) else trouble) from None


def _check_reachable(address: str) -> None:
    """Raise OSError if nothing listens at HOST:PORT; Ray itself would retry for many minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        with socket.create_connection((host, int(port)), timeout=10):
            pass


def installed() -> dict[str, str]:
    """What must be equal on all hosts: askew itself, Python, and the packages that can change a number."""
    return {**{k: v for k, v in versions().items() if k != "platform"}, "copy of askew": package_digest()}


class _Worker:
    """In an actor: keeps the function that ``start`` returned, and applies it to items."""

    def __init__(self, folder: str, cache: str) -> None:
        if os.path.isdir(folder):
            os.chdir(folder)  # so that relative paths mean the same files
        if os.path.isdir(cache):
            os.environ["ASKEW_CACHE"] = cache  # shared with this host
        use_one_thread()
        self._number = 0
        self._work: Callable[[Any], Any] = lambda item: item

    def hello(self) -> tuple[str, dict[str, str]]:
        import platform

        return platform.node(), installed()

    def sees(self, image: ImageRef) -> bool:
        return image.path is not None and Path(image.path).is_file() and content_hash(image) == image.sha256

    def do(self, number: int, start: bytes, item: Any) -> Any:
        if number != self._number:
            self._work = lambda item: item  # frees the last work before the next one is loaded
            self._work, self._number = pickle.loads(start)(), number
        return self._work(item)
