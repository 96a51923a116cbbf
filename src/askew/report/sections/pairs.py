"""The fifth section: the viewer's controls. The script fills in the pairs."""

from __future__ import annotations

from askew.report.content import Content
from askew.report.figures import count
from askew.report.markup import Html, el, join
from askew.report.pairs import STRATA, Sample

OUTCOMES = {
    "": "any outcome",
    "broke": "right → wrong",
    "mended": "wrong → right",
    "held": "right → right",
    "stayed": "wrong → wrong",
    "failed": "no answer",
    "disagree": "models disagree",
}
"""What became of a pair, as the filter calls it."""


def pairs_section(content: Content, sample: Sample) -> Html:
    """How many of how many, the filters, and the empty frame."""
    shown = len(sample.pairs)
    if not shown:
        return el("p", "There are no pairs to show.")
    said = (
        f"All {count(shown)} pairs."
        if shown == sample.total
        else (
            f"Showing {count(shown)} of {count(sample.total)} pairs: a sample, stratified by {STRATA}, so counts here "
            "are of the sample, and rare cases are more frequent in it. Tables and rates count every pair."
        )
    )
    return join(
        el("p", said, _pictures(sample), class_="quiet"),
        el("p", "The viewer needs JavaScript; everything else on this page does not.", class_="without-script"),
        el("div", _filters(content, sample), _frame(), class_="viewer needs-script", id="viewer"),
    )


def _pictures(sample: Sample) -> str | None:
    album = sample.album
    told = []
    if album.left_out:
        told.append(f"{count(album.left_out)} pictures are left out to keep the page small")
    if album.unreadable:
        told.append(f"{count(album.unreadable)} pictures are missing or cannot be read")
    return f" ({'; '.join(told)}.)" if told else None


def _filters(content: Content, sample: Sample) -> Html:
    outcomes = {value: text for value, text in OUTCOMES.items() if value != "disagree" or len(content.runs) > 1}
    selects = [
        _select("suite", "Suite", {"": "any suite"} | _values(sample, "suite")),
        _select("test", "Test", {"": "any test"} | _values(sample, "test")),
        _select("made_by", "Rule", {"": "any rule"} | _values(sample, "made_by")),
        _select("outcome", "Outcome", outcomes),
    ]
    if len(content.runs) > 1:
        models = {"": "any model"} | {str(number): label for number, label in enumerate(content.labels)}
        selects.append(_select("model", "Model", models))
    search = el(
        "input",
        id="search",
        type="search",
        placeholder="Search questions and answers",
        autocomplete="off",
        aria_label="Search questions and answers",
    )
    return el(
        "form",
        *selects,
        el("label", el("span", "Text"), search, class_="search"),
        el("button", "Clear", type="button", id="clear"),
        el("span", id="chip", class_="chip", hidden=True),
        class_="filters",
        id="filters",
        role="search",
        aria_label="Filter the pairs",
    )


def _values(sample: Sample, name: str) -> dict[str, str]:
    found = dict.fromkeys(str(pair[name]) for pair in sample.pairs if pair[name])
    return {value: value for value in sorted(found)}


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
    bar = el(
        "div",
        el("button", "← Previous", type="button", id="previous"),
        el("span", id="count", role="status", aria_live="polite"),
        el("button", "Next →", type="button", id="next"),
        el("span", keys, class_="keys quiet"),
        class_="bar-row",
    )
    listed = el("ol", id="list", class_="list", aria_label="Pairs", tabindex=0)
    return join(
        bar, el("div", listed, el("article", id="pair", class_="pair", aria_label="Pair", tabindex=-1), class_="split")
    )
