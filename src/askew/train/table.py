"""Features of many pictures in one array, so that a batch is one indexing and no work per picture."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from askew.errors import BadImage
from askew.files import cache_folder
from askew.images import content_hash
from askew.train.features import FeatureStore, Seen
from askew.types import ImageRef

IN_MEMORY = 2 << 30
"""Features of more bytes lie in a file of half-precision numbers in the cache folder."""

CHUNK = 256
"""Pictures a store is asked for at once."""


@dataclass(frozen=True)
class FeatureTable:
    """N pictures of up to K regions, each of D features. The first row is no picture: no region at all."""

    features: NDArray[Any]
    """(N, K, D) float32, or float16 where they lie in a file; for pixels (N, 3, S, S) uint8."""
    boxes: Tensor
    """(N, K, 4)."""
    mask: Tensor
    """(N, K)."""
    rows: dict[str, int]
    """From what a picture is known by to its row."""

    @property
    def width(self) -> int:
        """Numbers per region (3 for pixels)."""
        return int(self.features.shape[1] if self.features.ndim == 4 else self.features.shape[2])

    def find(self, images: Sequence[ImageRef | None]) -> NDArray[np.int64]:
        """The rows of these pictures; 0 for a question without one."""
        return np.array([0 if image is None else self.rows[known_by(image)] for image in images], np.int64)

    def take(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Features (B, K, D), boxes (B, K, 4) and mask (B, K) of these rows (B,)."""
        features = (
            self._whole.index_select(0, rows) if self._in_memory else torch.from_numpy(self.features[rows.numpy()])
        )
        if features.dtype == torch.uint8:
            features = features.to(torch.float32) / 255
        return features.to(torch.float32), self.boxes.index_select(0, rows), self.mask.index_select(0, rows)

    @property
    def _in_memory(self) -> bool:
        return not isinstance(self.features, np.memmap)

    @property
    def _whole(self) -> Tensor:
        return torch.from_numpy(self.features)


def known_by(image: ImageRef) -> str:
    """What tells a picture from others: its content where it is at hand, else its id."""
    return content_hash(image)


def build_table(store: FeatureStore, images: Iterable[ImageRef | None]) -> FeatureTable:
    """The features of these pictures, each picture once."""
    distinct: dict[str, ImageRef] = {}
    for image in images:
        if image is not None:
            distinct.setdefault(known_by(image), image)
    return fill(store, distinct, IN_MEMORY)


def unusable(store: FeatureStore, images: Iterable[ImageRef | None]) -> dict[ImageRef, str]:
    """Pictures of which there are no features, and why. They are looked at together, and one by one where one fails."""
    todo = list(dict.fromkeys(image for image in images if image is not None))
    bad = {}
    for start in range(0, len(todo), CHUNK):
        part = todo[start : start + CHUNK]
        if _trouble(store, part):
            bad.update({image: trouble for image in part if (trouble := _trouble(store, [image]))})
    return bad


def _trouble(store: FeatureStore, images: Sequence[ImageRef]) -> str:
    try:
        store.get_many(images)
    except BadImage as trouble:
        return str(trouble)
    return ""


def fill(store: FeatureStore, images: dict[str, ImageRef], in_memory: int) -> FeatureTable:
    """A table of these pictures; in memory when its features have no more bytes than said."""
    known, todo = list(images), list(images.values())
    first = store.get_many(todo[:CHUNK])
    regions = max([store.regions or 0, *(seen.features.shape[0] for seen in first)], default=1) or 1
    shape = _shape(first, len(known) + 1, regions)
    features = _array(shape, first[0].features.dtype if first else np.dtype(np.float32), in_memory, store, known)
    boxes = np.zeros((shape[0], regions, 4), np.float32)
    mask = np.zeros((shape[0], regions), np.bool_)
    for start in range(0, len(todo), CHUNK):
        part = first if start == 0 else store.get_many(todo[start : start + CHUNK])
        most = max(seen.features.shape[0] for seen in part)
        if most > mask.shape[1]:
            wider = _array((shape[0], most, *shape[2:]), part[0].features.dtype, in_memory, store, known)
            wider[:, : mask.shape[1]] = features
            room = ((0, 0), (0, most - mask.shape[1]))
            features, boxes, mask = wider, np.pad(boxes, (*room, (0, 0))), np.pad(mask, room)
        for row, seen in enumerate(part, start + 1):
            _check(seen, shape, todo[row - 1])
            count = seen.features.shape[0]
            features[row, :count] = seen.features
            if seen.boxes is not None:
                boxes[row, :count], mask[row, :count] = seen.boxes, True
    rows = {key: row for row, key in enumerate(known, 1)}
    return FeatureTable(features, torch.from_numpy(boxes), torch.from_numpy(mask), rows)


def _check(seen: Seen, shape: tuple[int, ...], image: ImageRef) -> None:
    """Features must have the width of the first picture's, and be numbers that can be learned from."""
    if seen.features.shape[1:] != shape[2:]:
        found, wanted = (" × ".join(map(str, sizes)) for sizes in (seen.features.shape[1:], shape[2:]))
        raise BadImage(
            f"image {image.id!r} has {found} numbers for a region, and others have {wanted}. Extract all pictures' "
            "features with the same network."
        )
    if not np.isfinite(seen.features).all():
        raise BadImage(f"image {image.id!r} has features that are no finite numbers. Extract them again.")


def _shape(first: Sequence[Seen], count: int, regions: int) -> tuple[int, ...]:
    if not first:
        return (count, regions, 1)
    one = first[0].features.shape
    return (count, *one) if len(one) == 3 else (count, regions, one[1])


def _array(
    shape: tuple[int, ...], dtype: np.dtype[Any], in_memory: int, store: FeatureStore, known: Sequence[str]
) -> NDArray[Any]:
    if np.prod(shape, dtype=np.float64) * dtype.itemsize <= in_memory:
        return np.zeros(shape, dtype)
    name = hashlib.sha256(repr((repr(store), known, shape)).encode()).hexdigest()[:16]
    place = Path(cache_folder()) / "features" / f"{name}-{uuid4().hex}.npy"
    place.parent.mkdir(parents=True, exist_ok=True)
    half = np.dtype(np.float16) if dtype == np.float32 else dtype
    made = np.lib.format.open_memmap(place, "w+", half, shape)
    place.unlink()  # the mapping lives on; the disk space is given back with it
    return made
