"""Where a network's image features come from: a file, an encoder, a grid of colours or the pixels themselves.

A store returns the features of images. Files of features extracted elsewhere are ``.npz``, ``.h5`` and bottom-up
``.tsv`` (Anderson et al. 2018). Features of an encoder are cached, by encoder and content of the image.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadImage, BadOption, DataError, ModelError, need
from askew.files.images import content_hash
from askew.files.paths import cache_folder
from askew.files.read_write import fingerprint, replaced
from askew.models.huggingface.visual_inputs import Regions, checked_regions
from askew.models.onnx_model import REFERENCE, OnnxEncoder, pixels
from askew.nets.net_config import NetConfig, square_grid
from askew.registry import make, names
from askew.types import ImageRef
from askew.verbs import Backbone


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
    """The features that a spec names: a file (.npz, .h5, .tsv), a backbone, ``grid:cells=7``, ``pixels``, or ``world``.

    A backbone is ``hf:FOLDER``, ``onnx:FILE``, or one of another package. ``world`` means the regions found by askew's
    own encoder, which was trained on the embedded world. A folder called ``grid``, ``pixels`` or ``world`` is ignored:
    folders hold no features.

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
    if name in names("backbone"):
        return BackboneFeatures(make("backbone", spec))
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
        f"{spec!r} is not a source of features. Give a .npz, .h5 or bottom-up .tsv file, hf:FOLDER or onnx:FILE (a "
        "vision backbone), or grid, pixels or world."
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
            f"hf:FOLDER or onnx:FILE (a vision backbone), or grid; or let it learn from pixels: "
            f"{net.name}:encoder=conv."
        )
    if isinstance(features, str):
        return open_features(features)
    return features if hasattr(features, "get_many") else OneByOne(features)


class FeatureFile(ABC):
    """Features from a file, read for each image on demand."""

    regions: int | None = None

    def __init__(self, file: str) -> None:
        self.file, self.signature = file, fingerprint(file)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(signature={self.signature!r})"

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """The features of each image, its corners as x, y, width and height."""
        found = [self.read(image) for image in images]
        boxes = [np.concatenate([corners[:, :2], corners[:, 2:4] - corners[:, :2]], axis=1) for _, corners in found]
        return [ImageFeatures(features, own) for (features, _), own in zip(found, boxes, strict=True)]

    @abstractmethod
    def read(self, image: ImageRef) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Features (K, D) of an image, and the corners of its regions (K, 4) as shares: x1, y1, x2, y2."""


class NpzFeatures(FeatureFile):
    """An ``.npz`` file of arrays ``ID/features`` (K, D) and ``ID/boxes`` (K, 4), corners as shares of the image."""

    def __init__(self, file: str) -> None:
        self.file, self.table = file, Regions(file)
        self.signature = self.table.signature

    def read(self, image: ImageRef) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The arrays of the image."""
        return self.table.of(image)


class H5Features(FeatureFile):
    """An ``.h5`` file of ``features`` (N, K, D), ``boxes`` (N, K, 4: corners as shares) and ``ids`` (N,).

    ``image_features``, ``spatial_features`` (whose first four numbers are the corners) and ``image_ids`` are read too,
    and so are groups ``ID/features`` and ``ID/boxes`` as in an ``.npz`` file.
    """

    def __init__(self, file: str) -> None:
        try:
            self.opened = need("h5py", "train").File(file, "r")
        except OSError as trouble:
            raise DataError(f"{file}: cannot be read as HDF5 ({trouble}). Expected a .h5 file.") from None
        super().__init__(file)
        ids = self._part("ids", "image_ids")
        names = [name.decode() if isinstance(name, bytes) else str(name) for name in (() if ids is None else ids[:])]
        self.rows = {name: row for row, name in enumerate(names)}
        self.features, self.boxes = self._part("features", "image_features"), self._part("boxes", "spatial_features")
        parts = (self.features, self.boxes)
        if ids is not None and any(part is None or part.ndim != 3 or len(part) != len(names) for part in parts):
            raise DataError(
                f"{file}: it has ids, but no features and boxes of as many rows. Expected features (N, K, D), "
                "boxes (N, K, 4) and ids (N,)."
            )

    def read(self, image: ImageRef) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The rows of the image, or its group."""
        for name in (content_hash(image), str(image.id)):
            if name in self.rows:
                row = self.rows[name]
                return checked_regions(self.file, name, self.features[row], self.boxes[row][:, :4])
            if f"{name}/features" in self.opened and f"{name}/boxes" in self.opened:
                features, boxes = self.opened[f"{name}/features"][:], self.opened[f"{name}/boxes"][:]
                return checked_regions(self.file, name, features, boxes)
        raise _missing(self.file, image)

    def _part(self, *names: str) -> Any:
        return next((self.opened[name] for name in names if name in self.opened), None)


class TsvFeatures(FeatureFile):
    """A bottom-up ``.tsv`` file (Anderson et al. 2018): id, width, height, count, then boxes and features as base64.

    The file is scanned once for the offset of each image's line; lines are read on demand.
    """

    def __init__(self, file: str) -> None:
        self.starts, self.regions, at = dict[str, int](), 0, 0
        try:
            with open(file, "rb") as lines:
                for number, line in enumerate(lines, 1):
                    parts = line.split(b"\t", 4)
                    if len(parts) < 5 or not parts[3].strip().isdigit():
                        raise DataError(
                            f"{file}: line {number} is not a line of bottom-up features. Expected, separated "
                            "by tabs: image_id, image_w, image_h, num_boxes, boxes, features."
                        )
                    self.starts[parts[0].decode()] = at
                    self.regions = max(self.regions, int(parts[3]))
                    at += len(line)
        except OSError as trouble:
            raise DataError(f"{file}: cannot be read ({trouble.strerror}). Put the file there.") from None
        super().__init__(file)

    def read(self, image: ImageRef) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The line of the image."""
        if str(image.id) not in self.starts:
            raise _missing(self.file, image)
        with open(self.file, "rb") as lines:
            lines.seek(self.starts[str(image.id)])
            line = lines.readline().rstrip(b"\r\n")
        try:
            _, width, height, count, boxes, features = line.split(b"\t")
            corners = np.frombuffer(base64.b64decode(boxes), np.float32).reshape(int(count), 4)
            values = np.frombuffer(base64.b64decode(features), np.float32).reshape(int(count), -1)
            scale = np.array([float(width), float(height)] * 2, np.float32)
        except (binascii.Error, ValueError) as trouble:
            raise BadImage(
                f"{self.file}: the line of image {image.id!r} is damaged ({trouble}). Extract or download it again."
            ) from None
        return values, corners / scale


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
    regions: ClassVar[int] = 1

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """Computed for each image on demand."""
        return [ImageFeatures(pixels(image, self.size), None) for image in images]


