"""The first section: a sentence for each model, and a meter for each of its main numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askew.report.content import Content
from askew.report.coverage import coverage_lines
from askew.report.figures import count, meaning, title, unit
from askew.report.markup import Html, el, join
from askew.report.plots import mark, meter
from askew.report.verdict import Sentence, accuracy_of, verdict

_NUMBER = re.compile(r"(\([−\d.]+(?:–| to )[−\d.]+\)?)")


def verdict_section(content: Content) -> Html:
    """The verdict and the meters."""
    told = [
        _told(run_number, label, verdict(run, label, content.worst(run_number)), len(content.runs) > 1)
        for run_number, (run, label) in enumerate(zip(content.runs, content.labels, strict=True))
    ]
    cards = [_card(content, suite, metric) for suite, metric in _meters(content)]
    covered = [el("p", line, class_="quiet") for line in _coverage(content)]
    return join(el("ul", *told, class_="verdicts"), *covered, el("div", *cards, class_="cards"))


def _coverage(content: Content) -> Iterator[str]:
    """How much of the data each suite asks, once for runs that are alike in it."""
    told = (
        f"{suite['name']}: {' '.join(coverage_lines(suite, run.results.get('data') or {}))}"
        for run in content.runs
        for suite in run.suites
    )
    yield from dict.fromkeys(told)


def _told(run: int, label: str, sentences: list[Sentence], several: bool) -> Html:
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
    """The text with its numbers kept on one line."""
    pieces = _NUMBER.split(text.replace(" %", "\u00a0%"))
    return join(*(el("span", piece, class_="nowrap") if i % 2 else join(piece) for i, piece in enumerate(pieces)))


def _meters(content: Content) -> Iterator[tuple[str, str]]:
    """Accuracy once, then what sums each suite up."""
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


def _card(content: Content, suite: str, metric: str) -> Html:
    rows = [_row(content, number, suite, metric) for number, _ in content.with_suite(suite)]
    named = el("small", f" {suite}", class_="quiet") if len(content.suites) > 1 else None
    return el("section", el("h3", title(metric), named), el("p", meaning(metric), class_="quiet"), *rows, class_="card")


def _row(content: Content, number: int, suite: str, metric: str) -> Html:
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
