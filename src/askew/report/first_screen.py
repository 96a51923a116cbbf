"""The first screen: which model to choose, the ranking, and for each model a sentence and its most telling failures.

The ranking is a table, models by suites, the best first, each cell with value, interval and a bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from askew.errors import plural
from askew.report.breaks import Breaks, worst_by_suite
from askew.report.caveats import CEILING, asked_of, coverage_warnings, images_shown, label_ceiling
from askew.report.glossary import metric_term, suite_meaning, suite_name, term, test_term
from askew.report.load import Run
from askew.report.markup import Html, Thumbnails, details, el, join, scrolled_table
from askew.report.overview import to_pairs
from askew.report.pair_viewer import Record
from askew.report.report_data import BANDS, RankingColumn, ReportData, Standings, human_figures
from askew.report.svg import cell_bar, mark
from askew.report.table_formats import DASH, count
from askew.report.verdict import Sentence, Span, as_html, caveats, decision, is_too_wide, percent, summary, verdict

OPEN = 5
"""The number of models that are shown at once; the others are in a collapsible list."""

LONGEST_TEXT = 160
"""The number of characters of an answer, or of a question's context, that are shown."""


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
    more = None
    if len(models) > OPEN:
        names = ", ".join(content.labels[number] for number in standings.order[OPEN:])
        closed = el("ol", *models[OPEN:], class_="models")
        more = details(f"{plural(len(models) - OPEN, 'more model')}: {names}", closed, class_="more-models")
    return join(
        _decision(standings),
        ranking_table(standings, linked) if standings.columns else el("p", "No suite has a score."),
        _warnings(content),
        el("h2", "What each model does, and where it fails"),
        el("ol", *models[:OPEN], class_="models"),
        more,
    )


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


