"""The summary in the terminal: one table that fits 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

from askew.errors import plural
from askew.report.caveats import (
    asked_of,
    coverage_lines,
    coverage_warnings,
    form_sentences,
    made_nothing,
    modes_sentence,
)
from askew.report.curves import calibration_line
from askew.report.glossary import suite_name
from askew.report.load import Run, labels, measured_apart, suites_of, tag_parts
from askew.report.report_data import RankingColumn, Standings, is_significant
from askew.report.table_formats import count, cut, fit, printable, terminal
from askew.report.verdict import decision
from askew.types import LEAST_IMAGES, Column, MetricFacts, Score, Table

_NUMBERS = 39
"""The width of value, interval, n, failed and arrow at the end of a line."""

_DETECTS = 8
"""The width of the smallest detectable difference, if there are several runs."""

_HEADLINE = 24
"""The width of the suite's name and its headline."""


def terminal_summary(
    runs: Sequence[Run], differences: Sequence[Mapping[str, Any]] = (), width: int = 80, color: bool = False
) -> str:
    """Each suite's numbers with value, interval, n, failed, and an arrow if a difference is significant."""
    names = [printable(label) for label in labels(runs)]
    arrows = _Arrows(labels(runs), differences, color)
    lines: list[str] = []
    for suite in suites_of(runs):
        lines += ["", *_block(runs, names, suite, arrows, width)]
    standings = Standings(runs, differences)
    for sentence in decision(standings):
        lines += ["", *wrap(printable("".join(span.text for span in sentence)), width)]
    lines += ["", *_legend(runs, names, differences, width)]
    return "\n".join(lines).strip("\n") + "\n"


def terminal_headlines(runs: Sequence[Run], differences: Sequence[Mapping[str, Any]] = (), width: int = 80) -> str:
    """What a reader needs first: which model to choose, a row for each suite's headline, then warnings."""
    standings = Standings(runs, differences)
    lines: list[str] = []
    for sentence in decision(standings):
        lines += [*wrap(printable("".join(span.text for span in sentence)), width), ""]
    lines += _one_run(standings, width) if len(runs) == 1 else _side_by_side(standings, width)
    lines += ["", *_notes(standings, width)]
    return "\n".join(lines).strip("\n") + "\n"


def _one_run(standings: Standings, width: int) -> Iterator[str]:
    """Each suite's headline with its interval, n and failed groups."""
    table = Table("", printable(standings.labels[0]), tuple(map(Column, ("value", "95 %", "n", "failed"))))
    for column in [*standings.columns, *_named_columns(standings)]:
        score = standings.score(0, column)
        name = "Accuracy" if column.is_accuracy else f"{suite_name(column.suite)} ({column.facts.title})"
        table.add(printable(name), score.short, score.interval, score.n, score.failed)
    yield from terminal(table, [width - 36, 7, 15, 7, 7], width)


