"""What a module network did, step by step, from its outputs for one question. Needs no torch."""

from __future__ import annotations

from collections.abc import Sequence

from askew.answers.normalise import tokens
from askew.nets.net_config import MODULES
from askew.types import AttentionStep

Rows = Sequence[Sequence[float]]
"""One row for each step, or for each region."""


def attention_steps(text: str, weights: Rows, attention: Rows, words: Rows, boxes: Rows) -> tuple[AttentionStep, ...]:
    """The steps; ``boxes`` are those of the regions. Regions of no size only fill the row and are left out.

    >>> (step,) = attention_steps("A cat?", [[1, 0, 0, 0, 0, 0]], [[0.9, 0.1]], [[0.2, 0.8]], [[0, 0, 1, 1], [0] * 4])
    >>> step.modules["find"], step.words, step.regions
    (1, (('a', 0.2), ('cat', 0.8)), (((0, 0, 1, 1), 0.9),))
    """
    read = tokens(text)
    return tuple(
        AttentionStep(
            modules=dict(zip(MODULES, chosen, strict=True)),
            words=tuple(zip(read, shares, strict=False)),
            regions=tuple(
                ((box[0], box[1], box[2], box[3]), share)
                for box, share in zip(boxes, looked, strict=False)
                if box[2] > 0 and box[3] > 0
            ),
        )
        for chosen, looked, shares in zip(weights, attention, words, strict=True)
    )


def square_grid(cells: int) -> list[list[float]]:
    """The boxes of a square grid of so many cells, row by row.

    >>> square_grid(4)[3]
    [0.5, 0.5, 0.5, 0.5]
    """
    side = round(cells**0.5)
    return [[x / side, y / side, 1 / side, 1 / side] for y in range(side) for x in range(side)]
