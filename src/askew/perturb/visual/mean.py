"""The mean colour of a data set's pictures, with which CARETS masks what it hides."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np
from PIL import Image

from askew.errors import BadImage
from askew.images import image_bytes, open_encoded
from askew.perturb.visual.keep import Colour
from askew.types import ImageRef

PHOTOS: Colour = (124, 116, 104)
"""The mean colour of ImageNet's photographs, where there is no picture to take it from."""

SCALE = 8
"""JPEG files are read at an eighth of their size, which leaves the mean as it is."""


def channel_mean(images: Iterable[ImageRef]) -> Colour:
    """The mean of each channel over all pixels of these pictures, rounded; each image id counts once.

    Pictures that are not there or broken are passed over; with none at all it is the mean of ImageNet's.

    >>> from askew.perturb.visual.encode import encode
    >>> white, grey = (encode(Image.new("RGB", (2, 2), colour), "png") for colour in ("white", (55, 55, 57)))
    >>> channel_mean([white, grey, grey]), channel_mean([])
    ((155, 155, 156), (124, 116, 104))
    """
    total, pixels = np.zeros(3, dtype=np.int64), 0
    seen = set()
    for image in images:
        if image.id in seen:
            continue
        seen.add(image.id)
        small = _small(image)
        if small is not None:
            values = np.asarray(small, dtype=np.uint8).reshape(-1, 3)
            total += values.sum(axis=0, dtype=np.int64)
            pixels += len(values)
    if not pixels:
        return PHOTOS
    red, green, blue = ((int(channel) * 2 + pixels) // (2 * pixels) for channel in total)
    return red, green, blue


def _small(image: ImageRef) -> Image.Image | None:
    try:
        picture = open_encoded(io.BytesIO(image_bytes(image)))
        picture.draft("RGB", (picture.width // SCALE, picture.height // SCALE))
        return picture.convert("RGB")
    except (BadImage, OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
