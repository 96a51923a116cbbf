"""Images: bytes, content hashes, pixels and encoding of an ``ImageRef``, and checks that say what is wrong with it.

Nothing here changes Pillow's global settings. Everything that askew decodes goes through :func:`open_encoded`, which
allows only plain image formats: some of Pillow's other plugins run programs (EPS starts Ghostscript).
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, TypeAlias, get_args

from askew.errors import BadImage, BadOption
from askew.files.read_write import file_sha256
from askew.types import ImageRef, Question

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
MAX_PIXELS = 64_000_000
"""Images with more pixels are refused before they are decoded, since a small file can declare a huge size."""

Encoding: TypeAlias = Literal["jpeg", "png"]
"""``jpeg``: quality 95 without chroma subsampling; ``png``: lossless, but four times as large."""
_SUFFIXES = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg", b"GIF8": ".gif", b"RIFF": ".webp", b"BM": ".bmp"}


def image_bytes(ref: ImageRef) -> bytes:
    """The encoded file of an image."""
    if ref.data is not None:
        return ref.data
    if ref.path is None:
        raise BadImage(f"image {ref.id!r}: the data came without its file. Give its folder (--images DIR; images=...).")
    try:
        with open(ref.path, "rb") as file:
            return file.read()
    except OSError as trouble:
        raise BadImage(
            f"{ref.path}: the file of image {ref.id!r} cannot be read ({trouble.strerror or trouble}). "
            "Put it there, or give the folder that contains it (--images DIR; images=...)."
        ) from None


def content_hash(ref: ImageRef) -> str:
    """The identity of an image: the SHA-256 of its encoded bytes, independent of its path and name.

    If the bytes are available they are hashed (a file again only if its size or time changes), so an edited image is a
    new image even if the data gives a hash. Otherwise it is the hash in the data, or ``id:`` and the id.

    >>> content_hash(ImageRef(1, data=b"abc"))[:8], content_hash(ImageRef(42)), content_hash(ImageRef("42"))
    ('ba7816bf', 'id:42', "id:'42'")
    """
    if ref.data is not None:
        return hashlib.sha256(ref.data).hexdigest()
    if ref.path is None:
        return ref.sha256 or f"id:{ref.id!r}"
    if not os.path.isfile(ref.path):
        image_bytes(ref)
    return file_sha256(ref.path)


def content_hashes(images: Sequence[ImageRef]) -> str:
    """The identity of a question's images in their order; that of one image is its ``content_hash``.

    >>> content_hashes([ImageRef(1), ImageRef(2)]), content_hashes([ImageRef(1)]), content_hashes([])
    ('id:1\\nid:2', 'id:1', '')
    """
    return "\n".join(map(content_hash, images))


def open_encoded(source: IO[bytes] | Path, formats: Sequence[str] = FORMATS, max_pixels: int = MAX_PIXELS) -> Image:
    """Open an image file and read only its header, if it has one of these formats and is not too large.

    Raises Pillow's exceptions: OSError, and DecompressionBombError for more than ``max_pixels``.
    """
    from PIL import Image

    image = Image.open(source, formats=tuple(formats))
    width, height = image.size
    if width * height > max_pixels:
        image.close()
        raise Image.DecompressionBombError(f"{width} x {height} pixels are more than the limit of {max_pixels:,}")
    return image


def open_image(ref: ImageRef) -> Image:
    """Decode an image as viewers show it: in RGB, rotated by its EXIF orientation, with white behind transparency."""
    from PIL import ImageOps

    image = _header(ref, io.BytesIO(image_bytes(ref)), MAX_PIXELS)
    try:
        image.load()
        return _rgb(ImageOps.exif_transpose(image))
    except Exception as trouble:  # Pillow's decoders raise all kinds of exceptions on broken bytes
        raise _broken(ref, trouble) from None


def open_in_little_memory(path: Path, max_pixels: int, full_jpeg: int, max_bytes: int) -> Image:
    """The same for a large file, with no second copy of it or of its pixels.

    A JPEG of more than ``full_jpeg`` pixels (a progressive one: half of that) is decoded at half its width and height.
    An image is refused if decoding it takes more than ``max_bytes``.
    """
    ref = ImageRef(path.name, str(path))
    with open(path, "rb") as file:
        image = _header(ref, file, max_pixels)
        pixels = image.width * image.height
        if (needed := pixels * _bytes_of_pixel(image)) > max_bytes:
            raise BadImage(
                f"{path}: {image.width} x {image.height} pixels of this {image.format} file take {needed // 10**6} MB "
                f"to decode, and {max_bytes // 10**6} MB are allowed. Save it as baseline JPEG, or make it smaller.",
                "the image is too large",
            )
        if image.format == "JPEG" and pixels > full_jpeg // (2 if "progressive" in image.info else 1):
            image.draft(image.mode, (image.width // 2, image.height // 2))
        try:
            return _upright_rgb(image)
        except Exception as trouble:  # as in open_image
            raise _broken(ref, trouble) from None


def _upright_rgb(image: Image) -> Image:
    """The image in RGB, rotated by its orientation: itself if it is in RGB, or converted a strip at a time."""
    from PIL import Image, ImageOps

    image.load()
    ImageOps.exif_transpose(image, in_place=True)
    if image.mode == "RGB" and not image.has_transparency_data:
        return image
    target = Image.new("RGB", image.size)
    for top in range(0, image.height, _STRIP):
        strip = image.crop((0, top, image.width, min(top + _STRIP, image.height)))
        target.paste(_rgb(strip), (0, top))
    return target


_STRIP = 128
"""Rows that are converted at a time."""


def _bytes_of_pixel(image: Image) -> int:
    """The memory to decode a pixel to RGB. A baseline JPEG, which can be decoded smaller, counts as 1; a progressive
    one keeps all coefficients, and Pillow's WebP decoder four copies."""
    if image.format == "JPEG":
        return 6 if "progressive" in image.info else 1
    if image.format == "WEBP":
        return 16
    own = {"1": 1, "L": 1, "P": 1, "I;16": 2}.get(image.mode, 4)
    return own if image.mode == "RGB" and not image.has_transparency_data else own + 4


