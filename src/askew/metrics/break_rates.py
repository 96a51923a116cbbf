"""How much of what was answered correctly survives a change, and which traits of pairs break more often than the rest.

:func:`still_correct` is the one definition of the robustness that the report puts into words (*holds*, *breaks*).
Rates of traits are by question, and their tests count images.

Only originals that were answered correctly count, each once: its share of broken variants, among those with a trait.
Variants of one question, and questions about one image, are not independent. Their correlations are estimated from the
whole suite, where there is most to estimate them from, and from the images of the trait itself; the larger of the two
gives the number of independent questions with the same variance (Kish 1965), on which two shares are compared by their
likelihood ratio, whose small p values are reliable where those of a z-test are not.
``benchmarks/bench_intervals.py`` measures how often a model without weaknesses has a finding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from math import erfc, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.metrics.interval import proportion
from askew.metrics.pairs import BROKE, DIMENSIONS, HELD
from askew.metrics.run_table import RunTable
from askew.significance import Floats, Ints, by_image, ratio, settled
from askew.types import LEAST_IMAGES, MetricFacts, Score

FACTS = MetricFacts(
    "Still correct", sentence="of the questions answered correctly before the change, those still correct after it"
)


def question_of(table: RunTable) -> Ints:
    """The number of the question of each pair."""
    sizes = table.column("variants")
    return np.repeat(np.arange(len(sizes)), sizes)


def still_correct(table: RunTable) -> Score:
    """The share of a suite. If variants have levels (of noise, of severity), at the level where it is lowest.

    Beside levels, variants without one are controls (a true claim beside a wrong one), and do not count.

    The share at the worst of several levels is at least the lowest of their lower limits, and at most the lowest of
    their upper limits, which are therefore corrected for the number of levels (Bonferroni).
    """
    known = _by_level(table)
    if not known:
        return Score("still-correct", float("nan"), facts=FACTS)
    level, worst = min(known, key=lambda one: (one[1].value, one[0]))
    if len(known) == 1:
        return worst
    strict = [_at_level(table, one, 0.05 / len(known)) for one, _ in known]
    low, high = (float(np.min(ends)) for ends in ([one.low for _, one in known], [one.high for one in strict]))
    return replace(worst, low=low, high=high, part=f"level={level}")


def broken(kept: Score) -> Score:
    """The rest of a share: questions answered correctly before the change that are not still correct after it."""
    low, high = settled(1 - kept.high), settled(1 - kept.low)
    return replace(kept, metric="broken", value=settled(1 - kept.value), low=low, high=high)


def counted_pairs(table: RunTable) -> Ints:
    """The indices of the pairs that ``still_correct`` counts: answered, correct before the change, at that level."""
    codes, known = table.column("pair"), _by_level(table)
    worst = min(known, key=lambda one: (one[1].value, one[0]))[0] if known else 0
    return np.flatnonzero(((codes == BROKE) | (codes == HELD)) & (table.column("level") == worst))


def _by_level(table: RunTable) -> list[tuple[int, Score]]:
    """The share at each level at which there is one; at 0, of variants without a level, only if none has one."""
    levels = np.unique(table.column("level")).tolist()
    found = ((one, _at_level(table, one)) for one in [*filter(None, levels)] or levels)
    return [(level, score) for level, score in found if score.known]


def _at_level(table: RunTable, level: int, tails: float = 0.05) -> Score:
    at = np.flatnonzero(table.column("level") == level)
    return share_still_correct(table.column("pair")[at], question_of(table)[at], table.column("image"), tails)


def share_still_correct(codes: npt.NDArray[np.uint8], question: Ints, image_of: Ints, tails: float = 0.05) -> Score:
    """Of the questions answered correctly, the mean share of their variants that are answered correctly too.

    ``codes`` are those of pairs, ``question`` the number of the question of each, ``image_of`` the image of each
    question. A question counts once, however many variants it has, and a variant without an answer does not count.

    >>> share_still_correct(np.array([BROKE, HELD, HELD, 0]), np.array([0, 0, 1, 2]), np.array([7, 8, 9])).value
    0.75
    """
    counts, rows = _still_correct_rows(codes, question, len(image_of))
    images = np.unique(image_of[counts], return_inverse=True)[1]
    found = proportion(by_image(images, rows))
    low, high = map(settled, found.interval(tails))
    n = int(counts.sum())
    return Score("still-correct", settled(found.value), low, high, n, images=found.images, facts=FACTS)


def _still_correct_rows(
    codes: npt.NDArray[np.uint8], question: Ints, questions: int
) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Which questions were answered correctly and asked again, and (share still correct, 1) for each of these."""
    held = np.bincount(question[codes == HELD], minlength=questions)
    asked = np.bincount(question[codes == BROKE], minlength=questions) + held
    counts = asked > 0
    return counts, np.column_stack([held[counts] / asked[counts], np.ones(int(counts.sum()))])


