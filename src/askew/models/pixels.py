"""A picture as the small square of bytes that a network looks at."""

from __future__ import annotations

from typing import Any

from askew.files.images import open_image
from askew.types import ImageRef


def pixels(ref: ImageRef, size: int) -> Any:
    """Any picture, squeezed to ``size`` x ``size``: (3, size, size) uint8.

    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (30, 20), (255, 0, 7)).save(file, "PNG")
    >>> pixels(ImageRef("red", data=file.getvalue()), 4)[:, 0, 0].tolist()
    [255, 0, 7]
    """
    import numpy as np
    from PIL import Image

    picture = open_image(ref)
    if picture.size != (size, size):
        picture = picture.resize((size, size), Image.Resampling.BILINEAR)
    return np.ascontiguousarray(np.asarray(picture).transpose(2, 0, 1))
