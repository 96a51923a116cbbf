"""Surfaces: a colour with a pattern (striped, spotted, checkered) or a material (wood, metal, glass, leather, plastic).

Masks say where a body is; patterns and materials are drawn as marks and kept only there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from PIL import Image, ImageChops, ImageDraw

from askew.world.draw.palette import WHITE, Rgb, brightness, darker, lighter, second

Frame = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Surface:
    """What a body is covered with."""

    colour: Rgb
    pattern: str = "plain"
    material: str = ""
    other: Rgb | None = None
    """The second colour of the pattern; another shade of the first when not given."""

    @property
    def plain(self) -> bool:
        """Whether it is one colour all over."""
        return self.pattern not in _PATTERNS and self.material not in _MATERIALS


def cover(image: Image.Image, frame: Frame, mask: Image.Image, surface: Surface, unit: float, rng: Random) -> None:
    """Paint the surface where the mask is."""
    if surface.material == "glass":
        image.paste(surface.colour, frame, mask.point(_HALF))
    else:
        image.paste(surface.colour, frame, mask)
    if surface.pattern in _PATTERNS:
        marks = _drawn(mask, _PATTERNS[surface.pattern], unit, rng)
        image.paste(surface.other or second(surface.colour), frame, marks)
    if surface.material in _MATERIALS:
        marks = _drawn(mask, _MATERIALS[surface.material], unit, rng)
        tone = _grain(surface)
        image.paste(tone, frame, marks)


def _grain(surface: Surface) -> Rgb:
    if surface.material == "wooden":
        return darker(surface.colour, 0.30)
    if surface.material == "leather":
        return lighter(surface.colour, 0.45) if brightness(surface.colour) < 0.6 else darker(surface.colour, 0.4)
    return WHITE if surface.material == "glass" else lighter(surface.colour, 0.62)


Painter = Callable[[ImageDraw.ImageDraw, int, int, float, Random], None]


def _drawn(mask: Image.Image, painter: Painter, unit: float, rng: Random) -> Image.Image:
    marks = Image.new("L", mask.size)
    painter(ImageDraw.Draw(marks), *mask.size, unit, rng)
    return ImageChops.multiply(marks, mask)


def _stripes(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    gap = max(6.0 * unit, min(width, height) / 5)
    across = width > 1.3 * height
    place = gap * rng.uniform(0.2, 0.6)
    while place < (width if across else height):
        span = (place, 0, place + gap * 0.45, height) if across else (0, place, width, place + gap * 0.45)
        pencil.rectangle(span, fill=255)
        place += gap


def _spots(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    gap = max(8.5 * unit, min(width, height) / 4)
    radius = gap * 0.26
    for row in range(int(height / gap) + 2):
        for column in range(int(width / gap) + 2):
            x, y = (column + 0.5 * (row % 2)) * gap, row * gap * 0.9 + 0.3 * gap
            pencil.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)


def _checks(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    side = max(5.0 * unit, min(width, height) / 7)
    for row in range(int(height / side) + 1):
        for column in range(row % 2, int(width / side) + 1, 2):
            pencil.rectangle((column * side, row * side, (column + 1) * side - 1, (row + 1) * side - 1), fill=255)


def _patches(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    """Large uneven spots, as cows, dogs and horses have."""
    for _ in range(7):
        x, y = rng.uniform(0, width), rng.uniform(0.1 * height, 0.7 * height)
        for _ in range(3):
            r = min(width, height) * rng.uniform(0.06, 0.11)
            cx, cy = x + rng.uniform(-r, r), y + rng.uniform(-r, r)
            pencil.ellipse((cx - 1.4 * r, cy - r, cx + 1.4 * r, cy + r), fill=255)


def _reticle(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    """A giraffe's net of patches."""
    size = max(6.0 * unit, width / 8)
    for row in range(int(height / size) + 1):
        for column in range(int(width / size) + 2):
            x, y = (column + 0.5 * (row % 2)) * size, row * size
            corners = [(0.1, 0.1), (0.6, 0.02), (0.86, 0.4), (0.66, 0.82), (0.16, 0.78), (0.0, 0.42)]
            pencil.polygon([(x + size * (a + rng.uniform(-0.05, 0.05)), y + size * b) for a, b in corners], fill=255)


