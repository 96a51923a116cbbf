"""The verdict in plain sentences, written from the numbers: on each model, and on which one to choose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askew.errors import plural
from askew.metrics.accuracy import ACCURACY
from askew.report.caveats import asked_of, form_sentences, made_nothing, nothing_sentence
from askew.report.load import Run
from askew.report.markup import Html, el, join
from askew.report.report_data import Duel, Standings
from askew.report.table_formats import count
from askew.types import Score

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
    data = run.results.get("data") or {}
    empty = [(Span(nothing_sentence(suite, data)),) for suite in run.suites if made_nothing(suite)]
    return [*sentences, *caveats(run), *empty]


def sentences_by_suite(run: Run, label: str, breaks_on: Mapping[str, str] | None = None) -> dict[str, Sentence]:
    """One sentence for each suite with groups, beginning with the accuracy on its questions."""
    return {
        suite["name"]: _sentence(run, suite, _opening(run, label, suite), (breaks_on or {}).get(suite["name"], ""))
        for suite in run.suites
        if not made_nothing(suite)
    }


def caveats(run: Run) -> list[Sentence]:
    """What a reader must know about a run's answers: how many are missing, how many are decided by their form."""
    return [*_failures(run), *((Span(sentence),) for sentence in form_sentences(run.results))]


def summary(run: Run, label: str, suite: str, breaks_on: str = "", asked: str = "", name: str = "") -> Sentence:
    """A run in a sentence or two: its accuracy, and what is still correct after the change in this suite, its weakest.

    ``breaks_on`` is what breaks it most there, ``asked`` the suite with the accuracy on the unchanged questions, and
    ``name`` what the page calls the weakest suite.
    """
    kept = _value_with_interval(run.still_correct(suite), "")
    clause = f". Weakest in “{name or suite}”: of its correct answers, {kept} are still correct after the change"
    records = {record["name"]: record for record in run.suites}
    text = _opening(run, label, records.get(asked) or records[suite]) + clause
    if not breaks_on:
        return (Span(text + "."),)
    return Span(text + "; it breaks most on "), Span(breaks_on, True), Span(".")


def accuracy_of(run: Run, suite: str) -> Score:
    """The accuracy before any change: on all questions if it was measured."""
    whole, original = run.score(suite, ACCURACY), run.score(suite, "accuracy.original")
    return original if original.metric and not whole.known else whole


def _opening(run: Run, label: str, suite: Mapping[str, Any]) -> str:
    accuracy = accuracy_of(run, suite["name"])
    if not accuracy.metric:  # the suite has no such score
        return f"{label}: "
    if not accuracy.known:
        return f"{label}: its accuracy is unknown (it answered no question that has people's answers)"
    return f"{label} correctly answers {percent(accuracy.value)} of {_which(run, suite, accuracy)}"


def _which(run: Run, suite: Mapping[str, Any], accuracy: Score) -> str:
    """The questions that an accuracy was measured on, and whether they are only part of the data."""
    asked, total = asked_of(suite, run.results.get("data") or {})
    if asked == total and accuracy.n >= asked and not accuracy.failed:
        return "the questions"
    known = "it answered" if accuracy.failed else "asked" if accuracy.n >= asked else "whose answer is known"
    which = f"the {plural(accuracy.n, 'question')} {known}"
    if asked == total:
        return which
    limited = (run.results.get("config") or {}).get("limit") == asked
    return f"{which} ({count(asked)} of {plural(total, 'question')} {'taken' if limited else 'covered'})"


def _sentence(run: Run, suite: Mapping[str, Any], opening: str, breaks_on: str) -> Sentence:
    headline = suite.get("headline") or {}
    score = run.score(suite["name"], headline.get("metric", ""))
    changed = run.score(suite["name"], "accuracy.original").n
    accuracy = accuracy_of(run, suite["name"])
    if score.metric == accuracy.metric and score.known and not opening.endswith(": "):
        return (Span(f"{opening} ({score.interval})." if score.interval else f"{opening}."),)
    sentence = headline.get("sentence", "it scores {value}")
    if suite.get("changed", 0) < suite.get("groups", 0):
        sentence = sentence.replace("of those ", "of those with variants ", 1)
    joint, clause = _clause(score, accuracy, changed, sentence)
    text = opening + clause if opening.endswith(": ") else opening + joint + clause
    if not breaks_on:
        return (Span(text + "."),)
    return Span(text + "; it breaks most on "), Span(breaks_on, True), Span(".")


def _clause(score: Score, accuracy: Score, changed: int, sentence: str) -> tuple[str, str]:
    if not score.known:
        if accuracy.value == 0:
            return ", ", "so there was no correctly answered question to ask again (—)"
        if changed and score.facts.conditional:
            none = f"it correctly answered none of the {plural(changed, 'original')} with variants"
            return ", but ", f"{none}, so there was no correctly answered question to ask again (—)"
        return "; ", f"nothing was measured when the questions were changed (—, n = {count(score.n)})"
    clause = _VALUE.sub(lambda match: _value_with_interval(score, match.group(1) or ""), sentence)
    if is_too_wide(score):
        return "; ", clause.replace(" only ", " ", 1)
    if _is_worse(score, accuracy):
        return ", but ", clause
    return ", and ", re.sub(r"(\w+) only ", r"still \1 ", clause, count=1)