def breaks_more(first: RunTable, second: RunTable, tests: Collection[str]) -> tuple[Score, Score, Score]:
    """How much breaks in one suite, how much in the given tests of another, and the first minus the second.

    Both are asked about the same images, so the interval of the difference is that of paired images.
    """
    shares, numbers, rows = [], [], []
    for table, wanted in ((first, None), (second, tests)):
        at = np.arange(len(table.column("pair"))) if wanted is None else _pairs_of(table, wanted)
        codes, question, image_of = table.column("pair")[at], question_of(table)[at], table.column("image")
        shares.append(broken(share_still_correct(codes, question, image_of)))
        counts, found = _still_correct_rows(codes, question, len(image_of))
        numbers.append(image_of[counts])
        rows.append(found)
    images = np.unique(np.concatenate(numbers), return_inverse=True)[1]
    sums = np.zeros((2, int(images.max(initial=-1)) + 1, 2))
    for place, part in enumerate(np.split(images, [len(numbers[0])])):
        np.add.at(sums[place], part, rows[place])
    apart = proportion(sums[1]).minus(proportion(sums[0]))  # what is still correct the other way round
    low, high = map(settled, apart.interval())
    return shares[0], shares[1], Score("difference", settled(apart.value), low, high, images=apart.images, facts=FACTS)


def _pairs_of(table: RunTable, tests: Collection[str]) -> Ints:
    """The indices of the pairs of these tests; the second trait of a pair is its test."""
    counts = table.column("trait_counts").astype(np.int64)
    of = table.column("trait_ids")[np.cumsum(counts) - counts + 1]
    wanted = [number for (kind, value), number in table.traits.number_of.items() if kind == "test" and value in tests]
    return np.flatnonzero(np.isin(of, wanted))


LEAST_QUESTIONS = 10
"""The least number of questions answered correctly, on as many images as an interval needs, with which a trait is
tested."""

TraitKey = tuple[str, str]
"""A dimension and a value."""


@dataclass(frozen=True)
class TraitRate:
    """How often questions with these traits break: traits of exactly the same pairs are one."""

    traits: tuple[TraitKey, ...]
    rate: float
    rest: float
    """The rate of the suite's pairs without them."""
    n: int
    """Questions answered correctly that have a variant with them."""
    p: float
    """Not yet corrected for the number of tests."""
    pairs: Ints
    """The pairs that count."""


@dataclass(frozen=True)
class _Pairs:
    """The pairs of a suite that count, and what each trait adds to each question."""

    broke: npt.NDArray[np.bool_]
    question: Ints
    """For each pair, numbered from 0 without gaps."""
    image: Ints
    """For each question, numbered likewise."""

    @property
    def rate(self) -> float:
        """The mean share of broken variants over questions."""
        return float(self.share.mean()) if len(self.image) else float("nan")

    @property
    def asked(self) -> Ints:
        """How many variants each question has."""
        return np.bincount(self.question, minlength=len(self.image))

    @property
    def broken(self) -> Floats:
        """How many of them broke."""
        return _sums(self.question, self.broke, len(self.image))

    @property
    def share(self) -> Floats:
        """The share of broken variants of each question."""
        return np.asarray(self.broken / self.asked)

    def correlations(self) -> tuple[float, float]:
        """How alike two variants of one question are, and two questions about one image: from 0 to 1."""
        rate = self.rate
        spread = rate * (1 - rate)
        if not spread > 0:
            return 0.0, 0.0
        errors = self.broke.astype(float) - rate
        return _within(errors, self.question) / spread, _within(self.share - rate, self.image) / spread


