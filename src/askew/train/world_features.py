"""Features of the embedded world's pictures, as the reference encoder sees them: ``--features world``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from askew.errors import need
from askew.files import cache_folder, fingerprint, replaced
from askew.images import content_hash
from askew.models.eyes import REFERENCE, Eyes
from askew.train.seen import Seen
from askew.types import ImageRef


@dataclass(frozen=True)
class WorldFeatures:
    """Regions that an encoder taught on the embedded world's training split finds: the whole picture, then things.

    Each thing has a probability for every label (names, colours, states, what it wears or holds), the whole picture its
    facts and how many of everything were seen. What was seen is kept in the cache folder, by encoder and picture.
    """

    folder: str = field(default=str(REFERENCE), repr=False)
    signature: str = field(init=False, default="")
    eyes: Eyes = field(init=False, repr=False, compare=False)
    regions: int | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        need("onnxruntime", "bundled")
        object.__setattr__(self, "signature", fingerprint(str(Path(self.folder) / "encoder.onnx")))
        object.__setattr__(self, "eyes", Eyes(self.folder))
        object.__setattr__(self, "regions", self.eyes.regions)

    def get_many(self, images: Sequence[ImageRef]) -> list[Seen]:
        """What is seen in each picture."""
        files = {content_hash(image): image for image in images}
        found = {key: _read(self._file(key)) for key in files}
        fresh = [key for key, seen in found.items() if seen is None]
        if fresh:
            looked = self.eyes.see([files[key] for key in fresh])
            for key, features, boxes, there in zip(fresh, looked.features, looked.boxes, looked.mask, strict=True):
                found[key] = Seen(features[there], boxes[there])
                _write(self._file(key), features[there], boxes[there])
        return [seen for image in images if (seen := found[content_hash(image)]) is not None]

    def _file(self, key: str) -> Path:
        return cache_folder() / "sight" / self.signature / key[:2] / f"{key}.npy"


def _read(path: Path) -> Seen | None:
    """Features and boxes side by side in one array; None when they are not there or not whole."""
    try:
        both = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return Seen(both[:, :-4], both[:, -4:])


def _write(path: Path, features: NDArray[np.float32], boxes: NDArray[np.float32]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(path) as file:
        np.save(file, np.concatenate([features, boxes], axis=1))
