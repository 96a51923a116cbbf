"""How many questions it takes to tell two models apart, said before anything is asked.

A difference δ is found (p < 0.05) in 80 % of cases if its standard error is δ / 2.80. The standard error follows from n
groups, from the variance v of a group's value, the correlation ρ of two models' values, and the design effect of
several groups about one image (Kish 1965): √(2 v (1 - ρ) (1 + (groups per image - 1) ICC) / n).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, sqrt
from statistics import NormalDist
from textwrap import wrap

from askew.engine.build import Prepared
from askew.metrics.accuracy import ACCURACY
from askew.report.table_formats import fit
from askew.types import MetricFacts

SHARE = 0.7
"""The assumed share of correct answers, and of originals that count in a score over correctly answered ones."""
CORRELATION = 0.5
"""The assumed correlation of two models' values of a group."""
WITHIN_IMAGE = 0.1
"""The assumed correlation of the differences of groups about one image."""
CHANGED = 0.2
"""The assumed variance of a loss or gap: a fifth of the answers changes."""
_ERRORS = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)

_WIDTHS = (38, 10, 11, 9, 12)

ASSUMPTIONS = (
    f"Found: p < 0.05, before Holm's correction, in 80 % of cases. Assumed: {100 * SHARE:.0f} % of answers are "
    f"correct; two models' answers correlate by {CORRELATION}, answers about one image by {WITHIN_IMAGE} (design "
    f"effect 1 + {WITHIN_IMAGE} × (groups per image - 1)); appended noise changes {100 * CHANGED:.0f} % of answers."
)


def questions_needed(prepared: Prepared, points: float) -> Iterator[str]:
    """A line for accuracy and for the headline of each suite, as a table, then the assumptions."""
    yield _line(f"To find a difference of {points:g} points", "groups", "questions", "images", "these find")
    seen: set[str] = set()
    for cover in prepared.covers:
        metrics = cover.suite.metrics
        for name in dict.fromkeys((ACCURACY, cover.suite.headline[0])):
            if name in metrics and name not in seen and cover.groups:
                seen |= {name} & {ACCURACY}
                facts = MetricFacts.of(metrics[name])
                groups = cover.groups if name == ACCURACY else cover.changed or cover.groups
                images = max(1, len(cover.images))
                needed, found = groups_needed(groups, images, facts, points / 100)
                are_questions = prepared.data.get("counted", "question") == "question"
                asked = (prepared.data.get("questions") or groups) if are_questions else groups
                yield _line(
                    f"{cover.suite.name}: {facts.title or name}",
                    f"{needed:,}",
                    f"{ceil(needed * max(1.0, asked / groups)):,}",
                    f"{ceil(needed * images / groups):,}",
                    f"{100 * found:.1f}",
                )
    yield from wrap(ASSUMPTIONS, sum(_WIDTHS))


def _line(name: str, *cells: str) -> str:
    return fit(name, _WIDTHS[0]) + "".join(cell.rjust(width) for cell, width in zip(cells, _WIDTHS[1:], strict=True))


def groups_needed(groups: int, images: int, facts: MetricFacts, difference: float) -> tuple[int, float]:
    """How many groups find this difference, and the difference that these groups on these images find.

    One question about each of 1,831 images finds 3 points: (2.80 / 0.03)² · 2 · 0.7 · 0.3 · (1 - 0.5).

    >>> groups_needed(400, 400, MetricFacts(), 0.03)[0], round(groups_needed(1832, 1832, MetricFacts(), 0.03)[1], 4)
    (1832, 0.03)
    """
    variance = CHANGED if facts.signed else SHARE * (1 - SHARE)
    counted = SHARE if facts.conditional else 1.0
    design = 1 + WITHIN_IMAGE * max(0.0, counted * groups / images - 1)
    squared = 2 * variance * (1 - CORRELATION) * design / counted
    return ceil(squared * (_ERRORS / difference) ** 2), _ERRORS * sqrt(squared / groups)
