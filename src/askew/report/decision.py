"""Which model to choose and how sure that is, in two or three sentences; for the page and for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askew.report.score_display import count
from askew.report.standings import Duel, Standings
from askew.report.verdict import Sentence, Span

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
        return [_no_test(standings, first)]
    opening = _opening(standings, first, others, duels)
    return [opening, (Span(_sureness(standings)),)]


def _no_test(standings: Standings, first: int) -> Sentence:
    label = standings.labels[first]
    return (
        Span(label, True),
        Span(
            " has the highest mean, but no difference between these models was tested: they share no questions, or "
            "too few images. The order below may be chance."
        ),
    )


def _opening(standings: Standings, first: int, others: Sequence[int], duels: Sequence[Duel]) -> Sentence:
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
    told = [(other, duel) for other, duel in zip(others, duels, strict=True) if other not in equal]
    return (*lead, Span("; ".join(_duels(standings, told)) + "."))


def _duels(standings: Standings, told: Sequence[tuple[int, Duel]]) -> Iterator[str]:
    columns = len(standings.columns)
    for place, (other, duel) in enumerate(told[:NAMED]):
        worse = f"worse in {duel.worse}" if duel.worse else "worse in none"
        of = f" of {columns} columns" if place == 0 else ""
        yield f"{standings.labels[other]} in {duel.better}{of} ({worse})"
    rest = told[NAMED:]
    if rest:
        least, most = min(duel.better for _, duel in rest), max(duel.better for _, duel in rest)
        span = f"{least}" if least == most else f"{least} to {most}"
        lost = sum(duel.worse for _, duel in rest)
        yield f"the other {len(rest)} in {span} each (worse in {lost or 'none'})"


def _sureness(standings: Standings) -> str:
    images = max((suite.get("images") or 0 for run in standings.runs for suite in run.suites), default=0)
    on = f" on {count(images)} images" if images else ""
    return (
        f"Significant: p < 0.05 after Holm's correction for {count(standings.tested)} comparisons, "
        f"paired on the same questions{on}."
    )


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> _listed(["a", "b", "c"])
    'a, b or c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
