"""What the page is about: the runs, and all that was counted for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askew.report.load import Run, labels
from askew.report.model_differences import is_significant
from askew.report.pair_table import PairTable


@dataclass(frozen=True)
class ReportData:
    """The runs, how they differ, every pair as columns, and what breaks each run."""

    runs: Sequence[Run]
    differences: Sequence[Mapping[str, Any]]
    pair_table: PairTable

    @cached_property
    def labels(self) -> list[str]:
        """What each run is called."""
        return labels(self.runs)

    @cached_property
    def suites(self) -> list[Mapping[str, Any]]:
        """Every suite that some run has, in order."""
        found: dict[str, Mapping[str, Any]] = {}
        for run in self.runs:
            for suite in run.suites:
                found.setdefault(suite["name"], suite)
        return list(found.values())

    def with_suite(self, suite: str) -> Iterator[tuple[int, Run]]:
        """The runs that have this suite, with their numbers."""
        for number, run in enumerate(self.runs):
            if any(other["name"] == suite for other in run.suites):
                yield number, run

    def beaten(self, run: int, suite: str, metric: str, part: str = "") -> list[str]:
        """The runs this one is significantly better than."""
        own, others = self.labels[run], []
        for item in self.differences:
            if (item["suite"], item["metric"], item.get("part", "")) == (suite, metric, part) and is_significant(item):
                ahead, behind = (item["a"], item["b"]) if (item.get("difference") or 0) > 0 else (item["b"], item["a"])
                if ahead == own:
                    others.append(str(behind))
        return others
