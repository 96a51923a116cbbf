"""What networks look at: region features from a file, from an encoder, or the picture itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption, DataError, need
from askew.models.pixels import pixels
from askew.nets.config import NetConfig
from askew.train.region_files import H5Features, NpzFeatures, TsvFeatures
from askew.train.seen import FeatureStore, Seen
from askew.types import ImageRef

__all__ = [
    "FeatureStore",
    "GridFeatures",
    "NoFeatures",
    "OneByOne",
    "PixelFeatures",
    "Seen",
    "as_store",
    "open_features",
]


@dataclass(frozen=True)
class GridFeatures:
    """The picture itself, coarsely: cells of a grid, each with the colours of a few points. Nothing is learned.

    Colours are numbers from -1 to 1. Good enough to try things out; an encoder that has learned to see is better.
    """

    cells: int = 7
    fine: int = 4
    """Points on a side of a cell."""

    def __post_init__(self) -> None:
        if self.cells < 1 or self.fine < 1:
            raise BadOption(f"grid: cells={self.cells} and fine={self.fine}; each must be at least 1.")

    @property
    def regions(self) -> int:
        """Cells of the grid."""
        return self.cells * self.cells

    def get_many(self, images: Sequence[ImageRef]) -> list[Seen]:
        """Made from each picture when asked for."""
        places = np.arange(self.cells, dtype=np.float32) / self.cells
        y, x = np.meshgrid(places, places, indexing="ij")
        side = np.full_like(x, 1 / self.cells)
        boxes = np.stack([x, y, side, side], axis=2).reshape(-1, 4).astype(np.float32)
        return [Seen(self._features(image), boxes) for image in images]

    def _features(self, image: ImageRef) -> NDArray[np.float32]:
        small = pixels(image, self.cells * self.fine).astype(np.float32) / 127.5 - 1  # (3, S, S)
        split: NDArray[np.float32] = small.reshape(3, self.cells, self.fine, self.cells, self.fine)
        return split.transpose(1, 3, 2, 4, 0).reshape(self.cells**2, -1)


@dataclass(frozen=True)
class PixelFeatures:
    """Small pictures, for networks with ``encoder=conv``."""

    size: int = 64
    regions: int | None = field(init=False, repr=False, default=1)

    def get_many(self, images: Sequence[ImageRef]) -> list[Seen]:
        """Made from each picture when asked for."""
        return [Seen(pixels(image, self.size), None) for image in images]


@dataclass(frozen=True)
class NoFeatures:
    """Nothing is seen, for networks that do not look."""

    regions: int | None = field(init=False, repr=False, default=1)

    def get_many(self, images: Sequence[ImageRef]) -> list[Seen]:
        """One empty region for each picture."""
        return [Seen(np.zeros((1, 1), np.float32), np.zeros((1, 4), np.float32)) for _ in images]


def as_store(features: str | FeatureStore | None, net: NetConfig) -> FeatureStore:
    """The features a network looks at, from what a person gives; what it must have is taken where nothing is given."""
    if net.name == "language":
        return NoFeatures()
    if net.encoder == "conv":
        if features not in (None, "pixels"):
            raise BadOption(f"{net.name}: with encoder=conv it looks at pixels; leave the features out.")
        return PixelFeatures()
    if features is None:
        raise BadOption(
            f"{net.name} looks at region features. Give them (--features): a .npz, .h5 or bottom-up .tsv file, "
            f"or grid; or let it look at pixels: {net.name}:encoder=conv."
        )
    if isinstance(features, str):
        return open_features(features)
    return features if hasattr(features, "get_many") else OneByOne(features)


@dataclass(frozen=True)
class OneByOne:
    """A store that was given as any object with ``get(image) -> (features, boxes)``."""

    inside: Any
    regions: int | None = field(init=False, repr=False, default=None)

    def get_many(self, images: Sequence[ImageRef]) -> list[Seen]:
        """Asked for one picture after the other."""
        return [Seen(*self.inside.get(image)) for image in images]


def open_features(spec: str) -> FeatureStore:
    """The features that a spec names: a file (.npz, .h5, .tsv), ``grid:cells=7``, ``pixels``, or ``world``.

    ``world`` is what askew's own encoder sees, which was taught on the embedded world. These names win over a folder of
    the name, which holds no features anyway.

    >>> open_features("grid:cells=3")
    GridFeatures(cells=3, fine=4)
    """
    name, _, rest = spec.partition(":")
    if spec == "world":
        return _world()
    if name in _MADE:
        options = dict(part.partition("=")[::2] for part in rest.split(",")) if rest else {}
        try:
            made: FeatureStore = _MADE[name](**{key.strip(): int(value) for key, value in options.items()})
            return made
        except (TypeError, ValueError):
            raise BadOption(f"{spec}: not understood. Write it like grid:cells=7,fine=4 or pixels:size=64.") from None
    ending = os.path.splitext(spec)[1].lower()
    if ending in _READ:
        if not os.path.isfile(spec):
            raise DataError(
                f"{spec}: there is no such file of region features. Give the right one (--features, or for a network "
                "that is trained already trained:FOLDER,features=FILE)."
            )
        read: FeatureStore = _READ[ending](spec)
        return read
    raise BadOption(
        f"{spec!r} names no features. Give a .npz, .h5 or bottom-up .tsv file, or one of grid, pixels and world."
    )


def _world() -> FeatureStore:
    """What the shipped encoder sees."""
    module = need("askew.train.world_features", "train")
    made: FeatureStore = module.WorldFeatures()
    return made


_MADE: dict[str, Any] = {"grid": GridFeatures, "pixels": PixelFeatures}
_READ: dict[str, Any] = {".npz": NpzFeatures, ".h5": H5Features, ".hdf5": H5Features, ".tsv": TsvFeatures}
