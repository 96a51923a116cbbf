"""What breaks a model: the tests, rules, question and answer types, answers and words with the highest break rates.

A break is a pair whose original was answered correctly and whose variant was not. The rate of a trait is compared with
the rest of its suite (pairs treated as independent), with Holm's correction over all traits that were tested.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askew.report.glossary import test_name
from askew.report.pair_table import DIMENSIONS, RIGHT, WRONG, PairTable, Trait
from askew.significance import difference_p, holm, wilson

SUPPORT = 20
"""The least number of pairs for which the rate of a trait is shown."""

NAMED_FIRST = ("question_type", "test", "made_by", "answer_type", "answer", "changed", "word")
"""When exactly the same pairs have several traits, the dimension that is most informative is named."""

_TEMPLATE = re.compile(r"[A-Z]\d+")
"""The question types of data that names its templates by a letter and a number."""

BROKE, HELD = 3 * RIGHT + WRONG, 3 * RIGHT + RIGHT


@dataclass(frozen=True, slots=True)
class Finding:
    """How often pairs with this trait broke, compared with the rest of the suite."""

    trait: Trait
    also: tuple[Trait, ...]
    """Other traits of exactly the same pairs."""
    broken: int
    n: int
    """Pairs whose original was answered correctly and whose variant was answered."""
    low: float
    high: float
    rest: float
    """The rate of the suite's other pairs; nan if there are none."""
    p: float
    """Holm-corrected."""

    @property
    def rate(self) -> float:
        """Broken pairs among those that could break."""
        return self.broken / self.n

    @property
    def hurts(self) -> bool:
        """Whether it breaks significantly more often than the rest."""
        return self.p < 0.05 and self.rate > self.rest


@dataclass(frozen=True, slots=True)
class Breaks:
    """One run's breaks in one suite: the total, and every trait with enough support, the highest rates first."""

    run: int
    suite: str
    broken: int
    n: int
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> Finding | None:
        """The finding named in a sentence: the question type, test, answer type or rule that breaks most, if any."""
        hurting = [f for f in self.findings if f.hurts and f.trait.dimension in NAMED_FIRST[:4]]
        return min(hurting, key=lambda f: (-f.low, NAMED_FIRST.index(f.trait.dimension)), default=None)


def find_breaks(table: PairTable, support: int = SUPPORT) -> list[Breaks]:
    """The breaks of every run in every suite it has."""
    found = []
    for number, run in enumerate(table.runs):
        tally = _tally(table, number)
        found += [_breaks(table, number, suite["name"], tally, support) for suite in run.suites]
    return found


def worst_by_suite(breaks: Sequence[Breaks], run: int) -> dict[str, str]:
    """For each suite what breaks this run most, if anything does."""
    named = ((found.suite, found.worst) for found in breaks if found.run == run)
    return {suite: readable(finding.trait) for suite, finding in named if finding}


def readable(trait: Trait) -> str:
    """A trait in a sentence: tests by their readable names, templates and rules with the word for what they are.

    >>> readable(Trait("rad", "test", "Y/N←C")), readable(Trait("carets", "question_type", "Q4"))
    ('yes/no from color', 'template Q4')
    """
    if trait.dimension == "test":
        return test_name(trait.value)
    if trait.dimension == "made_by":
        return f"rule {trait.value}"
    return f"template {trait.value}" if _TEMPLATE.fullmatch(trait.value) else trait.value


def examples(table: PairTable, run: int, trait: Trait, most: int) -> list[int]:
    """Some pairs with this trait on which this run broke; deterministic."""
    broke = table.codes[run] == BROKE
    number = table.number_of[trait]
    ends = np.cumsum(table.trait_counts, dtype=np.int64)
    owners = np.unique(np.searchsorted(ends, np.flatnonzero(table.trait_ids == number), side="right"))
    owners = owners[broke[owners]]
    return [int(pair) for pair in owners[np.argsort(table.priority[owners], kind="stable")][:most]]


@dataclass(frozen=True, slots=True)
class _Tally:
    """For each trait how many pairs broke and held, and a fingerprint of which pairs these are."""

    broken: NDArray[np.int64]
    held: NDArray[np.int64]
    prints: NDArray[np.float64]


def _tally(table: PairTable, run: int) -> _Tally:
    size = len(table.traits)
    broken, held, prints = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size)
    for pairs, traits in table.slices():
        codes, counts = table.codes[run][pairs], table.trait_counts[pairs]
        ids, each = table.trait_ids[traits], np.repeat(codes, counts)
        weights = (table.priority[pairs] >> np.uint64(11)).astype(np.float64) / 2.0**53
        weights[(codes != BROKE) & (codes != HELD)] = 0.0
        broken += np.bincount(ids[each == BROKE], minlength=size)
        held += np.bincount(ids[each == HELD], minlength=size)
        prints += np.bincount(ids, weights=np.repeat(weights, counts), minlength=size)
    return _Tally(broken, held, prints)


def _breaks(table: PairTable, run: int, suite: str, tally: _Tally, support: int) -> Breaks:
    whole = table.number_of.get(Trait(suite, "suite", suite))
    if whole is None:
        return Breaks(run, suite, 0, 0, ())
    all_broken, all_n = int(tally.broken[whole]), int(tally.broken[whole] + tally.held[whole])
    alike = _alike(table, suite, tally, support, all_n)
    tests = [difference_p(hits, n, all_broken - hits, all_n - n) for hits, n, _ in alike]
    findings = [
        Finding(same[0], tuple(same[1:]), hits, n, *wilson(hits, n), (all_broken - hits) / (all_n - n), p)
        for ((hits, n, _), same), p in zip(alike.items(), holm(tests), strict=True)
    ]
    findings.sort(key=lambda f: (not f.hurts, -f.low, -f.n, f.trait.dimension, f.trait.value))
    return Breaks(run, suite, all_broken, all_n, tuple(findings))


def _alike(
    table: PairTable, suite: str, tally: _Tally, support: int, all_n: int
) -> dict[tuple[int, int, float], list[Trait]]:
    """The traits that enough pairs of a suite have, but not all of them; traits of the same pairs are one finding."""
    alike: dict[tuple[int, int, float], list[Trait]] = {}
    enough = tally.broken + tally.held
    for index in np.flatnonzero((enough >= support) & (enough < all_n)):
        trait = table.traits[index]
        if trait.suite == suite and trait.dimension in DIMENSIONS and trait.value:
            key = int(tally.broken[index]), int(enough[index]), float(tally.prints[index])
            alike.setdefault(key, []).append(trait)
    for same in alike.values():
        same.sort(key=lambda trait: (NAMED_FIRST.index(trait.dimension), trait.value))
    return alike
