"""Furniture, doors, windows, mirrors, lamps, clocks, books, laptops and televisions."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

from askew.world.draw.pen import Look, Pen, Sketches, blob, limb, oval, poly, slab
from askew.world.draw.surface import (
    GLASS,
    INK,
    PAPER,
    STEEL,
    WHITE,
    WOOD,
    Rgb,
    Surface,
    brightness,
    darker,
    lighter,
    mix,
)


def table(pen: Pen, look: Look) -> None:
    """A table seen a little from above: the top is a band of a fifth of its height."""
    legs = replace(look.surface, colour=darker(look.colour, 0.14))
    if look.surface.material == "glass":
        legs = Surface(STEEL, material="metal")
    dark = replace(legs, colour=darker(legs.colour, 0.25))
    pen.fill(dark, slab(0.12, 0.18, 0.17, 0.90, 0.1), slab(0.83, 0.18, 0.88, 0.90, 0.1), shade=False)
    pen.fill(legs, slab(0.03, 0.22, 0.10, 1.0, 0.1), slab(0.90, 0.22, 0.97, 1.0, 0.1))
    pen.fill(legs, slab(0.02, 0.20, 0.98, 0.33, 0.2))
    pen.fill(look.surface, poly((0.07, 0.0), (0.93, 0.0), (1.0, 0.21), (0.0, 0.21)), shade=False)


def chair(pen: Pen, look: Look) -> None:
    """A chair from the side: back on the left, seat to the right."""
    dark = replace(look.surface, colour=darker(look.colour, 0.28))
    pen.fill(dark, slab(0.22, 0.50, 0.32, 0.94, 0.1), slab(0.80, 0.52, 0.90, 0.94, 0.1), shade=False)
    pen.fill(look.surface, poly((0.0, 0.02), (0.17, 0.0), (0.26, 0.50), (0.10, 0.56)))
    pen.fill(look.surface, slab(0.08, 0.52, 0.20, 1.0, 0.1), slab(0.86, 0.54, 0.98, 1.0, 0.1))
    pen.fill(look.surface, slab(0.07, 0.47, 1.0, 0.60, 0.3))


def sofa(pen: Pen, look: Look) -> None:
    """A sofa from the front: back, two cushions, arms."""
    soft = look.surface
    pen.fill(darker(look.colour, 0.55), slab(0.07, 0.88, 0.12, 1.0), slab(0.88, 0.88, 0.93, 1.0), shade=False)
    pen.fill(soft, slab(0.08, 0.0, 0.92, 0.70, 0.22))
    pen.fill(
        replace(soft, colour=lighter(look.colour, 0.10)),
        slab(0.13, 0.50, 0.50, 0.76, 0.3),
        slab(0.50, 0.50, 0.87, 0.76, 0.3),
    )
    pen.flat(darker(look.colour, 0.3), limb(0.015, (0.5, 0.08), (0.5, 0.48)), limb(0.02, (0.5, 0.53), (0.5, 0.74)))
    pen.fill(soft, slab(0.06, 0.72, 0.94, 0.93, 0.15))
    pen.fill(soft, slab(0.0, 0.30, 0.15, 0.93, 0.45), slab(0.85, 0.30, 1.0, 0.93, 0.45))


def bed(pen: Pen, look: Look) -> None:
    """A bed from the side: headboard, pillow, and a blanket in the bed's colour and pattern."""
    frame = Surface(STEEL, material="metal") if look.surface.material == "metal" else Surface(WOOD, material="wooden")
    blanket = replace(look.surface, material="")
    pen.fill(frame, slab(0.0, 0.0, 0.08, 1.0, 0.25), slab(0.93, 0.40, 1.0, 1.0, 0.25))
    pen.fill(frame, slab(0.04, 0.76, 0.97, 0.90, 0.1))
    pen.fill((244, 240, 230), slab(0.07, 0.52, 0.95, 0.78, 0.3))
    pen.fill((252, 250, 244), slab(0.09, 0.34, 0.30, 0.58, 0.5))
    pen.fill(blanket, slab(0.30, 0.46, 0.955, 0.84, 0.25))
    pen.fill(lighter(look.colour, 0.4), slab(0.29, 0.46, 0.37, 0.84, 0.3), shade=False)


