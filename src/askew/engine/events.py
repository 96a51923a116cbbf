"""What a run says while it works: a stream of events, which the terminal, notebooks and tests read.

A stage of a run is a generator: it yields events and returns its result. Nothing happens between two events unless the
reader asks for the next one.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from askew.engine.settings import Settings, progress_bar
from askew.errors import TooManyFailures

T = TypeVar("T")
EVERY = 64
"""How many items of a stage pass between two events about its progress."""


@dataclass(frozen=True)
class Started:
    """A stage begins."""

    stage: str
    unit: str
    total: int | None = None
    """How many items it has; None if that is not known."""


@dataclass(frozen=True)
class Advanced:
    """How far the current stage is."""

    done: int
    failed: int = 0


@dataclass(frozen=True)
class Note:
    """Something that the user may want to know."""

    sentence: str


@dataclass(frozen=True)
class Warned:
    """Something that may make the results useless."""

    sentence: str


@dataclass(frozen=True)
class Finished:
    """The last event of a run, one item for each model; the folders are still locked."""

    folders: Sequence[Path]
    results: Sequence[Mapping[str, Any]]
    """What each results.json holds, with the folders of this machine."""
    failures: Sequence[TooManyFailures]
    """Models with more failed answers than the settings allow."""


Event: TypeAlias = Started | Advanced | Note | Warned | Finished
Stage: TypeAlias = Generator[Event, None, T]


def _bar_of(stage: Started, progress: bool) -> Any:
    return progress_bar(Settings(progress=progress), desc=stage.stage, unit=f" {stage.unit}", total=stage.total)


def with_bars(events: Iterator[Event], progress: bool) -> Iterator[Note | Warned | Finished]:
    """The events that are sentences or results; the others are shown as progress bars, if at all."""
    bar: Any = None
    stage = Started("", "")
    try:
        for event in events:
            if isinstance(event, Started):
                stage = event
                if bar is not None:
                    bar.close()
                bar = _bar_of(stage, progress)
            elif isinstance(event, Advanced):
                if bar is None:  # a sentence was said in the middle of the stage
                    bar = _bar_of(stage, progress)
                bar.update(event.done - bar.n)
                if event.failed:
                    bar.set_postfix(failed=event.failed, refresh=False)
            else:
                if bar is not None:
                    bar.close()
                    bar = None
                yield event
    finally:
        if bar is not None:
            bar.close()


def result_of(stage: Stage[T], progress: bool = False) -> T:
    """Run a stage to its end; its sentences are dropped."""
    results: list[T] = []

    def events() -> Iterator[Event]:
        results.append((yield from stage))

    for _ in with_bars(events(), progress):
        pass
    return results[0]


def finished(events: Iterator[Event], progress: bool = False) -> Finished:
    """Read a run to its end in a program or notebook: warnings are Python's, notes are dropped."""
    for event in with_bars(events, progress):
        if isinstance(event, Warned):
            warnings.warn(event.sentence, stacklevel=3)
        elif isinstance(event, Finished):
            last = event
    return last
