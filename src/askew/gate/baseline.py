"""Is a run worse than a baseline? A paired comparison on the same groups."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np

from askew.engine.compare import compare_runs, not_compared
from askew.engine.settings import check_share
from askew.errors import BadOption, did_you_mean
from askew.files.paths import public_text
from askew.gate.checks import CLOSE, Check, Status
from askew.metrics.paired_difference import Difference, corrected
from askew.report.load import Run
from askew.report.score_display import probability
from askew.types import LEAST_IMAGES
from askew.verbs import Metric

_Key: TypeAlias = tuple[str, str, str]
"""Suite, metric, part."""

SAME = "the same groups"
"""The name of the first check."""


@dataclass(frozen=True)
class Rule:
    """When a run counts as worse: significantly, and by more than a margin."""

    alpha: float = 0.05
    """The significance level of the p value, corrected for all comparisons of its family (Holm 1979)."""
    margin: float = 0.0
    """The tolerated loss, as a fraction."""
    metrics: tuple[str, ...] = ()
    """The metrics to compare; all if empty."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise BadOption(f"alpha is {self.alpha!r}; it must be above 0 and below 1.")
        check_share("margin", self.margin)


DEFAULT = Rule()


@dataclass(frozen=True)
class _Pair:
    """A run and its baseline."""

    run: Run
    baseline: Run
    rule: Rule


def compare_to(run: Run, baseline: Run, rule: Rule = DEFAULT) -> list[Check]:
    """A check that the runs are comparable, then one for each score of their common suites (the whole and each test).

    A score that the baseline has and the run lacks fails; one that neither has is skipped. A named metric that is
    absent, or for which no comparison could be decided, fails too; so does a gate without any decided comparison.
    """
    shared = [suite["name"] for suite in run.suites if suite["name"] in baseline.tables]
    same = _same_groups(run, baseline, shared)
    if same.status is Status.FAILED:
        return [same]
    metrics = {name: run.tables[name].metrics for name in shared}
    known = {name: metric for of_suite in metrics.values() for name, metric in of_suite.items()}
    in_both = known.keys() & {name for table in baseline.tables.values() for name in table.metrics}
    left_out = {name: why for name, why in not_compared([run, baseline]).items() if name in in_both}
    compared = {
        key: metric
        for suite, of_suite in metrics.items()
        for key, metric in _compared(suite, of_suite, baseline, rule)
        if key[1] not in left_out
    }
    pair, differences = _Pair(run, baseline, rule), _differences(run, baseline, rule, compared)
    checks = [_judged(pair, key, metric, differences.get(key)) for key, metric in compared.items()]
    uncompared = [*_left_out(rule, left_out), *_uncompared(rule, known, left_out, compared)]
    return [same, *uncompared, *checks, *_undecided(rule, compared, checks)]


def _left_out(rule: Rule, left_out: Mapping[str, str]) -> Iterator[Check]:
    """A check for each metric that both have and that cannot be compared: skipped, or failed if it was named."""
    for name, why in left_out.items():
        if not rule.metrics or name in rule.metrics:
            status = Status.FAILED if rule.metrics else Status.SKIPPED
            yield Check("no-worse", name, status, "—", f"It is not compared: {why}")


def _is_selected(metric: str, part: str, rule: Rule) -> bool:
    return (not rule.metrics or metric in rule.metrics) and (not part or part.startswith("test="))


def _compared(suite: str, metrics: Mapping[str, Metric], baseline: Run, rule: Rule) -> Iterator[tuple[_Key, Metric]]:
    for score in baseline.scores():
        known = score.suite == suite and score.metric in metrics and metrics[score.metric].better != 0
        if known and _is_selected(score.metric, score.part, rule):
            yield (suite, score.metric, score.part), metrics[score.metric]


def _differences(run: Run, baseline: Run, rule: Rule, compared: Collection[_Key]) -> dict[_Key, dict[str, Any]]:
    """Run minus baseline by suite, metric and part; families contain only the comparisons that the gate makes."""
    differences = {
        (difference["suite"], difference["metric"], difference["part"]): Difference(**difference)
        for difference in compare_runs([run, baseline])
    }
    selected = {key: difference for key, difference in differences.items() if key in compared}
    return {key: asdict(one) for key, one in zip(selected, corrected(list(selected.values())), strict=True)}


