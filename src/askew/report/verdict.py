"""The verdict: what the numbers of a run say, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from askew.report.answer_forms import form_sentences
from askew.report.coverage import asked_of, made_nothing, nothing_sentence
from askew.report.figures import Figure, count, is_conditional, is_ratio, show
from askew.report.load import Run

TOO_WIDE = 0.10
"""Half an interval above ten points says too little for "only" or "still"."""

STEADY = 0.9
"""From here on a score that is one for a steady model is said with "still" rather than "only"."""

SHOWN_FAILURES = 0.01
"""More non-answers than this are part of the verdict."""

_VALUE = re.compile(r"\{value\}( rightly| right)?")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence, perhaps emphasised."""

    text: str
    emphasis: bool = False


Sentence = tuple[Span, ...]


def verdict(run: Run, label: str, breaks_on: Mapping[str, str] | None = None) -> list[Sentence]:
    """The sentences for one run; ``breaks_on`` says for each suite what hurts most, if anything does."""
    told: list[Sentence] = []
    for suite in run.suites:
        if made_nothing(suite):
            continue
        opening = _opening(run, label, suite) if not told else f"{suite.get('title') or suite['name']}: "
        told.append(_sentence(run, suite, opening, (breaks_on or {}).get(suite["name"], "")))
    told += _failures(run)
    told += [(Span(sentence),) for sentence in form_sentences(run.results)]
    data = run.results.get("data") or {}
    told += [(Span(nothing_sentence(suite, data)),) for suite in run.suites if made_nothing(suite)]
    return told


def plain(sentence: Sentence) -> str:
    """The sentence as text, emphasis between asterisks."""
    return "".join(f"*{span.text}*" if span.emphasis else span.text for span in sentence)


def accuracy_of(run: Run, suite: str) -> Figure:
    """How often this run is right before any change: on all questions if that was measured."""
    whole = run.figure(suite, "accuracy.all")
    return whole if whole.value is not None else run.figure(suite, "accuracy.original")


def _opening(run: Run, label: str, suite: Mapping[str, Any]) -> str:
    accuracy = accuracy_of(run, suite["name"])
    if accuracy.value is None:
        return f"{label}: nothing to say about its accuracy (no question with people's answers was answered)"
    return f"{label} correctly answers {_percent(accuracy.value)} of {_which(run, suite, accuracy)}"


def _which(run: Run, suite: Mapping[str, Any], accuracy: Figure) -> str:
    """The questions that an accuracy was measured on; never all of the data's where only some were asked."""
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
            return ", ", "so nothing it had right could be asked again (—)"
        if changed and is_conditional(figure.metric):
            none = f"it had none of the {count(changed)} originals with variants right"
            return ", but ", f"{none}, so nothing it had right could be asked again (—)"
        return "; ", f"nothing was measured when the questions were changed (—, n = {count(figure.n)})"
    said = _VALUE.sub(lambda match: _said(figure, match.group(1) or ""), sentence)
    if _too_wide(figure):
        return "; ", said.replace(" only ", " ", 1)
    if _lower(figure, accuracy):
        return ", but ", said
    return ", and ", re.sub(r"(\w+) only ", r"still \1 ", said, count=1)


def _said(figure: Figure, right: str) -> str:
    value = show(figure.metric, figure.value) if is_ratio(figure.metric) else _percent(figure.value)
    return f"{value}{right} ({_interval(figure)})"


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return f"n = {count(figure.n)}: too few pictures for an interval"
    bounds = figure.interval if is_ratio(figure.metric) else f"{100 * figure.low:.0f}–{100 * figure.high:.0f}"
    return f"{bounds}; n = {count(figure.n)} is too few to say" if _too_wide(figure) else bounds


def _too_wide(figure: Figure) -> bool:
    return figure.half is None or figure.half > TOO_WIDE


def _lower(figure: Figure, accuracy: Figure) -> bool:
    if is_conditional(figure.metric) or accuracy.value is None:
        return (figure.value or 0.0) < STEADY
    return figure.high is not None and figure.high < accuracy.value


def _percent(value: float | None) -> str:
    """Whole per cent, but never 0 or 100 for what is not quite that.

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