def bench(pen: Pen, look: Look) -> None:
    """A park bench from the front: slats on two iron feet."""
    iron = darker(STEEL, 0.6)
    for x in (0.12, 0.88):
        pen.fill(
            iron, slab(x - 0.02, 0.06, x + 0.02, 1.0, 0.3), limb(0.06, (x - 0.05, 0.97), (x + 0.05, 0.97)), shade=False
        )
    for y in (0.0, 0.17, 0.34):
        pen.fill(look.surface, slab(0.02, y, 0.98, y + 0.13, 0.3), shade=False)
    pen.fill(look.surface, poly((0.04, 0.54), (0.96, 0.54), (1.0, 0.66), (0.0, 0.66)), shade=False)
    pen.fill(replace(look.surface, colour=darker(look.colour, 0.15)), slab(0.0, 0.66, 1.0, 0.76, 0.2), shade=False)
    pen.flat(darker(look.colour, 0.3), limb(0.02, (0.02, 0.60), (0.98, 0.60)))
    for x in (0.12, 0.88):
        pen.flat(iron, oval(x - 0.012, 0.05, x + 0.012, 0.10), oval(x - 0.012, 0.22, x + 0.012, 0.27))


SKIES: dict[str, Rgb] = {"day": (150, 204, 238), "evening": (246, 176, 122), "night": (44, 54, 98)}


def door(pen: Pen, look: Look) -> None:
    """A door in its frame; if open, with a dark room behind it."""
    pen.fill(lighter(WOOD, 0.5), slab(0.0, 0.0, 1.0, 1.0, 0.03), shade=False)
    pen.flat((74, 66, 72), poly((0.10, 0.05), (0.90, 0.05), (0.90, 1.0), (0.10, 1.0)))
    if "open" in look:
        pen.flat((112, 100, 100), poly((0.10, 1.0), (0.9, 1.0), (0.74, 0.86), (0.26, 0.86)))
        pen.fill(look.surface, poly((0.10, 0.05), (0.46, 0.13), (0.46, 0.95), (0.10, 1.0)), shade=False)
        pen.flat(
            darker(look.colour, 0.25),
            poly((0.17, 0.16), (0.38, 0.20), (0.38, 0.48), (0.17, 0.47)),
            poly((0.17, 0.57), (0.38, 0.57), (0.38, 0.84), (0.17, 0.87)),
        )
        pen.dot((236, 200, 90), (0.41, 0.53), 0.05)
        return
    pen.fill(look.surface, slab(0.10, 0.05, 0.90, 1.0, 0.02), shade=False)
    tone = darker(look.colour, 0.22) if brightness(look.colour) > 0.3 else lighter(look.colour, 0.2)
    pen.flat(tone, *(slab(x, y, x + 0.26, y + 0.33, 0.06) for x in (0.20, 0.54) for y in (0.13, 0.57)))
    pen.flat(
        replace(look.surface).colour,
        *(slab(x + 0.03, y + 0.02, x + 0.23, y + 0.31, 0.06) for x in (0.20, 0.54) for y in (0.13, 0.57)),
    )
    pen.dot((236, 200, 90), (0.83, 0.53), 0.055)


def window(pen: Pen, look: Look) -> None:
    """A window with the sky at that time of day; if open, with its casements to both sides."""
    sky = SKIES[look.time]
    frame: Rgb = (250, 246, 238)
    left, right = (0.16, 0.84) if "open" in look else (0.0, 1.0)
    pen.fill(frame, slab(left, 0.0, right, 1.0, 0.03), shade=False)
    inner = (left + 0.05, 0.07, right - 0.05, 0.92)
    pen.flat(sky, slab(*inner, 0.01))
    if look.time == "night":
        pen.dot((250, 244, 210), (0.64, 0.30), 0.07)
    else:
        pen.flat(WHITE, oval(0.36, 0.30, 0.60, 0.44), oval(0.48, 0.24, 0.66, 0.42), alpha=200)
    hill = mix(sky, (90, 150, 90), 0.6)
    pen.flat(
        hill,
        poly((inner[0], inner[3]), (inner[0], 0.72), (0.4, 0.62), (0.7, 0.74), (inner[2], 0.66), (inner[2], inner[3])),
    )
    if "open" in look:
        for a, b in ((0.0, 0.19), (1.0, 0.81)):
            pen.fill(frame, poly((a, 0.06), (b, 0.0), (b, 1.0), (a, 0.94)), shade=False)
            inset = 0.035 if a < b else -0.035
            pen.flat(
                lighter(GLASS, 0.2), poly((a + inset, 0.14), (b - inset, 0.10), (b - inset, 0.90), (a + inset, 0.86))
            )
    else:
        pen.flat(frame, slab(0.47, 0.02, 0.53, 0.98), slab(0.02, 0.47, 0.98, 0.53))
    pen.fill(darker(frame, 0.1), slab(left - 0.0, 0.93, right, 1.0, 0.3), shade=False)


