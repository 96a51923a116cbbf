"""Is a run worse than a baseline? A paired comparison on the same groups.

The verdict rests on one small family of comparisons, corrected together (Holm 1979): the headlines, or the metrics that
were named. Of two equally good runs, at most one in twenty fails. All other comparisons are listed if they are
significantly worse, but do not count; tested too, they would fail one of seven equally good runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from askew.engine.result import headlines, not_compared, paired_differences
from askew.engine.settings import check_share
from askew.errors import BadOption, UsageError
from askew.files.paths import public_text
from askew.gate.requirements import Check, Status, find_scores
from askew.metrics.paired_difference import Difference, corrected, false_alarm_rate
from askew.report.load import Run
from askew.report.table_formats import count, probability
from askew.significance import resolvable
from askew.types import LEAST_IMAGES, MetricFacts
from askew.verbs import MapsFraction, Metric

_Key: TypeAlias = tuple[str, str, str]
"""Suite, metric, part."""

SAME = "the same groups"
"""The name of the first check."""
COUNTED = "the comparisons that count"
"""The family of these, and the name of the check that one of them could be decided."""
_MAPPED = (
    "it is a function of another score, which tells runs apart where it does not. Compare by that score with --metric; "
    "of R_score on noise level 1, it is noise.loss.1."
)
_NAMED = 3
"""How many comparisons with the same numbers are named."""


@dataclass(frozen=True)
class Rule:
    """When a run counts as worse."""

    alpha: float = 0.05
    """The significance level of the p value, corrected for all comparisons of its family."""
    margin: float | None = None
    """The tolerated loss, as a fraction: the run must be shown to lose less. If None, it must not be shown to lose."""
    metrics: tuple[str, ...] = ()
    """The scores that count, by id or as printed; the headlines if empty."""
    everything: bool = False
    """Whether the other comparisons count as well."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise BadOption(f"alpha is {self.alpha!r}; it must be above 0 and below 1.")
        if self.margin is not None:
            check_share("margin", self.margin)


DEFAULT = Rule()


@dataclass(frozen=True)
class _Loss:
    """How much worse the run is, with its interval; and the comparison, with p of a loss beyond the margin."""

    value: float
    low: float
    high: float
    of: Difference


