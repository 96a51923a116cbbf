"""How much of what a model answers correctly survives a change: the share that is still correct after it.

The one definition of the robustness that the report puts into words (*holds*, *breaks*); what breaks is the rest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from askew.metrics.interval import proportion
from askew.metrics.pairs import BROKE, HELD
from askew.metrics.run_table import RunTable
from askew.metrics.sums import Ints, by_image, settled
from askew.types import MetricFacts, Score

FACTS = MetricFacts(
    "Still correct", sentence="of the questions answered correctly before the change, those still correct after it"
)


def question_of(table: RunTable) -> Ints:
    """The number of the question of each pair."""
    sizes = table.column("variants")
    return np.repeat(np.arange(len(sizes)), sizes)


def still_correct(table: RunTable) -> Score:
    """The share of a suite. If variants have levels (of noise, of severity), at the level where it is lowest.

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
    """The share at each level at which there is one."""
    found = ((one, _at_level(table, one)) for one in np.unique(table.column("level")).tolist())
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
    held = np.bincount(question[codes == HELD], minlength=len(image_of))
    asked = np.bincount(question[codes == BROKE], minlength=len(image_of)) + held
    counts = asked > 0
    images = np.unique(image_of[counts], return_inverse=True)[1]
    found = proportion(by_image(images, np.column_stack([held[counts] / asked[counts], np.ones(int(counts.sum()))])))
    low, high = map(settled, found.interval(tails))
    n = int(counts.sum())
    return Score("still-correct", settled(found.value), low, high, n, images=found.images, facts=FACTS)
