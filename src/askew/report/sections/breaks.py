"""The fourth section: what breaks each model, and from which answer it goes to which."""

from __future__ import annotations

from urllib.parse import urlencode

from askew.report.breaks import Breaks, Finding
from askew.report.census import Trait
from askew.report.content import SUPPORT, Content
from askew.report.figures import count, probability
from askew.report.flips import Matrix, matrix
from askew.report.markup import Html, details, el, join, scroll
from askew.report.plots import mark, percent, tone
from askew.significance import wilson

SHOWN = 12
"""Findings that are shown at once."""

LISTED = 60
"""Findings that are listed on demand."""

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


def breaks_section(content: Content) -> Html:
    """For each suite and model the traits that hurt, and the flip matrix."""
    if not content.census.pairs:
        return el("p", "There are no pairs: no suite made a variant of these questions.")
    explained = el(
        "p",
        "A pair breaks when the original was answered rightly and the variant was not; rates are among pairs whose "
        f"original was right. Listed are tests, rules, types, answers and words with at least {SUPPORT} such pairs "
        "that break significantly more often than the rest of their suite (pairs counted as independent, Wilson "
        "intervals, Holm-corrected). Each leads to its pairs in the viewer.",
        class_="quiet",
    )
    uncounted = content.census.uncounted
    left = (
        el("p", f"{count(uncounted)} rare values beyond the first 200,000 were not counted.", class_="quiet")
        if uncounted
        else None
    )
    changed = {suite["name"] for run in content.runs for suite in run.suites if suite.get("variants", 1)}
    listed = [found for found in content.breaks if found.suite in changed]
    first = next(iter([*filter(findings_shown, listed), *listed]), None)
    return join(explained, left, *(_panel(content, found, opened=found is first) for found in listed))


def findings_shown(found: Breaks) -> list[Finding]:
    """The findings at the top of a panel."""
    return [finding for finding in found.findings if finding.hurts][:SHOWN]


def _panel(content: Content, found: Breaks, opened: bool) -> Html:
    label = content.labels[found.run]
    low, high = wilson(found.broken, found.n)
    rate = (
        f"{100 * found.broken / found.n:.1f} % ({100 * low:.1f}–{100 * high:.1f}) of {count(found.n)}"
        if found.n
        else "— of 0"
    )
    worst = found.worst
    most = join(", most on ", el("em", worst.trait.value)) if worst else None
    summary = join(
        mark(found.run) if len(content.runs) > 1 else None,
        el("strong", label),
        f" in {found.suite} breaks on {rate} pairs it had right",
        most,
    )
    shown = findings_shown(found)
    nothing = el(
        "p",
        f"Nothing stands out: of {count(len(found.findings))} things looked at none breaks significantly more often "
        "than the rest."
        if found.n
        else "No pair could break: no changed question was answered rightly before.",
    )
    listed = found.findings[:LISTED]
    more = f"The first {len(listed)} of {count(len(found.findings))} things looked at, the most hurtful first"
    return details(
        summary,
        _findings(found, shown, "What hurts") if shown else nothing,
        details(more, _findings(found, listed, "Everything looked at")) if len(listed) > len(shown) else None,
        _flips(content, found),
        opened=opened,
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
            el("a", finding.trait.value, href=_link(run, finding.trait)),
            el("small", f"{kind}; the same pairs: {also}" if also else kind),
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


def _flips(content: Content, found: Breaks) -> Html | None:
    flips = content.census.flips[found.run].get(found.suite)
    if not flips or not flips.counts:
        return None
    made = matrix(flips)
    told = (
        f"Rows: its {len(made.rows)} most frequent answers to the original; columns: to the variant. Under each "
        "count, how many of these variants were answered wrongly. "
        f"{count(made.covered)} of {count(made.total)} pairs are here."
    )
    return details("From which answer to which", el("p", told, class_="quiet"), _matrix(made))


def _matrix(made: Matrix) -> Html:
    largest = max((n for row in made.cells for n, _ in row), default=1) or 1
    head = [
        el("th", "said before ↓ after →", scope="col"),
        *(el("th", answer or "(empty)", scope="col") for answer in made.columns),
    ]
    rows = []
    for answer, row in zip(made.rows, made.cells, strict=True):
        cells = [
            _cell(n, wrong, largest, answer == column) for column, (n, wrong) in zip(made.columns, row, strict=True)
        ]
        rows.append(el("tr", el("th", answer or "(empty)", scope="row"), *cells))
    inner = el(
        "table",
        el("caption", "Flip matrix", class_="hidden"),
        el("thead", el("tr", *head)),
        el("tbody", *rows),
        class_="heat flips",
    )
    return scroll(inner, "Flip matrix")


def _cell(n: int, wrong: int, largest: int, same: bool) -> Html:
    if not n:
        return el("td", "·", class_="same" if same else None)
    shade = f"heat{min(9, int(9 * (n / largest) ** 0.5))}"
    return el(
        "td",
        count(n),
        el("small", f"{count(wrong)} ✗" if wrong else "all ✓"),
        class_=f"{shade} same" if same else shade,
    )