@dataclass(frozen=True)
class BaselineComparison:
    """A run and its baseline, and when the run counts as worse."""

    run: Run
    baseline: Run
    rule: Rule = DEFAULT

    def checks(self) -> list[Check]:
        """A check that the runs are comparable, one for each comparison that counts, and then for each other one.

        Headlines and named scores count. One that the baseline has and the run lacks fails; one that neither has is
        skipped; one that cannot be decided is undecided, and so is a gate without any decided comparison.
        """
        counted = self._named  # an unknown name is refused first
        same = _same_groups(self.run, self.baseline)
        if same.status is not Status.PASSED:
            return [same]
        counted = self.counted
        losses = self._losses([self._differences[key] for key in counted if key in self._differences], COUNTED)
        checks = [self._check(key, losses.get(key)) for key in counted]
        if all(check.status is Status.SKIPPED for check in checks):
            reasons = " ".join(dict.fromkeys(check.why for check in checks))
            checks.append(Check("no-worse", COUNTED, Status.UNDECIDED, "—", f"None could be decided. {reasons}"))
        return [same, *checks, *self._other_checks()]

    def note(self) -> str:
        """How many comparisons count, and how often a run that is as good as the baseline fails."""
        if _same_groups(self.run, self.baseline).status is not Status.PASSED:
            return ""
        first = [self._differences[key] for key in self.counted if key in self._differences]
        first = [one for one in corrected([replace(one, family=COUNTED) for one in first]) if not one.same_as]
        count_first = f"{len(first):,} comparison{'' if len(first) == 1 else 's'}"
        if not self.rule.everything:
            tested = sum(one.p == one.p for one in self._others)
            others = f" Without --all, others do not count ({tested:,})." if tested else ""
            return (
                f"Of equally good runs, at most {100 * self.rule.alpha:g} % fail: {count_first}, one family of Holm's "
                f"correction.{others}"
            )
        everything = [*first, *(one for one in corrected(self._others) if not one.same_as)]
        better = [metric.better for one in everything if (metric := self._metric(_key(one))) is not None]
        rate = false_alarm_rate(everything, better, self.rule.alpha)
        families = len({one.family for one in everything})
        return (
            f"--all: {len(everything):,} comparisons in {families:,} families count. Of equally good runs, "
            f"{'at most ' * bool(self.rule.margin)}{100 * rate:.1f} % would fail (measured: the answers of both "
            "exchanged on random images, 2,000 times)."
        )

    @cached_property
    def counted(self) -> list[_Key]:
        """The scores that the verdict rests on: those named, or the headlines."""
        found = self._named or [(suite, metric, "") for suite, metric in headlines([self.run, self.baseline])]
        return [key for key in found if (metric := self._metric(key)) is None or metric.better]

    @cached_property
    def _differences(self) -> dict[_Key, Difference]:
        """Run minus baseline by suite, metric and part."""
        return {_key(one): one for one in paired_differences([self.run, self.baseline], estimates=True)}

    def _metric(self, key: _Key) -> Metric | None:
        """The metric of a score of the run."""
        table = self.run.tables.get(key[0])
        return table.metrics.get(key[1]) if table else None

    @cached_property
    def _named(self) -> list[_Key]:
        """The scores that the rule names, of every suite that has them; UsageError for one that cannot be compared."""
        found = []
        for name in self.rule.metrics:
            keys = find_scores(name, self.run)
            for key in keys:
                metric = self._metric(key)
                if isinstance(metric, MapsFraction):
                    raise UsageError(f"--metric {name}: {key[1]} is not compared: {_MAPPED}")
                if metric is not None and metric.better == 0:
                    raise UsageError(
                        f"--metric {name}: more of {key[1]} is neither better nor worse, so it is not compared. "
                        "Leave it out of --metric."
                    )
            found += keys
        return list(dict.fromkeys(found))

    @cached_property
    def _others(self) -> list[Difference]:
        """The other comparisons, over the whole and for each test; if metrics were named, only the tests of these.

        None occurs twice, and none has the numbers of one that counts.
        """
        metrics = {metric for _, metric, _ in self.counted} if self.rule.metrics else None
        seen = {one.numbers for key, one in self._differences.items() if key in self.counted}
        found = []
        for key, one in self._differences.items():
            metric = self._metric(key)
            is_wanted = metric is not None and metric.better and (metrics is None or key[1] in metrics)
            is_part = key[2] and not key[2].startswith("test=")
            if is_wanted and not is_part and key not in self.counted and (one.numbers not in seen or not one.numbers):
                seen.add(one.numbers)
                found.append(one)
        return found

    def _losses(self, differences: Sequence[Difference], family: str = "") -> dict[_Key, _Loss]:
        """How much the run loses in each comparison; p values are of a loss beyond the margin, corrected by family."""
        found = {}
        for one in differences:
            metric = self._metric(_key(one))
            if metric is not None and metric.better and one.estimate is not None:
                found[_key(one)] = _loss(metric, one, self.rule)
        tests = corrected([replace(loss.of, family=family or loss.of.family) for loss in found.values()])
        return {key: replace(loss, of=test) for (key, loss), test in zip(found.items(), tests, strict=True)}

    def _check(self, key: _Key, loss: _Loss | None) -> Check:
        """The check of a comparison that counts."""
        ours, before = self.run.score(*key), self.baseline.score(*key)
        label, found = _label(key), f"{ours.short} (was {before.short})"
        if not before.metric:
            name = f"--metric {key[1]}" if self.rule.metrics else "the same suites"
            why = f"The baseline has no score for {key[1]!r}. Run the baseline again with {name}."
            return Check("no-worse", label, Status.UNDECIDED, found, why)
        if not before.known:
            return Check("no-worse", label, Status.SKIPPED, found, "The baseline has no such score.")
        if not ours.known:
            return Check("no-worse", label, Status.FAILED, found, "The run has nothing left to measure it on.")
        if loss is None:
            mapped = isinstance(self._metric(key), MapsFraction)
            unknown = _MAPPED if mapped else "there is no group in both."
            why = not_compared([self.run, self.baseline]).get(key[1], unknown)
            return Check("no-worse", label, Status.UNDECIDED, found, f"It is not compared: {why}")
        if loss.of.p != loss.of.p:
            why = f"This cannot be decided: fewer than {LEAST_IMAGES} images, or nothing varies."
            return Check("no-worse", label, Status.UNDECIDED, found, why)
        status, says = _decided(self.rule, loss, ours.facts)
        return self._compared("no-worse", status, key, loss, says)

    def _compared(self, kind: str, status: Status, key: _Key, loss: _Loss, says: str) -> Check:
        """The check of a comparison with numbers."""
        plain, of = replace(self.run.facts(*key[:2]), signed=False), loss.of
        now, before = plain.show(of.of_a), plain.show(of.of_b)
        interval = f"{plain.show(loss.low)} to {plain.show(loss.high)}"
        p = probability(of.p_holm)
        p = p if p.startswith("<") else f"= {p}"
        exactly = " for a loss of exactly the margin" if self.rule.margin else ""
        why = (
            f"{says} Loss {_points(plain, loss.value)} ({interval}) over the {of.n:,} groups in both, p {p}{exactly} "
            f"(Holm over {of.family_size:,}: {of.family}). Detectable, with a power of 80 %: "
            f"{_points(plain, of.detectable)}."
        )
        if same := [
            one.name for one in self._differences.values() if one.numbers == of.numbers != b"" and one.name != of.name
        ]:
            more = f" and {len(same) - _NAMED} more" if len(same) > _NAMED else ""
            why += f" The same numbers: {', '.join(same[:_NAMED])}{more}."
        cells = now, before, f"{plain.show(loss.value)} ({interval})", plain.show(of.detectable)
        return Check(kind, _label(key), status, f"{now} (was {before})", why, cells)

    def _other_checks(self) -> Iterator[Check]:
        """The comparisons that do not count, unless everything does; the clearest first."""
        decided = [item for item in self._losses(self._others).items() if item[1].of.p == item[1].of.p]
        for key, loss in sorted(decided, key=lambda item: item[1].of.p_holm):
            ours, before = self.run.score(*key), self.baseline.score(*key)
            if not (ours.known and before.known):
                continue
            worse = _is_worse(self.rule, loss)
            status = (Status.FAILED if self.rule.everything else Status.LOOK) if worse else Status.PASSED
            says = "Significantly worse." if worse else "No significant loss."
            yield self._compared("others", status, key, loss, says)
        if not self.rule.metrics:
            counted = {metric for _, metric, _ in self.counted}
            for name, why in not_compared([self.run, self.baseline]).items():
                if name not in counted:
                    yield Check("others", name, Status.SKIPPED, "—", f"It is not compared: {why}")


