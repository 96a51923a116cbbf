"""What the report shows: the runs, which of them is best and how sure that is, and every pair of answers.

Models are ranked by significant differences, over one column for each suite's headline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from askew.errors import plural
from askew.report.load import Run, facts_of, labels, suites_of
from askew.report.pair_table import PairTable
from askew.types import MetricFacts, Score

SIGNIFICANT = 0.05
"""The significance level of the Holm-corrected p value."""

ACCURACY = "accuracy.all"
ORIGINALS = "accuracy.original"

BANDS = ((0.9, "holds"), (0.75, "mostly holds"), (0.5, "shaky"), (0.0, "breaks"))
"""The least share of correct answers that must survive the change, and the table's word for it."""


@dataclass(frozen=True)
class ReportData:
    """The runs, how they differ, and every pair as columns."""

    runs: Sequence[Run]
    differences: Sequence[Mapping[str, Any]]
    pair_table: PairTable
    only: str = ""
    """The suite that a section is about; all of them if empty."""

    def about(self, suite: str) -> ReportData:
        """The same runs, with only this suite."""
        return replace(self, only=suite)

    @property
    def labels(self) -> list[str]:
        """The label of each run."""
        return self.standings.labels

    @cached_property
    def standings(self) -> Standings:
        """The ranking of the runs."""
        return Standings(self.runs, self.differences)

    @cached_property
    def suites(self) -> list[Mapping[str, Any]]:
        """The suites of all runs, in order, or only the one that the section is about."""
        return [suite for suite in suites_of(self.runs) if self.only in ("", suite["name"])]

    def facts(self, suite: str, metric: str) -> MetricFacts:
        """What a metric says about itself in the first run that has it."""
        found = (one for run in self.runs for one in run.suites if one["name"] == suite)
        return next(
            (facts_of(one, metric) for one in found if metric in (one.get("metrics") or ())), MetricFacts(metric)
        )

    def with_suite(self, suite: str) -> Iterator[tuple[int, Run]]:
        """The runs with this suite, with their indices, in the order of the ranking."""
        for number in self.standings.order:
            run = self.runs[number]
            if any(other["name"] == suite for other in run.suites):
                yield number, run


@dataclass(frozen=True)
class Standings:
    """The runs in the order of the ranking, and the figures that it is based on."""

    runs: Sequence[Run]
    differences: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def labels(self) -> list[str]:
        """The label of each run."""
        return labels(self.runs)

    @cached_property
    def columns(self) -> list[RankingColumn]:
        """Accuracy on the unchanged questions, then the headline of each suite."""
        ordered = suites_of(self.runs)
        found = [RankingColumn(suite, ACCURACY) for suite in ordered if self._measured(suite["name"], ACCURACY)][:1]
        for suite in ordered:
            metric = str((suite.get("headline") or {}).get("metric", ""))
            column = RankingColumn(suite, metric)
            if metric != ACCURACY and self._measured(*column.key):
                found.append(column)
        return found

    def _measured(self, suite: str, metric: str) -> bool:
        return bool(metric) and any(run.score(suite, metric).metric for run in self.runs)

    @cached_property
    def people(self) -> list[int]:
        """The runs with people's answers: references that are not ranked."""
        return [number for number, run in enumerate(self.runs) if run.is_human]

    @cached_property
    def blind(self) -> list[int]:
        """The runs of models that do not see the image: references, unless there are no other models to rank."""
        models = [number for number, run in enumerate(self.runs) if not run.is_human]
        found = [number for number in models if self.runs[number].is_blind]
        return sorted(found, key=lambda number: (-self.mean(number), number)) if len(found) < len(models) else []

    @cached_property
    def ranked(self) -> list[int]:
        """The other runs, the best first: significant wins minus losses over all columns, then the mean."""
        return sorted(self._rivals, key=lambda number: (-self.net(number), -self.mean(number), number))

    @cached_property
    def _rivals(self) -> list[int]:
        references = {*self.people, *self.blind}
        return [number for number in range(len(self.runs)) if number not in references]

    def net(self, number: int) -> int:
        """Significant wins minus losses of a run against those that are ranked, over all columns."""
        duels = [self.duel(number, other) for other in self._rivals if other != number]
        return sum(duel.better - duel.worse for duel in duels)

    @property
    def order(self) -> list[int]:
        """All runs: those ranked, the blind ones, people."""
        return [*self.ranked, *self.blind, *self.people]

    def mean(self, number: int) -> float:
        """The mean of a run's values over the columns, higher is better; it only breaks ties."""
        values = [self.goodness(number, column) for column in self.columns]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else 0.0

    def score(self, number: int, column: RankingColumn) -> Score:
        """The score of a run in a column."""
        return self.runs[number].score(*column.key)

    def goodness(self, number: int, column: RankingColumn) -> float | None:
        """The value of a cell, or one minus it if lower is better; None if there is none."""
        score = self.score(number, column)
        if not score.known:
            return None
        return 1 - score.value if score.facts.better < 0 else score.value

    def robustness(self, number: int, column: RankingColumn) -> float | None:
        """The share of the correct answers that survives the change; None if that is not known.

        A conditional metric is this share. An accuracy after the change is divided by the accuracy before it.
        R_score is not a share, so the accuracies that are its parts are used instead.
        """
        value, run, suite = self.goodness(number, column), self.runs[number], column.suite["name"]
        if value is None or column.is_accuracy:
            return None
        facts = column.facts
        if not facts.parts and (facts.conditional or facts.better < 0):
            return value
        before = run.score(suite, facts.parts[0] if facts.parts else ORIGINALS).value
        after = run.score(suite, facts.parts[1]).value if facts.parts else value
        return min(1.0, after / before) if before > 0 and after == after else None

    def band(self, number: int, column: RankingColumn) -> tuple[int, str] | None:
        """How robust a cell is, as a number from 0 (best) and in words; None if that is not known."""
        share = self.robustness(number, column)
        if share is None:
            return None
        return next((place, words) for place, (least, words) in enumerate(BANDS) if share >= least or least == 0.0)

    def duel(self, number: int, other: int) -> Duel:
        """One run against another over all columns."""
        signs = [self.sign(column, number, other) for column in self.columns]
        return Duel(signs.count(1), signs.count(-1), signs.count(0))

    def sign(self, column: RankingColumn, number: int, other: int) -> int:
        """1 if a run is significantly better than another in a column, -1 if worse, else 0."""
        return self._signs.get((*column.key, self.labels[number], self.labels[other]), 0)

    @cached_property
    def _signs(self) -> dict[tuple[str, str, str, str], int]:
        signs = {}
        directions = {column.key: column.facts.better for column in self.columns}
        for item in self.differences:
            if is_significant(item) and not item.get("part"):
                better = directions.get((item["suite"], item["metric"]), 1)
                better = better if (item.get("difference") or 0) > 0 else -better
                signs[item["suite"], item["metric"], item["a"], item["b"]] = better
                signs[item["suite"], item["metric"], item["b"], item["a"]] = -better
        return signs

    def is_best(self, number: int, column: RankingColumn) -> bool:
        """Whether a ranked run is significantly better than every other ranked run in a column."""
        rivals = [other for other in self.ranked if other != number]
        return number in self.ranked and bool(rivals) and all(self.sign(column, number, rival) > 0 for rival in rivals)

    @property
    def tested(self) -> int:
        """The number of comparisons of headlines that Holm's correction counts."""
        sizes = (item.get("family_size") or 0 for item in self.differences if item.get("family") == "headline")
        return max(sizes, default=0)


