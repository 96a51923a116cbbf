"""The section of the pair viewer: how many pairs it has, the filters, and an empty frame for the script to fill."""

from __future__ import annotations

from collections.abc import Mapping

from askew.report.glossary import suite_name, test_name
from askew.report.markup import Html, el, join
from askew.report.pair_viewer import Sample
from askew.report.report_data import ReportData
from askew.report.score_display import count

OUTCOMES = {
    "": "any outcome",
    "broke": "correct → wrong",
    "fixed": "wrong → correct",
    "held": "correct → correct",
    "stayed": "wrong → wrong",
    "failed": "no answer",
    "disagree": "models disagree",
}
"""The outcomes of a pair, as named in the filter."""

STRATA = "suite, test, rule and outcome"
"""What the sample is stratified by, as shown on the page."""


def pairs_section(content: ReportData, sample: Sample) -> Html:
    """How many pairs are shown, the filters, and an empty frame for the script to fill."""
    shown = len(sample.pairs)
    if not shown:
        return el("p", "There are no pairs to show.")
    caption = (
        f"All {count(shown)} pairs."
        if shown == sample.total
        else (
            f"Showing {count(shown)} of {count(sample.total)} pairs: a sample, stratified by {STRATA}, so counts here "
            "are of the sample, in which rare cases are overrepresented. Tables and rates count every pair."
        )
    )
    return join(
        el("p", caption, _missing_images(sample), class_="quiet"),
        el("p", "The viewer needs JavaScript; everything else on this page does not.", class_="without-script"),
        el("div", _filters(content, sample), _frame(), class_="viewer needs-script", id="viewer", aria_busy="true"),
    )


def _missing_images(sample: Sample) -> str | None:
    album = sample.album
    notes = []
    if album.left_out:
        notes.append(f"{count(album.left_out)} images are omitted to keep the page small")
    if album.unreadable:
        notes.append(f"{count(album.unreadable)} images are missing or cannot be read")
    return f" ({'; '.join(notes)}.)" if notes else None


def _filters(content: ReportData, sample: Sample) -> Html:
    suites = {suite["name"]: suite_name(suite) for suite in content.suites}
    outcomes = {value: text for value, text in OUTCOMES.items() if value != "disagree" or len(content.runs) > 1}
    selects = [
        _select("suite", "Suite", {"": "any suite"} | _named(sample, "suite", suites)),
        _select("test", "Test", {"": "any test"} | _named(sample, "test", {})),
        _select("made_by", "Rule", {"": "any rule"} | _values(sample, "made_by")),
        _select("outcome", "Outcome", outcomes),
    ]
    if len(content.runs) > 1:
        models = {"": "any model"} | {str(number): content.labels[number] for number in content.standings.order}
        selects.append(_select("model", "Model", models))
    return el(
        "form",
        _search(),
        el("div", *selects, el("span", id="chip", class_="chip", hidden=True), class_="filters"),
        id="filters",
        role="search",
        aria_label="Filter the pairs",
    )


def _search() -> Html:
    """The row that stays in view: the text to search for, where one is, and the way to the next pair."""
    search = el(
        "input",
        id="search",
        type="search",
        placeholder="Search questions and answers ( / )",
        autocomplete="off",
        aria_label="Search questions and answers",
    )
    return el(
        "div",
        el("label", search, class_="search"),
        el("button", "← Previous", type="button", id="previous"),
        el("span", "Loading …", id="count", role="status", aria_live="polite"),
        el("button", "Next →", type="button", id="next"),
        el("button", "Clear filters", type="button", id="clear"),
        class_="find",
    )


def _values(sample: Sample, name: str) -> dict[str, str]:
    found = dict.fromkeys(str(pair[name]) for pair in sample.pairs if pair[name])
    return {value: value for value in sorted(found)}


def _named(sample: Sample, name: str, names: Mapping[str, str]) -> dict[str, str]:
    """The values with their readable names, in the order of these."""
    found = {value: names.get(value) or test_name(value) for value in _values(sample, name)}
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _select(name: str, label: str, options: dict[str, str]) -> Html:
    inner = [el("option", text, value=value) for value, text in options.items()]
    return el("label", el("span", label), el("select", *inner, id=f"by-{name}", name=name))


def _frame() -> Html:
    keys = join(
        el("kbd", "←"),
        " ",
        el("kbd", "→"),
        " or ",
        el("kbd", "k"),
        " ",
        el("kbd", "j"),
        " move, ",
        el("kbd", "/"),
        " searches, ",
        el("kbd", "Esc"),
        " clears",
    )
    listed = el("ol", id="list", class_="list", aria_label="Pairs", tabindex=0)
    shown = el("article", id="pair", class_="pair", aria_label="Pair", tabindex=-1)
    return join(el("p", keys, class_="keys quiet"), el("div", listed, shown, class_="split"))
