"""Changed images as encoded bytes, and the image of a question to change."""

from __future__ import annotations

import hashlib
import io
from typing import Literal, TypeAlias, get_args

from PIL import Image

from askew.errors import BadImage, BadOption
from askew.files.images import open_image
from askew.types import ImageRef, Question

Encoding: TypeAlias = Literal["jpeg", "png"]
"""``jpeg``: quality 95 without chroma subsampling; ``png``: lossless and four times as large."""


def check_encoding(encoding: str) -> None:
    """Raise BadOption for an unknown encoding."""
    if encoding not in get_args(Encoding):
        raise BadOption(f"{encoding!r} is not an image encoding. Known: {', '.join(get_args(Encoding))}.")


def encode(image: Image.Image, encoding: Encoding) -> ImageRef:
    """The image as the bytes of a file, with the first 16 hex digits of their SHA-256 as its id.

    The pixels are the same on every machine; so are the bytes with the same version of Pillow.

    >>> made = encode(Image.new("RGB", (3, 2)), "png")
    >>> made.size, made.id == made.sha256[:16]
    ((3, 2), True)
    """
    buffer = io.BytesIO()
    if encoding == "png":
        image.save(buffer, "PNG", compress_level=6)
    else:
        image.save(buffer, "JPEG", quality=95, subsampling=0)
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    return ImageRef(digest[:16], data=content, sha256=digest, size=image.size)


def image_of(question: Question) -> Image.Image | str:
    """The decoded image of a question, or the reason for a refusal.

    >>> image_of(Question(1, None, "What is this?"))
    'there is no image'
    """
    if question.image is None or (question.image.path is None and question.image.data is None):
        return "there is no image"
    try:
        return open_image(question.image)
    except BadImage as fault:
        return fault.kind