def _sums(places: Ints, values: npt.NDArray[Any], size: int) -> Floats:
    """The sum of the values at each place."""
    return np.asarray(np.bincount(places, weights=values, minlength=size), np.float64)


def _within(errors: Floats, cluster: Ints) -> float:
    """The mean product of two different errors of one cluster, at least 0 and at most their mean square."""
    sums, squares = np.bincount(cluster, weights=errors), np.bincount(cluster, weights=errors * errors)
    sizes = np.bincount(cluster).astype(float)
    couples = float((sizes * (sizes - 1)).sum())
    if not couples:
        return 0.0
    return min(max(0.0, float((sums * sums - squares).sum()) / couples), float(np.mean(errors * errors)))


def trait_rates(table: RunTable, least: int = LEAST_QUESTIONS, least_images: int = LEAST_IMAGES) -> list[TraitRate]:
    """The traits that enough questions of a suite have, but not all of its pairs, each with its rate and its test."""
    at = counted_pairs(table)
    if not len(at):
        return []
    questions, question = np.unique(question_of(table)[at], return_inverse=True)
    image = np.unique(table.column("image")[questions], return_inverse=True)[1]
    pairs = _Pairs(table.column("pair")[at] == BROKE, question, image)
    counts = table.column("trait_counts").astype(np.int64)
    starts = (np.cumsum(counts) - counts)[at]
    owner = np.repeat(np.arange(len(at)), counts[at])
    place = np.arange(len(owner)) - np.repeat(np.cumsum(counts[at]) - counts[at], counts[at])
    trait = table.column("trait_ids")[starts[owner] + place].astype(np.int64)
    rates = _Rates.of(pairs, trait, owner)
    names = list(table.traits.number_of)
    tested = [
        number
        for number in np.flatnonzero((rates.n >= least) & (rates.images >= least_images) & (rates.rest_n > 0)).tolist()
        if names[number][0] in DIMENSIONS and names[number][1]
    ]
    alike: dict[tuple[int, float], list[int]] = {}
    for number in tested:
        alike.setdefault((int(rates.pairs[number]), float(rates.prints[number])), []).append(number)
    p = dict(zip(tested, rates.p(pairs, np.array(tested, np.int64)), strict=True))
    order = np.argsort(trait, kind="stable")
    ends = np.searchsorted(trait[order], np.arange(len(names) + 1))
    return [
        TraitRate(
            tuple(names[number] for number in same),
            settled(rates.rate[same[0]]),
            settled(rates.rest[same[0]]),
            int(rates.n[same[0]]),
            p[same[0]],
            at[owner[order[ends[same[0]] : ends[same[0] + 1]]]],
        )
        for same in alike.values()
    ]


def interval_of(table: RunTable, found: TraitRate) -> Score:
    """The share of questions with these traits that are still correct, with its interval over images."""
    sizes = np.cumsum(table.column("variants"))
    questions, question = np.unique(np.searchsorted(sizes, found.pairs, side="right"), return_inverse=True)
    return share_still_correct(table.column("pair")[found.pairs], question, table.column("image")[questions])


