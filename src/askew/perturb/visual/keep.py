"""Hiding the background of a picture: blur, mask or crop around the regions that are kept (CARETS §4.2 d)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFilter

from askew.errors import BadOption
from askew.perturb.visual.regions import Region, hull

Colour: TypeAlias = tuple[int, int, int]

CHANGES = ("blur-3", "blur-6", "blur-9", "mask", "crop")
"""The five of the paper, in its order: Gaussian blur with σ = 3, 6, 9 pixels, masking, cropping."""

LARGEST_BLUR = 50

_BLUR = re.compile(r"blur-(\d+)")


def check_change(change: str) -> None:
    """Refuse what is no change, where it is asked for rather than where it is first made."""
    if change not in ("mask", "crop") and not 1 <= sigma_of(change) <= LARGEST_BLUR:
        raise BadOption(
            f"{change!r} is no change of a picture. Known: mask, crop and blur-1 to blur-{LARGEST_BLUR}, "
            f"e.g. {', '.join(CHANGES)}."
        )


def sigma_of(change: str) -> int:
    """The σ of a blur in pixels, 0 for anything else.

    >>> sigma_of("blur-6"), sigma_of("crop")
    (6, 0)
    """
    found = _BLUR.fullmatch(change)
    return int(found[1]) if found else 0


def change_title(change: str) -> str:
    """What tables call a change.

    >>> [change_title(change) for change in ("blur-3", "mask", "crop")]
    ['blur σ=3', 'mask', 'crop']
    """
    return f"blur σ={sigma_of(change)}" if sigma_of(change) else change


def changed(picture: Image.Image, parts: Sequence[Region], change: str, fill: Colour) -> Image.Image:
    """The picture with everything hidden but these regions.

    >>> hidden = changed(Image.new("RGB", (4, 4), "white"), [(0, 0, 2, 2)], "mask", (9, 9, 9))
    >>> hidden.getpixel((1, 1)), hidden.getpixel((2, 1))
    ((255, 255, 255), (9, 9, 9))
    """
    if change == "crop":
        return picture.crop(hull(parts))
    if change == "mask":
        return Image.composite(picture, Image.new("RGB", picture.size, fill), _mask(picture.size, parts))
    sigma = sigma_of(change)
    return Image.composite(picture, gaussian(picture, sigma), gaussian(_mask(picture.size, parts), sigma))


def gaussian(picture: Image.Image, sigma: float) -> Image.Image:
    """Gaussian blur in whole-number arithmetic, the same on every machine; the border is continued outwards.

    It is three extended box filters (Gwosdek et al. 2011), within 6 of 255 levels of the true Gaussian anywhere and
    within 1 on average. Pillow continues the border anew before each of the three; a margin of 3σ puts that right.
    """
    margin = int(3 * sigma) + 1
    width, height = picture.size
    wide = Image.new(picture.mode, (width + 2 * margin, height + 2 * margin))
    wide.paste(picture, (margin, margin))
    _continue(wide, margin, width, height)
    blurred = wide.filter(ImageFilter.GaussianBlur(sigma))
    return blurred.crop((margin, margin, margin + width, margin + height))


def _continue(wide: Image.Image, margin: int, width: int, height: int) -> None:
    """Fill the margin with the nearest pixels of the picture inside."""
    right, bottom = margin + width, margin + height
    for edge, place in ((margin, 0), (right - 1, right)):
        wide.paste(wide.crop((edge, margin, edge + 1, bottom)).resize((margin, height)), (place, margin))
    for edge, place in ((margin, 0), (bottom - 1, bottom)):
        wide.paste(wide.crop((0, edge, wide.width, edge + 1)).resize((wide.width, margin)), (0, place))


def _mask(size: tuple[int, int], parts: Sequence[Region]) -> Image.Image:
    """White where the picture is kept."""
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)
    for left, top, right, bottom in parts:
        draw.rectangle((left, top, right - 1, bottom - 1), fill=255)
    return mask