def compare_to(run: Run, baseline: Run, rule: Rule = DEFAULT) -> list[Check]:
    """The checks of a comparison with a baseline."""
    return BaselineComparison(run, baseline, rule).checks()


def _key(difference: Difference) -> _Key:
    return difference.suite, difference.metric, difference.part


def _loss(metric: Metric, one: Difference, rule: Rule) -> _Loss:
    """The loss; if zero is the best value, values beyond it count as zero, which moves the interval too."""
    assert one.estimate is not None
    raw = -metric.better * one.difference
    lost = raw
    if metric.zero_is_best:
        lost = max(0.0, -metric.better * one.of_a) - max(0.0, -metric.better * one.of_b)
    beyond, margin = lost - raw, rule.margin or 0.0
    low, high = sorted(-metric.better * end + beyond for end in one.estimate.interval(rule.alpha))
    p = one.estimate.p(-metric.better * (margin - beyond))
    p = resolvable(p, one.images) if p == p and one.estimate.has_interval else p
    return _Loss(lost, low, high, replace(one, p=p))


def _decided(rule: Rule, loss: _Loss, facts: MetricFacts) -> tuple[Status, str]:
    """The result of a comparison, in a few words."""
    if _is_worse(rule, loss):
        return Status.FAILED, "Significantly worse." if rule.margin is None else "It loses more than the margin."
    if rule.margin is None:
        return Status.PASSED, "No significant loss."
    if loss.high < rule.margin:
        return Status.PASSED, "It loses less than the margin."
    if not loss.of.detectable <= rule.margin:
        more = (loss.of.detectable / rule.margin) ** 2 if rule.margin else float("inf")
        images = f" About {count(loss.of.images * more)} images are needed." if more < float("inf") else ""
        size = _points(facts, loss.of.detectable)
        return Status.UNDECIDED, f"Undecided, n too small: a loss of {size} could not have been seen.{images}"
    return Status.UNDECIDED, "Undecided: the loss may be on either side of the margin."


def _is_worse(rule: Rule, loss: _Loss) -> bool:
    return loss.of.p_holm < rule.alpha and loss.value > (rule.margin or 0.0)


def _points(facts: MetricFacts, value: float) -> str:
    return replace(facts, signed=False).show(value) + (" points" if facts.unit else "")


def _label(key: _Key) -> str:
    suite, metric, part = key
    return f"{suite}:{metric}" + (f"@{part}" if part else "")


def _same_groups(run: Run, baseline: Run) -> Check:
    """Whether the run has all groups of the baseline in their common suites."""
    shared = [suite["name"] for suite in run.suites if suite["name"] in baseline.tables]
    if not shared:
        return _incomparable("They have no suite in common. Run the same suites.")
    missing = changed = number = new = 0
    example: Any = None
    for suite in shared:
        ours, before = run.tables[suite], baseline.tables[suite]
        both, place, other = np.intersect1d(ours.column("key"), before.column("key"), return_indices=True)
        differing = place[ours.column("digest")[place] != before.column("digest")[other]]
        if len(differing) and not changed:
            example = run.group_at(int(ours.column("offset")[differing.min()]))
        changed, number = changed + len(differing), number + len(both)
        missing += len(before.column("key")) - len(both)
        new += len(ours.column("key")) - len(both)
    if not number:
        return _incomparable("They share no group. Run both on the same groups.jsonl.")
    if changed:
        return _incomparable(
            f"{changed:,} of the {number:,} groups in both ask different questions, e.g. {example!r}. "
            "Run both on the same groups.jsonl."
        )
    if missing:
        return _incomparable(
            f"{missing:,} of the baseline's {number + missing:,} groups are not in the run. "
            "Run both on the same groups.jsonl, without a --limit of its own."
        )
    more = f" {new:,} groups of the run are new." if new else ""
    return Check(
        "groups", SAME, Status.PASSED, f"{number:,} shared", f"All of {public_text(str(baseline.folder))}.{more}"
    )


def _incomparable(why: str) -> Check:
    return Check("groups", SAME, Status.UNDECIDED, "—", f"The runs cannot be compared. {why}")
