"""VISUAL-INV of CARETS: hide what the question is not about by blur, mask or crop; the answer stays (§4.2 d)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, TypeAlias

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from askew.errors import BadImage, BadOption
from askew.files.images import Encoding, check_encoding, encode, image_bytes, image_of, open_encoded
from askew.perturb.visual.question_regions import (
    Box,
    Region,
    as_boxes,
    asks_for_place,
    asks_for_surroundings,
    hull,
    named_boxes,
    random_boxes,
    regions,
)
from askew.types import Expect, ImageRef, Question, Refusal, Variant

TEST = "VISUAL-INV"

Colour: TypeAlias = tuple[int, int, int]

CHANGES = ("blur-3", "blur-6", "blur-9", "mask", "crop")
"""The five changes of the paper, in its order: Gaussian blur with σ = 3, 6, 9 pixels, masking, cropping."""

LARGEST_BLUR = 50

PHOTOS: Colour = (124, 116, 104)
"""The mean colour of ImageNet's photographs, used when there is no image to compute a mean from."""

SCALE = 8
"""JPEG files are decoded at an eighth of their size, which does not change the mean."""

_BLUR = re.compile(r"blur-(\d+)")


@dataclass(frozen=True)
class Visual:
    """Blurs, masks or crops the image around the boxes of what the question is about (Jimenez et al. 2022, §4.2).

    The text, the answers and the scene stay the same. Blurs have no hard edge: the image and the mask are blurred with
    the same σ and blended, so the kept regions fade into the background.
    """

    changes: tuple[str, ...] = CHANGES
    """The changes to make: ``blur-σ``, ``mask``, ``crop``."""
    fill: Colour = PHOTOS
    """The colour that ``mask`` covers the background with; ``channel_mean`` computes that of a data set."""
    encoding: Encoding = "jpeg"
    """The file format of the changed images."""
    unnamed: Literal["refuse", "random"] = "refuse"
    """What to do when the question names nothing in the scene: refuse it, or keep one or two random boxes."""

    def __post_init__(self) -> None:
        if not self.changes:
            raise BadOption(f"No image change is given. Give some of {', '.join(CHANGES)}.")
        if len(self.fill) != 3 or not all(0 <= channel <= 255 for channel in self.fill):
            raise BadOption(f"{self.fill!r} is not a colour. Give red, green and blue from 0 to 255.")
        if self.unnamed not in ("refuse", "random"):
            raise BadOption(f"unnamed is {self.unnamed!r}. Give refuse or random.")
        check_encoding(self.encoding)
        for change in self.changes:
            check_change(change)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """The question with its image changed around the things that it or its answer names."""
        boxes = named_boxes(question)
        if asks_for_surroundings(question):
            yield Refusal(question.id, TEST, "it asks where something is")
        elif not boxes and self.unnamed == "refuse":
            yield Refusal(question.id, TEST, "it names nothing that has a box in the scene")
        elif "crop" in self.changes and asks_for_place(question):
            yield Refusal(question.id, TEST, "it asks for a place in the image, which a crop changes")
            uncropped = tuple(change for change in self.changes if change != "crop")
            yield from replace(self, changes=uncropped).image_variants(question, boxes, rng) if uncropped else ()
        else:
            yield from self.image_variants(question, boxes, rng)

    def image_variants(
        self, question: Question, boxes: Iterable[Sequence[float]], rng: Random
    ) -> Iterator[Variant | Refusal]:
        """The question with its image changed around these boxes, or around one or two random boxes if there are none.

        Boxes are x, y, width, height in the pixels of the scene (of the image if there is no scene with a size).
        """
        image = image_of(question)
        if isinstance(image, str):
            yield Refusal(question.id, TEST, image)
            return
        drawn_on = question.scene.size if question.scene and question.scene.size else image.size
        if _is_turned(drawn_on, image.size):
            yield Refusal(question.id, TEST, "its image is rotated by 90 degrees relative to the scene's boxes")
            return
        own: list[Box] = [(x, y, width, height) for x, y, width, height in boxes]
        kept = regions(own or random_boxes(question.scene, drawn_on, rng), drawn_on, image.size)
        if not kept:
            yield Refusal(question.id, TEST, "its boxes lie outside the image")
            return
        note = {"boxes": as_boxes(kept), **({} if own else {"drawn": "boxes"})}
        for change in self.changes:
            if _hides_nothing(change, kept, image.size):
                yield Refusal(question.id, TEST, "its boxes fill the image")
                continue
            hidden = encode(changed(image, kept, change, self.fill), self.encoding)
            yield Variant(
                replace(question, id=f"{question.id}/{change}", image=hidden),
                Expect.SAME,
                TEST,
                f"visual/{change}",
                {"perturbation": change_title(change), **note},
            )


