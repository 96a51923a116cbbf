"""Lamps, clocks, books, laptops, televisions."""

from __future__ import annotations

from math import cos, pi, sin

from askew.world.draw.palette import INK, PAPER, STEEL, brightness, darker, lighter, mix
from askew.world.draw.pen import Look, Pen, Sketches, blob, limb, oval, poly, slab


def lamp(pen: Pen, look: Look) -> None:
    """A lamp with a shade of its colour; on, it glows."""
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
    """A book: open with two pages of lines, or closed with its cover to us."""
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
    """A television; on, it shows a hill under the sun."""
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


SKETCHES: Sketches = {"lamp": lamp, "clock": clock, "book": book, "laptop": laptop, "television": television}
