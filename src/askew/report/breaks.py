"""What breaks a model: tests, rules, question and answer types, answers and words, by how much they hurt.

A break is a pair whose original was answered rightly and whose variant was not. The rate of a trait is compared with
the rest of its suite (pairs taken as independent), with Holm's correction over everything that was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askew.report.census import DIMENSIONS, RIGHT, WRONG, Census, Trait
from askew.significance import difference_p, holm, wilson

NAMED_FIRST = ("question_type", "test", "made_by", "answer_type", "answer", "changed", "word")
"""When exactly the same pairs have several traits, the one that says most to people."""

BROKE, HELD = 3 * RIGHT + WRONG, 3 * RIGHT + RIGHT


@dataclass(frozen=True, slots=True)
class Finding:
    """How often pairs with this trait broke, against the rest of the suite."""

    trait: Trait
    also: tuple[Trait, ...]
    """Traits that exactly the same pairs have."""
    broken: int
    n: int
    """Pairs whose original was answered rightly and whose variant was answered."""
    low: float
    high: float
    rest: float
    """The rate of the suite's other pairs; nan when there are none."""
    p: float
    """Holm-corrected."""

    @property
    def rate(self) -> float:
        """Broken pairs among those that could break."""
        return self.broken / self.n

    @property
    def hurts(self) -> bool:
        """True when it breaks significantly more often than the rest."""
        return self.p < 0.05 and self.rate > self.rest


@dataclass(frozen=True, slots=True)
class Breaks:
    """One run's breaks in one suite: the total, and every trait with enough support, the most hurtful first."""

    run: int
    suite: str
    broken: int
    n: int
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> Finding | None:
        """What a sentence names: the question type, test, answer type or rule that hurts most, if any does."""
        hurting = [f for f in self.findings if f.hurts and f.trait.dimension in NAMED_FIRST[:4]]
        return min(hurting, key=lambda f: (-f.low, NAMED_FIRST.index(f.trait.dimension)), default=None)


def find_breaks(census: Census, support: int = 20) -> list[Breaks]:
    """The breaks of every run in every suite it has."""
    found = []
    for number, run in enumerate(census.runs):
        tally = _tally(census, number)
        found += [_breaks(census, number, suite["name"], tally, support) for suite in run.suites]
    return found


def examples(census: Census, run: int, trait: Trait, most: int) -> list[int]:
    """Some pairs with this trait that this run broke on, the same ones every time."""
    broke = census.codes[run] == BROKE
    number = census.number_of[trait]
    ends = np.cumsum(census.trait_counts, dtype=np.int64)
    owners = np.unique(np.searchsorted(ends, np.flatnonzero(census.trait_ids == number), side="right"))
    owners = owners[broke[owners]]
    return [int(pair) for pair in owners[np.argsort(census.priority[owners], kind="stable")][:most]]


@dataclass(frozen=True, slots=True)
class _Tally:
    """For each trait how many pairs broke and held, and a fingerprint of which pairs these are."""

    broken: NDArray[np.int64]
    held: NDArray[np.int64]
    prints: NDArray[np.float64]


def _tally(census: Census, run: int) -> _Tally:
    size = len(census.traits)
    broken, held, prints = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size)
    for pairs, traits in census.slices():
        codes, counts = census.codes[run][pairs], census.trait_counts[pairs]
        ids, each = census.trait_ids[traits], np.repeat(codes, counts)
        weights = (census.priority[pairs] >> np.uint64(11)).astype(np.float64) / 2.0**53
        weights[(codes != BROKE) & (codes != HELD)] = 0.0
        broken += np.bincount(ids[each == BROKE], minlength=size)
        held += np.bincount(ids[each == HELD], minlength=size)
        prints += np.bincount(ids, weights=np.repeat(weights, counts), minlength=size)
    return _Tally(broken, held, prints)


def _breaks(census: Census, run: int, suite: str, tally: _Tally, support: int) -> Breaks:
    whole = census.number_of.get(Trait(suite, "suite", suite))
    if whole is None:
        return Breaks(run, suite, 0, 0, ())
    all_broken, all_n = int(tally.broken[whole]), int(tally.broken[whole] + tally.held[whole])
    alike = _alike(census, suite, tally, support, all_n)
    tests = [difference_p(hits, n, all_broken - hits, all_n - n) for hits, n, _ in alike]
    findings = [
        Finding(same[0], tuple(same[1:]), hits, n, *wilson(hits, n), (all_broken - hits) / (all_n - n), p)
        for ((hits, n, _), same), p in zip(alike.items(), holm(tests), strict=True)
    ]
    findings.sort(key=lambda f: (not f.hurts, -f.low, -f.n, f.trait.dimension, f.trait.value))
    return Breaks(run, suite, all_broken, all_n, tuple(findings))


def _alike(
    census: Census, suite: str, tally: _Tally, support: int, all_n: int
) -> dict[tuple[int, int, float], list[Trait]]:
    """The traits of a suite that enough pairs have, but not all of them; those of the same pairs together."""
    alike: dict[tuple[int, int, float], list[Trait]] = {}
    enough = tally.broken + tally.held
    for index in np.flatnonzero((enough >= support) & (enough < all_n)):
        trait = census.traits[index]
        if trait.suite == suite and trait.dimension in DIMENSIONS and trait.value:
            key = int(tally.broken[index]), int(enough[index]), float(tally.prints[index])
            alike.setdefault(key, []).append(trait)
    for same in alike.values():
        same.sort(key=lambda trait: (NAMED_FIRST.index(trait.dimension), trait.value))
    return alike
