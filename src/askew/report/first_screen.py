"""The first screen of the report: the verdict on each model in plain words, and a meter for each main number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askew.report.breaks import Breaks, worst_by_suite
from askew.report.caveats import asked_of, coverage_lines, form_sentences, made_nothing, nothing_sentence
from askew.report.load import Run
from askew.report.markup import Html, el, join
from askew.report.plots import mark, meter
from askew.report.report_data import ReportData
from askew.report.score_display import Figure, count, is_conditional, is_ratio, meaning, show, title, unit

TOO_WIDE = 0.10
"""With a half-interval above ten points the verdict says neither "only" nor "still"."""

STEADY = 0.9
"""From this value on, a conditional score is reported with "still" rather than "only"."""

SHOWN_FAILURES = 0.01
"""A larger share of missing answers is part of the verdict."""

_VALUE = re.compile(r"\{value\}( correctly| rightly| right)?")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence, possibly emphasised."""

    text: str
    emphasis: bool = False


Sentence = tuple[Span, ...]


def verdict(run: Run, label: str, breaks_on: Mapping[str, str] | None = None) -> list[Sentence]:
    """The sentences for one run; ``breaks_on`` names for each suite what breaks the model most, if anything."""
    sentences: list[Sentence] = []
    for suite in run.suites:
        if made_nothing(suite):
            continue
        opening = _opening(run, label, suite) if not sentences else f"{suite.get('title') or suite['name']}: "
        sentences.append(_sentence(run, suite, opening, (breaks_on or {}).get(suite["name"], "")))
    sentences += _failures(run)
    sentences += [(Span(sentence),) for sentence in form_sentences(run.results)]
    data = run.results.get("data") or {}
    sentences += [(Span(nothing_sentence(suite, data)),) for suite in run.suites if made_nothing(suite)]
    return sentences


def plain(sentence: Sentence) -> str:
    """The sentence as text, with emphasis in asterisks."""
    return "".join(f"*{span.text}*" if span.emphasis else span.text for span in sentence)


def accuracy_of(run: Run, suite: str) -> Figure:
    """The accuracy before any change: on all questions if it was measured."""
    whole = run.figure(suite, "accuracy.all")
    return whole if whole.value is not None else run.figure(suite, "accuracy.original")


def _opening(run: Run, label: str, suite: Mapping[str, Any]) -> str:
    accuracy = accuracy_of(run, suite["name"])
    if accuracy.value is None:
        return f"{label}: nothing to say about its accuracy (no question with people's answers was answered)"
    return f"{label} correctly answers {_percent(accuracy.value)} of {_which(run, suite, accuracy)}"


def _which(run: Run, suite: Mapping[str, Any], accuracy: Figure) -> str:
    """The questions that an accuracy was measured on, saying so if only some of the data was asked."""
    asked, total = asked_of(suite, run.results.get("data") or {})
    if asked == total and accuracy.n >= asked and not accuracy.failed:
        return "the questions"
    known = "it answered" if accuracy.failed else "asked" if accuracy.n >= asked else "whose answer is known"
    which = f"the {count(accuracy.n)} questions {known}"
    if asked == total:
        return which
    limited = (run.results.get("config") or {}).get("limit") == asked
    return f"{which} ({count(asked)} of {count(total)} questions {'taken' if limited else 'covered'})"


def _sentence(run: Run, suite: Mapping[str, Any], opening: str, breaks_on: str) -> Sentence:
    headline = suite.get("headline") or {}
    figure = run.figure(suite["name"], headline.get("metric", ""))
    changed = run.figure(suite["name"], "accuracy.original").n
    accuracy = accuracy_of(run, suite["name"])
    if figure.metric == accuracy.metric and figure.value is not None and not opening.endswith(": "):
        return (Span(f"{opening} ({figure.interval})." if figure.interval else f"{opening}."),)
    sentence = headline.get("sentence", "it scores {value}")
    if suite.get("changed", 0) < suite.get("groups", 0):
        sentence = sentence.replace("of those ", "of those with variants ", 1)
    joint, clause = _clause(figure, accuracy, changed, sentence)
    text = opening + clause if opening.endswith(": ") else opening + joint + clause
    if not breaks_on:
        return (Span(text + "."),)
    return Span(text + "; it breaks most on "), Span(breaks_on, True), Span(".")


def _clause(figure: Figure, accuracy: Figure, changed: int, sentence: str) -> tuple[str, str]:
    if figure.value is None:
        if accuracy.value == 0:
            return ", ", "so no correctly answered question could be asked again (—)"
        if changed and is_conditional(figure.metric):
            none = f"it answered none of the {count(changed)} originals with variants correctly"
            return ", but ", f"{none}, so no correctly answered question could be asked again (—)"
        return "; ", f"nothing was measured when the questions were changed (—, n = {count(figure.n)})"
    clause = _VALUE.sub(lambda match: _value_with_interval(figure, match.group(1) or ""), sentence)
    if _too_wide(figure):
        return "; ", clause.replace(" only ", " ", 1)
    if _lower(figure, accuracy):
        return ", but ", clause
    return ", and ", re.sub(r"(\w+) only ", r"still \1 ", clause, count=1)


def _value_with_interval(figure: Figure, correctly: str) -> str:
    value = show(figure.metric, figure.value) if is_ratio(figure.metric) else _percent(figure.value)
    return f"{value}{correctly} ({_interval(figure)})"


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return f"n = {count(figure.n)}: too few images for an interval"
    bounds = figure.interval if is_ratio(figure.metric) else f"{100 * figure.low:.0f}–{100 * figure.high:.0f}"
    return f"{bounds}; n = {count(figure.n)} is too few to say" if _too_wide(figure) else bounds


