"""What is in a wall: doors, windows, mirrors."""

from __future__ import annotations

from dataclasses import replace

from askew.world.draw.look import Look, Sketches
from askew.world.draw.palette import GLASS, STEEL, WHITE, WOOD, Rgb, brightness, darker, lighter, mix
from askew.world.draw.pen import Pen, blob, oval, poly, slab
from askew.world.draw.surface import Surface

SKIES: dict[str, Rgb] = {"day": (150, 204, 238), "evening": (246, 176, 122), "night": (44, 54, 98)}


def door(pen: Pen, look: Look) -> None:
    """A door in its frame; open, one sees a dark room behind it."""
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
    """A window with the sky of the hour; open, its wings stand out to both sides."""
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
    """A mirror in a frame, with its gleam; dirty, with smudges."""
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


SKETCHES: Sketches = {"door": door, "window": window, "mirror": mirror}
