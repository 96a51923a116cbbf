"""Requirements on scores: ``rad.forward>=0.7``, ``CS(2) >= 60 %`` or ``rad:rad.forward@test=Y/N←C >= 60%``.

A score has the name that people type: its id in ``results.json``, or what tables print, such as ``CS(2)``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from typing import Literal, TypeAlias

from askew.engine.settings import Settings, check_share
from askew.errors import UsageError, did_you_mean
from askew.report.glossary import suite_meaning, suite_name, test_name
from askew.report.load import Run
from askew.types import MetricFacts, Score


class Status(str, Enum):
    """The result of a check."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    """It matters, but the data do not decide it."""
    LOOK = "worth a look"
    """Significantly worse in a comparison that the verdict does not depend on."""
    SKIPPED = "skipped"
    """There is nothing to decide, neither in this run nor in the baseline."""


EXIT_CODES = {Status.PASSED: 0, Status.FAILED: 1, Status.UNDECIDED: 2}
"""The exit code of each verdict; 2 is also that of wrong commands and unreadable files."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check."""

    kind: str
    """``require``, ``groups``, ``no-worse``, ``others`` (comparisons that do not count) or ``failures``."""
    name: str
    """What is required."""
    status: Status
    found: str
    """What the run has, as text."""
    why: str = ""
    """The reason for the result; for a failure also what to do."""
    cells: tuple[str, ...] = ()
    """Of a comparison: the score now, the score before, the loss with its interval, the smallest detectable loss."""


def verdict(checks: Iterable[Check]) -> Status:
    """Failed if a check failed, else undecided if one is or if nothing passed, else passed.

    >>> passed, look = Check("require", "a>0", Status.PASSED, "1"), Check("others", "b", Status.LOOK, "0")
    >>> verdict([passed, look]).value, verdict([look]).value
    ('passed', 'undecided')
    """
    statuses = {check.status for check in checks}
    for status in (Status.FAILED, Status.UNDECIDED):
        if status in statuses:
            return status
    return Status.PASSED if Status.PASSED in statuses else Status.UNDECIDED


def failures_check(run: Run, limit: float | None = None) -> Check:
    """Whether the share of failed requests is within the limit, by default the run's own.

    Requests of earlier commands count too; ``asked`` of results.json includes them.
    """
    failures = run.results.get("failures") or {}
    count = failures.get("count") or 0
    asked = failures.get("asked") or 0
    allowed = failures.get("limit", Settings.max_failures) if limit is None else limit
    check_share("max_failures", allowed)
    share = count / asked if asked else 0.0
    passed = share <= allowed
    why = "" if passed else "Run it again with the same --output: failed ones are asked again."
    return Check(
        "failures",
        f"failed answers <= {allowed:.1%}",
        Status.PASSED if passed else Status.FAILED,
        f"{share:.1%}",
        f"{count:,} of {asked:,} requests failed. {why}".rstrip(),
    )


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
    known = [key for key in known if _folded(key[0]) == _folded(name)] or known  # RAD of the suite rad, not of others
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


By: TypeAlias = Literal["value", "low"]
"""What must meet the requirement: the value, or the worse end of its interval."""