def check_image(ref: ImageRef) -> tuple[int, int]:
    """Width and height, after checking that the file exists, is an image, is complete and has the hash in the data.

    A JPEG or PNG with its end marker counts as complete; anything else is decoded (a JPEG at an eighth of its size).
    """
    content = image_bytes(ref)
    if ref.sha256 is not None and hashlib.sha256(content).hexdigest() != ref.sha256:
        raise BadImage(
            f"{_describe(ref)}: this is not the image that the data was made with (its SHA-256 differs). Put the "
            "correct one there, or make the data again."
        )
    image = _header(ref, io.BytesIO(content), MAX_PIXELS)
    size: tuple[int, int] = image.size
    end = content[-64:]
    is_whole = {"JPEG": end.rstrip(b"\x00\r\n ").endswith(b"\xff\xd9"), "PNG": b"IEND\xaeB`\x82" in end}
    if not is_whole.get(image.format or ""):
        try:
            image.draft("RGB", (1, 1))
            image.load()
        except Exception as trouble:  # decoders raise all kinds of exceptions, as in open_image
            raise _broken(ref, trouble) from None
    return size


def suffix_of(content: bytes) -> str:
    """The file name ending for an encoded image, by its first bytes.

    >>> suffix_of(b"\\x89PNG\\r\\n")
    '.png'
    """
    return next((suffix for start, suffix in _SUFFIXES.items() if content.startswith(start)), ".img")


def check_encoding(encoding: str) -> None:
    """Raise BadOption for an unknown encoding."""
    if encoding not in get_args(Encoding):
        raise BadOption(f"{encoding!r} is not an image encoding. Known: {', '.join(get_args(Encoding))}.")


def encode(image: Image, encoding: Encoding) -> ImageRef:
    """Encode an image; its id is the first 16 hex digits of the SHA-256 of the bytes.

    The pixels are equal on every machine, and the bytes too with the same version of Pillow.

    >>> from PIL import Image
    >>> encoded = encode(Image.new("RGB", (3, 2)), "png")
    >>> encoded.size, encoded.id == encoded.sha256[:16]
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


def only_image(question: Question) -> ImageRef | None:
    """The image of a question that is about one, or None; BadImage for a question about several.

    >>> only_image(Question(1, ImageRef("a"), "Which is older?", more_images=(ImageRef("b"),)))
    Traceback (most recent call last):
    askew.errors.BadImage: the question is about 2 images, and one is taken here. Leave it out, or ask about one.
    """
    if question.more_images:
        count = len(question.images)
        raise BadImage(f"the question is about {count} images, and one is taken here. Leave it out, or ask about one.")
    return question.image


def _header(ref: ImageRef, source: IO[bytes] | Path, max_pixels: int) -> Image:
    from PIL import Image

    try:
        return open_encoded(source, FORMATS, max_pixels)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as trouble:
        raise BadImage(
            f"{_describe(ref)}: too large ({trouble}). Use a smaller copy of the image.",
            "the image is too large",
        ) from None
    except Exception:  # UnidentifiedImageError, and all kinds of exceptions on broken headers
        raise BadImage(
            f"{_describe(ref)}: this is not an image (or not one of {', '.join(FORMATS)}). Check or convert the file.",
            "the file is not an image",
        ) from None


def _rgb(image: Image) -> Image:
    from PIL import Image

    if image.mode.startswith("I;16"):
        return image.point(lambda value: value / 256).convert("L").convert("RGB")
    if image.has_transparency_data:
        transparent = image.convert("RGBA")
        white = Image.new("RGBA", transparent.size, "white")
        return Image.alpha_composite(white, transparent).convert("RGB")
    return image.convert("RGB")


def _broken(ref: ImageRef, trouble: Exception) -> BadImage:
    return BadImage(
        f"{_describe(ref)}: the image is truncated or damaged ({trouble}). Copy or download it again.",
        "the image is damaged",
    )


def _describe(ref: ImageRef) -> str:
    return f"{ref.path} (image {ref.id!r})" if ref.path else f"image {ref.id!r}"