def _zebra(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    gap = max(5.5 * unit, width / 14)
    place = -height * 0.2
    while place < width:
        pencil.line(
            [(place, 0), (place + gap * 0.5, height * 0.35), (place + height * 0.1, height)],
            fill=255,
            width=round(gap * 0.45),
        )
        place += gap


def _wood(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    lengthwise = width >= height
    along, across = (width, height) if lengthwise else (height, width)
    gap = max(3.2 * unit, across / 9)
    place = gap * 0.6
    while place < across:
        sway = [rng.uniform(-0.25, 0.25) * gap for _ in range(5)]
        points = [(along * k / 4, place + sway[k]) for k in range(5)]
        pencil.line([p if lengthwise else p[::-1] for p in points], fill=150, width=max(1, round(0.7 * unit)))
        place += gap
    for _ in range(1 + int(along / (40 * unit))):
        x, y = rng.uniform(0.1, 0.9) * along, rng.uniform(0.2, 0.8) * across
        knot = (x - 2.6 * unit, y - 1.3 * unit, x + 2.6 * unit, y + 1.3 * unit)
        pencil.ellipse(knot if lengthwise else (knot[1], knot[0], knot[3], knot[2]), fill=190)


def _metal(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    start = rng.uniform(0.05, 0.2) * width
    for wide, strength, shift in ((0.16, 210, 0.0), (0.06, 170, 0.24), (0.12, 150, 0.62)):
        x = start + shift * width
        slant = 0.35 * height
        corners = [
            (x + slant, 0),
            (x + slant + wide * width, 0),
            (x + wide * width - slant, height),
            (x - slant, height),
        ]
        pencil.polygon(corners, fill=strength)


def _plastic(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    pencil.rounded_rectangle(
        (0.12 * width, 0.12 * height, 0.12 * width + max(4 * unit, 0.16 * width), 0.58 * height), 2 * unit, fill=205
    )
    pencil.ellipse((0.14 * width, 0.66 * height, 0.14 * width + 3.4 * unit, 0.66 * height + 3.4 * unit), fill=205)


def _glass(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    for x, wide in ((0.22, 0.10), (0.38, 0.04)):
        left = x * width
        pencil.polygon(
            [
                (left + 0.12 * width, 0.06 * height),
                (left + (0.12 + wide) * width, 0.06 * height),
                (left + wide * width, 0.9 * height),
                (left, 0.9 * height),
            ],
            fill=190,
        )


def _leather(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    """Rows of stitches and a few buttons."""
    dash, inset = 3.0 * unit, 3.4 * unit
    thick = max(1, round(0.9 * unit))
    for y in (inset, height / 2, height - inset - 1):
        x = inset
        while x < width - inset:
            pencil.line([(x, y), (min(x + dash, width - inset), y)], fill=220, width=thick)
            x += 2 * dash
    for k in (0.25, 0.5, 0.75):
        x, y = k * width, 0.27 * height
        pencil.ellipse((x - 1.3 * unit, y - 1.3 * unit, x + 1.3 * unit, y + 1.3 * unit), fill=230)


_HALF = [round(level * 0.42) for level in range(256)]
_PATTERNS: dict[str, Painter] = {
    "striped": _stripes,
    "spotted": _spots,
    "checkered": _checks,
    "patched": _patches,
    "reticle": _reticle,
    "zebra": _zebra,
}
_MATERIALS: dict[str, Painter] = {
    "wooden": _wood,
    "metal": _metal,
    "plastic": _plastic,
    "glass": _glass,
    "leather": _leather,
}
