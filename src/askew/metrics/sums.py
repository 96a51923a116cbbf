"""Column sums of rows: their ratio, sums over images, and rounding that is the same on every machine."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from askew.significance import ten_digits

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


def ratio(top: Any, bottom: Any) -> Any:
    """``top / bottom``, element by element; nan without a warning where ``bottom`` is 0.

    >>> float(ratio(3.0, 4.0)), float(ratio(0.0, 0.0))
    (0.75, nan)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(top, bottom)


def by_image(images: Ints, rows: Floats) -> Floats:
    """Rows of groups summed by image, in the order of the images' numbers, without images whose sums are zero.

    Questions about one image are not independent, so intervals are computed over images.

    >>> by_image(np.array([4, 0, 4, 7]), np.array([[1.0, 1.0], [0.0, 1.0], [0.5, 1.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [1.5, 2.0]]
    """
    return images_and_sums(images, rows)[1]


def images_and_sums(images: Ints, rows: Floats) -> tuple[Ints, Floats]:
    """The numbers of the images that add anything, and their sums as in ``by_image``."""
    sums = [np.bincount(images, weights=column) for column in rows.T]
    found = np.column_stack(sums) if sums else np.zeros((0, 0))
    added = np.flatnonzero(found.any(axis=1))
    return added, np.asarray(found[added])


def settled(value: Any) -> float:
    """A score rounded to twelve decimals and ten significant digits, so that it is the same on every machine.

    >>> settled(0.1 + 0.2), settled(0.3 - 0.1 - 0.2), settled(200 / 3)
    (0.3, 0.0, 66.66666667)
    """
    return ten_digits(round(float(value), 12))
