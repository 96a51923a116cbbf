"""What a model sees: images, and region features for models that do not read pixels.

Each image is decoded, preprocessed and encoded once, however many questions of a batch are about it. Region features
are precomputed and read from an ``.npz`` file.
"""

from __future__ import annotations

import zipfile
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.errors import BadImage, DataError
from askew.files.images import content_hash, open_image
from askew.files.read_write import fingerprint
from askew.types import ImageRef

MEMORY = 256 << 20
"""Bytes of decoded images that are kept."""


class Decoded:
    """The latest images, by content: one object for each distinct image."""

    def __init__(self) -> None:
        self._images: OrderedDict[str, Any] = OrderedDict()
        self._held = 0

    def of(self, image: ImageRef | None) -> Any:
        """The decoded image of a question."""
        if image is None:
            raise BadImage("The question has no image, and the model needs one.")
        key = content_hash(image)
        if key not in self._images:
            self._images[key] = open_image(image)
            self._held += _bytes(self._images[key])
            while self._held > MEMORY and len(self._images) > 1:
                self._held -= _bytes(self._images.popitem(last=False)[1])
        self._images.move_to_end(key)
        return self._images[key]


def _bytes(image: Any) -> int:
    return int(image.width * image.height * len(image.getbands()))


class PreparedOnce:
    """An image processor that preprocesses equal images once and repeats the result. Other calls are passed on."""

    def __init__(self, inner: Any, font: bytes | None = None) -> None:
        self._inner = inner
        if font is not None:  # for Pix2Struct, which draws the question into the image
            draw = inner.render_header
            inner.render_header = lambda image, text, **options: draw(image, text, font_bytes=font)

    def __getattr__(self, name: str) -> Any:
        if "_inner" not in self.__dict__:  # copy and pickle look it up before it is set
            raise AttributeError(name)
        return getattr(self._inner, name)

    def __call__(self, images: Any, *rest: Any, **options: Any) -> Any:
        """The same output as if the image processor had preprocessed every image."""
        if options.get("header_text") is not None:  # another text is drawn into each
            return self._inner(images, *rest, **options)
        single = [image[0] if isinstance(image, (list, tuple)) and len(image) == 1 else image for image in images]
        firsts, which = places(single)
        if len(firsts) == len(single):
            return self._inner(images, *rest, **options)
        prepared = self._inner([images[place] for place in firsts], *rest, **options)
        grid = prepared.get("image_grid_thw")  # each image has a row, or as many as there are patches in its grid
        lengths = [1] * len(firsts) if grid is None else [int(part[0] * part[1] * part[2]) for part in grid]
        repeated = {key: _repeat(value, lengths, which) for key, value in prepared.items()}
        if any(value is None for value in repeated.values()):
            return self._inner(images, *rest, **options)
        prepared.update(repeated)
        return prepared


def _repeat(value: Any, lengths: Sequence[int], which: Sequence[int]) -> Any:
    """The rows of each requested image; None when the value is not made of rows."""
    if not hasattr(value, "__len__") or isinstance(value, (str, dict)):
        return None
    if len(value) == len(lengths):
        wanted = list(which)
    elif len(value) == sum(lengths):
        wanted = rows(lengths, which)
    else:
        return None
    return [value[row] for row in wanted] if isinstance(value, (list, tuple)) else value[wanted]


@contextmanager
def encoded_once(model: Any, images: Sequence[Any], grid: Any = None) -> Iterator[_Once | None]:
    """Within this block the model's image encoder runs once for each distinct image; its output is repeated.

    The block receives the hooks, or None if no images are equal; whatever they raise comes out of the block.

    ``images`` are those of the batch, in order; ``grid`` is the ``image_grid_thw`` of models that have one. An encoder
    whose input has another shape (several tiles for each image, beams) is left unchanged.
    """
    encoder = model.get_encoder(modality="image")
    firsts, which = places(images)
    if encoder is model or len(firsts) == len(images):
        yield None
        return
    lengths = [1] * len(images) if grid is None else [int(part.prod()) for part in grid]
    once = _Once(lengths, firsts, which)
    hooks = [
        encoder.register_forward_pre_hook(once.before, with_kwargs=True),
        encoder.register_forward_hook(once.after),
    ]
    try:
        yield once
    finally:
        for hook in hooks:
            hook.remove()


