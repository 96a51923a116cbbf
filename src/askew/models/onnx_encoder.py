"""The encoder that comes with askew (or another one that was exported), run by onnxruntime: pictures to regions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from askew.errors import DataError, need
from askew.files.images import content_hash, open_image
from askew.files.limits import bounded_read, load_json
from askew.types import ImageRef

REFERENCE = Path(__file__).parent / "reference"
"""Where the files of the reference models lie."""
REMEMBERED = 4096
"""Pictures whose regions are kept for the next questions."""


class EncodedRegions(NamedTuple):
    """What is seen in N pictures: the whole first, then things, then padding."""

    features: NDArray[np.float32]
    """(N, K, D)."""
    boxes: NDArray[np.float32]
    """(N, K, 4): x, y, width, height as shares of the picture."""
    mask: NDArray[np.bool_]
    """(N, K): True where there is something."""


@dataclass(frozen=True)
class OnnxEncoder:
    """An exported encoder, ``encoder.onnx`` and ``encoder.json`` in a folder. It is loaded at the first picture."""

    folder: str
    threads: int = 1
    cache: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Regions of the last pictures, by content."""

    def encode(self, images: Sequence[ImageRef]) -> EncodedRegions:
        """The regions of these pictures; each different picture is decoded and looked at once."""
        keys = [content_hash(image) for image in images]
        fresh = {key: image for key, image in zip(keys, images, strict=True) if key not in self.cache}
        found = {key: self._alone(image) for key, image in fresh.items()}
        rows = [found[key] if key in found else self.cache[key] for key in keys]
        self.cache.update(found)
        while len(self.cache) > REMEMBERED:
            del self.cache[next(iter(self.cache))]
        return EncodedRegions(*(np.stack(part) for part in zip(*rows, strict=True)))

    def _alone(self, image: ImageRef) -> tuple[Any, ...]:
        """The regions of one image. What else is in a batch shows in last bits, and a batch is hardly any faster."""
        return tuple(part[0] for part in self.encode_pixels(pixels(image, self.size)[None]))

    def encode_pixels(self, pictures: NDArray[np.uint8]) -> EncodedRegions:
        """Pixels (N, 3, S, S) to regions."""
        return EncodedRegions(*self.session.run(None, {"pictures": pictures}))

    @cached_property
    def size(self) -> int:
        """Pixels a side."""
        return int(read_json(Path(self.folder) / "encoder.json")["size"])

    @cached_property
    def regions(self) -> int:
        """Regions of a picture at most, with the whole."""
        return 1 + int(read_json(Path(self.folder) / "encoder.json")["regions"])

    @cached_property
    def session(self) -> Any:
        """The encoder in memory."""
        return load(Path(self.folder) / "encoder.onnx", self.threads)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: where it lies, not what is in memory."""
        return {"folder": self.folder, "threads": self.threads, "cache": {}}


def pixels(ref: ImageRef, size: int) -> Any:
    """Any picture, squeezed to ``size`` x ``size``: (3, size, size) uint8.

    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (30, 20), (255, 0, 7)).save(file, "PNG")
    >>> pixels(ImageRef("red", data=file.getvalue()), 4)[:, 0, 0].tolist()
    [255, 0, 7]
    """
    from PIL import Image

    picture = open_image(ref)
    if picture.size != (size, size):
        picture = picture.resize((size, size), Image.Resampling.BILINEAR)
    return np.ascontiguousarray(np.asarray(picture).transpose(2, 0, 1))


def load(path: Path, threads: int) -> Any:
    """An ONNX file, ready to run on the processor. With one thread the same input gives the same bits again."""
    runtime = need("onnxruntime", "bundled")
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    if not path.is_file():
        raise DataError(f"{path}: there is no such file. Give a folder that the export wrote.")
    try:
        return runtime.InferenceSession(os.fspath(path), options, providers=["CPUExecutionProvider"])
    except Exception as trouble:  # onnxruntime has an exception class for every kind of broken file
        raise DataError(f"{path}: cannot be read as ONNX ({str(trouble).splitlines()[0]}). Export again.") from None


def read_json(path: Path) -> Any:
    """A JSON file of an exported model."""
    try:
        return load_json(bounded_read(path))
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. Give a folder that the export wrote.") from None
    except orjson.JSONDecodeError as trouble:
        raise DataError(f"{path}: cannot be read as JSON ({trouble}). Export again.") from None
