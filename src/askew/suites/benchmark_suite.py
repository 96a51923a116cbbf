"""What suites of published benchmarks share: their groups come ready-made from the reader of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from askew.errors import DataError
from askew.files.resources import resource
from askew.metrics.correct import Correct, check_correct
from askew.types import Group, Mode
from askew.verbs import Dataset


@dataclass(frozen=True)
class BenchmarkSuite:
    """A published benchmark: the metrics and tables of its paper over the groups that its reader gives."""

    accuracy: Mode = "robust"
    """How answers are compared. Benchmarks have one reference answer, so ``official`` would call "Yes." wrong."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str]
    readers: ClassVar[Sequence[str]]
    """The readers that give its groups."""

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)

    def groups(self, data: Dataset, seed: int) -> Iterator[Group]:
        """Refuses data of other kinds: the groups of a benchmark are made by its authors, not from any questions."""
        reader = " or ".join(f"--data {reader}:FOLDER" for reader in self.readers)
        raise DataError(
            f"{data.name}: this is not the data of {self.name}. Give its published files: {reader}. "
            "For other questions name another suite; askew ls suite lists them."
        )
        yield


@cache
def published_figures(suite: str) -> Mapping[str, Mapping[str, tuple[float | None, ...]]]:
    """The figures in ``benchmarks.yaml``: for each table of a suite, row label to values; the label names the source.

    Figures that nobody has compared with the paper yet are marked.

    >>> published_figures("pope")["pope"]["LLaVA-1.5-7B (Liu et al. 2024, Table 4)"][0]
    87.3
    """
    tables: dict[str, Any] = resource("suites/benchmarks.yaml").get(suite, {})
    found: dict[str, dict[str, tuple[float | None, ...]]] = {}
    for name, sources in tables.items():
        for table in sources if isinstance(sources, list) else [sources]:
            source = table["source"] + ("" if table["checked"] else "; unchecked")
            rows = {f"{row} ({source})": tuple(values) for row, values in table["rows"].items()}
            found.setdefault(name, {}).update(rows)
    return found