def _is_turned(drawn_on: tuple[int, int], size: tuple[int, int]) -> bool:
    """Whether the boxes were drawn on the image rotated by 90 degrees, as programs that ignore EXIF show it.

    >>> _is_turned((640, 480), (480, 640)), _is_turned((320, 240), (480, 640)), _is_turned((320, 240), (640, 480))
    (True, True, False)
    """
    return size[0] != size[1] and drawn_on[0] * size[0] == drawn_on[1] * size[1]


def _hides_nothing(change: str, kept: Sequence[Region], size: tuple[int, int]) -> bool:
    """True when the whole image is kept: by one box of its size or, for a crop, by boxes that reach every side."""
    whole = (0, 0, *size)
    return whole in kept or (change == "crop" and hull(kept) == whole)


def check_change(change: str) -> None:
    """Raise BadOption for an unknown change, before any image is changed."""
    if change not in ("mask", "crop") and not 1 <= sigma_of(change) <= LARGEST_BLUR:
        raise BadOption(
            f"{change!r} is not an image change. Known: mask, crop and blur-1 to blur-{LARGEST_BLUR}, "
            f"e.g. {', '.join(CHANGES)}."
        )


def sigma_of(change: str) -> int:
    """The σ of a blur in pixels; 0 for other changes.

    >>> sigma_of("blur-6"), sigma_of("crop")
    (6, 0)
    """
    match = _BLUR.fullmatch(change)
    return int(match[1]) if match else 0


def change_title(change: str) -> str:
    """The name of a change in tables.

    >>> [change_title(change) for change in ("blur-3", "mask", "crop")]
    ['blur σ=3', 'mask', 'crop']
    """
    return f"blur σ={sigma_of(change)}" if sigma_of(change) else change


def changed(image: Image.Image, parts: Sequence[Region], change: str, fill: Colour) -> Image.Image:
    """The image with everything but these regions hidden.

    >>> hidden = changed(Image.new("RGB", (4, 4), "white"), [(0, 0, 2, 2)], "mask", (9, 9, 9))
    >>> hidden.getpixel((1, 1)), hidden.getpixel((2, 1))
    ((255, 255, 255), (9, 9, 9))
    """
    if change == "crop":
        return image.crop(hull(parts))
    if change == "mask":
        return Image.composite(image, Image.new("RGB", image.size, fill), _mask(image.size, parts))
    sigma = sigma_of(change)
    return Image.composite(image, gaussian(image, sigma), gaussian(_mask(image.size, parts), sigma))


def gaussian(image: Image.Image, sigma: float) -> Image.Image:
    """Gaussian blur in integer arithmetic, the same on every machine; the border is padded with its nearest pixels.

    Three extended box filters (Gwosdek et al. 2011) approximate the Gaussian within 6 of 255 levels, and within 1 on
    average. Pillow pads the border again before each filter; a margin of 3σ corrects for that.
    """
    margin = int(3 * sigma) + 1
    width, height = image.size
    wide = Image.new(image.mode, (width + 2 * margin, height + 2 * margin))
    wide.paste(image, (margin, margin))
    _pad(wide, margin, width, height)
    blurred = wide.filter(ImageFilter.GaussianBlur(sigma))
    return blurred.crop((margin, margin, margin + width, margin + height))


def _pad(wide: Image.Image, margin: int, width: int, height: int) -> None:
    """Fill the margin with the nearest pixels of the image inside."""
    right, bottom = margin + width, margin + height
    for edge, place in ((margin, 0), (right - 1, right)):
        wide.paste(wide.crop((edge, margin, edge + 1, bottom)).resize((margin, height)), (place, margin))
    for edge, place in ((margin, 0), (bottom - 1, bottom)):
        wide.paste(wide.crop((0, edge, wide.width, edge + 1)).resize((wide.width, margin)), (0, place))


def _mask(size: tuple[int, int], parts: Sequence[Region]) -> Image.Image:
    """A mask that is white in the kept regions."""
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)
    for left, top, right, bottom in parts:
        draw.rectangle((left, top, right - 1, bottom - 1), fill=255)
    return mask


def channel_mean(images: Iterable[ImageRef]) -> Colour:
    """The rounded mean of each channel over all pixels of these images; each image id counts once.

    Missing and damaged images are skipped; without any image the result is ImageNet's mean.

    >>> from askew.files.images import encode
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


def _small(ref: ImageRef) -> Image.Image | None:
    try:
        image = open_encoded(io.BytesIO(image_bytes(ref)))
        image.draft("RGB", (image.width // SCALE, image.height // SCALE))
        return image.convert("RGB")
    except (BadImage, OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
