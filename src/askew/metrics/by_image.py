"""Rows of groups added up over images: questions about one image go together, so images are what is counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from askew.metrics.rows import Floats, Ints


def by_image(images: Ints, rows: Floats) -> Floats:
    """Rows of groups as sums over their images, in the order of the images' numbers; images that add nothing left out.

    >>> by_image(np.array([4, 0, 4, 7]), np.array([[1.0, 1.0], [0.0, 1.0], [0.5, 1.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [1.5, 2.0]]
    """
    sums = [np.bincount(images, weights=column) for column in rows.T]
    found = np.column_stack(sums) if sums else np.zeros((0, 0))
    return np.asarray(found[found.any(axis=1)])


def settled(value: Any) -> float:
    """A score without what depends on a machine's way of adding up: twelve decimals, ten significant digits.

    >>> settled(0.1 + 0.2), settled(0.3 - 0.1 - 0.2), settled(200 / 3)
    (0.3, 0.0, 66.66666667)
    """
    return ten_digits(round(float(value), 12))


def ten_digits(value: float) -> float:
    """The number with ten significant digits, however small it is.

    >>> ten_digits(1e-30 / 3)
    3.333333333e-31
    """
    return float(f"{value:.10g}") + 0.0
