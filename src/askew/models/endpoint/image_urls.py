"""Images as data URLs. Each distinct image is scaled down and encoded once, however many questions refer to it."""

from __future__ import annotations

import asyncio
import base64
import io
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from askew.files.images import content_hash, image_bytes, open_encoded, open_image
from askew.types import ImageRef

if TYPE_CHECKING:
    from PIL.Image import Image

AS_THEY_ARE = {"JPEG": "image/jpeg", "PNG": "image/png"}
"""Formats that every server reads; a small upright image in one of them is sent byte for byte."""
_MEMORY = 256 << 20
_UPRIGHT = (None, 1)
_EXIF_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class EncodedImage:
    """An image ready to be sent."""

    url: bytes
    """A data URL, quoted as JSON."""
    size: tuple[int, int]


def encode(ref: ImageRef, max_side: int) -> EncodedImage:
    """The image with no side longer than ``max_side``; PNG stays lossless, photographs are JPEG of high quality."""
    from PIL.Image import Resampling

    content = image_bytes(ref)
    unchanged = _as_it_is(content, max_side)
    if unchanged is not None:
        return unchanged
    image = open_image(ref)
    lossless = not content.startswith(b"\xff\xd8\xff")
    if max(image.size) > max_side:
        image = image.resize(scaled(image.size, max_side), Resampling.LANCZOS)
    return EncodedImage(_url(*_encoded(image, lossless)), image.size)


def scaled(size: tuple[int, int], max_side: int) -> tuple[int, int]:
    """The size with no side longer than ``max_side``, in the same proportion.

    >>> scaled((640, 480), 1024), scaled((4000, 3000), 1024)
    ((640, 480), (1024, 768))
    """
    scale = min(1.0, max_side / max(size))
    width, height = (max(1, round(side * scale)) for side in size)
    return width, height


class EncodedImages:
    """The encoded images of a run, by content; the least recently used are dropped beyond ``memory`` bytes."""

    def __init__(self, max_side: int, memory: int = _MEMORY) -> None:
        self.max_side = max_side
        self.memory = memory
        self.encoded = 0
        """How many images were encoded: one per content."""
        self._held = 0
        self._known: OrderedDict[str, Future[EncodedImage]] = OrderedDict()
        self._lock = Lock()
        self._threads: ThreadPoolExecutor | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return EncodedImages, (self.max_side, self.memory)

    async def of(self, ref: ImageRef) -> EncodedImage:
        """The image, encoded in a thread on first use; ``BadImage`` when it cannot be used."""
        future = self._future(ref)
        return future.result() if future.done() else await asyncio.shield(asyncio.wrap_future(future))

    def now(self, ref: ImageRef) -> EncodedImage:
        """Like ``of``, outside an event loop."""
        return self._future(ref).result()

    def _future(self, ref: ImageRef) -> Future[EncodedImage]:
        key = content_hash(ref)
        with self._lock:
            future = self._known.get(key)
            if future is None:
                self._threads = self._threads or ThreadPoolExecutor(2, "askew-images")
                future = self._known[key] = self._threads.submit(self._encode, key, ref)
            self._known.move_to_end(key)
        return future

    def _encode(self, key: str, ref: ImageRef) -> EncodedImage:
        image = encode(ref, self.max_side)
        with self._lock:
            self.encoded += 1
            self._held += len(image.url)
            for old, future in list(self._known.items()):
                if self._held <= self.memory:
                    break
                if old != key and future.done():
                    del self._known[old]
                    self._held -= 0 if future.exception() else len(future.result().url)
        return image


def _as_it_is(content: bytes, max_side: int) -> EncodedImage | None:
    try:
        with open_encoded(io.BytesIO(content), tuple(AS_THEY_ARE)) as header:
            plain = header.mode in ("RGB", "L") and header.getexif().get(_EXIF_ORIENTATION) in _UPRIGHT
            if plain and max(header.size) <= max_side and header.format in AS_THEY_ARE:
                header.load()
                return EncodedImage(_url(content, AS_THEY_ARE[header.format]), header.size)
    except Exception:  # not one of these formats, or damaged: open_image reports the reason
        return None
    return None


def _encoded(image: Image, lossless: bool) -> tuple[bytes, str]:
    out = io.BytesIO()
    if lossless:
        image.save(out, "PNG")
        return out.getvalue(), "image/png"
    image.save(out, "JPEG", quality=95, subsampling=0)
    return out.getvalue(), "image/jpeg"


def _url(content: bytes, kind: str) -> bytes:
    return b'"data:%b;base64,%b"' % (kind.encode(), base64.b64encode(content))