def _too_wide(figure: Figure) -> bool:
    return figure.half is None or figure.half > TOO_WIDE


def _lower(figure: Figure, accuracy: Figure) -> bool:
    if is_conditional(figure.metric) or accuracy.value is None:
        return (figure.value or 0.0) < STEADY
    return figure.high is not None and figure.high < accuracy.value


def _percent(value: float | None) -> str:
    """A rounded percentage, but never 0 or 100 for a value that is not exactly that.

    >>> _percent(0.812), _percent(0.0004), _percent(0.9996), _percent(1.0)
    ('81 %', 'under 1 %', 'over 99 %', '100 %')
    """
    value = value or 0.0
    rounded = round(100 * value)
    if rounded == 0 and value > 0:
        return "under 1 %"
    if rounded == 100 and value < 1:
        return "over 99 %"
    return f"{rounded} %"


def _failures(run: Run) -> Iterator[Sentence]:
    failures = run.results.get("failures") or {}
    failed, asked = failures.get("count", 0), failures.get("asked", 0)
    if asked and failed / asked > SHOWN_FAILURES:
        yield (
            Span(
                f"It gave no answer to {100 * failed / asked:.1f} % of all questions and variants "
                f"({count(failed)} of {count(asked)}); they are left out of every number, and bounds are given below."
            ),
        )


_NUMBER = re.compile(r"(\([−\d.]+(?:–| to )[−\d.]+\)?)")


def first_screen(content: ReportData, breaks: Sequence[Breaks]) -> Html:
    """The verdict on each model, how much of the data was asked, and the meters."""
    lines = [
        _verdict_item(run_number, label, verdict(run, label, worst_by_suite(breaks, run_number)), len(content.runs) > 1)
        for run_number, (run, label) in enumerate(zip(content.runs, content.labels, strict=True))
    ]
    cards = [_card(content, suite, metric) for suite, metric in _meters(content)]
    covered = [el("p", line, class_="quiet") for line in _coverage(content)]
    return join(el("ul", *lines, class_="verdicts"), *covered, el("div", *cards, class_="cards"))


def _coverage(content: ReportData) -> Iterator[str]:
    """How much of the data each suite asks, once for runs that do not differ in it."""
    lines = (
        f"{suite['name']}: {' '.join(coverage_lines(suite, run.results.get('data') or {}))}"
        for run in content.runs
        for suite in run.suites
    )
    yield from dict.fromkeys(lines)


def _verdict_item(run: int, label: str, sentences: list[Sentence], several: bool) -> Html:
    paragraphs = [
        el("p", *_spans(sentence, label if number == 0 else ""), class_="lead" if number == 0 else None)
        for number, sentence in enumerate(sentences)
    ]
    return el("li", mark(run) if several else None, el("div", *paragraphs))


def _spans(sentence: Sentence, label: str) -> Iterator[Html]:
    for span in sentence:
        if label and span.text.startswith(label):
            yield join(el("strong", label), _unbroken(span.text[len(label) :]))
            label = ""
        else:
            yield el("em", span.text) if span.emphasis else _unbroken(span.text)


def _unbroken(text: str) -> Html:
    """The text with no line break inside a number."""
    pieces = _NUMBER.split(text.replace(" %", "\u00a0%"))
    return join(*(el("span", piece, class_="nowrap") if i % 2 else join(piece) for i, piece in enumerate(pieces)))


def _meters(content: ReportData) -> Iterator[tuple[str, str]]:
    """Accuracy once, then the headline metrics of each suite."""
    seen: set[tuple[str, str]] = set()
    for suite in content.suites:
        found = [accuracy_of(run, suite["name"]).metric for _, run in content.with_suite(suite["name"])]
        if any(found):
            first = suite["name"], next(metric for metric in found if metric)
            seen.add(first)
            yield first
            break
    for suite in content.suites:
        headline = (suite.get("headline") or {}).get("metric", "")
        for metric in dict.fromkeys((headline, "rad.forward", "cs.2", "carets.cons", "carets.cacc", "rscore.1")):
            measured = any(run.figure(suite["name"], metric).metric for run in content.runs)
            if measured and (suite["name"], metric) not in seen:
                yield suite["name"], metric


def _card(content: ReportData, suite: str, metric: str) -> Html:
    rows = [_row(content, number, suite, metric) for number, _ in content.with_suite(suite)]
    named = el("small", f" {suite}", class_="quiet") if len(content.suites) > 1 else None
    return el("section", el("h3", title(metric), named), el("p", meaning(metric), class_="quiet"), *rows, class_="card")


def _row(content: ReportData, number: int, suite: str, metric: str) -> Html:
    figure = content.runs[number].figure(suite, metric)
    name = el("span", mark(number), content.labels[number], class_="name") if len(content.runs) > 1 else None
    beaten = content.beaten(number, suite, metric)
    missing = f" · {count(figure.failed)} failed" if figure.failed else ""
    return el(
        "div",
        name,
        el("span", figure.short, el("small", unit(metric)) if figure.value is not None else None, class_="value"),
        meter(number, figure),
        el("span", f"{figure.interval or 'no interval'} · n {count(figure.n)}{missing}", class_="quiet beneath"),
        el("span", "▲ better than " + ", ".join(beaten), class_="better") if beaten else None,
        class_="reading",
    )