def mirror(pen: Pen, look: Look) -> None:
    """A gleaming mirror in a frame; if dirty, with smudges."""
    frame = {"wooden": Surface(WOOD, material="wooden"), "metal": Surface(STEEL, material="metal")}.get(
        look.surface.material, Surface((226, 190, 110))
    )
    pen.fill(frame, oval(0.0, 0.0, 1.0, 1.0))
    pen.fill((204, 224, 232), oval(0.10, 0.08, 0.90, 0.92), shade=False)
    pen.flat(
        (240, 248, 252),
        poly((0.26, 0.64), (0.60, 0.16), (0.70, 0.20), (0.32, 0.74)),
        poly((0.42, 0.78), (0.74, 0.32), (0.78, 0.36), (0.47, 0.82)),
    )
    if "dirty" in look:
        for x, y in ((0.34, 0.34), (0.62, 0.56), (0.44, 0.66), (0.66, 0.30), (0.30, 0.52)):
            pen.flat(
                (128, 104, 76),
                blob((x - 0.10, y), (x, y - 0.06), (x + 0.10, y - 0.01), (x + 0.04, y + 0.06)),
                alpha=190,
            )


def lamp(pen: Pen, look: Look) -> None:
    """A lamp with a shade in its colour; it glows if on."""
    on = "on" in look
    pen.fill(darker(STEEL, 0.35), slab(0.46, 0.40, 0.54, 0.94, 0.3), oval(0.24, 0.88, 0.76, 1.0))
    shade = poly((0.28, 0.02), (0.72, 0.02), (1.0, 0.50), (0.0, 0.50))
    if on and not pen.dry:
        x, y = pen.at((0.5, 0.34))
        for radius, alpha in ((1.15, 34), (0.9, 44), (0.68, 56)):
            r = radius * pen.width
            pen.draw.ellipse((x - r, y - r * 0.8, x + r, y + r * 0.8), fill=(255, 236, 150, alpha))
    pen.fill(mix(look.colour, (255, 240, 170), 0.30) if on else darker(look.colour, 0.10), shade, shade=not on)
    if on:
        pen.flat((255, 246, 196), blob((0.36, 0.10), (0.64, 0.10), (0.78, 0.42), (0.5, 0.46), (0.22, 0.42)), alpha=150)
        pen.flat((255, 240, 150), oval(0.36, 0.46, 0.64, 0.58))
    else:
        pen.flat(darker(STEEL, 0.2), oval(0.42, 0.48, 0.58, 0.57))


def clock(pen: Pen, look: Look) -> None:
    """A round clock with hands."""
    pen.fill(look.surface, oval(0.0, 0.0, 1.0, 1.0))
    pen.fill(PAPER, oval(0.13, 0.13, 0.87, 0.87), shade=False)
    for k in range(12):
        a = k * pi / 6
        pen.dot(INK, (0.5 + 0.30 * sin(a), 0.5 - 0.30 * cos(a)), 0.03 if k % 3 == 0 else 0.016)
    hour, minute = look.rng.uniform(0, 2 * pi), look.rng.uniform(0, 2 * pi)
    pen.flat(
        INK,
        limb(0.06, (0.5, 0.5), (0.5 + 0.17 * sin(hour), 0.5 - 0.17 * cos(hour))),
        limb(0.04, (0.5, 0.5), (0.5 + 0.27 * sin(minute), 0.5 - 0.27 * cos(minute))),
    )
    pen.dot((206, 60, 54), (0.5, 0.5), 0.04)


