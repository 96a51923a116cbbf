"""What comes over a drawn thing: drops on what is wet, mud on what is dirty; and the soft shadow below it."""

from __future__ import annotations

from askew.world.draw.look import Look
from askew.world.draw.palette import WHITE, brightness
from askew.world.draw.pen import Pen
from askew.world.layout import Box


def weathered(pen: Pen, look: Look) -> None:
    """Drops or mud on the bodies the pen has drawn."""
    if "wet" in look:
        _drops(pen, look)
    if "dirty" in look and look.name not in ("plate", "mirror"):
        _mud(pen, look)


def shadow(pen: Pen, box: Box, dark: int = 26) -> None:
    """A soft shadow on the ground at the foot of a box (pixels)."""
    x, y, width, height = box
    foot, tall = y + height, max(3 * pen.unit, min(0.07 * width, 0.10 * height))
    for grow in (1.0, 0.78, 0.55):
        half, high = width * 0.5 * grow, tall * grow
        middle = x + width / 2
        pen.draw.ellipse((middle - half, foot - high, middle + half, foot + high * 0.6), fill=(30, 26, 50, dark))


def _drops(pen: Pen, look: Look) -> None:
    unit = pen.unit
    edge = (60, 120, 190, 255) if brightness(look.colour) > 0.45 else (20, 60, 120, 255)
    for x, y in pen.inside(8):
        r = unit * pen.rng.uniform(1.5, 2.3)
        for grow, ink in ((1.35, edge), (1.0, (150, 212, 250, 255))):
            q = r * grow
            pen.draw.polygon([(x, y - 2.2 * q), (x + 0.85 * q, y - 0.2 * q), (x - 0.85 * q, y - 0.2 * q)], fill=ink)
            pen.draw.ellipse((x - q, y - q, x + q, y + q), fill=ink)
        pen.draw.ellipse((x - 0.5 * r, y - 0.4 * r, x, y + 0.1 * r), fill=WHITE)


def _mud(pen: Pen, look: Look) -> None:
    unit = pen.unit
    mud = (96, 66, 40, 235) if not 0.22 < brightness(look.colour) < 0.5 else (66, 44, 28, 240)
    for x, y in pen.inside(8):
        r = unit * pen.rng.uniform(1.6, 3.0)
        pen.draw.ellipse((x - 1.3 * r, y - r, x + 1.3 * r, y + r), fill=mud)
        for _ in range(3):
            dx, dy, q = pen.rng.uniform(-2, 2) * r, pen.rng.uniform(-1.5, 1.5) * r, r * pen.rng.uniform(0.2, 0.5)
            pen.draw.ellipse((x + dx - q, y + dy - q, x + dx + q, y + dy + q), fill=mud)
