"""How a run is done, and what people called its parts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tqdm import tqdm

Item = TypeVar("Item")


@dataclass(frozen=True)
class Settings:
    """How a run is done; all of it stands in results.json."""

    limit: int | None = None
    """At most so many groups of each suite."""
    seed: int = 0
    batch_size: int = 64
    resamples: int = 2000
    """Bootstrap resamples behind every interval."""
    max_failures: float = 0.05
    """A run with a larger share of failed answers ends in an error, after everything is written."""
    store: str | None = None
    """The file answers are kept in; by default ``answers.sqlite`` in the run's folder."""
    extract: str = "auto"
    """How an answer is taken out of a model's words; ``auto``: ``short`` for models that talk, else ``none``."""
    metrics: Sequence[str] = ()
    """Metrics besides those of the suites, e.g. ``consensus:k=3``."""
    progress: bool = False


@dataclass(frozen=True)
class Named:
    """A component with the words that named it."""

    what: Any
    spec: str
    name: str = ""


def progress_bar(settings: Settings, **options: Any) -> Any:
    """A progress bar: often redrawn on a screen, a line now and then in a log."""
    calm = not sys.stderr.isatty()
    return tqdm(disable=not settings.progress, mininterval=10 if calm else 0.1, maxinterval=10, **options)


def ticking(bar: Any, items: Iterable[Item]) -> Iterator[Item]:
    """The same items; the bar moves with each."""
    for item in items:
        bar.update()
        yield item
