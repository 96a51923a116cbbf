"""How statistics are written: one page without scripts, CSV and SVG files, and one JSON file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from askew.collect.protocol import differences
from askew.collect.stats.drawings import chart_style, draw, standalone
from askew.collect.stats.sheets import csv_rows, json_of
from askew.collect.stats.statistics import Statistics
from askew.files.read_write import csv_line, write_joined
from askew.metrics.interval import METHOD
from askew.report.markup import Html, details, el, framed, join
from askew.report.table_formats import html
from askew.types import Score, Table

MOST_ROWS = 60
"""Rows of a table on the page; its CSV file has all."""
_OWN = {"table1", "sessions", "table7", "table8", "table9", "table10"}


def page(found: Statistics) -> str:
    """The page as text; the same study gives the same page."""
    sections = [
        ("overview", "Overview", _overview(found)),
        ("tables", "Tables", join(*(_sheet(sheet) for sheet in found.tables if sheet.id in _OWN))),
        ("figures", "Figures", el("div", *map(_figure, found.figures), class_="charts")),
        ("work", "People and models", join(*(_sheet(sheet) for sheet in found.tables if sheet.id not in _OWN))),
        ("made", "How it was counted", _method(found)),
    ]
    links = [el("a", heading, href=f"#{name}") for name, heading, _ in sections]
    parts = [el("section", el("h2", heading), inner, id=name, class_="part") for name, heading, inner in sections]
    body = join(
        el("nav", *links, aria_label="Sections"),
        el("main", *parts, class_="stats"),
        el("footer", el("p", "Made by askew. Values in per cent have 95 % intervals over images beneath them.")),
    )
    rounds, whole = len(found.about.rounds), found.sheet("table1").lines[-1].cells
    size = f"{whole[1]:,} questions · {whole[2]:,} verified · {whole[0]:,} images"
    return framed(
        body,
        title=f"askew: statistics of {found.about.name}",
        eyebrow="askew collect stats",
        heading=found.about.name or "Statistics",
        subtitle=f"{found.about.source} · {rounds} {'round' if rounds == 1 else 'rounds'} · {size}",
        first="overview",
        more_style=chart_style(),
    )


def _overview(found: Statistics) -> Html:
    whole, sessions = found.sheet("table1"), found.sheet("sessions")
    readings = [
        ("Success per session", sessions, "success_per_session", "of the sessions end with a verified question"),
        ("Verified error rate", whole, "error_verified", "of all questions are verified errors (E / total)"),
        ("Tries", whole, "tries_mean", "tries for a verified example, on average"),
        ("Seconds", whole, "seconds_mean", "seconds for a verified example, on average"),
    ]
    cards = []
    for name, table, column, meaning in readings:
        cells = dict(zip((one.name for one in table.columns), table.lines[-1].cells, strict=True))
        score = cells[column]
        assert isinstance(score, Score)
        within = f"95 % interval {score.interval}" if score.interval else "too few images for an interval"
        unit = el("small", " %") if score.facts.unit else None
        figure = el("p", score.short, unit, class_="figure")
        text = el("p", f"{meaning}; {within}", class_="quiet")
        cards.append(el("div", el("h3", name), figure, text, class_="card"))
    notes = [note for note in whole.notes if note.startswith("Round ")]
    return join(el("div", *cards, class_="cards readings"), _notes(notes))


def _sheet(table: Table) -> Html:
    heading, about = el("h3", table.title), el("p", table.about, class_="quiet")
    return el("section", heading, about, _table(table), _notes(table.notes), class_="sheet")


def _figure(table: Table) -> Html:
    about = el("figcaption", table.about, class_="quiet")
    numbers = details("The numbers", _table(table))
    return el("figure", el("h3", table.title), *draw(table), about, _notes(table.notes), numbers)


def _table(table: Table) -> Html:
    if not table.lines:
        return el("p", "Nothing to show.", class_="quiet")
    left = len(table.lines) - MOST_ROWS
    more = el("p", f"{left:,} more rows are in {table.id}.csv.", class_="quiet") if left > 0 else None
    return join(html(table, most=MOST_ROWS), more)


def _notes(notes: Sequence[str]) -> Html | None:
    return el("ul", *(el("li", note) for note in notes), class_="notes") if notes else None


def _method(found: Statistics) -> Html:
    settings = found.about.settings
    changed = differences(settings)
    facts = [
        ("Source", found.about.source),
        ("Preset", settings.preset),
        ("Differs from the paper", ", ".join(f"{k} {ours} (paper: {paper})" for k, (paper, ours) in changed.items())),
        ("Vocabulary", "none given" if found.vocabulary is None else f"{found.vocabulary:,} answers"),
        ("Intervals", f"95 %, clustered by image ({METHOD}); none with fewer than ten images; medians have none"),
        *((f"Round {number}", _round(about)) for number, about in found.about.rounds.items()),
    ]
    listed = el("dl", *(join(el("dt", name), el("dd", text or "nothing")) for name, text in facts), class_="facts")
    all_settings = el("dl", *(join(el("dt", k), el("dd", str(v))) for k, v in asdict(settings).items()), class_="facts")
    return join(listed, details("All settings", all_settings))


def _round(about: Mapping[str, Any]) -> str:
    frozen = f", seed {about['seed']}, snapshot {about['snapshot']}" if about["snapshot"] else ""
    return f"{about['state']}, {about['images']:,} images{frozen}"


FORMAT = 1
PAGE = "stats.html"


def write_statistics(found: Statistics, folder: Path) -> None:
    """Write all files; each appears whole or not at all. The same study gives the same bytes."""
    for name, content in _files(found):
        write_joined(folder / name, [content])


def _files(found: Statistics) -> Iterator[tuple[str, bytes]]:
    for sheet in found.sheets:
        yield f"{sheet.id}.csv", b"".join(map(csv_line, csv_rows(sheet)))
    for sheet in found.figures:
        yield f"{sheet.id}.svg", standalone(sheet).encode()
    about = found.about
    whole = {
        "askew_stats": FORMAT,
        "name": about.name,
        "source": about.source,
        "settings": asdict(about.settings),
        "rounds": {str(number): dict(facts) for number, facts in about.rounds.items()},
        "vocabulary": found.vocabulary,
        "interval": METHOD,
        "tables": {sheet.id: json_of(sheet) for sheet in found.sheets},
    }
    yield "stats.json", orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"
    yield PAGE, page(found).encode()
