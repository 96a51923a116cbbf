"""A picture that was made, as a reference to its encoded file."""

from __future__ import annotations

import hashlib
import io
from typing import Literal, TypeAlias, get_args

from PIL import Image

from askew.errors import BadOption
from askew.types import ImageRef

Encoding: TypeAlias = Literal["jpeg", "png"]
"""``jpeg``: quality 95, colours at full resolution; ``png``: without any loss, and four times as large."""


def check_encoding(encoding: str) -> None:
    """Refuse what is no encoding."""
    if encoding not in get_args(Encoding):
        raise BadOption(f"{encoding!r} is no encoding of pictures. Known: {', '.join(get_args(Encoding))}.")


def encode(picture: Image.Image, encoding: Encoding) -> ImageRef:
    """The picture as the bytes of a file, named by the first 16 digits of their SHA-256.

    The pixels are the same everywhere; the bytes too, with the same version of Pillow.

    >>> made = encode(Image.new("RGB", (3, 2)), "png")
    >>> made.size, made.id == made.sha256[:16]
    ((3, 2), True)
    """
    buffer = io.BytesIO()
    if encoding == "png":
        picture.save(buffer, "PNG", compress_level=6)
    else:
        picture.save(buffer, "JPEG", quality=95, subsampling=0)
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    return ImageRef(digest[:16], data=content, sha256=digest, size=picture.size)
