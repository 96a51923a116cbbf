"""The section on what breaks each model: for each suite, the worst first, the traits with the highest break rates."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from askew.report.answer_flips import flip_section
from askew.report.breaks import SUPPORT, Breaks, Finding, readable
from askew.report.glossary import suite_name, term, test_meaning, test_name
from askew.report.markup import Html, details, el, join, scroll
from askew.report.pair_table import Trait
from askew.report.plots import mark, percent, tone
from askew.report.report_data import ReportData
from askew.report.score_display import count, probability
from askew.significance import wilson

SHOWN = 12
"""Findings that are shown directly."""

LISTED = 60
"""Findings in the collapsible list."""

NAMES = {
    "test": "test",
    "made_by": "rule",
    "question_type": "question type",
    "answer_type": "answer type",
    "answer": "people's answer",
    "changed": "new word",
    "word": "word",
}
"""What the page calls each dimension."""


def breaks_section(content: ReportData, breaks: Sequence[Breaks]) -> Html:
    """For each suite and model the traits with high break rates, and the flip matrix."""
    if not content.pair_table.pairs:
        return el("p", "There are no pairs: no suite made a variant of these questions.")
    explained = el(
        "p",
        "The worst suite of each model first. A pair breaks when the original was answered correctly and the variant "
        "was not; rates are among pairs whose original was answered correctly. Each list has tests, rules, types, "
        f"answers and words with at least {SUPPORT} such pairs that break significantly more often than the rest of "
        "their suite (pairs treated as "
        "independent, Wilson intervals, Holm-corrected). Each links to its pairs in the viewer.",
        class_="quiet",
    )
    uncounted = content.pair_table.uncounted
    left = (
        el("p", f"{count(uncounted)} rare values beyond the first 200,000 were not counted.", class_="quiet")
        if uncounted
        else None
    )
    changed = {suite["name"] for run in content.runs for suite in run.suites if suite.get("variants", 1)}
    listed = [found for found in breaks if found.suite in changed]
    blocks = []
    for number in content.standings.order:
        own = [found for found in listed if found.run == number]
        if own:
            heading = el("h3", mark(number), " ", content.labels[number]) if len(content.runs) > 1 else None
            blocks += [heading, *(_panel(content, found) for found in sorted(own, key=_worst_first))]
    return join(explained, left, *blocks)


def _worst_first(found: Breaks) -> float:
    return -wilson(found.broken, found.n)[0] if found.n else 1.0


def findings_shown(found: Breaks) -> list[Finding]:
    """The findings at the top of a panel."""
    return [finding for finding in found.findings if finding.hurts][:SHOWN]


def _panel(content: ReportData, found: Breaks) -> Html:
    label = content.labels[found.run]
    low, high = wilson(found.broken, found.n)
    rate = (
        f"{100 * found.broken / found.n:.1f} % ({100 * low:.1f}–{100 * high:.1f}) of {count(found.n)}"
        if found.n
        else "— of 0"
    )
    worst = found.worst
    most = join(", most on ", el("em", readable(worst.trait))) if worst else None
    suite = next(suite for suite in content.suites if suite["name"] == found.suite)
    summary = join(
        el("strong", suite_name(suite)),
        f": {label} breaks on {rate} pairs whose original it answered correctly",
        most,
    )
    shown = findings_shown(found)
    nothing = el(
        "p",
        f"Nothing stands out: none of {count(len(found.findings))} traits breaks significantly more than the rest."
        if found.n
        else "No pair could break: no original with a variant was answered correctly.",
    )
    listed = found.findings[:LISTED]
    more = f"The first {len(listed)} of {count(len(found.findings))} traits, the highest rates first"
    return details(
        summary,
        _findings(found, shown, "Highest break rates") if shown else nothing,
        details(more, _findings(found, listed, "All traits")) if len(listed) > len(shown) else None,
        flip_section(content.pair_table.flips[found.run].get(found.suite)),
        class_="panel",
    )


def _findings(found: Breaks, findings: list[Finding] | tuple[Finding, ...], caption: str) -> Html:
    head = ["What", "Breaks, %", "", "Broken of", "Rest, %", "p"]
    columns = [el("th", name, scope="col") for name in head]
    rows = [_finding(found.run, finding) for finding in findings]
    inner = el(
        "table",
        el("caption", caption, class_="hidden"),
        el("thead", el("tr", *columns)),
        el("tbody", *rows),
        class_="findings",
    )
    return scroll(inner, caption)


def _finding(run: int, finding: Finding) -> Html:
    kind = NAMES[finding.trait.dimension]
    also = ", ".join(f"{NAMES[trait.dimension]} {trait.value}" for trait in finding.also[:3])
    return el(
        "tr",
        el(
            "th",
            el(
                "a",
                test_name(finding.trait.value) if kind == "test" else finding.trait.value,
                href=_link(run, finding.trait),
            ),
            el(
                "small",
                term(kind, test_meaning(finding.trait.value) if kind == "test" else ""),
                f"; the same pairs: {also}" if also else "",
            ),
            scope="row",
        ),
        el("td", f"{100 * finding.rate:.1f}", el("small", f"{100 * finding.low:.1f}–{100 * finding.high:.1f}")),
        el("td", _bar(run, finding), class_="wide"),
        el("td", f"{count(finding.broken)} of {count(finding.n)}"),
        el("td", f"{100 * finding.rest:.1f}"),
        el("td", probability(finding.p)),
    )


def _link(run: int, trait: Trait) -> str:
    query = {"suite": trait.suite, "by": trait.dimension, "value": trait.value, "outcome": "broke", "model": run}
    return "#" + urlencode(query)


def _bar(run: int, finding: Finding) -> Html:
    rest = percent(finding.rest)
    return el(
        "svg",
        el("line", x1=0, x2="100%", y1=7, y2=7, class_="track"),
        el("rect", x=0, y=4, width=percent(finding.rate), height=6, class_="bar"),
        el("line", x1=percent(finding.low), x2=percent(finding.high), y1=7, y2=7, class_="interval"),
        el("line", x1=rest, x2=rest, y1=0, y2=14, class_="rest"),
        class_=f"meter {tone(run)}",
        height=14,
        aria_hidden="true",
    )
