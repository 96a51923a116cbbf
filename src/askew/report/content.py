"""What the page is about: the runs, and all that was counted for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askew.report.breaks import Breaks
from askew.report.census import Census
from askew.report.load import Run, labels
from askew.report.terminal import is_significant

SUPPORT = 20
"""Pairs that a trait needs before its rate is shown."""


@dataclass(frozen=True)
class Content:
    """The runs, how they differ, every pair as columns, and what breaks each run."""

    runs: Sequence[Run]
    differences: Sequence[Mapping[str, Any]]
    census: Census
    breaks: Sequence[Breaks]

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

    def worst(self, run: int) -> dict[str, str]:
        """For each suite what breaks this run most, where something does."""
        named = ((found.suite, found.worst) for found in self.breaks if found.run == run)
        return {suite: finding.trait.value for suite, finding in named if finding}

    def beaten(self, run: int, suite: str, metric: str, part: str = "") -> list[str]:
        """The runs this one is significantly better than."""
        own, others = self.labels[run], []
        for item in self.differences:
            if (item["suite"], item["metric"], item.get("part", "")) == (suite, metric, part) and is_significant(item):
                ahead, behind = (item["a"], item["b"]) if (item.get("difference") or 0) > 0 else (item["b"], item["a"])
                if ahead == own:
                    others.append(str(behind))
        return others
