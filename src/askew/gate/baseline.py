"""Is a run worse than a baseline? A paired comparison on the same groups."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import orjson

from askew.engine.compare import compare_runs, why_unknown
from askew.engine.run_metrics import metrics_of, unknown_metrics
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
    shared = [suite for suite in run.suites if suite["name"] in {other["name"] for other in baseline.suites}]
    same = _same_groups(run, baseline, [suite["name"] for suite in shared])
    if same.status is Status.FAILED:
        return [same]
    metrics = {suite["name"]: metrics_of(run, suite) for suite in shared}
    compared = dict(item for name, known in metrics.items() for item in _compared(name, known, baseline, rule))
    pair, differences = _Pair(run, baseline, rule), _differences(run, baseline, rule, compared)
    checks = [_judged(pair, key, metric, differences.get(key)) for key, metric in compared.items()]
    foreign = {name: path for suite in shared for name, path in unknown_metrics(suite).items()}
    every = {name: metric for of_suite in metrics.values() for name, metric in of_suite.items()}
    uncompared = [*_foreign(rule, foreign), *_uncompared(rule, every, foreign, compared)]
    return [same, *uncompared, *checks, *_undecided(rule, compared, checks)]


def _foreign(rule: Rule, foreign: Mapping[str, str]) -> Iterator[Check]:
    """A check for each metric whose class is unknown: skipped, or failed if the metric was named."""
    for name, path in foreign.items():
        if not rule.metrics or name in rule.metrics:
            status = Status.FAILED if rule.metrics else Status.SKIPPED
            yield Check("no-worse", name, status, "—", f"It is not compared: {why_unknown(path)}")


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
    ours, before = _group_digests(run, shared), _group_digests(baseline, shared)
    both = ours.keys() & before.keys()
    if not both:
        return _incomparable("They share no group. Run both on the same groups.jsonl.")
    changed = sorted(str(key[1]) for key in both if ours[key] != before[key])
    if changed:
        return _incomparable(
            f"{len(changed):,} of the {len(both):,} groups in both ask different questions, e.g. {changed[0]!r}. "
            "Run both on the same groups.jsonl."
        )
    if missing := len(before) - len(both):
        return _incomparable(
            f"{missing:,} of the baseline's {len(before):,} groups are not in the run. "
            "Run both on the same groups.jsonl, without a --limit of its own."
        )
    new = f" {len(ours) - len(both):,} groups of the run are new." if len(ours) > len(both) else ""
    return Check(
        "groups", SAME, Status.PASSED, f"{len(both):,} shared", f"All of {public_text(str(baseline.folder))}.{new}"
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


def _group_digests(run: Run, suites: Sequence[str]) -> dict[tuple[str, Any, str], bytes]:
    """A digest of each group; 1 and "1" are different ids."""
    return {
        (record["suite"], record["group"], type(record["group"]).__name__): _digest(record)
        for _, record in run.outcomes()
        if record.get("suite") in suites
    }


def _digest(record: Mapping[str, Any]) -> bytes:
    """A digest of the questions, answers and images of a group, without the paths of the images."""
    members = [record["original"], *record.get("variants", ())]
    asked = [[member.get(key) for key in ("question", "context", "image", "answers", "expect")] for member in members]
    return hashlib.blake2b(orjson.dumps(asked), digest_size=8).digest()
