"""What the report shows: the runs, which of them is best and how sure that is, and every pair of answers.

Models are ranked by significant differences, over one column for each suite's headline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from askew.errors import plural
from askew.metrics.accuracy import ACCURACY
from askew.report.load import NOTHING, Run, facts_of, labels, references, suites_of, widest_suite
from askew.report.pair_table import PairTable
from askew.types import MetricFacts, Score

SIGNIFICANT = 0.05
"""The significance level of the Holm-corrected p value."""

BANDS = ((0.9, "holds"), (0.75, "mostly holds"), (0.5, "shaky"), (0.0, "breaks"))
"""The least share of correct answers that must survive the change, and the table's word for it. A share gets the word
if its whole interval does."""


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
        """Accuracy on the unchanged questions, of the suite that asks most of them; then the headline of each suite."""
        ordered, wide = suites_of(self.runs), widest_suite(self.runs, ACCURACY)
        found = [RankingColumn(suite, ACCURACY, is_accuracy=True) for suite in ordered if suite["name"] == wide]
        for suite in ordered:
            metric = str((suite.get("headline") or {}).get("metric", ""))
            column = RankingColumn(suite, metric)
            if column.key != (wide, ACCURACY) and self._measured(*column.key):
                found.append(column)
        return found

    def _measured(self, suite: str, metric: str) -> bool:
        return bool(metric) and any(run.score(suite, metric).metric for run in self.runs)

    @cached_property
    def people(self) -> list[int]:
        """The runs with people's answers: references that are not ranked."""
        return [number for number in references(self.runs) if self.runs[number].is_human]

    @cached_property
    def blind(self) -> list[int]:
        """The runs of models that do not see the image: references, unless there are no other models to rank."""
        found = [number for number in references(self.runs) if not self.runs[number].is_human]
        return sorted(found, key=lambda number: (-self.mean(number), number))

    @cached_property
    def ranked(self) -> list[int]:
        """The other runs, the best first: those better than most others, then by the mean."""
        aside = references(self.runs)
        rivals = [number for number in range(len(self.runs)) if number not in aside]
        net = {one: sum(self.duel(one, other).sign for other in rivals) for one in rivals}
        return sorted(rivals, key=lambda number: (-net[number], -self.mean(number), number))

    def place(self, number: int) -> str:
        """The places that a ranked run may have: after all runs that are better themselves, before all that are worse.

        Of three runs of which only the first and the last differ, they are 1–2, 1–3 and 2–3.
        """
        duels = [self.duel(number, other).sign for other in self.ranked if other != number]
        first, last = 1 + duels.count(-1), 1 + len(duels) - duels.count(1)
        return f"{first}" if first == last else f"{first}–{last}"

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

    def still_correct(self, number: int, column: RankingColumn) -> Score:
        """Of the questions a run answered correctly before the change, the share still correct after it."""
        return NOTHING if column.is_accuracy else self.runs[number].still_correct(column.suite["name"])

    def band(self, number: int, column: RankingColumn) -> tuple[int, str] | None:
        """How robust a cell is, as a number from 0 (best) and in words; None if its interval does not say.

        A model that does not see the image has none: that its answers stay says nothing about robustness.
        """
        kept = self.still_correct(number, column)
        if not kept.has_interval or number in self.blind:
            return None
        low, high = (
            next(place for place, (least, _) in enumerate(BANDS) if end >= least) for end in (kept.low, kept.high)
        )
        return (low, BANDS[low][1]) if low == high else None

    def is_like_blind(self, number: int, column: RankingColumn) -> bool:
        """Whether a ranked run was compared with the best blind one, and is not significantly better in a column."""
        blind = [one for one in self.blind if self.goodness(one, column) is not None]
        if number not in self.ranked or not blind:
            return False
        best = max(blind, key=lambda one: self.goodness(one, column) or 0.0)
        return self._signs.get((*column.key, self.labels[number], self.labels[best]), 1) < 1

    def duel(self, number: int, other: int) -> Duel:
        """One run against another over all columns."""
        signs = [self.sign(column, number, other) for column in self.columns]
        return Duel(signs.count(1), signs.count(-1), signs.count(0))

    def sign(self, column: RankingColumn, number: int, other: int) -> int:
        """1 if a run is significantly better than another in a column, -1 if worse, else 0."""
        return self._signs.get((*column.key, self.labels[number], self.labels[other]), 0)

    @cached_property
    def _signs(self) -> dict[tuple[str, str, str, str], int]:
        """For each comparison that was tested, which run is significantly better, if either is."""
        signs = {}
        directions = {column.key: column.facts.better for column in self.columns}
        for item in self.differences:
            p = item.get("p_holm")
            if p is not None and p == p and not item.get("part"):
                better = directions.get((item["suite"], item["metric"]), 1)
                better = better if (item.get("difference") or 0) > 0 else -better
                better *= is_significant(item)
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
    is_accuracy: bool = False
    """Whether it is the accuracy before any change, of all suites."""

    @property
    def key(self) -> tuple[str, str]:
        """The names of the suite and the metric."""
        return self.suite["name"], self.metric

    @property
    def facts(self) -> MetricFacts:
        """What the metric says about itself."""
        return facts_of(self.suite, self.metric)

    @property
    def chance(self) -> str:
        """What guesses score, as text; empty if that is not defined."""
        level = (self.suite.get("chance") or {}).get(self.metric)
        return "" if level is None else self.facts.show(level)


@dataclass(frozen=True, slots=True)
class Duel:
    """One model against another: in how many columns it is significantly better, worse, and neither."""

    better: int
    worse: int
    undecided: int

    @property
    def sign(self) -> int:
        """1 if it is better in some column and worse in none, -1 the other way round, else 0: columns that are nearly
        the same count once."""
        return (self.better > 0) - (self.worse > 0)


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
