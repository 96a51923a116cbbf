"""The colours of the pictures: what each colour word looks like, and lighter and darker shades of it."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TypeAlias

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
    """Between two colours; ``part`` of the second.

    >>> mix((0, 0, 0), (200, 100, 50), 0.5)
    (100, 50, 25)
    """
    return (
        round(a[0] + (b[0] - a[0]) * part),
        round(a[1] + (b[1] - a[1]) * part),
        round(a[2] + (b[2] - a[2]) * part),
    )


def darker(colour: Rgb, part: float = 0.22) -> Rgb:
    """A shade of the colour, a little towards blue as shadows are."""
    return mix(colour, (30, 24, 56), part)


def lighter(colour: Rgb, part: float = 0.3) -> Rgb:
    """A tint of the colour."""
    return mix(colour, (255, 252, 244), part)


def brightness(colour: Rgb) -> float:
    """How light the colour is, 0 to 1."""
    return (0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2]) / 255


def second(colour: Rgb) -> Rgb:
    """The other colour of a pattern: another shade of the same, so that there is one colour to name."""
    return darker(colour, 0.30) if brightness(colour) > 0.62 else lighter(colour, 0.55)


def shade_of(word: str, rng: Random) -> Rgb:
    """The colour of a word, a little different each time, never so much that it would be called otherwise."""
    base = palette()[word]
    moved = mix(base, (255, 250, 235) if rng.random() < 0.5 else (20, 20, 40), rng.uniform(0, 0.09))
    return (
        min(255, max(0, moved[0] + rng.randint(-5, 5))),
        min(255, max(0, moved[1] + rng.randint(-5, 5))),
        min(255, max(0, moved[2] + rng.randint(-5, 5))),
    )
