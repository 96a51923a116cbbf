"""The bundled image encoder (or another exported one), run by onnxruntime: images to regions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from askew.errors import DataError, need
from askew.files.images import content_hash, open_image
from askew.files.limits import bounded_read, load_json
from askew.types import ImageRef

REFERENCE = Path(__file__).parent / "reference"
"""Folder of the reference models."""
CACHED_IMAGES = 4096
"""Number of images whose regions are kept for later questions."""


class EncodedRegions(NamedTuple):
    """Regions of N images: first the whole image, then objects, then padding."""

    features: NDArray[np.float32]
    """(N, K, D)."""
    boxes: NDArray[np.float32]
    """(N, K, 4): x, y, width, height as fractions of the image."""
    mask: NDArray[np.bool_]
    """(N, K): False for padding."""


@dataclass(frozen=True)
class OnnxEncoder:
    """An exported encoder, ``encoder.onnx`` and ``encoder.json`` in a folder. It is loaded for the first image."""

    folder: str
    threads: int = 1
    cache: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Regions of recent images, by content hash."""
    lock: Lock = field(default_factory=Lock, repr=False, compare=False)
    """Held while the cache is used: models of several threads may share an encoder."""

    def encode(self, images: Sequence[ImageRef]) -> EncodedRegions:
        """The regions of these images; each distinct image is decoded and encoded once."""
        keys = [content_hash(image) for image in images]
        with self.lock:
            fresh = {key: image for key, image in zip(keys, images, strict=True) if key not in self.cache}
            encoded = {key: self._alone(image) for key, image in fresh.items()}
            rows = [encoded[key] if key in encoded else self.cache[key] for key in keys]
            self.cache.update(encoded)
            while len(self.cache) > CACHED_IMAGES:
                del self.cache[next(iter(self.cache))]
        return EncodedRegions(*(np.stack(part) for part in zip(*rows, strict=True)))

    def _alone(self, image: ImageRef) -> tuple[Any, ...]:
        """The regions of one image, encoded alone: in a batch the last bits would depend on the other images."""
        return tuple(part[0] for part in self.encode_pixels(pixels(image, self.size)[None]))

    def encode_pixels(self, images: NDArray[np.uint8]) -> EncodedRegions:
        """Pixels (N, 3, S, S) to regions."""
        return EncodedRegions(*self.session.run(None, {"pictures": images}))

    @cached_property
    def size(self) -> int:
        """Width and height of the input in pixels."""
        return int(read_json(Path(self.folder) / "encoder.json")["size"])

    @cached_property
    def regions(self) -> int:
        """Largest number of regions of an image, with the whole image."""
        return 1 + int(read_json(Path(self.folder) / "encoder.json")["regions"])

    @cached_property
    def session(self) -> Any:
        """The loaded encoder."""
        return load(Path(self.folder) / "encoder.onnx", self.threads)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the path, not the loaded encoder."""
        return {"folder": self.folder, "threads": self.threads, "cache": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the path, with a lock of its own."""
        self.__dict__.update(state, lock=Lock())


@lru_cache(maxsize=4)
def shared_encoder(folder: str, threads: int, file_hash: str) -> OnnxEncoder:
    """The encoder of a folder: one for all models that use it, so that each image is encoded once for all of them.

    ``file_hash`` is that of ``encoder.onnx``: a file that was replaced is another encoder.
    """
    return OnnxEncoder(folder, threads)


def pixels(ref: ImageRef, size: int) -> Any:
    """An image resized to ``size`` x ``size``: (3, size, size) uint8.

    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (30, 20), (255, 0, 7)).save(file, "PNG")
    >>> pixels(ImageRef("red", data=file.getvalue()), 4)[:, 0, 0].tolist()
    [255, 0, 7]
    """
    from PIL import Image

    image = open_image(ref)
    if image.size != (size, size):
        image = image.resize((size, size), Image.Resampling.BILINEAR)
    return np.ascontiguousarray(np.asarray(image).transpose(2, 0, 1))


def load(path: Path, threads: int) -> Any:
    """Load an ONNX file to run on the CPU. With one thread the same input gives the same bits every time."""
    runtime = need("onnxruntime", "bundled")
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    if not path.is_file():
        raise DataError(f"{path}: there is no such file. Give a folder that the export wrote.")
    try:
        return runtime.InferenceSession(os.fspath(path), options, providers=["CPUExecutionProvider"])
    except Exception as trouble:  # onnxruntime has one exception class for each kind of damage
        raise DataError(f"{path}: cannot be read as ONNX ({str(trouble).splitlines()[0]}). Export again.") from None


def read_json(path: Path) -> Any:
    """A JSON file of an exported model."""
    try:
        return load_json(bounded_read(path))
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. Give a folder that the export wrote.") from None
    except orjson.JSONDecodeError as trouble:
        raise DataError(f"{path}: cannot be read as JSON ({trouble}). Export again.") from None
