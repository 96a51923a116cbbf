"""What is seen in a picture, and what gives it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askew.types import ImageRef


class Seen(NamedTuple):
    """What is seen in one picture."""

    features: NDArray[Any]
    """(K, D) float32; pixels: (3, S, S) uint8."""
    boxes: NDArray[np.float32] | None
    """(K, 4): x, y, width, height as shares of the picture; None for pixels."""


class FeatureStore(Protocol):
    """Gives the features of pictures. Its ``repr`` is its signature."""

    @property
    def regions(self) -> int | None:
        """The largest number of regions of a picture, when known before they are read."""
        ...

    def get_many(self, images: Sequence[ImageRef]) -> list[Seen]:
        """What is seen in each picture."""
        ...
