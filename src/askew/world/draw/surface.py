"""Colours and surfaces: shades, patterns (striped, spotted, checkered) and materials (wood, metal, glass, ...)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeAlias

from PIL import Image, ImageChops, ImageDraw

from askew.world.world_data import read

Rgb: TypeAlias = tuple[int, int, int]

INK: Rgb = (52, 50, 60)
"""Lines, tyres, eyes."""
STEEL: Rgb = (172, 180, 190)
GLASS: Rgb = (190, 222, 236)
WOOD: Rgb = (158, 110, 70)
PAPER: Rgb = (250, 248, 240)
LEAF: Rgb = (92, 152, 84)
WHITE: Rgb = (255, 255, 255)


@cache
def palette() -> dict[str, Rgb]:
    """The eleven colours and the tints of places, skin and hair (``data/palette.yaml``)."""
    content = read("palette")
    return {name: (value[0], value[1], value[2]) for name, value in content["colours"].items()}


@cache
def tones(kind: str) -> tuple[Rgb, ...]:
    """A family of tones, e.g. ``skin`` or ``hair``."""
    return tuple((tone[0], tone[1], tone[2]) for tone in read("palette")[kind])


def mix(a: Rgb, b: Rgb, part: float) -> Rgb:
    """A mixture of two colours; ``part`` is the share of the second.

    >>> mix((0, 0, 0), (200, 100, 50), 0.5)
    (100, 50, 25)
    """
    return (
        round(a[0] + (b[0] - a[0]) * part),
        round(a[1] + (b[1] - a[1]) * part),
        round(a[2] + (b[2] - a[2]) * part),
    )


def darker(colour: Rgb, part: float = 0.22) -> Rgb:
    """A darker shade of the colour, slightly bluish as shadows are."""
    return mix(colour, (30, 24, 56), part)


def lighter(colour: Rgb, part: float = 0.3) -> Rgb:
    """A lighter tint of the colour."""
    return mix(colour, (255, 252, 244), part)


def brightness(colour: Rgb) -> float:
    """How light the colour is, 0 to 1."""
    return (0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2]) / 255


def second(colour: Rgb) -> Rgb:
    """The second colour of a pattern: another shade of the same colour, so that there is one colour to name."""
    return darker(colour, 0.30) if brightness(colour) > 0.62 else lighter(colour, 0.55)


def shade_of(word: str, rng: Random) -> Rgb:
    """The colour of a word, slightly varied, but never so much that people would name it differently."""
    base = palette()[word]
    moved = mix(base, (255, 250, 235) if rng.random() < 0.5 else (20, 20, 40), rng.uniform(0, 0.09))
    return (
        min(255, max(0, moved[0] + rng.randint(-5, 5))),
        min(255, max(0, moved[1] + rng.randint(-5, 5))),
        min(255, max(0, moved[2] + rng.randint(-5, 5))),
    )


Frame = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Surface:
    """The colour, pattern and material of a body."""

    colour: Rgb
    pattern: str = "plain"
    material: str = ""
    other: Rgb | None = None
    """The second colour of the pattern; by default another shade of the first."""

    @property
    def plain(self) -> bool:
        """Whether it is a uniform colour."""
        return self.pattern not in _PATTERNS and self.material not in _MATERIALS


def cover(image: Image.Image, frame: Frame, mask: Image.Image, surface: Surface, unit: float, rng: Random) -> None:
    """Paint the surface inside the mask."""
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
    """Large uneven spots, as on cows, dogs and horses."""
    for _ in range(7):
        x, y = rng.uniform(0, width), rng.uniform(0.1 * height, 0.7 * height)
        for _ in range(3):
            r = min(width, height) * rng.uniform(0.06, 0.11)
            cx, cy = x + rng.uniform(-r, r), y + rng.uniform(-r, r)
            pencil.ellipse((cx - 1.4 * r, cy - r, cx + 1.4 * r, cy + r), fill=255)


def _reticle(pencil: ImageDraw.ImageDraw, width: int, height: int, unit: float, rng: Random) -> None:
    """The patches of a giraffe."""
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
