"""What the report shows: the runs, every pair of answers, and which differences between models are significant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from askew.report.load import Run, labels
from askew.report.markup import Html, details, el, table
from askew.report.pair_table import PairTable
from askew.report.score_display import count, probability, show, title
from askew.report.standings import Standings, is_significant
from askew.significance import LEAST_IMAGES

LISTED = 200
"""The number of comparisons in a collapsible list."""


def difference_text(metric: str, item: Mapping[str, Any]) -> str:
    """A difference with its sign and interval.

    >>> difference_text("rad.forward", {"difference": 0.123, "low": 0.1, "high": 0.15})
    '+12.3 (10.0 to 15.0)'
    """
    value = item.get("difference")
    text = show(metric, value)
    if value is not None and value > 0:
        text = "+" + text.lstrip("+")
    if any(side is None or side != side for side in (item.get("low"), item.get("high"))):
        return text
    return f"{text} ({show(metric, item['low'])} to {show(metric, item['high'])})"


def differences_section(differences: Sequence[Mapping[str, Any]]) -> Html | None:
    """The differences in the headlines, and each other family in a collapsible table; None without differences."""
    if not differences:
        return None
    families: dict[str, list[Mapping[str, Any]]] = {}
    for item in differences:
        families.setdefault(str(item.get("family") or "other"), []).append(item)
    first = sorted(families.pop("headline", []), key=lambda item: (item["suite"], item["metric"]))
    text = (
        "Paired on the same questions. p values are Holm-corrected within each family of comparisons: the headlines "
        f"({_tested(first)}), and separately each suite's other metrics and its parts. ▲ ▼: p is below 0.05. —: p is "
        f"unknown, as there are fewer than {LEAST_IMAGES} images."
    )
    return el(
        "section",
        el("h3", "Differences between models"),
        el("p", text, class_="quiet"),
        _difference_table(first, "Differences in the headlines") if first else None,
        *(_family(name, items) for name, items in families.items()),
        class_="sheet",
    )


def _family(name: str, items: Sequence[Mapping[str, Any]]) -> Html:
    listed = sorted(items, key=_order)[:LISTED]
    shown = f"the {count(len(listed))} clearest of {count(len(items))}, " if len(listed) < len(items) else ""
    heading = f"{name[:1].upper()}{name[1:]}: {shown}p corrected for {_tested(items)}"
    return details(heading, _difference_table(listed, f"Differences: {name}"))


def _tested(items: Sequence[Mapping[str, Any]]) -> str:
    number = sum(item.get("p_holm") is not None and item["p_holm"] == item["p_holm"] for item in items)
    return f"{count(number)} comparison{'' if number == 1 else 's'}"


def _difference_table(items: Sequence[Mapping[str, Any]], caption: str) -> Html:
    rows = [
        [
            " · ".join(filter(None, (str(item["suite"]), title(item["metric"]), str(item.get("part", ""))))),
            f"{item['a']} − {item['b']}",
            difference_text(item["metric"], item) + _arrow(item),
            probability(item.get("p_holm")),
            f"{item.get('n') or 0:,}",
        ]
        for item in items
    ]
    return table(["Number", "Models", "Difference (95 %)", "p", "n"], rows, caption, class_="differences")


def _order(item: Mapping[str, Any]) -> float:
    """Sorted by p value; differences that could not be tested are last."""
    p = item.get("p_holm")
    return 2.0 if p is None or p != p else float(p)


def _arrow(item: Mapping[str, Any]) -> str:
    if not is_significant(item):
        return ""
    return " ▲" if (item.get("difference") or 0) > 0 else " ▼"


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

    @cached_property
    def labels(self) -> list[str]:
        """The label of each run."""
        return labels(self.runs)

    @cached_property
    def standings(self) -> Standings:
        """The ranking of the runs."""
        return Standings(self.runs, self.differences)

    @cached_property
    def suites(self) -> list[Mapping[str, Any]]:
        """The suites of all runs, in order, or only the one that the section is about."""
        found: dict[str, Mapping[str, Any]] = {}
        for run in self.runs:
            for suite in run.suites:
                if self.only in ("", suite["name"]):
                    found.setdefault(suite["name"], suite)
        return list(found.values())

    def with_suite(self, suite: str) -> Iterator[tuple[int, Run]]:
        """The runs with this suite, with their indices, in the order of the ranking."""
        for number in self.standings.order:
            run = self.runs[number]
            if any(other["name"] == suite for other in run.suites):
                yield number, run