@dataclass(frozen=True, slots=True)
class RankingColumn:
    """One column of the ranking: a metric of a suite."""

    suite: Mapping[str, Any]
    metric: str

    @property
    def key(self) -> tuple[str, str]:
        """The names of the suite and the metric."""
        return self.suite["name"], self.metric

    @property
    def facts(self) -> MetricFacts:
        """What the metric says about itself."""
        return facts_of(self.suite, self.metric)

    @property
    def is_accuracy(self) -> bool:
        """Whether it is the accuracy before any change."""
        return self.metric == ACCURACY


@dataclass(frozen=True, slots=True)
class Duel:
    """One model against another: in how many columns it is significantly better, worse, and neither."""

    better: int
    worse: int
    undecided: int


def is_significant(item: Mapping[str, Any]) -> bool:
    """Whether a difference is significant after Holm's correction."""
    p = item.get("p_holm")
    return p is not None and p < SIGNIFICANT


def human_figures(column: RankingColumn) -> tuple[str, str]:
    """People's score as published in the paper, and whether it is a range over tests; empty if it is not known.

    >>> table = {"columns": [{"metric": "cacc", "part": "test=A"}, {"metric": "cacc", "part": "test=B"}],
    ...          "published": {"Human": [85.28, 78.5]}}
    >>> human_figures(RankingColumn({"name": "carets", "tables": [table]}, "cacc"))
    ('78.5–85.3', 'range over 2 tests')
    """
    whole, parts = [], {}
    for metric, part, value in _published_by_people(column.suite):
        if metric == column.metric:
            if part.startswith("test="):
                parts[part] = value
            elif not part:
                whole.append(value)
    shown = "{:.1f}".format if column.facts.unit else "{:.2f}".format
    if whole:
        return shown(whole[0]), ""
    if not parts:
        return "", ""
    low, high = min(parts.values()), max(parts.values())
    return (
        (f"{shown(low)}–{shown(high)}", f"range over {plural(len(parts), 'test')}")
        if low < high
        else (shown(low), "one test")
    )


def _published_by_people(suite: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    for sheet in suite.get("tables") or ():
        for label, values in (sheet.get("published") or {}).items():
            if str(label).lower().startswith(("human", "people")):
                for column, value in zip(sheet.get("columns") or (), values, strict=False):
                    if isinstance(value, int | float) and column.get("show", "value") != "n":
                        yield str(column.get("metric", "")), str(column.get("part", "")), float(value)