@dataclass(frozen=True)
class _Rates:
    """For each trait: sums over its questions, and over the rest of the suite."""

    pairs: Ints
    prints: Floats
    """A sum of random numbers of its pairs, equal for traits of the same pairs."""
    n: Ints
    images: Ints
    rate: Floats
    rest: Floats
    rest_n: Floats
    variants: Floats
    """The sum over its questions of one over the number of their variants with the trait."""
    couples: Floats
    """How many ordered pairs of its questions are about one image."""
    spread: Floats
    """The variance of its rate by image, from the trait alone."""

    @classmethod
    def of(cls, pairs: _Pairs, trait: Ints, owner: Ints) -> _Rates:
        """From the trait of each entry and the pair that it belongs to."""
        size, questions = int(trait.max()) + 1, len(pairs.image)
        key, entry = np.unique(trait * questions + pairs.question[owner], return_inverse=True)
        which, question = key // questions, key % questions
        asked = np.bincount(entry).astype(float)
        broken = _sums(entry, pairs.broke[owner], len(key))
        share = broken / asked
        n = np.bincount(which, minlength=size)
        rate = ratio(_sums(which, share, size), n)
        other_asked, other_broken = pairs.asked[question] - asked, pairs.broken[question] - broken
        mixed = other_asked > 0
        other = np.where(mixed, ratio(other_broken, np.maximum(other_asked, 1)), 0.0)
        left = _sums(which, other - pairs.share[question], size) + pairs.share.sum()
        rest_n = questions - n + _sums(which, mixed, size)
        images = len(np.unique(pairs.image))
        spot, cell = np.unique(which * images + pairs.image[question], return_inverse=True)
        of_image = spot // images
        in_image = np.bincount(cell).astype(float)
        errors = _sums(cell, share - rate[which], len(spot))
        marks = np.random.default_rng(0).random(len(pairs.question))
        return cls(
            pairs=np.bincount(trait, minlength=size),
            prints=_sums(trait, marks[owner], size),
            n=n,
            images=np.bincount(of_image, minlength=size),
            rate=rate,
            rest=ratio(left, rest_n),
            rest_n=rest_n,
            variants=_sums(which, 1 / asked, size),
            couples=_sums(of_image, in_image * (in_image - 1), size),
            spread=ratio(_sums(of_image, errors * errors, size), n.astype(float) ** 2),
        )

    def p(self, pairs: _Pairs, at: Ints) -> Iterator[float]:
        """The two-sided p values of these traits: their rates against those of the rest."""
        alike = pairs.correlations()
        n, rate = self.n[at].astype(float), self.rate[at]
        independent = _independent(n, self.variants[at], self.couples[at], alike)
        varies = self.spread[at] > 0
        seen = np.divide(rate * (1 - rate), self.spread[at], out=independent.copy(), where=varies)
        sizes, all_n = np.bincount(pairs.image).astype(float), float(len(pairs.image))
        couples = float((sizes * (sizes - 1)).sum())
        each = _independent(all_n, float((1 / pairs.asked).sum()), couples, alike) / all_n
        return _likelihood_ratio(rate, np.minimum(independent, seen), self.rest[at], self.rest_n[at] * each)


def _independent(n: Any, variants: Any, couples: Any, alike: tuple[float, float]) -> Any:
    """How many independent questions with one variant each have the variance of n questions.

    ``variants`` is the sum of one over the number of variants of each, ``couples`` the number of ordered pairs of
    questions about one image, ``alike`` the correlation of two variants and of two such questions.

    >>> _independent(4.0, 2.0, 0.0, (0.0, 0.0)), _independent(4.0, 2.0, 12.0, (1.0, 1.0))
    (8.0, 1.0)
    """
    of_question, of_image = alike
    return n * n / (variants * (1 - of_question) + n * of_question + couples * of_image)


def _likelihood_ratio(first: Floats, n: Floats, second: Floats, other_n: Floats) -> Iterator[float]:
    """Two-sided p values that two shares are equal, from the signed root of the likelihood ratio.

    >>> [round(p, 4) for p in _likelihood_ratio(np.array([0.5]), np.array([40.0]), np.array([0.25]), np.array([400.0]))]
    [0.0013]
    """
    pooled = ratio(first * n + second * other_n, n + other_n)
    ratios = n * _divergence(first, pooled) + other_n * _divergence(second, pooled)
    return (erfc(sqrt(max(0.0, value))) for value in ratios.tolist())


def _divergence(share: Floats, expected: Floats) -> Floats:
    """The Kullback-Leibler divergence of two shares."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = (
            np.where(one > 0, one * np.log(one / other), 0.0)
            for one, other in ((share, expected), (1 - share, 1 - expected))
        )
        return np.nan_to_num(sum(parts))