class _Once:
    """The hooks: pass only the rows of distinct images to the encoder, and repeat its output for all images."""

    def __init__(self, lengths: Sequence[int], firsts: Sequence[int], which: Sequence[int]) -> None:
        self.lengths, self.firsts, self.which = lengths, firsts, which
        self.kept = [lengths[place] for place in firsts]
        self.active = False

    def before(self, encoder: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        pixels = kwargs.get("pixel_values", args[0] if args else None)
        self.active = getattr(pixels, "shape", (0,))[0] == sum(self.lengths)
        if not self.active:
            return None
        return tuple(map(self._keep, args)), {key: self._keep(value) for key, value in kwargs.items()}

    def _keep(self, value: Any) -> Any:
        size = value.shape[0] if getattr(value, "shape", ()) else None
        if size == sum(self.lengths):
            return value[rows(self.lengths, self.firsts)]
        return value[list(self.firsts)] if size == len(self.lengths) else value

    def after(self, encoder: Any, args: Any, output: Any) -> Any:
        return self._spread(output) if self.active else None

    def _spread(self, value: Any) -> Any:
        if hasattr(value, "to_tuple"):
            return type(value)(**{key: self._spread(part) for key, part in value.items()})
        if isinstance(value, (list, tuple)):
            return type(value)(self._spread(part) for part in value)
        size = value.shape[0] if getattr(value, "shape", ()) else 0
        if not size:
            return value
        shrink = max(1, sum(self.kept) // size)  # patches that the encoder merges into one row
        lengths = [length // shrink for length in self.kept]
        if sum(lengths) != size:
            raise ValueError(f"the image encoder gave {size} rows for {len(self.kept)} images")
        return value[rows(lengths, self.which)]


def places(items: Sequence[Any]) -> tuple[list[int], list[int]]:
    """The first index of each distinct object, and for each item the number of its object.

    >>> red, blue = object(), object()
    >>> places([red, blue, red, red])
    ([0, 1], [0, 1, 0, 0])
    """
    first: dict[int, int] = {}
    firsts: list[int] = []
    which: list[int] = []
    for place, item in enumerate(items):
        if id(item) not in first:
            first[id(item)] = len(firsts)
            firsts.append(place)
        which.append(first[id(item)])
    return firsts, which


def rows(lengths: Sequence[int], which: Sequence[int]) -> list[int]:
    """Row numbers of the chosen parts, where part i of a table has ``lengths[i]`` rows.

    >>> rows([2, 3], [1, 0, 1])
    [2, 3, 4, 0, 1, 2, 3, 4]
    """
    ends = list(accumulate(lengths))
    return [row for part in which for row in range(ends[part] - lengths[part], ends[part])]


@dataclass(frozen=True)
class Regions:
    """K regions for each image: ``ID/features`` of shape (K, d) and ``ID/boxes`` of shape (K, 4).

    ID is the image's id or the SHA-256 of its file. The hash is looked up first, so that a changed image can have
    features of its own. Boxes are x1, y1, x2, y2, divided by width and height.
    """

    file: str = field(repr=False)
    signature: str = field(init=False, default="")
    table: Any = field(init=False, repr=False, compare=False, default=None)
    names: frozenset[str] = field(init=False, repr=False, compare=False, default=frozenset())

    def __post_init__(self) -> None:
        try:
            table = np.load(self.file, allow_pickle=False)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise DataError(
                f"{self.file}: cannot be read as region features ({error}). Expected a .npz file."
            ) from None
        if not isinstance(table, np.lib.npyio.NpzFile) or not any(name.endswith("/features") for name in table.files):
            raise DataError(
                f"{self.file}: no region features in it. Expected a .npz file of arrays named ID/features and ID/boxes."
            )
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "names", frozenset(table.files))
        object.__setattr__(self, "signature", fingerprint(self.file))

    def of(self, image: ImageRef | None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Features and boxes of a question's image."""
        if image is None:
            raise BadImage("The question has no image, and the model needs its region features.")
        names = (content_hash(image), str(image.id))
        name = next((name for name in names if f"{name}/features" in self.names), None)
        if name is None:
            raise BadImage(
                f"{self.file}: no region features of image {image.id!r}. Extract them, as "
                f"'{image.id}/features' and '{image.id}/boxes'."
            )
        try:
            features, boxes = self.table[f"{name}/features"], self.table[f"{name}/boxes"]
        except (KeyError, ValueError, zipfile.BadZipFile) as error:
            raise BadImage(
                f"{self.file}: the region features of image {name!r} are damaged ({error}). "
                f"Expected arrays of numbers called '{name}/features' and '{name}/boxes'."
            ) from None
        return checked_regions(self.file, name, features, boxes)


def checked_regions(
    file: str, name: str, features: NDArray[Any], boxes: NDArray[Any]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """An image's features and boxes; raises BadImage for wrong shapes and for boxes outside 0 to 1."""
    if features.ndim != 2 or boxes.shape != (len(features), 4) or not len(features):
        raise BadImage(
            f"{file}: image {name!r} has features of shape {features.shape} and boxes of shape {boxes.shape}. "
            "Expected (K, d) and (K, 4)."
        )
    if boxes.min() < -0.01 or boxes.max() > 1.01:
        raise BadImage(
            f"{file}: boxes of image {name!r} go from {boxes.min():g} to {boxes.max():g}. "
            "Divide x by the width and y by the height, so that they are between 0 and 1."
        )
    return features.astype(np.float32), boxes.astype(np.float32)
