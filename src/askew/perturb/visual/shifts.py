"""Slight changes of the whole image that nobody would notice, or that any camera or web page makes.

Shifts by a few pixels, a border, another size and back, JPEG, a slight rotation, a mirror, a crop. Convolutional
networks are not invariant to them although they look as if they were (Azulay & Weiss 2019; Zhang 2019).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

import numpy as np
from PIL import Image, ImageOps

from askew.answers.normalise import tokens
from askew.errors import BadOption
from askew.files.images import Encoding, check_encoding, encode, open_encoded
from askew.perturb.visual.which_images import (
    asks_about,
    check_which,
    chosen_places,
    open_images,
    place_words,
    reason_without,
    with_changed,
)
from askew.types import Expect, Question, Refusal, Variant


def _moved(image: Image.Image, pixels: int) -> Image.Image:
    """Moved to the right and down; the border is repeated where it came from."""
    values = np.asarray(image)
    return Image.fromarray(np.pad(values, ((pixels, 0), (pixels, 0), (0, 0)), mode="edge")[:-pixels, :-pixels])


def _resampled(image: Image.Image, per_cent: int) -> Image.Image:
    """Scaled down and up again."""
    small = max(1, image.width * per_cent // 100), max(1, image.height * per_cent // 100)
    return image.resize(small, Image.Resampling.BICUBIC).resize(image.size, Image.Resampling.BICUBIC)


def recompressed(image: Image.Image, quality: int) -> Image.Image:
    """Compressed as JPEG and decoded again."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return open_encoded(buffer, ("JPEG",), image.width * image.height).convert("RGB")


def _rotated(image: Image.Image, degrees: int) -> Image.Image:
    """Rotated anticlockwise around its middle; the border is repeated in the corners."""
    room = max(image.size) // 4
    wide = Image.fromarray(np.pad(np.asarray(image), ((room, room), (room, room), (0, 0)), mode="edge"))
    turned = wide.rotate(degrees, Image.Resampling.BICUBIC)
    return turned.crop((room, room, room + image.width, room + image.height))


def _cropped(image: Image.Image, per_cent: int) -> Image.Image:
    """Without this much of the width and height on each side."""
    across, down = image.width * per_cent // 100, image.height * per_cent // 100
    return image.crop((across, down, image.width - across, image.height - down))


CHANGE: Mapping[str, Callable[[Image.Image, int], Image.Image]] = {
    "shift": _moved,
    "pad": lambda image, pixels: ImageOps.expand(image, pixels),
    "resample": _resampled,
    "jpeg": recompressed,
    "rotate": _rotated,
    "flip": lambda image, unused: ImageOps.mirror(image),
    "crop": _cropped,
}
SHIFTS = ("shift-4", "shift-8", "pad-16", "resample-75", "resample-50", "jpeg-90", "jpeg-75", "jpeg-50", "rotate-2",
          "rotate-5", "flip", "crop-5")  # fmt: skip
"""What is done and how much: pixels, per cent, JPEG quality, or degrees."""
_MOST = {"shift": 32, "pad": 256, "resample": 99, "jpeg": 95, "rotate": 10, "crop": 10}
_EXISTS = re.compile(
    r"\b(?:(?:is|are|was|were) there|seen?|any|anyone|anything|someone|everyone|only|alone|visible|shown|photo|picture"
    r"|image|shot|frame|scene|entire|whole|full|fully|all)\b",
    re.IGNORECASE,
)
"""Questions about whatever is in the image, and about all of it."""
_SMALLEST = 64
"""Smaller images are not changed: a few pixels are much of them."""


@dataclass(frozen=True)
class Shifts:
    """One variant for each change. Nothing is random."""

    changes: tuple[str, ...] = SHIFTS
    encoding: Encoding = "png"
    """The file format; JPEG would add its own change to all."""
    images: str = field(default="all", repr=False)
    """Which of several images: ``all``, ``each`` alone, or a number from 1."""

    def __post_init__(self) -> None:
        check_encoding(self.encoding)
        check_which(self.images)
        if not self.changes:
            raise BadOption(f"No change is given. Give some of {', '.join(SHIFTS)}.")
        for change in self.changes:
            parsed(change)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """The question with its images changed in each way."""
        images = open_images(question)
        places = [] if isinstance(images, str) else chosen_places(self.images, len(images))
        for change in self.changes:
            kind, amount = parsed(change)
            if isinstance(images, str) or not places:
                reason = images if isinstance(images, str) else reason_without(self.images, images)
            elif min(side for image in images for side in image.size) < _SMALLEST:
                reason = f"its image has a side of less than {_SMALLEST} pixels"
            else:
                reason = unfit(question, kind)
            if reason or isinstance(images, str):
                yield Refusal(question.id, kind, reason)
                continue
            for chosen in places:
                found = {place: encode(CHANGE[kind](images[place], amount), self.encoding) for place in chosen}
                changed, note = with_changed(question, change, found)
                yield Variant(changed, Expect.SAME, kind, f"shift/{change}", note)


def parsed(change: str) -> tuple[str, int]:
    """What is done, and how much of it; BadOption for anything else.

    >>> parsed("rotate-5"), parsed("flip")
    (('rotate', 5), ('flip', 0))
    """
    kind, _, amount = change.partition("-")
    if change == "flip":
        return kind, 0
    if kind not in _MOST or not amount.isdecimal() or not 1 <= int(amount) <= _MOST[kind]:
        limits = ", ".join(f"{name}-1 to {name}-{most}" for name, most in _MOST.items())
        raise BadOption(f"No slight change is called {change!r}. Give flip, {limits}.")
    return kind, int(amount)


def unfit(question: Question, kind: str) -> str:
    """Why this change could change the answer; empty if it cannot.

    >>> unfit(Question(1, None, "Which hand is up?", ("left",)), "flip")
    'it asks about sides'
    """
    said = {word for answer in question.answers for word in tokens(answer)}
    if kind == "flip":
        if asks_about(question, "mirrored") or not place_words("mirrored").isdisjoint(said):
            return "it asks about sides"
        return "it asks about text" if asks_about(question, "text") else ""
    if kind == "crop":
        if asks_about(question, "place") or not place_words("place").isdisjoint(said):
            return "it asks about a place in the image"
        if {"many", "number"} & {*tokens(question.text)} or any(map(str.isdecimal, said)):
            return "it counts what may be at the border"
        if _EXISTS.search(question.text):
            return "it asks whether something is there, which may be at the border"
        return "it asks about text" if asks_about(question, "text") else ""
    return "it asks about angles" if kind == "rotate" and asks_about(question, "tilted") else ""
