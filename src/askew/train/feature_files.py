"""Region features of images: the protocol of a store, and stores that read files of features extracted elsewhere."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadImage, DataError, need
from askew.files.images import content_hash
from askew.files.read_write import fingerprint
from askew.models.huggingface.region_features import Regions, checked
from askew.types import ImageRef, Question


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
        ...

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """The features of each image."""
        ...


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
        found = [self.table.of(Question(0, image, "")) for image in images]
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
        values, corners = checked(self.file, name, features, boxes)
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