def book(pen: Pen, look: Look) -> None:
    """A book: open with two pages of lines, or closed with its cover facing the viewer."""
    if "open" in look:
        pen.fill(
            look.surface, poly((0.0, 0.16), (0.5, 0.26), (1.0, 0.16), (1.0, 0.92), (0.5, 1.0), (0.0, 0.92)), shade=False
        )
        pen.fill(
            PAPER,
            blob(
                (0.04, 0.08),
                (0.28, 0.02),
                (0.49, 0.14),
                (0.5, 0.50),
                (0.5, 0.90),
                (0.28, 0.80),
                (0.04, 0.84),
                (0.04, 0.5),
            ),
            shade=False,
        )
        pen.fill(
            lighter(PAPER, 0.3),
            blob(
                (0.96, 0.08),
                (0.72, 0.02),
                (0.51, 0.14),
                (0.5, 0.50),
                (0.5, 0.90),
                (0.72, 0.80),
                (0.96, 0.84),
                (0.96, 0.5),
            ),
            shade=False,
        )
        for y in (0.22, 0.36, 0.50, 0.64):
            for left in (0.11, 0.59):
                pen.flat((150, 150, 160), limb(0.035, (left, y), (left + 0.30, y)))
        pen.flat((176, 172, 164), limb(0.03, (0.5, 0.16), (0.5, 0.92)))
        return
    pen.fill(PAPER, slab(0.08, 0.05, 1.0, 1.0, 0.05), shade=False)
    pen.fill(look.surface, slab(0.0, 0.0, 0.93, 0.95, 0.06))
    pen.flat(darker(look.colour, 0.3), slab(0.0, 0.0, 0.12, 0.95, 0.3))
    pen.flat(
        lighter(look.colour, 0.6),
        slab(0.28, 0.18, 0.80, 0.27, 0.3),
        slab(0.36, 0.34, 0.72, 0.40, 0.3),
        oval(0.40, 0.54, 0.68, 0.78),
    )


def laptop(pen: Pen, look: Look) -> None:
    """A laptop: open with a lit screen, or closed."""
    metal = look.surface
    if "closed" in look:
        pen.fill(darker(look.colour, 0.25), poly((0.0, 0.62), (1.0, 0.62), (0.97, 1.0), (0.03, 1.0)), shade=False)
        pen.fill(metal, poly((0.10, 0.0), (0.90, 0.0), (1.0, 0.70), (0.0, 0.70)), shade=False)
        pen.flat(
            lighter(look.colour, 0.6) if brightness(look.colour) < 0.6 else darker(look.colour, 0.3),
            oval(0.45, 0.26, 0.55, 0.46),
        )
        return
    pen.fill(metal, slab(0.10, 0.0, 0.90, 0.72, 0.08), shade=False)
    pen.flat((78, 132, 190), slab(0.14, 0.06, 0.86, 0.66, 0.04))
    pen.flat((240, 246, 250), slab(0.19, 0.13, 0.52, 0.19), slab(0.19, 0.26, 0.46, 0.31), slab(0.19, 0.37, 0.49, 0.42))
    pen.flat((250, 206, 96), slab(0.58, 0.26, 0.80, 0.56, 0.1))
    pen.fill(metal, poly((0.10, 0.72), (0.90, 0.72), (1.0, 0.95), (0.0, 0.95)), shade=False)
    pen.flat(
        darker(look.colour, 0.45) if brightness(look.colour) > 0.35 else lighter(look.colour, 0.3),
        poly((0.15, 0.76), (0.85, 0.76), (0.89, 0.86), (0.11, 0.86)),
    )
    pen.fill(darker(look.colour, 0.2), slab(0.0, 0.95, 1.0, 1.0, 0.4), shade=False)


def television(pen: Pen, look: Look) -> None:
    """A television; if on, it shows a hill under the sun."""
    pen.fill(INK, slab(0.0, 0.0, 1.0, 0.90, 0.06), shade=False)
    pen.fill(INK, slab(0.30, 0.90, 0.36, 1.0), slab(0.64, 0.90, 0.70, 1.0), shade=False)
    if "on" in look:
        pen.flat((120, 200, 240), slab(0.04, 0.06, 0.96, 0.82, 0.03))
        pen.flat((250, 220, 90), oval(0.68, 0.14, 0.82, 0.34))
        pen.flat(
            (110, 190, 100),
            blob(
                (0.04, 0.82),
                (0.05, 0.60),
                (0.25, 0.46),
                (0.5, 0.62),
                (0.75, 0.50),
                (0.95, 0.66),
                (0.96, 0.82),
                (0.5, 0.82),
            ),
        )
        pen.dot((90, 230, 110), (0.93, 0.86), 0.02)
    else:
        pen.flat((26, 27, 34), slab(0.04, 0.06, 0.96, 0.82, 0.03))
        pen.flat((70, 74, 88), poly((0.14, 0.76), (0.42, 0.10), (0.54, 0.10), (0.26, 0.76)))
        pen.dot((220, 60, 50), (0.93, 0.86), 0.02)


SKETCHES: Sketches = {
    "table": table,
    "chair": chair,
    "sofa": sofa,
    "bed": bed,
    "bench": bench,
    "door": door,
    "window": window,
    "mirror": mirror,
    "lamp": lamp,
    "clock": clock,
    "book": book,
    "laptop": laptop,
    "television": television,
}