def _judged(pair: _Pair, key: _Key, metric: Metric, difference: Mapping[str, Any] | None) -> Check:
    suite, name, part = key
    ours, before = pair.run.score(*key), pair.baseline.score(*key)
    label = f"{suite}:{name}" + (f"@{part}" if part else "")
    found = f"{ours.short} (was {before.short})"
    if not before.known:
        return Check("no-worse", label, Status.SKIPPED, found, "The baseline has no such score.")
    if not ours.known:
        return Check("no-worse", label, Status.FAILED, found, "The run has nothing left to measure it on.")
    if difference is None or difference["p_holm"] != difference["p_holm"]:
        return Check(
            "no-worse",
            label,
            Status.SKIPPED,
            found,
            f"This cannot be decided: fewer than {LEAST_IMAGES} images, or nothing varies.",
        )
    lost = _lost(metric, difference)
    significant = difference["p_holm"] < pair.rule.alpha
    change, now, then = (ours.facts.show(difference[what]) for what in ("difference", "of_a", "of_b"))
    p = probability(difference["p_holm"])
    p = p if p.startswith("<") else f"= {p}"
    family = f"Holm over {difference['family_size']:,}: {difference['family']}"
    summary = f"Change {change} (from {then} to {now} over the {difference['n']:,} in both), p {p} ({family})."
    if significant and lost > pair.rule.margin:
        return Check("no-worse", label, Status.FAILED, found, f"Significantly worse. {summary}")
    verdict = "Within the margin. " if significant and lost > 0 else ""
    return Check("no-worse", label, Status.PASSED, found, verdict + summary)


def _lost(metric: Metric, difference: Mapping[str, Any]) -> float:
    """How much worse the run is; if zero is the best value, values beyond it count as zero."""
    if metric.zero_is_best:
        ours, before = (max(0.0, -metric.better * float(difference[side])) for side in ("of_a", "of_b"))
        return ours - before
    return float(-metric.better * difference["difference"])


def _same_groups(run: Run, baseline: Run, shared: Sequence[str]) -> Check:
    """Whether the run has all groups of the baseline in their common suites."""
    if not shared:
        return _incomparable("They have no suite in common. Run the same suites.")
    missing = changed = count = new = 0
    example: Any = None
    for suite in shared:
        ours, before = run.tables[suite], baseline.tables[suite]
        both, place, other = np.intersect1d(ours.column("key"), before.column("key"), return_indices=True)
        differing = place[ours.column("digest")[place] != before.column("digest")[other]]
        if len(differing) and not changed:
            example = run.group_at(int(ours.column("offset")[differing.min()]))
        changed, count = changed + len(differing), count + len(both)
        missing += len(before.column("key")) - len(both)
        new += len(ours.column("key")) - len(both)
    if not count:
        return _incomparable("They share no group. Run both on the same groups.jsonl.")
    if changed:
        return _incomparable(
            f"{changed:,} of the {count:,} groups in both ask different questions, e.g. {example!r}. "
            "Run both on the same groups.jsonl."
        )
    if missing:
        return _incomparable(
            f"{missing:,} of the baseline's {count + missing:,} groups are not in the run. "
            "Run both on the same groups.jsonl, without a --limit of its own."
        )
    more = f" {new:,} groups of the run are new." if new else ""
    return Check(
        "groups", SAME, Status.PASSED, f"{count:,} shared", f"All of {public_text(str(baseline.folder))}.{more}"
    )


def _incomparable(why: str) -> Check:
    return Check("groups", SAME, Status.FAILED, "—", f"The runs cannot be compared. {why}")


def _uncompared(
    rule: Rule, known: Mapping[str, Metric], foreign: Collection[str], compared: Collection[_Key]
) -> Iterator[Check]:
    """A failed check for each named metric that is not compared, or one if there is nothing to compare."""
    names = {metric for _, metric, _ in compared}
    listed = f"Its metrics: {', '.join(sorted(known)) or 'none'}."
    if not rule.metrics and not names:
        yield _failed("something to compare", f"The run has nothing to compare. {listed}")
    for name in dict.fromkeys(rule.metrics):
        if name in names or name in foreign:
            continue
        if name not in known:
            why = f"The run has no metric {name!r}.{did_you_mean(name, known, CLOSE)} {listed}"
        elif known[name].better == 0:
            why = f"More of {name!r} is neither better nor worse, so it is not compared. Leave it out of --metric."
        else:
            why = f"The baseline has no score for {name!r}. Run the baseline again with --metric {name}."
        yield _failed(name, why)


def _undecided(rule: Rule, compared: Collection[_Key], checks: Sequence[Check]) -> Iterator[Check]:
    """A failed check for each named metric (or one for all metrics if none was named) without a decided comparison."""
    by_metric: dict[str, list[Check]] = {}
    for (_, metric, _), check in zip(compared, checks, strict=True):
        by_metric.setdefault(metric if rule.metrics else "some comparison decided", []).append(check)
    for name, skipped in by_metric.items():
        if all(check.status is Status.SKIPPED for check in skipped):
            reasons = " ".join(dict.fromkeys(check.why for check in skipped))
            yield _failed(name, f"No comparison could be decided (of {len(skipped):,}). {reasons}")


def _failed(name: str, why: str) -> Check:
    return Check("no-worse", name, Status.FAILED, "—", why)