def _side_by_side(standings: Standings, width: int) -> Iterator[str]:
    """Each suite's headline, one column for each model, with the interval beside the value if there is room."""
    rows = []
    for column in standings.columns:
        scores = [standings.score(number, column) for number in standings.order]
        best = ["★" if standings.is_best(number, column) else "" for number in standings.order]
        values = [score.short + mark for score, mark in zip(scores, best, strict=True)]
        name = "Accuracy" if column.is_accuracy else printable(suite_name(column.suite))
        rows.append((name, values, [score.interval for score in scores]))
    for column in _named_columns(standings):
        scores = [standings.score(number, column) for number in standings.order]
        name = printable(f"{column.facts.title} ({column.suite['name']})")
        rows.append((name, [score.short for score in scores], [score.interval for score in scores]))
    nothing: list[str] = []
    joined = [
        (name, [f"{value} {interval}".rstrip() for value, interval in zip(values, intervals, strict=True)], nothing)
        for name, values, intervals in rows
    ]
    room = 2 + max((len(cell) for _, cells, _ in joined for cell in cells), default=0)
    least = max(14, min(18, (width - _HEADLINE) // min(len(standings.order), 4)))
    if len(standings.order) * room <= width - _HEADLINE:
        rows, room = joined, max(room, least)
    else:
        room = least
    each = max(1, (width - _HEADLINE) // room)
    names = _unique_names([printable(label) for label in standings.labels], room - 2)
    for start in range(0, len(names), each):
        shown = slice(start, start + each)
        table = Table("headlines", "", tuple(Column(names[number]) for number in standings.order[shown]))
        for name, cells, below in rows:
            table.add(name, *cells[shown])
            if any(below[shown]):
                table.add("", *below[shown])
        yield from ["", *terminal(table, [_HEADLINE, *[room] * len(table.columns)], width)][not start :]


def _named_columns(standings: Standings) -> list[RankingColumn]:
    """The metrics that the user named, of every suite; they do not count for the ranking."""
    ranked = {column.key for column in standings.columns}
    named = {
        (score.suite, score.metric)
        for run in standings.runs
        for score in run.scores()
        if not score.part and score.metric in ((run.results.get("config") or {}).get("metrics") or ())
    }
    return [
        RankingColumn(suite, metric)
        for suite in suites_of(standings.runs)
        for name, metric in sorted(named - ranked)
        if name == suite["name"]
    ]


def _notes(standings: Standings, width: int) -> Iterator[str]:
    """What the values are, how much of the data they cover, and warnings."""
    said = f"{_scale(column.facts for column in standings.columns)}, with the 95 % interval."
    if len(standings.runs) > 1:
        said += " ★ significantly better than every other."
    yield from wrap(said, width)
    if smallest := list(_detectable(standings)):
        yield from wrap(f"Smallest differences that are found in 80 % of cases: {', '.join(smallest)}.", width)
    covered: list[str] = []
    warned: list[str] = []
    for run, label in zip(standings.runs, standings.labels, strict=True):
        for suite in run.suites:
            asked, total = asked_of(suite, run.results.get("data") or {})
            covered += [f"{suite['name']} {100 * asked / total:.0f} %"] if total else []
        warned += coverage_warnings(run.results)
        failures = run.results.get("failures") or {}
        if failures.get("count"):
            failed = f"{count(failures['count'])} of {count(failures['asked'])}"
            warned.append(f"{label}: no answer to {failed} requests")
        warned += [f"{label}: {sentence}" for sentence in form_sentences(run.results)]
    shown = {f"{column.facts.title} ({column.suite['name']})" for column in standings.columns}
    if nothing := [name for name in _rests_on_nothing(standings.runs) if name in shown]:
        warned.append(f"nothing to measure it on: {', '.join(nothing)}")
    labelled = dict(zip(standings.labels, (run.results for run in standings.runs), strict=True))
    if sentence := modes_sentence(labelled):
        warned.append(sentence)
    if apart := measured_apart(standings.runs):
        warned.append(f"measured in different ways, not comparable: {', '.join(apart)}")
    if covered:
        yield from wrap(f"Share of the data's questions asked: {', '.join(dict.fromkeys(covered))}.", width)
    for line in dict.fromkeys(warned):
        yield from wrap(printable(f"Warning: {line}"), width, max_lines=4, placeholder=" …")


def _detectable(standings: Standings) -> Iterator[str]:
    """For each column the smallest detectable difference between ranked runs, from the smallest to the largest."""
    ranked = {standings.labels[number] for number in standings.ranked}
    for column in standings.columns:
        found = [
            _known_detectable(item)
            for item in standings.differences
            if (item["suite"], item["metric"]) == column.key
            and not item.get("part")
            and {item["a"], item["b"]} <= ranked
        ]
        known = sorted(column.facts.printed(value) for value in found if value is not None)
        if known:
            name = "Accuracy" if column.is_accuracy else suite_name(column.suite)
            digits = 0 if column.facts.unit else 2
            ends = dict.fromkeys(f"{end:.{digits}f}" for end in (known[0], known[-1]))
            yield printable(f"{name} {'–'.join(ends)}")


def _block(
    runs: Sequence[Run], names: Sequence[str], suite: Mapping[str, Any], arrows: _Arrows, width: int
) -> Iterator[str]:
    room = width - _NUMBERS - _DETECTS * bool(arrows.detectable)
    names = _unique_names(names, room - room // 2 - 1)
    heading = printable(f"{suite['name']}: {suite.get('title') or ''}".rstrip(": "))
    heads = ("value", "95 %", "n", "failed", *(("detects",) if arrows.detectable else ()), "")
    table = Table("", heading, tuple(map(Column, heads)))
    for label, metric, part in () if made_nothing(suite) else _rows(runs, suite):
        for number, (run, name) in enumerate(zip(runs, names, strict=True)):
            score = run.score(suite["name"], metric, part)
            if not score.metric:
                continue
            text = label if len(runs) == 1 else fit(label, room // 2 - 1) + " " + fit(name, room - room // 2 - 1)
            label = ""
            detects = [arrows.detects(number, score)] if arrows.detectable else []
            numbers = score.short, score.interval, score.n, score.failed
            table.add(text, *numbers, *detects, f"  {arrows.at(number, score)}")
    widths = [7, 15, 7, 7, 8] if arrows.detectable else [7, 15, 7, 7]
    yield from terminal(table, [room, *widths, 0], width)
    yield from _coverage(runs, suite["name"], width)


def _coverage(runs: Sequence[Run], name: str, width: int) -> Iterator[str]:
    """How much of the data a suite asks and why not more, in at most two lines; once for runs that do not differ."""
    sentences = dict.fromkeys(
        sentence
        for run in runs
        for suite in run.suites
        if suite["name"] == name
        for sentence in coverage_lines(suite, run.results.get("data") or {})
    )
    for sentence in sentences:
        lines = textwrap.wrap(printable(sentence), width, max_lines=2, placeholder=" …")
        yield from (cut(line, width) for line in lines)


def _rows(runs: Sequence[Run], suite: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The scores of a suite that are shown: every metric over the whole, and the headline for each test."""
    headline = (suite.get("headline") or {}).get("metric", "")
    metrics = {
        score.metric: score.facts.title
        for run in reversed(runs)
        for score in run.scores()
        if score.suite == suite["name"] and not score.part and (_is_listed(run, score) or score.metric == headline)
    }
    tests = suite.get("tests") or ()
    for metric, title in metrics.items():
        yield printable(title), metric, ""
        if metric == headline and len(tests) > 1:
            for test in tests:
                yield "  " + printable(test), metric, f"test={test}"
        if metric == headline:
            for part in tag_parts(runs, suite["name"], metric):
                yield "  " + printable(part.replace("=", " ", 1)), metric, part


def _is_listed(run: Run, score: Score) -> bool:
    """Whether a score is shown here: not one of many similar ones, unless the user named it."""
    named = (run.results.get("config") or {}).get("metrics") or ()
    return not score.facts.detail or score.metric in named


class _Arrows:
    """Up or down for each significant difference: from the first model, or of a gap from zero; what is detectable."""

    def __init__(self, names: Sequence[str], differences: Sequence[Mapping[str, Any]], color: bool) -> None:
        self.names, self.color = names, color
        self.signs = {
            (item["suite"], item["metric"], item.get("part", ""), item["a"], item["b"]): item.get("difference") or 0.0
            for item in differences
            if is_significant(item)
        }
        self.detectable = {
            (
                item["suite"],
                item["metric"],
                item.get("part", ""),
                item["b"] if item["a"] == names[0] else item["a"],
            ): found
            for item in differences
            if names[0] in (item["a"], item["b"]) and (found := _known_detectable(item)) is not None
        }

    def detects(self, number: int, score: Score) -> str:
        """The smallest detectable difference between this model and the first; empty for the first."""
        found = self.detectable.get((score.suite, score.metric, score.part, self.names[number]))
        return "" if found is None else replace(score.facts, signed=False).show(found)

    def at(self, number: int, score: Score) -> str:
        """The arrow for one line, or an empty string; green if it points to the better side."""
        key, ours, first = (score.suite, score.metric, score.part), self.names[number], self.names[0]
        sign = self.signs.get((*key, ours, first), 0.0) or -self.signs.get((*key, first, ours), 0.0)
        if not sign:
            return ""
        arrow, code = "▲" if sign > 0 else "▼", "32" if sign * score.facts.better > 0 else "31"
        return f"\x1b[{code}m{arrow}\x1b[0m" if self.color and score.facts.better else arrow


def _known_detectable(item: Mapping[str, Any]) -> float | None:
    """The smallest difference that a comparison could have detected; None if that is not known."""
    found = item.get("detectable")
    return float(found) if found is not None and found == found else None


def _scale(facts: Iterable[MetricFacts]) -> str:
    """The unit of the values, and which have none.

    >>> _scale([MetricFacts("RAD"), MetricFacts("R_score", unit="")])
    'Per cent (R_score: a number)'
    """
    plain = dict.fromkeys(one.title for one in facts if not one.unit)
    return f"Per cent ({', '.join(map(printable, plain))}: a number)" if plain else "Per cent"


def _legend(
    runs: Sequence[Run], names: Sequence[str], differences: Sequence[Mapping[str, Any]], width: int
) -> Iterator[str]:
    listed = (score.facts for run in runs for score in run.scores() if _is_listed(run, score))
    yield from wrap(f"{_scale(listed)}, 95 % interval over images; failed: groups left out.", width)
    failures = [(name, run.results.get("failures") or {}) for run, name in zip(runs, names, strict=True)]
    if missing := [(name, failed) for name, failed in failures if failed.get("count")]:
        yield cut("A group with only some answers missing can still count by the others.", width)
        for name, failed in missing:
            yield cut(f"No answer to {count(failed['count'])} of {plural(failed['asked'], 'request')}: {name}", width)
    if any(score.no_interval for run in runs for score in run.scores() if not score.part):
        yield cut(f"No interval: it needs at least {LEAST_IMAGES} images that are not all alike.", width)
    if nothing := _rests_on_nothing(runs):
        yield cut(f"— nothing to measure it on: {', '.join(map(printable, nothing))}", width)
    for name, run in zip(names, runs, strict=True):
        for sentence in form_sentences(run.results):
            whose = f"{name}: " if len(runs) > 1 else ""
            lines = textwrap.wrap(printable(whose + sentence), width, max_lines=4, placeholder=" …")
            yield from (cut(line, width) for line in lines)
    if sentence := modes_sentence({name: run.results for name, run in zip(names, runs, strict=True)}):
        yield from (
            cut(line, width) for line in textwrap.wrap(printable(sentence), width, max_lines=4, placeholder=" …")
        )
    if apart := measured_apart(runs):
        yield cut(f"Measured in different ways, not comparable: {', '.join(map(printable, apart))}", width)
    if len(runs) > 1 and differences:
        yield cut(f"▲ ▼ higher or lower (Holm-corrected p < 0.05) than {names[0]}", width)
        if any(_known_detectable(item) is not None for item in differences):
            yield cut(f"detects: the smallest difference from {names[0]} that is found in 80 % of cases", width)
        sizes = {str(item.get("family") or "all"): item.get("family_size", len(differences)) for item in differences}
        families = "; ".join(f"{printable(name)} ({count(size)})" for name, size in sizes.items())
        yield from wrap(f"Holm's families: {families}.", width)
    for name, run in zip(names, runs, strict=True):
        if errors := calibration_line(run):
            whose = f" of {name}" if len(runs) > 1 else ""
            text = f"Calibration error{whose}, before → after: {errors}; see Confidence in the report."
            yield from wrap(printable(text), width)


def _rests_on_nothing(runs: Sequence[Run]) -> list[str]:
    """The scores based on no group in any run, for reasons other than missing answers."""
    found: dict[str, bool] = {}
    for run in runs:
        for score in run.scores():
            if not score.part:
                name = f"{score.facts.title} ({score.suite})"
                found[name] = found.get(name, True) and score.n == 0 and score.failed == 0
    return [name for name, nothing in found.items() if nothing]


def _unique_names(names: Sequence[str], width: int) -> list[str]:
    """Names of at most this width; those with a common prefix are shortened in the middle if that keeps them unique.

    >>> _unique_names(["openai:toy,prompt=One word.", "openai:toy,prompt=A phrase."], 20)
    ['openai:to…=One word.', 'openai:to…=A phrase.']
    >>> _unique_names(["a-long-name-1-of-two", "a-long-name-2-of-two"], 9)
    ['a-lo… (1)', 'a-lo… (2)']
    """
    alike = len({cut(name, width // 2) for name in names}) < len(set(names))
    for shorten in (_cut_inside, cut) if alike else (cut,):
        short = [shorten(name, width) for name in names]
        if len(set(short)) == len(set(names)):
            return short
    return [f"{cut(name, width - 4)} ({number})" for number, name in enumerate(names, 1)]


def _cut_inside(text: str, width: int) -> str:
    head = cut(text, width // 2)
    return text if cut(text, width) == text else head + cut(text[::-1], width - width // 2 + 1)[-2::-1]
