"""Where work is done: in this process, in several processes, or on a Ray cluster. Results never depend on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from askew.engine.executors.local import LocalExecutor
from askew.registry import make
from askew.verbs import Executor


@contextmanager
def workers_of(spec: str) -> Iterator[Executor | None]:
    """The executor of a spec, closed at the end; None for this process alone.

    >>> with workers_of("local") as one, workers_of("local:workers=2") as two:
    ...     one, two
    (None, LocalExecutor(workers=2))
    """
    with make("executor", spec) as executor:
        yield None if executor == LocalExecutor() else executor
