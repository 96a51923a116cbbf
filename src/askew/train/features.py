"""Where a network's image features come from: a file, an encoder, a grid of colours or the pixels themselves.

A store returns the features of images. Files of features extracted elsewhere are ``.npz``, ``.h5`` and bottom-up
``.tsv`` (Anderson et al. 2018).
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadImage, BadOption, DataError, need
from askew.files.images import content_hash
from askew.files.paths import cache_folder
from askew.files.read_write import fingerprint, replaced
from askew.models.huggingface.visual_inputs import Regions, checked_regions
from askew.models.onnx_model import REFERENCE, OnnxEncoder, pixels
from askew.nets.net_config import NetConfig, square_grid
from askew.types import ImageRef


class ImageFeatures(NamedTuple):
    """The features of one image."""

    features: NDArray[Any]
    """(K, D) float32; pixels: (3, S, S) uint8."""
    boxes: NDArray[np.float32] | None
    """(K, 4): x, y, width, height as shares of the image; None for pixels."""


class FeatureStore(Protocol):
    """Returns the features of images. Its ``repr`` is its signature."""

    @property
    def regions(self) -> int | None:
        """The largest number of regions of an image, if known before they are read."""

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """The features of each image."""


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
class NpzFeatures:
    """An ``.npz`` file of arrays ``ID/features`` (K, D) and ``ID/boxes`` (K, 4), corners as shares of the image."""

    file: str = field(repr=False)
    signature: str = field(init=False, default="")
    table: Any = field(init=False, repr=False, compare=False, default=None)
    regions: int | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        table = Regions(self.file)
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "signature", table.signature)

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """Read for each image on demand."""
        found = [self.table.of(image) for image in images]
        return [ImageFeatures(features, _from_corners(boxes)) for features, boxes in found]


@dataclass(frozen=True)
class H5Features:
    """An ``.h5`` file of ``features`` (N, K, D), ``boxes`` (N, K, 4: corners as shares) and ``ids`` (N,).

    ``image_features``, ``spatial_features`` (whose first four numbers are the corners) and ``image_ids`` are read too,
    and so are groups ``ID/features`` and ``ID/boxes`` as in an ``.npz`` file.
    """

    file: str = field(repr=False)
    signature: str = field(init=False, default="")
    regions: int | None = field(init=False, repr=False, compare=False, default=None)
    opened: Any = field(init=False, repr=False, compare=False, default=None)
    rows: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        h5py = need("h5py", "train")
        try:
            opened = h5py.File(self.file, "r")
        except OSError as trouble:
            raise DataError(f"{self.file}: cannot be read as HDF5 ({trouble}). Expected a .h5 file.") from None
        object.__setattr__(self, "opened", opened)
        object.__setattr__(self, "signature", fingerprint(self.file))
        ids = self._part("ids", "image_ids")
        if ids is not None:
            names = [name.decode() if isinstance(name, bytes) else str(name) for name in ids[:]]
            object.__setattr__(self, "rows", {name: row for row, name in enumerate(names)})
            parts = (self._part("features", "image_features"), self._part("boxes", "spatial_features"))
            if any(part is None or part.ndim != 3 or len(part) != len(names) for part in parts):
                raise DataError(
                    f"{self.file}: it has ids, but no features and boxes of as many rows. Expected features (N, K, D), "
                    "boxes (N, K, 4) and ids (N,)."
                )

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """Read for each image on demand."""
        return [self._get(image) for image in images]

    def _get(self, image: ImageRef) -> ImageFeatures:
        for name in (content_hash(image), str(image.id)):
            if name in self.rows:
                row = self.rows[name]
                features = self._part("features", "image_features")[row]
                boxes = self._part("boxes", "spatial_features")[row][:, :4]
                return self._checked(name, features, boxes)
            if f"{name}/features" in self.opened and f"{name}/boxes" in self.opened:
                features, boxes = self.opened[f"{name}/features"][:], self.opened[f"{name}/boxes"][:]
                return self._checked(name, features, boxes)
        raise _missing(self.file, image)

    def _checked(self, name: str, features: NDArray[Any], boxes: NDArray[Any]) -> ImageFeatures:
        values, corners = checked_regions(self.file, name, features, boxes)
        return ImageFeatures(values, _from_corners(corners))

    def _part(self, *names: str) -> Any:
        return next((self.opened[name] for name in names if name in self.opened), None)


@dataclass(frozen=True)
class TsvFeatures:
    """A bottom-up ``.tsv`` file (Anderson et al. 2018): id, width, height, count, then boxes and features as base64.

    The file is scanned once for the offset of each image's line; lines are read on demand.
    """

    file: str = field(repr=False)
    signature: str = field(init=False, default="")
    regions: int | None = field(init=False, repr=False, compare=False, default=None)
    starts: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        starts, most, at = {}, 0, 0
        try:
            with open(self.file, "rb") as lines:
                for number, line in enumerate(lines, 1):
                    parts = line.split(b"\t", 4)
                    if len(parts) < 5 or not parts[3].strip().isdigit():
                        raise DataError(
                            f"{self.file}: line {number} is not a line of bottom-up features. Expected, separated "
                            "by tabs: image_id, image_w, image_h, num_boxes, boxes, features."
                        )
                    starts[parts[0].decode()] = at
                    most = max(most, int(parts[3]))
                    at += len(line)
        except OSError as trouble:
            raise DataError(f"{self.file}: cannot be read ({trouble.strerror}). Put the file there.") from None
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "regions", most)
        object.__setattr__(self, "signature", fingerprint(self.file))

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """Read for each image on demand."""
        with open(self.file, "rb") as lines:
            return [self._get(lines, image) for image in images]

    def _get(self, lines: Any, image: ImageRef) -> ImageFeatures:
        if str(image.id) not in self.starts:
            raise _missing(self.file, image)
        lines.seek(self.starts[str(image.id)])
        try:
            _, width, height, count, boxes, features = lines.readline().rstrip(b"\r\n").split(b"\t")
            corners = np.frombuffer(base64.b64decode(boxes), np.float32).reshape(int(count), 4)
            values = np.frombuffer(base64.b64decode(features), np.float32).reshape(int(count), -1)
            scale = np.array([float(width), float(height)] * 2, np.float32)
        except (binascii.Error, ValueError) as trouble:
            raise BadImage(
                f"{self.file}: the line of image {image.id!r} is damaged ({trouble}). Extract or download it again."
            ) from None
        return ImageFeatures(values, _from_corners(corners / scale))


def _from_corners(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """x1, y1, x2, y2 to x, y, width, height."""
    return np.concatenate([boxes[:, :2], boxes[:, 2:4] - boxes[:, :2]], axis=1)


def _missing(file: str, image: ImageRef) -> BadImage:
    return BadImage(f"{file}: no region features of image {image.id!r}. Extract them, or give a file that has them.")


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
        boxes = np.array(square_grid(self.regions), np.float32)
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
        found = {key: _read_cached(self._file(key)) for key in files}
        fresh = [key for key, cached in found.items() if cached is None]
        if fresh:
            encoded = self.encoder.encode([files[key] for key in fresh])
            for key, features, boxes, mask in zip(fresh, encoded.features, encoded.boxes, encoded.mask, strict=True):
                found[key] = ImageFeatures(features[mask], boxes[mask])
                _write_cached(self._file(key), features[mask], boxes[mask])
        return [features for image in images if (features := found[content_hash(image)]) is not None]

    def _file(self, key: str) -> Path:
        return cache_folder() / "sight" / self.signature / key[:2] / f"{key}.npy"


def _read_cached(path: Path) -> ImageFeatures | None:
    """Features and boxes side by side in one array; None if the file is missing or damaged."""
    try:
        both = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return ImageFeatures(both[:, :-4], both[:, -4:])


def _write_cached(path: Path, features: NDArray[np.float32], boxes: NDArray[np.float32]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(path) as file:
        np.save(file, np.concatenate([features, boxes], axis=1))


@dataclass(frozen=True)
class NoFeatures:
    """No features, for networks that ignore the image."""

    regions: int | None = field(init=False, repr=False, default=1)

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """One empty region for each image."""
        return [ImageFeatures(np.zeros((1, 1), np.float32), np.zeros((1, 4), np.float32)) for _ in images]


@dataclass(frozen=True)
class OneByOne:
    """Any object with ``get(image) -> (features, boxes)`` as a store."""

    inside: Any
    regions: int | None = field(init=False, repr=False, default=None)

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """One call of ``get`` for each image."""
        return [ImageFeatures(*self.inside.get(image)) for image in images]


_COMPUTED: dict[str, Any] = {"grid": GridFeatures, "pixels": PixelFeatures}
_READ: dict[str, Any] = {".npz": NpzFeatures, ".h5": H5Features, ".hdf5": H5Features, ".tsv": TsvFeatures}