_FORM = re.compile(
    r"(?P<what>.*\S)\s*(?P<op>>=|<=|>|<)\s*(?P<value>[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?)\s*(?P<cent>%?)\s*"
)
MOST_DECIMALS = 15
"""The most decimals with which a value and its bound are shown."""
_OPERATORS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound on one score of a run."""

    name: str
    """The metric as it was typed, with ``@part`` if it is a part, prefixed with its suite where several have it."""
    op: str
    value: float
    text: str
    """The requirement as it was typed."""
    percent: bool = False
    """Whether the value was typed as a percentage."""

    def met(self, found: float) -> bool:
        """Whether this value meets the bound."""
        return bool(_OPERATORS[self.op](found, self.value))

    @property
    def upwards(self) -> bool:
        """Whether it is a lower bound."""
        return self.op.startswith(">")


def parse_requirement(text: str) -> Requirement:
    """Parse a requirement: metric, optional ``@part``, one of ``>= > <= <``, a number or a percentage.

    >>> parse_requirement("rad.forward@test=Y/N←C >= 60%").name, parse_requirement("CS(2) >= 60 %").value
    ('rad.forward@test=Y/N←C', 0.6)
    >>> parse_requirement("rad.forward=0.7")
    Traceback (most recent call last):
    askew.errors.UsageError: 'rad.forward=0.7' is not a requirement. Write it as metric>=0.7, or ...
    """
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise UsageError(
            f"{text!r} is not a requirement. Write it as metric>=0.7, or metric@test=NAME>=0.7; "
            "the signs are >=, >, <= and <, the value is a fraction or a percentage such as 70%."
        )
    value, percent = float(form["value"]), bool(form["cent"])
    value = round(value / 100, 12) if percent else value
    return Requirement(form["what"].strip(), form["op"], value, " ".join(text.split()), percent)


def check_requirement(requirement: Requirement, run: Run, by: By = "value") -> Check:
    """Check whether a run meets a requirement; undecided if the score has no groups, or no interval if that is needed.

    Raises UsageError for a score that the run does not have, and for a value that no share can have.
    """
    score = the_score(requirement.name, run)
    _check_range(requirement, run, score)
    found = f"{score.short} ({score.interval})" if score.interval else score.short
    if not score.known or score.n == 0:
        nothing = f"There is nothing to measure: {score.suite}:{score.metric} is based on no group."
        return Check("require", requirement.text, Status.UNDECIDED, found, nothing)
    value, label = score.value, "the value"
    if by == "low":
        end = score.low if requirement.upwards else score.high
        if end != end:
            return Check(
                "require", requirement.text, Status.UNDECIDED, found, f"It has no interval: {score.no_interval}."
            )
        value, label = end, "the interval's " + ("low" if requirement.upwards else "high") + " end"
    if requirement.met(value):
        return Check("require", requirement.text, Status.PASSED, found, f"By {label}; {_basis(score)}")
    ours, bound = _apart(score.facts, value, requirement.value)
    why = f"{label[0].upper()}{label[1:]} {ours} is not {requirement.op} {bound}; {_basis(score)}"
    return Check("require", requirement.text, Status.FAILED, found, why)


def _check_range(requirement: Requirement, run: Run, score: Score) -> None:
    """Refuse 80 for a share, which would be 8,000 %."""
    table = run.tables.get(score.suite)
    metric = table.metrics.get(score.metric) if table else None
    if abs(requirement.value) <= 1 or (metric is not None and not metric.share):
        return
    typed = 100 * requirement.value if requirement.percent else requirement.value
    name, most = score.facts.title, "100 % or 1" if score.facts.unit else "1"
    meant = f"{typed / 100:g}"
    instead = f"Write {typed:g} % or {meant}" if score.facts.unit else f"Write {meant}"
    remedy = f" {instead} if that is what you mean." if abs(typed) <= 100 else ""
    raise UsageError(
        f"{requirement.text!r}: {name} is at most {most}, and {typed:g}{' %' if requirement.percent else ''} "
        f"is {100 * requirement.value:,.0f} %.{remedy}"
    )


def _apart(facts: MetricFacts, value: float, bound: float) -> tuple[str, str]:
    """Both values as text, with as many decimals as needed to see that they differ.

    >>> _apart(MetricFacts(), 0.5, 0.6), _apart(MetricFacts(), 2 / 3, 0.6667)
    (('50.0', '60.0'), ('66.667', '66.670'))
    """
    shown = facts.show(value), facts.show(bound)
    decimals = 1
    while value != bound and shown[0] == shown[1] and decimals < MOST_DECIMALS:
        decimals += 1
        shown = f"{facts.printed(value):.{decimals}f}", f"{facts.printed(bound):.{decimals}f}"
    return shown


def _basis(score: Score) -> str:
    return f"n = {score.n:,}" + (f", {score.failed:,} left out for missing answers." if score.failed else ".")
