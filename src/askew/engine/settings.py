"""The settings of a run, components with their names, and progress bars."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from tqdm import tqdm

from askew.errors import BadOption, did_you_mean

Item = TypeVar("Item")


@dataclass(frozen=True)
class Settings:
    """The settings of a run; all of them are written to results.json."""

    limit: int | None = None
    """The maximum number of groups of each suite."""
    shard: str = ""
    """``3/16``: only the third of sixteen parts of the groups, for runs on several hosts at the same time."""
    seed: int = 0
    batch_size: int = 64
    max_failures: float = 0.05
    """A run with a larger share of failed answers ends in an error, after everything is written."""
    stop_after: int = 50
    """Equal failures in a row that stop the run: the model, not the questions, is at fault. 0 never stops."""
    store: str | None = None
    """The file answers are kept in; by default ``answers.sqlite`` in the run's folder."""
    extract: str = "auto"
    """How an answer is extracted from a model's reply; ``auto``: ``short`` for free text, else ``none``."""
    accuracy: str = "auto"
    """How answers are compared: a mode, or ``auto``: ``robust`` for free text, else as the suite says."""
    metrics: Sequence[str] = ()
    """Metrics besides those of the suites, e.g. ``consensus:k=3``."""
    no_audit: bool = False
    """Do not find out what the text of yes/no questions alone gives away about their answers."""
    overwrite: bool = False
    """Replace what the folder holds: a run of something else, or files that askew did not write."""
    executor: str = "local"
    """What builds groups and runs local models: this process, ``local:workers=2``, ``ray:address=auto``."""
    progress: bool = False
    """Show progress bars on standard error."""

    def __post_init__(self) -> None:
        if self.limit is not None:
            check_whole("limit", self.limit, least=1)
        if self.shard:
            Shard.parse(self.shard)
        check_whole("seed", self.seed)
        check_whole("batch_size", self.batch_size, least=1)
        check_share("max_failures", self.max_failures)
        check_whole("stop_after", self.stop_after)
        for name in ("store", "extract", "accuracy", "executor"):
            if not isinstance(getattr(self, name), (str, type(None))):
                raise BadOption(f"{name} is {getattr(self, name)!r}; it must be text.")

    def store_path(self, folder: Path) -> Path:
        """The path of the answer store of a run in this folder."""
        return Path(self.store) if self.store else folder / "answers.sqlite"


@dataclass(frozen=True)
class Shard:
    """One of several parts of the groups. A group belongs to a part by its id, wherever and in whatever order it is
    made, so that parts do not overlap and together are the whole.
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard of a text.

        >>> Shard.parse("3/16")
        Shard(number=3, count=16)
        >>> Shard.parse("0/16")
        Traceback (most recent call last):
        askew.errors.BadOption: shard is '0/16'; it must be I/N, such as 3/16 for the third of 16 parts.
        """
        number, _, count = text.partition("/") if isinstance(text, str) else ("", "", "")
        digits = number.isdecimal() and count.isdecimal() and len(text) <= 20
        if not digits or not 1 <= int(number) <= int(count):
            raise BadOption(f"shard is {text!r}; it must be I/N, such as 3/16 for the third of 16 parts.")
        return cls(int(number), int(count))

    def has(self, key: object) -> bool:
        """Whether the group (or the refused question) with this id belongs to the part."""
        digest = hashlib.sha256(str(key).encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest, "big") % self.count == self.number - 1


def settings_from(given: Mapping[str, Any]) -> Settings:
    """Settings by name, or by what the command line calls them (``quiet``, ``metric``); unknown names raise BadOption.

    >>> settings_from({"sed": 3})
    Traceback (most recent call last):
    askew.errors.BadOption: There is no setting 'sed'. Did you mean 'seed'? Settings: limit, shard, seed, batch_size, \
max_failures, stop_after, store, extract, accuracy, metric, no_audit, overwrite, executor, quiet, workers.
    >>> settings_from({"quiet": False, "metric": "worst"}).metrics
    ('worst',)
    >>> settings_from({"workers": 2}).executor
    'local:workers=2'
    """
    fitting = dict(given)
    if "quiet" in fitting:
        fitting["progress"] = not fitting.pop("quiet")
    if "metric" in fitting:
        metric = fitting.pop("metric")
        fitting["metrics"] = (metric,) if isinstance(metric, str) else tuple(metric)
    if "workers" in fitting:
        if "executor" in fitting:
            raise BadOption("Give executor or workers, not both: workers=2 is executor='local:workers=2'.")
        check_whole("workers", fitting["workers"], least=1)
        fitting["executor"] = f"local:workers={fitting.pop('workers')}"
    for name in fitting:
        if name not in {field.name for field in fields(Settings)}:
            known = setting_names()
            raise BadOption(f"There is no setting {name!r}.{did_you_mean(name, known)} Settings: {', '.join(known)}.")
    return Settings(**fitting)


class Keywords(TypedDict, total=False):
    """The settings as keyword arguments of :func:`askew.evaluate`, with the types that editors and checkers show; and
    the options of models that are given outside their specs.
    """

    limit: int | None
    shard: str
    seed: int
    batch_size: int
    max_failures: float
    stop_after: int
    store: str | None
    extract: str
    accuracy: str
    metric: str | Sequence[str]
    no_audit: bool
    overwrite: bool
    executor: str
    quiet: bool
    workers: int
    base_url: str
    max_calls: int
    max_tokens: int
    max_cost: float
    prices: str
    device: str
    dtype: str
    allow_download: bool


def setting_names() -> list[str]:
    """The settings as the command line and :func:`askew.evaluate` call them."""
    said = {"progress": "quiet", "metrics": "metric"}
    return [*(said.get(field.name, field.name) for field in fields(Settings)), "workers"]


def check_whole(name: str, value: Any, least: int = 0) -> None:
    """Raise BadOption unless the value is a whole number of at least ``least``.

    >>> check_whole("seed", -1)
    Traceback (most recent call last):
    askew.errors.BadOption: seed is -1; it must be a whole number, at least 0.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise BadOption(f"{name} is {value!r}; it must be a whole number, at least {least}.")
    if int(value) >= 2**63:
        raise BadOption(f"{name} is {value!r}; it must be less than 2⁶³, so that results.json can hold it.")


def check_share(name: str, value: Any) -> None:
    """Raise BadOption unless the value is a share from 0 to 1.

    >>> check_share("max_failures", 7)
    Traceback (most recent call last):
    askew.errors.BadOption: max_failures is 7; it must be a share, from 0 to 1.
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise BadOption(f"{name} is {value!r}; it must be a share, from 0 to 1.")


@dataclass(frozen=True)
class Named:
    """A component with the spec that named it."""

    what: Any
    spec: str
    name: str = ""
    signature: str = ""
    """What identifies it in results and in the answer store; by default its ``repr``."""
    typed: str | None = None
    """The spec as it was typed, from which a worker can build the component too; None for an object."""
    given: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Options given outside the spec."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "signature", self.signature or repr(self.what))


def progress_bar(settings: Settings, **options: Any) -> Any:
    """A progress bar: redrawn often on a terminal, rarely in a log file."""
    return tqdm(disable=not settings.progress, mininterval=0.1 if is_watched() else 10, maxinterval=10, **options)


def is_watched() -> bool:
    """Whether somebody sees standard error being written: on a terminal, or in a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def ticking(bar: Any, items: Iterable[Item]) -> Iterator[Item]:
    """The same items; the bar advances with each."""
    for item in items:
        bar.update()
        yield item