def ranking_table(standings: Standings, linked: bool = False) -> Html:
    """The table with its legend; its cells link to their pairs if they are ``linked``."""
    columns = standings.columns
    bodies = [el("tbody", *(_row(standings, number, linked) for number in standings.ranked))]
    aside = (_row(standings, number, linked) for number in (*standings.blind, *standings.people))
    references = [*aside, *_published(columns)]
    if references:
        bodies.append(el("tbody", *references, class_="references"))
    heads = [
        el("th", "Model", scope="col"),
        *(_heading(column, place >= len(columns) // 2) for place, column in enumerate(columns)),
    ]
    asked = el("tr", el("th", "Asked", scope="row"), *(_asked(standings, column) for column in columns))
    chance = [column.chance for column in columns]
    guessed = el("tr", el("th", "Chance", scope="row"), *(el("td", level or DASH) for level in chance))
    foot = el("tfoot", guessed if any(chance) else None, asked)
    shown = scrolled_table(heads, [*bodies, foot], "Models and suites, the best model first", class_="ranking")
    return join(shown, _legend(standings))


def _heading(column: RankingColumn, left: bool) -> Html:
    shown = "Accuracy" if column.is_accuracy else suite_name(column.suite)
    says = "the questions as they are, before any change" if column.is_accuracy else suite_meaning(column.suite)
    lower = " ↓ lower is better" if column.facts.better < 0 else ""
    metric = (
        join(_unit(column), el("span", lower))
        if column.is_accuracy
        else join(metric_term(column.facts), " ", _unit(column), lower)
    )
    return el("th", term(shown, says, left), el("small", metric), scope="col")


def _unit(column: RankingColumn) -> Html:
    return el("span", f"in {column.facts.unit}" if column.facts.unit else "0 to 1")


def _row(standings: Standings, number: int, linked: bool) -> Html:
    run = standings.runs[number]
    several = len(standings.runs) > 1
    rank = standings.place(number) if number in standings.ranked and standings.tested else ""
    tag = "people's answers" if run.is_human else "blind: sees no image" if run.is_blind else ""
    label = el("span", mark(number) if several else None, standings.labels[number], class_="name")
    name = el(
        "th",
        el("span", el("span", rank, class_="rank"), label, class_="ranked") if rank else label,
        el("small", tag) if tag else None,
        scope="row",
    )
    return el("tr", name, *(_cell(standings, number, column, linked) for column in standings.columns))


def _cell(standings: Standings, number: int, column: RankingColumn, linked: bool) -> Html:
    score = standings.score(number, column)
    if not score.known:
        why = f"n {count(score.n)}" if score.metric else "not asked"
        return el("td", el("span", DASH, class_="value"), el("small", why))
    band = standings.band(number, column)
    best = el("span", "★ best", class_="best") if standings.is_best(number, column) else None
    interval = score.interval or f"no interval: {score.no_interval}"
    failed = f" · {count(score.failed)} failed" if score.failed else None
    kept = standings.still_correct(number, column)
    limits = f" ({100 * kept.low:.0f}–{100 * kept.high:.0f})" if kept.has_interval else ""
    share = join(percent(kept.value) + limits) if kept.known and number not in standings.blind else None
    if share and linked:
        pairs = to_pairs(suite=column.suite["name"], outcome="broke", model=number)
        share = el("a", share, href=pairs, class_="to-pairs", title="Show the pairs that broke")
    blind = el("small", "not better than blind") if standings.is_like_blind(number, column) else None
    return el(
        "td",
        el("span", score.short, class_="value"),
        best,
        cell_bar(score, _ceiling(standings.runs[number], column)),
        el("small", f"{interval} · ", el("span", f"n {count(score.n)}", class_="nowrap"), failed),
        blind,
        el("small", el("b", f"{band[1]} ") if band else None, share) if share else None,
        class_=f"band{band[0]}" if band else None,
    )


def _ceiling(run: Run, column: RankingColumn) -> float | None:
    """What true answers would reach in a column, given the wrong labels that people found."""
    suites = [suite for suite in run.suites if suite["name"] == column.suite["name"]]
    return label_ceiling(suites[0]) if suites and column.facts.limited_by_labels else None


def _published(columns: list[RankingColumn]) -> Iterator[Html]:
    """The row of people's scores as published in the papers, if there are any."""
    found = [human_figures(column) for column in columns]
    if not any(text for text, _ in found):
        return
    name = el("th", el("span", "Human", class_="name"), el("small", "published, on other images"), scope="row")
    cells = [
        el("td", el("span", text, class_="value"), el("small", note) if note else None) if text else el("td")
        for text, note in found
    ]
    yield el("tr", name, *cells, class_="published")


def _asked(standings: Standings, column: RankingColumn) -> Html:
    """How many questions the suite asks, of how many, on how many images."""
    name = column.suite["name"]
    run, suite = next((run, one) for run in standings.runs for one in run.suites if one["name"] == name)
    asked, total = asked_of(suite, run.results.get("data") or {})
    groups = suite.get("groups")
    text = (
        f"{count(asked)} of {plural(total, 'question')}" if total else plural(groups or 0, "group") if groups else DASH
    )
    images = el("small", images_shown(suite)) if suite.get("images") else None
    return el("td", text, images)


def _legend(standings: Standings) -> Html:
    """What the words, colours and marks of the table mean."""
    least = [f"{100 * low:.0f} % or more" for low, _ in BANDS[:-1]]
    shares = [*least, f"under {100 * BANDS[-2][0]:.0f} %"]
    keys = [
        el("span", el("span", words, class_=f"key band{place}"), f" {share}")
        for place, ((_, words), share) in enumerate(zip(BANDS, shares, strict=True))
    ]
    shown = [(number, column) for number in range(len(standings.runs)) for column in standings.columns]
    changed = any(standings.still_correct(*cell).known for cell in shown)
    several = len(standings.ranked) > 1 and standings.tested > 0
    ranked = (
        "Places: a model comes after those that are significantly better in some column and worse in none. "
        if several
        else ""
    )
    best = "★ best: significantly better than every other ranked model. " if several else ""
    blind = (
        "Not better than blind: not significantly better than the best model that sees no image. "
        if any(standings.is_like_blind(*cell) for cell in shown)
        else ""
    )
    noisy = CEILING + " " if any(_ceiling(standings.runs[n], column) is not None for n, column in shown) else ""
    lines = [
        el(
            "p",
            "Last line of a cell: of the questions answered correctly before the change, those still correct after it, "
            "with the word if the whole interval is within it: ",
            *keys,
            class_="keys-line",
        )
        if changed
        else None,
        el("p", f"{ranked}{best}{blind}Bars: the value and its 95 % interval. {noisy}n: groups of questions."),
    ]
    return el("div", *lines, class_="legend-lines quiet")


def _warnings(content: ReportData) -> Html | None:
    """What a reader must know before believing the table."""
    found = list(dict.fromkeys(line for run in content.runs for line in coverage_warnings(run.results)))
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
    """A sentence on the suite in which the run is least robust, then the caveats about its answers."""
    run, label = content.runs[number], content.labels[number]
    weakest = weakest_suite(content.standings, number)
    names = {suite["name"]: suite_name(suite) for suite in content.suites}
    asked = next((column.key[0] for column in content.standings.columns if column.is_accuracy), "")
    sentence = (
        summary(run, label, weakest, breaks_on.get(weakest, ""), asked, names[weakest])
        if weakest
        else verdict(run, label)[0]
    )
    elsewhere = next(((suite, what) for suite, what in breaks_on.items() if suite != weakest), None)
    if elsewhere and weakest and weakest not in breaks_on:
        suite, trait = elsewhere
        sentence = (*sentence, Span(f" In “{names[suite]}”, it breaks most on "), Span(trait, True), Span("."))
    return [sentence, *caveats(run)]


def weakest_suite(standings: Standings, number: int) -> str:
    """The suite in which the smallest share of a run's correct answers is still correct; empty if no share is known.

    Suites whose interval is too wide for a judgement count only if all are like that.
    """
    kept = [(standings.still_correct(number, column), column.key[0]) for column in standings.columns]
    known = [(is_too_wide(score), score.value, suite) for score, suite in kept if score.known]
    return min(known, default=(True, 0.0, ""))[2]


def failure_cards(failures: Sequence[Record], run: int, album: Thumbnails, suites: Sequence[Any], linked: bool) -> Html:
    """The failures of one run beside each other; ``linked`` if the page has a viewer with these pairs."""
    if not failures:
        return el("p", "No pair broke: no correct answer became wrong after a change.", class_="quiet")
    named = {suite["name"]: suite_name(suite) for suite in suites}
    cards = [el("li", _card(pair, run, album, named, linked)) for pair in failures]
    return el("ul", *cards, class_="failures", aria_label="Telling failures")


def _card(pair: Record, run: int, album: Thumbnails, named: dict[str, str], linked: bool) -> Html:
    answers = pair["models"][run]
    images = []
    for number, caption in zip(pair["images"], pair["captions"], strict=True):
        alt = caption or "The image the question is about"
        source = "" if number is None else f"data:image/jpeg;base64,{album.images[number]}"
        shown = el("img", alt=alt, src=source) if source else el("span", "no image", class_="nothing")
        images.append(el("span", shown, el("small", caption)) if len(pair["images"]) > 2 else shown)
    link = (
        el("a", "Open this pair", href=f"#pair={quote(pair['key'], safe='')}", class_="needs-script")
        if linked
        else None
    )
    return el(
        "article",
        el("div", *images, class_="failure-images"),
        el(
            "div",
            el("p", named.get(pair["suite"], pair["suite"]), ": ", test_term(pair["test"]), class_="failure-where"),
            _side("Asked", pair["old"], "del", "✓", "right", answers["old"]),
            _side("Changed", pair["new"], "ins", "✗", "wrong", answers["new"], _expected(pair)),
            link,
        ),
        class_="failure",
    )


def _side(label: str, side: Record, tag: str, sign: str, kind: str, reply: Record, expected: str = "") -> Html:
    pieces = []
    for text, changed in side["text"]:
        bare = text.lstrip()  # a changed piece is marked without the space before it
        pieces.append(join(text[: len(text) - len(bare)], el(tag, bare)) if changed else join(text))
    context = el("span", f"(context: {_short(side['context'])}) ", class_="quiet") if side["context"] else None
    answer = reply.get("answer") or reply.get("error") or "(empty)"
    return el(
        "p",
        el("span", label, class_="failure-label"),
        el("span", context, *pieces, class_="failure-question"),
        el(
            "span",
            el("b", f"{sign} “{_short(str(answer))}”", class_=kind),
            el("span", expected, class_="quiet") if expected else None,
            class_="failure-answer",
        ),
        class_="failure-side",
    )


def _expected(pair: Record) -> str:
    people = pair["new"]["people"]
    if people:
        return f" expected “{_short(people[0][0])}”"
    return {"same": " should stay the same", "different": " should change", "abstain": " has no answer"}.get(
        pair["expect"], ""
    )


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
