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


def still_correct(table: RunTable) -> Score:
    """The share of a suite. If variants have levels (of noise, of severity), at the level where it is lowest.

    The share at the worst of several levels is at least the lowest of their lower limits, and at most the lowest of
    their upper limits, which are therefore corrected for the number of levels (Bonferroni).
    """
    codes, level, sizes = table.column("pair"), table.column("level"), table.column("variants")
    question = np.repeat(np.arange(len(sizes)), sizes)
    levels = np.unique(level).tolist()
    places = [np.flatnonzero(level == one) for one in levels]
    found = [share_still_correct(codes[at], question[at], table.column("image")) for at in places]
    known = [(score, at, one) for score, at, one in zip(found, places, levels, strict=True) if score.known]
    if len(known) < 2:
        return known[0][0] if known else Score("still-correct", float("nan"), facts=FACTS)
    worst, _, name = min(known, key=lambda one: one[0].value)
    tails = 0.05 / len(known)
    strict = [share_still_correct(codes[at], question[at], table.column("image"), tails) for _, at, _ in known]
    low, high = (float(np.min(ends)) for ends in ([one.low for one, *_ in known], [one.high for one in strict]))
    return replace(worst, low=low, high=high, part=f"level={name}")


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
