"""Scores by the names that people type: the ids in ``results.json``, or what tables print, such as ``CS(2)``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import TypeAlias

from askew.errors import UsageError, did_you_mean
from askew.report.glossary import suite_meaning, suite_name, test_name
from askew.report.load import Run
from askew.types import Score

Key: TypeAlias = tuple[str, str, str]
"""Suite, metric, part."""
_Metric: TypeAlias = tuple[str, str]
"""Suite and metric."""

CLOSE = 0.4
"""The least similarity of a part that a hint suggests."""
_LISTED = 3
_LEAST = 0.5
_OF_SUITE = 0.2
"""How much less a word counts that only explains the suite of a score."""
_STEM = 5
"""Words that share this many letters have the same meaning here: consistent, consistency."""


def the_score(typed: str, run: Run) -> Score:
    """The one score with this name; UsageError if there is none, or if several suites have it."""
    found = find_scores(typed, run)
    if len(found) > 1:
        listed = " or ".join(f"{suite}:{metric}" for suite, metric, _ in found[:_LISTED])
        if len({metric for _, metric, _ in found}) == 1:
            raise UsageError(f"{typed!r}: several suites have this metric. Say which: {listed}.")
        raise UsageError(f"{typed!r}: several scores are printed with this name. Say which: {listed}.")
    return run.score(*found[0])


def find_scores(typed: str, run: Run) -> list[Key]:
    """The scores with this name, ``[SUITE:]NAME[@PART]``; UsageError, with suggestions, if there is none.

    The name is an id (``cs.2``), a title in tables (``CS(2)``), the heading of a column in a paper's table (``Diff``),
    or a suite, which stands for its headline (``rad``, ``Asked as yes/no``).
    """
    name, _, part = (piece.strip() for piece in typed.partition("@"))
    for names in (_by_id, _by_title, _by_column, _by_suite):
        known = [key for known, key in names(run) if _folded(known) == _folded(name)]
        if known:
            break
    else:
        raise UsageError(f"{typed!r}: the run has no score {name!r}.{_meant(name, run)}")
    wanted = [part, f"test={part}"] if part else [""]
    keys = ((suite, metric, one) for suite, metric in dict.fromkeys(known) for one in wanted)
    found = [key for key in keys if run.score(*key).metric]
    if not found:
        parts = [score.part for score in run.scores() if (score.suite, score.metric) == known[0] and score.part]
        raise UsageError(f"{typed!r}: the run has no part {part!r} of it.{did_you_mean(part, parts, CLOSE)}")
    return found


def _folded(name: str) -> str:
    """A name as it is compared: without spaces, in lower case.

    >>> _folded("p2: CS(2)")
    'p2:cs(2)'
    """
    return re.sub(r"\s+", "", name).casefold()


def _metrics(run: Run) -> list[Score]:
    """One score of each metric of each suite."""
    return list({(score.suite, score.metric): score for score in run.scores() if not score.part}.values())


def _by_id(run: Run) -> Iterator[tuple[str, _Metric]]:
    for score in _metrics(run):
        yield score.metric, (score.suite, score.metric)
        yield f"{score.suite}:{score.metric}", (score.suite, score.metric)


def _by_title(run: Run) -> Iterator[tuple[str, _Metric]]:
    for score in _metrics(run):
        for prefix in ("", f"{score.suite}:"):
            yield f"{prefix}{score.facts.title}", (score.suite, score.metric)


def _by_column(run: Run) -> Iterator[tuple[str, _Metric]]:
    for suite in run.suites:
        for table in suite.get("tables") or ():
            for column in table.get("columns") or ():
                key = suite["name"], str(column.get("metric", ""))
                whole = not column.get("part") and column.get("show", "value") == "value"
                if whole and run.score(*key).metric:
                    for prefix in ("", f"{suite['name']}:"):
                        yield f"{prefix}{column.get('label', '')}", key


def _by_suite(run: Run) -> Iterator[tuple[str, _Metric]]:
    for suite in run.suites:
        headline = str((suite.get("headline") or {}).get("metric", ""))
        for name in (suite["name"], suite_name(suite)):
            yield name, (suite["name"], headline)


def _meant(name: str, run: Run) -> str:
    """The scores that are closest to this name, by their letters or by the words of their explanations."""
    suites = {
        suite["name"]: " ".join([suite_name(suite), suite_meaning(suite), *map(test_name, suite.get("tests") or ())])
        for suite in run.suites
    }
    ranked: dict[str, tuple[float, str]] = {}
    for score in _metrics(run):
        said = f"{score.metric} {score.facts.title} {score.facts.explanation()}"
        shared = _shared(name, said), _shared(name, f"{said} {suites.get(score.suite, '')}") - _OF_SUITE
        rank = max(_likeness(name, score.metric), _likeness(name, score.facts.title), *shared)
        shown = f"{score.metric} ({score.facts.title}: {score.facts.explanation()})".replace(": )", ")")
        if rank - score.facts.detail / 10 > ranked.get(score.metric, (_LEAST, ""))[0]:
            ranked[score.metric] = rank - score.facts.detail / 10, shown
    best = [shown for _, shown in sorted(ranked.values(), key=lambda one: -one[0])[:_LISTED]]
    if best:
        return f" Did you mean {', or '.join(best)}?"
    listed = sorted({score.metric for score in _metrics(run) if not score.facts.detail})
    return f" It has: {', '.join(listed) or 'none'}."


def _likeness(name: str, known: str) -> float:
    return SequenceMatcher(None, _folded(name), _folded(known)).ratio()


def _shared(name: str, text: str) -> float:
    """The share of the words of a name that occur in a text, in whatever form, as a likeness from 0.5.

    >>> _shared("consistent answers", "CONS consistency: pairs whose answers agree"), _shared("speed", "accuracy")
    (1.0, 0.0)
    """
    stems = {word[:_STEM] for word in re.findall(r"[a-z]{3,}", text.lower())}
    words = re.findall(r"[a-z]{3,}", name.lower())
    known = sum(word[:_STEM] in stems for word in words)
    return 0.5 + known / len(words) / 2 if known else 0.0