def _value_with_interval(score: Score, correctly: str) -> str:
    """The value, how sure it is, and whether that is enough to call it high or low."""
    if score.facts.signed:
        value = f"{score.short.lstrip('+')} points"
        return f"{value} ({score.interval})" if score.has_interval else f"{value} (n = {count(score.n)}: no interval)"
    value = f"{percent(score.value) if score.facts.unit else score.short}{correctly}"
    if not score.has_interval:
        return f"{value} (n = {count(score.n)}: too few images for an interval)"
    bounds = f"{100 * score.low:.0f}–{100 * score.high:.0f}" if score.facts.unit else score.interval
    return (
        f"{value} ({bounds}; n = {count(score.n)} is too few to say)" if is_too_wide(score) else f"{value} ({bounds})"
    )


def is_too_wide(score: Score) -> bool:
    """Whether an interval is missing, or too wide to call a value high or low."""
    return not score.half <= TOO_WIDE


def _is_worse(score: Score, accuracy: Score) -> bool:
    """Whether a score says that answers suffer from the change."""
    if score.facts.better < 0:
        return score.low > 0 if score.facts.signed else score.value > 1 - STEADY
    if score.facts.conditional or not accuracy.known:
        return score.value < STEADY
    return score.high < accuracy.value


def percent(value: float) -> str:
    """A rounded percentage, but never 0 or 100 for a value that is not exactly that.

    >>> percent(0.812), percent(0.0004), percent(0.9996), percent(1.0)
    ('81 %', 'under 1 %', 'over 99 %', '100 %')
    """
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


def as_html(sentence: Sentence, label: str) -> Iterator[Html]:
    """The pieces of a sentence, its label strong, and no line break inside a number."""
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


NAMED = 3
"""The number of other models that are compared by name; further ones are counted."""


def decision(standings: Standings) -> list[Sentence]:
    """The sentences; none for a single model, which has nothing to be compared with."""
    ranked = standings.ranked
    if len(ranked) < 2:
        return []
    first, *others = ranked
    duels = [standings.duel(first, other) for other in others]
    if not standings.tested:
        untested = (
            " has the highest mean, but no difference between these models was tested: they share no questions, or "
            "too few images. The order below may be due to chance."
        )
        return [(Span(standings.labels[first], True), Span(untested))]
    images = max((suite.get("images") or 0 for run in standings.runs for suite in run.suites), default=0)
    on = f" on {plural(images, 'image')}" if images else ""
    sureness = (
        f"Significant: p < 0.05 after Holm's correction for {plural(standings.tested, 'comparison')}, "
        f"paired on the same questions{on}."
    )
    return [_first_of(standings, first, others, duels), (Span(sureness),)]


def _first_of(standings: Standings, first: int, others: Sequence[int], duels: Sequence[Duel]) -> Sentence:
    label = Span(standings.labels[first], True)
    equal = [other for other, duel in zip(others, duels, strict=True) if not duel.better and not duel.worse]
    columns = len(standings.columns)
    if len(equal) == len(others):
        names = _listed([standings.labels[first], *(standings.labels[other] for other in others)])
        where = f"no difference between them is significant in any of {columns} columns"
        return (Span(f"These data do not say which to choose: {names}; {where}."),)
    if all(duel.better and not duel.worse for duel in duels):
        lead: Sentence = (Span("Choose "), label, Span(": it is significantly better than "))
    elif equal:
        tied = _listed([standings.labels[other] for other in equal])
        lead = (label, Span(f" comes first, but cannot be told apart from {tied}. It is significantly better than "))
    else:
        lead = (label, Span(" comes first: it is significantly better than "))
    decided = [(other, duel) for other, duel in zip(others, duels, strict=True) if other not in equal]
    return (*lead, Span("; ".join(_duels(standings, decided)) + "."))


def _duels(standings: Standings, decided: Sequence[tuple[int, Duel]]) -> Iterator[str]:
    columns = len(standings.columns)
    for place, (other, duel) in enumerate(decided[:NAMED]):
        worse = f"worse in {duel.worse}" if duel.worse else "worse in none"
        of = f" of {columns} columns" if place == 0 else ""
        yield f"{standings.labels[other]} in {duel.better}{of} ({worse})"
    rest = decided[NAMED:]
    if rest:
        least, most = min(duel.better for _, duel in rest), max(duel.better for _, duel in rest)
        span = f"{least}" if least == most else f"{least} to {most}"
        lost = sum(duel.worse for _, duel in rest)
        yield f"the other {len(rest)} in {span} each (worse in {lost or 'none'})"


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> _listed(["a", "b", "c"])
    'a, b or c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
