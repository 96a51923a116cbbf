"""One sum over another, for one score and for many at once."""

from __future__ import annotations

from typing import Any

import numpy as np


def ratio(top: Any, bottom: Any) -> Any:
    """``top / bottom``, element by element; nan, and no warning, where there is nothing to divide by.

    >>> float(ratio(3.0, 4.0)), float(ratio(0.0, 0.0))
    (0.75, nan)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(top, bottom)
