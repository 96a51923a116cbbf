"""The request of a chat completion for a question, with its images as data URLs.

Each distinct image is scaled down and encoded once, however many questions refer to it. No network and no clock here.
"""

from __future__ import annotations

import asyncio
import base64
import io
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import orjson

from askew.answers.image_places import parts_of
from askew.errors import BadOption
from askew.files.images import content_hash, image_bytes, open_encoded, open_image
from askew.types import ImageRef, Question

_FIELD = re.compile(r"\{(question|context)\}")
_TILE = 512
_SENT_UNCHANGED = {"JPEG": "image/jpeg", "PNG": "image/png"}
"""Formats that every server reads; a small upright image in one of them is sent byte for byte."""
_MEMORY = 256 << 20
_UPRIGHT = (None, 1)
_EXIF_ORIENTATION = 0x0112


@dataclass(frozen=True)
class Chat:
    """Everything in a request besides the question and its image."""

    prompt: str
    """Has ``{question}``, and may have ``{context}``; otherwise the context goes before the question."""
    system: str
    detail: str
    most_written: int
    fields: Mapping[str, Any]
    """The request's other fields: model, temperature, ..."""

    def __post_init__(self) -> None:
        if "{question}" not in self.prompt:
            raise BadOption(
                f"prompt={self.prompt!r}: no {{question}} in it. Write {{question}} where the question goes."
            )

    @property
    def wants_scores(self) -> bool:
        """Whether the endpoint must send the log-probability of each token."""
        return bool(self.fields.get("logprobs"))

    def body(self, question: Question, images: Sequence[EncodedImage], stream: int = 0) -> bytes:
        """The request's JSON; ``stream`` requests events, with a count of tokens at the end (1) or without (2)."""
        content: Any = self.words(question)
        if images:
            content = [
                {"type": "text", "text": part} if isinstance(part, str) else self._image_part(images[part])
                for part in parts_of(content, len(images))
            ]
        messages = [{"role": "system", "content": self.system}] if self.system else []
        more = {"stream": True, "stream_options": {"include_usage": True}} if stream == 1 else {"stream": True}
        fields = {**self.fields, **more} if stream else self.fields
        return orjson.dumps({**fields, "messages": [*messages, {"role": "user", "content": content}]})

    def _image_part(self, image: EncodedImage) -> dict[str, Any]:
        url = {"url": orjson.Fragment(image.url)} | ({"detail": self.detail} if self.detail else {})
        return {"type": "image_url", "image_url": url}

    def words(self, question: Question) -> str:
        """The text of the request.

        >>> chat = Chat("{question} Be brief.", "", "", 64, {})
        >>> chat.words(Question(1, None, "What is {context}?"))
        'What is {context}? Be brief.'
        >>> chat.words(Question(1, None, "Is it wet?", context="It rains."))
        'It rains.\\nIs it wet? Be brief.'
        """
        parts = {"question": question.text, "context": question.context}
        text = _FIELD.sub(lambda match: parts[match[1]], self.prompt)
        text = f"{question.context}\n{text}" if question.context and "{context}" not in self.prompt else text
        return text.encode("utf-8", "replace").decode("utf-8")

    def tokens(self, question: Question, sizes: Iterable[tuple[int, int]]) -> int:
        """Estimated tokens of a request: a quarter of its characters, and for each image 85 + 170 for each tile of
        512 x 512 pixels (as OpenAI counts; others differ, so this is a rough estimate).

        >>> Chat("{question}", "", "", 64, {}).tokens(Question(1, None, "What colour is the cat?"), [(640, 480)])
        439
        """
        letters = len(self.words(question)) + len(self.system)
        return 8 + (letters + 3) // 4 + sum(image_tokens(size, self.detail) for size in sizes)


def image_tokens(size: tuple[int, int], detail: str) -> int:
    """Estimated tokens of an image.

    >>> image_tokens((640, 480), ""), image_tokens((640, 480), "low")
    (425, 85)
    """
    if detail == "low":
        return 85
    across, down = (-(-side // _TILE) for side in size)
    return 85 + 170 * across * down


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
    unchanged = _unchanged(content, max_side)
    if unchanged is not None:
        return unchanged
    image, out = open_image(ref), io.BytesIO()
    if max(image.size) > max_side:
        image = image.resize(scaled(image.size, max_side), Resampling.LANCZOS)
    if content.startswith(b"\xff\xd8\xff"):
        image.save(out, "JPEG", quality=95, subsampling=0)
        return EncodedImage(_url(out.getvalue(), "image/jpeg"), image.size)
    image.save(out, "PNG")
    return EncodedImage(_url(out.getvalue(), "image/png"), image.size)


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

    async def of(self, ref: ImageRef, halved: bool = False) -> EncodedImage:
        """The image, encoded in a thread on first use, or half of its size; ``BadImage`` when it cannot be used."""
        future = self._future(ref, halved)
        return future.result() if future.done() else await asyncio.shield(asyncio.wrap_future(future))

    def now(self, ref: ImageRef) -> EncodedImage:
        """Like ``of``, outside an event loop."""
        return self._future(ref).result()

    def _future(self, ref: ImageRef, halved: bool = False) -> Future[EncodedImage]:
        key = content_hash(ref) + (" halved" if halved else "")
        with self._lock:
            future = self._known.get(key)
            if future is None:
                self._threads = self._threads or ThreadPoolExecutor(2, "askew-images")
                future = self._known[key] = self._threads.submit(self._encode, key, ref, halved)
            self._known.move_to_end(key)
        return future

    def _encode(self, key: str, ref: ImageRef, halved: bool) -> EncodedImage:
        image = encode(ref, self.max_side)
        if halved:
            image = encode(ref, max(1, max(image.size) // 2))
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


def _unchanged(content: bytes, max_side: int) -> EncodedImage | None:
    try:
        with open_encoded(io.BytesIO(content), tuple(_SENT_UNCHANGED)) as header:
            plain = header.mode in ("RGB", "L") and header.getexif().get(_EXIF_ORIENTATION) in _UPRIGHT
            if plain and max(header.size) <= max_side and header.format in _SENT_UNCHANGED:
                header.load()
                return EncodedImage(_url(content, _SENT_UNCHANGED[header.format]), header.size)
    except Exception:  # not one of these formats, or damaged: open_image reports the reason
        return None
    return None


def _url(content: bytes, kind: str) -> bytes:
    return b'"data:%b;base64,%b"' % (kind.encode(), base64.b64encode(content))
