"""The first screen: which model to choose, the ranking, and for each model a sentence and its most telling failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askew.report.breaks import Breaks, find_breaks, worst_by_suite
from askew.report.caveats import coverage_lines, made_nothing, plural
from askew.report.glossary import suite_name
from askew.report.load import Run
from askew.report.markup import Html, details, el, join, part, shapes
from askew.report.pair_table import read_pairs
from askew.report.pair_viewer import Record
from askew.report.plots import mark
from askew.report.ranking_table import ranking_table
from askew.report.report_data import ReportData
from askew.report.standings import Standings
from askew.report.telling_failures import failure_cards, telling_failures
from askew.report.thumbnails import Thumbnails
from askew.report.verdict import Sentence, Span, as_html, caveats, decision, is_too_wide, summary, verdict

FRAME = "askew-first-screen"
"""The class of the element around the first screen, to which its style is limited."""


OPEN = 5
"""The number of models whose failures are shown before something is opened."""


def standalone(runs: Sequence[Run], differences: Sequence[Mapping[str, Any]] = ()) -> str:
    """The first screen alone, as one HTML element with its style and images, and without scripts; for notebooks.

    ``differences`` are those of ``compare_runs``; without them nothing is marked as significantly better. The style
    applies to nothing outside the element. It follows the reader's light or dark mode.
    """
    table = read_pairs(runs)
    content, breaks, album = ReportData(runs, differences, table), find_breaks(table), Thumbnails()
    failures = telling_failures(table, breaks, album)
    inner = part("first_screen_alone.css") + part("first_screen.css")
    style = part("colors.css").replace(":root", f".{FRAME}") + f".{FRAME} {{ {inner} }}"
    shown = first_screen(content, breaks, failures, album)
    return el("div", Html(f"<style>{style}</style>"), shapes(), shown, class_=FRAME)


def first_screen(
    content: ReportData,
    breaks: Sequence[Breaks],
    failures: Sequence[Sequence[Record]],
    album: Thumbnails,
    linked: bool = False,
) -> Html:
    """The decision, the ranking, warnings, and each model in the order of the ranking.

    ``linked``: the page has a viewer, so failures link to their pairs there.
    """
    standings = content.standings
    models = [
        _model(
            content,
            number,
            worst_by_suite(breaks, number),
            failure_cards(failures[number], number, album, content.suites, linked),
        )
        for number in standings.order
    ]
    return join(
        _decision(standings),
        ranking_table(standings) if standings.columns else el("p", "No suite has a score."),
        _warnings(content),
        el("h2", "What each model does, and where it fails"),
        el("ol", *models[:OPEN], class_="models"),
        _more([content.labels[number] for number in standings.order[OPEN:]], models[OPEN:]),
    )


def _more(names: Sequence[str], models: Sequence[Html]) -> Html | None:
    if not models:
        return None
    closed = el("ol", *models, class_="models")
    return details(f"{plural(len(models), 'more model')}: {', '.join(names)}", closed, class_="more-models")


def _decision(standings: Standings) -> Html | None:
    sentences = decision(standings)
    if not sentences:
        return None
    first, *others = sentences
    quiet = [el("p", *_emphasised(sentence), class_="quiet") for sentence in others]
    return el("div", el("p", *_emphasised(first)), *quiet, class_="decision")


def _emphasised(sentence: Sentence) -> Iterator[Html]:
    for span in sentence:
        yield el("strong", span.text) if span.emphasis else join(span.text)


def _warnings(content: ReportData) -> Html | None:
    """What a reader must know before believing the table: empty suites, few images, missing answers, answer forms."""
    found = list(dict.fromkeys(_warned(content)))
    if not found:
        return None
    first, rest = found[:3], found[3:]
    more = details(f"{len(rest)} more", el("ul", *(el("li", line) for line in rest))) if rest else None
    return el(
        "div",
        el("ul", *(el("li", line) for line in first)),
        more,
        class_="warnings",
        role="note",
        aria_label="Warnings",
    )


def _warned(content: ReportData) -> Iterator[str]:
    for run in content.runs:
        for suite in run.suites:
            for line in coverage_lines(suite, run.results.get("data") or {}):
                if line.startswith(("Warning: ", "Only ")):
                    said = line.removeprefix("Warning: ")
                    yield said if made_nothing(suite) else f"{suite['name']}: {said}"


def _model(content: ReportData, number: int, breaks_on: Mapping[str, str], failures: Html) -> Html:
    run, label = content.runs[number], content.labels[number]
    sentence, *caveats = _sentences(content, number, breaks_on)
    return el(
        "li",
        el("p", mark(number) if len(content.runs) > 1 else None, *as_html(sentence, label), class_="lead"),
        *(el("p", *as_html(caveat, ""), class_="quiet") for caveat in caveats),
        failures,
        id=f"model-{number}",
        class_="human" if run.is_human else None,
    )


def _sentences(content: ReportData, number: int, breaks_on: Mapping[str, str]) -> list[Sentence]:
    """One sentence on the suite in which the run is least robust, and what else must be known about its answers."""
    run, label = content.runs[number], content.labels[number]
    weakest = weakest_suite(content.standings, number)
    names = {suite["name"]: suite_name(suite) for suite in content.suites}
    asked = next((column.key[0] for column in content.standings.columns if column.is_accuracy), "")
    told = (
        summary(run, label, weakest, breaks_on.get(weakest, ""), asked, names[weakest])
        if weakest
        else verdict(run, label)[0]
    )
    elsewhere = next(((suite, what) for suite, what in breaks_on.items() if suite != weakest), None)
    if elsewhere and weakest and weakest not in breaks_on:
        told = (*told, Span(f" Under “{names[elsewhere[0]]}” it breaks most on "), Span(elsewhere[1], True), Span("."))
    return [told, *caveats(run)]


def weakest_suite(standings: Standings, number: int) -> str:
    """The suite in which the smallest share of a run's correct answers survives; empty if no share is known.

    Suites whose interval is too wide for a judgement count only if all are like that.
    """
    shares = [
        (is_too_wide(standings.figure(number, column)), standings.robustness(number, column), column.key[0])
        for column in standings.columns
    ]
    known = [(wide, share, suite) for wide, share, suite in shares if share is not None]
    return min(known, default=(True, 0.0, ""))[2]