class WorldFeatures:
    """Regions found by an encoder trained on the embedded world's training split: the whole image, then objects.

    An object has a probability for every label (names, colours, states, what it wears or holds); the whole image has
    its facts and the number of objects by label. Features are cached in the cache folder, by encoder and image.
    """

    def __init__(self, folder: str = str(REFERENCE)) -> None:
        need("onnxruntime", "bundled")
        self.signature = fingerprint(str(Path(folder) / "encoder.onnx"))
        self.encoder = OnnxEncoder(folder)
        self.regions = self.encoder.regions

    def __repr__(self) -> str:
        return f"WorldFeatures(signature={self.signature!r})"

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """The features of each image."""
        return _cached("sight", self.signature, images, self._encode, len(images), np.dtype(np.float32))

    def _encode(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        encoded = self.encoder.encode(images)
        found = zip(encoded.features, encoded.boxes, encoded.mask, strict=True)
        return [ImageFeatures(features[mask], boxes[mask]) for features, boxes, mask in found]


class BackboneFeatures:
    """The regions that a vision backbone finds in images, cached in the cache folder in half precision."""

    regions: int | None = None

    def __init__(self, backbone: Backbone) -> None:
        self.backbone = backbone

    def __repr__(self) -> str:
        return f"BackboneFeatures({self.backbone!r})"

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """The features of each image; only images that are not in the cache are shown to the backbone."""
        signature = hashlib.sha256(repr(self.backbone).encode()).hexdigest()[:16]
        half = np.dtype(np.float16)
        return _cached("backbones", signature, images, self._encode, self.backbone.batch_size, half)

    def _encode(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        found = [ImageFeatures(*regions) for regions in self.backbone.encode(images)]
        limit = np.finfo(np.float16).max
        for image, one in zip(images, found, strict=True):
            if not (np.abs(one.features) <= limit).all():  # nan is not less either
                raise ModelError(
                    f"{self.backbone!r}: image {image.id!r} has features that are not finite in half precision. Choose "
                    "another layer or backbone."
                )
        return found


def _cached(
    kind: str,
    signature: str,
    images: Sequence[ImageRef],
    encode: Callable[[Sequence[ImageRef]], list[ImageFeatures]],
    batch_size: int,
    dtype: np.dtype[Any],
) -> list[ImageFeatures]:
    """The features of each image: from the cache, or encoded, in batches, each of which is cached when it is done.

    There is a file for each image, so that nothing is lost by a kill, and several trainings can share the cache.
    """
    folder = cache_folder() / kind / signature
    files = {content_hash(image): image for image in images}
    places = {key: folder / key[:2] / f"{key}.npy" for key in files}
    found = {key: cached for key in files if (cached := _read_cached(places[key]))}
    fresh = [key for key in files if key not in found]
    for start in range(0, len(fresh), batch_size):
        part = fresh[start : start + batch_size]
        for key, (features, boxes) in zip(part, encode([files[key] for key in part]), strict=True):
            both = np.concatenate([features, boxes], axis=1).astype(dtype)
            places[key].parent.mkdir(parents=True, exist_ok=True)
            with replaced(places[key]) as file:
                np.save(file, both)
            found[key] = _split(both)
    return [found[content_hash(image)] for image in images]


def _read_cached(path: Path) -> ImageFeatures | None:
    """Features and boxes side by side in one array; None if the file is missing or damaged."""
    try:
        return _split(np.load(path, allow_pickle=False))
    except (OSError, ValueError, EOFError):
        return None


def _split(both: NDArray[Any]) -> ImageFeatures:
    """Freshly encoded features have the precision of the cache too, so that it does not matter who computed them."""
    both = both.astype(np.float32, copy=False)
    return ImageFeatures(both[:, :-4], both[:, -4:])


@dataclass(frozen=True)
class NoFeatures:
    """No features, for networks that ignore the image."""

    regions: ClassVar[int] = 1

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """One empty region for each image."""
        return [ImageFeatures(np.zeros((1, 1), np.float32), np.zeros((1, 4), np.float32)) for _ in images]


@dataclass(frozen=True)
class OneByOne:
    """Any object with ``get(image) -> (features, boxes)`` as a store."""

    inside: Any
    regions: ClassVar[None] = None

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """One call of ``get`` for each image."""
        return [ImageFeatures(*self.inside.get(image)) for image in images]


_COMPUTED: dict[str, Any] = {"grid": GridFeatures, "pixels": PixelFeatures}
_READ: dict[str, Any] = {".npz": NpzFeatures, ".h5": H5Features, ".hdf5": H5Features, ".tsv": TsvFeatures}
