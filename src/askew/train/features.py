"""Where a network's image features come from: a file, an encoder, a grid of colours or the pixels themselves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadOption, DataError, need
from askew.files.images import content_hash
from askew.files.paths import cache_folder
from askew.files.read_write import fingerprint, replaced
from askew.models.onnx_encoder import REFERENCE, OnnxEncoder, pixels
from askew.nets.net_config import NetConfig
from askew.train.feature_files import FeatureStore, H5Features, ImageFeatures, NpzFeatures, TsvFeatures
from askew.types import ImageRef

__all__ = [
    "FeatureStore",
    "GridFeatures",
    "ImageFeatures",
    "NoFeatures",
    "OneByOne",
    "PixelFeatures",
    "as_store",
    "open_features",
]


@dataclass(frozen=True)
class GridFeatures:
    """A grid over the image; the features of a cell are the colours of a few points, from -1 to 1. Nothing is learned.

    Good enough to try out a network; features of a trained encoder are better.
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

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """Computed for each image on demand."""
        places = np.arange(self.cells, dtype=np.float32) / self.cells
        y, x = np.meshgrid(places, places, indexing="ij")
        side = np.full_like(x, 1 / self.cells)
        boxes = np.stack([x, y, side, side], axis=2).reshape(-1, 4).astype(np.float32)
        return [ImageFeatures(self._features(image), boxes) for image in images]

    def _features(self, image: ImageRef) -> NDArray[np.float32]:
        small = pixels(image, self.cells * self.fine).astype(np.float32) / 127.5 - 1  # (3, S, S)
        split: NDArray[np.float32] = small.reshape(3, self.cells, self.fine, self.cells, self.fine)
        return split.transpose(1, 3, 2, 4, 0).reshape(self.cells**2, -1)


@dataclass(frozen=True)
class PixelFeatures:
    """The pixels of downscaled images, for networks with ``encoder=conv``."""

    size: int = 64
    regions: int | None = field(init=False, repr=False, default=1)

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """Computed for each image on demand."""
        return [ImageFeatures(pixels(image, self.size), None) for image in images]


@dataclass(frozen=True)
class NoFeatures:
    """No features, for networks that ignore the image."""

    regions: int | None = field(init=False, repr=False, default=1)

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """One empty region for each image."""
        return [ImageFeatures(np.zeros((1, 1), np.float32), np.zeros((1, 4), np.float32)) for _ in images]


def as_store(features: str | FeatureStore | None, net: NetConfig) -> FeatureStore:
    """The feature store of a network, from a spec or an object; blind networks and networks on pixels need none."""
    if net.name == "language":
        return NoFeatures()
    if net.encoder == "conv":
        if features not in (None, "pixels"):
            raise BadOption(f"{net.name}: with encoder=conv its input is pixels; leave the features out.")
        return PixelFeatures()
    if features is None:
        raise BadOption(
            f"{net.name} needs region features. Give them (--features): a .npz, .h5 or bottom-up .tsv file, "
            f"or grid; or let it learn from pixels: {net.name}:encoder=conv."
        )
    if isinstance(features, str):
        return open_features(features)
    return features if hasattr(features, "get_many") else OneByOne(features)


@dataclass(frozen=True)
class OneByOne:
    """Any object with ``get(image) -> (features, boxes)`` as a store."""

    inside: Any
    regions: int | None = field(init=False, repr=False, default=None)

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """One call of ``get`` for each image."""
        return [ImageFeatures(*self.inside.get(image)) for image in images]


def open_features(spec: str) -> FeatureStore:
    """The features that a spec names: a file (.npz, .h5, .tsv), ``grid:cells=7``, ``pixels``, or ``world``.

    ``world`` means the regions found by askew's own encoder, which was trained on the embedded world. A folder called
    ``grid``, ``pixels`` or ``world`` is ignored: folders hold no features.

    >>> open_features("grid:cells=3")
    GridFeatures(cells=3, fine=4)
    """
    name, _, rest = spec.partition(":")
    if spec == "world":
        return WorldFeatures()
    if name in _COMPUTED:
        options = dict(part.partition("=")[::2] for part in rest.split(",")) if rest else {}
        try:
            store: FeatureStore = _COMPUTED[name](**{key.strip(): int(value) for key, value in options.items()})
            return store
        except (TypeError, ValueError):
            raise BadOption(f"{spec}: not understood. Write it like grid:cells=7,fine=4 or pixels:size=64.") from None
    ending = os.path.splitext(spec)[1].lower()
    if ending in _READ:
        if not os.path.isfile(spec):
            raise DataError(
                f"{spec}: there is no such file of region features. Give an existing one (--features, or for a trained "
                "network trained:FOLDER,features=FILE)."
            )
        read: FeatureStore = _READ[ending](spec)
        return read
    raise BadOption(
        f"{spec!r} is not a source of features. Give a .npz, .h5 or bottom-up .tsv file, or grid, pixels or world."
    )


@dataclass(frozen=True)
class WorldFeatures:
    """Regions found by an encoder trained on the embedded world's training split: the whole image, then objects.

    An object has a probability for every label (names, colours, states, what it wears or holds); the whole image has
    its facts and the number of objects by label. Features are cached in the cache folder, by encoder and image.
    """

    folder: str = field(default=str(REFERENCE), repr=False)
    signature: str = field(init=False, default="")
    encoder: OnnxEncoder = field(init=False, repr=False, compare=False)
    regions: int | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        need("onnxruntime", "bundled")
        object.__setattr__(self, "signature", fingerprint(str(Path(self.folder) / "encoder.onnx")))
        object.__setattr__(self, "encoder", OnnxEncoder(self.folder))
        object.__setattr__(self, "regions", self.encoder.regions)

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """The features of each image."""
        files = {content_hash(image): image for image in images}
        found = {key: _read(self._file(key)) for key in files}
        fresh = [key for key, cached in found.items() if cached is None]
        if fresh:
            encoded = self.encoder.encode([files[key] for key in fresh])
            for key, features, boxes, mask in zip(fresh, encoded.features, encoded.boxes, encoded.mask, strict=True):
                found[key] = ImageFeatures(features[mask], boxes[mask])
                _write(self._file(key), features[mask], boxes[mask])
        return [features for image in images if (features := found[content_hash(image)]) is not None]

    def _file(self, key: str) -> Path:
        return cache_folder() / "sight" / self.signature / key[:2] / f"{key}.npy"


def _read(path: Path) -> ImageFeatures | None:
    """Features and boxes side by side in one array; None if the file is missing or damaged."""
    try:
        both = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return ImageFeatures(both[:, :-4], both[:, -4:])


def _write(path: Path, features: NDArray[np.float32], boxes: NDArray[np.float32]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(path) as file:
        np.save(file, np.concatenate([features, boxes], axis=1))


_COMPUTED: dict[str, Any] = {"grid": GridFeatures, "pixels": PixelFeatures}
_READ: dict[str, Any] = {".npz": NpzFeatures, ".h5": H5Features, ".hdf5": H5Features, ".tsv": TsvFeatures}
