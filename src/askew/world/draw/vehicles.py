"""Vehicles, from the side, facing right."""

from __future__ import annotations

from dataclasses import replace

from askew.world.draw.pen import Look, Path, Pen, Sketches, blob, curve, limb, oval, poly, slab
from askew.world.draw.surface import GLASS, INK, STEEL, Rgb, brightness, darker, lighter

LIGHT: Rgb = (255, 236, 150)


def _wheel(pen: Pen, x: float, y: float, radius: float) -> None:
    """A tyre with a hub; the radius is a fraction of the shorter side."""
    rx, ry = radius * pen.short / pen.width, radius * pen.short / pen.height
    pen.fill(INK, oval(x - rx, y - ry, x + rx, y + ry), shade=False)
    pen.dot(STEEL, (x, y), radius * 0.52)
    pen.dot(darker(STEEL, 0.3), (x, y), radius * 0.2)


def car(pen: Pen, look: Look) -> None:
    """A car: a cabin on a long body."""
    back = look.rng.choice((0.10, 0.17, 0.24))
    body = (
        slab(0.0, 0.42, 1.0, 0.84, 0.45),
        poly((back, 0.5), (back + 0.10, 0.06), (0.62, 0.06), (0.78, 0.48)),
        blob((back + 0.06, 0.1), (back + 0.14, 0.02), (0.58, 0.02), (0.64, 0.1)),
    )
    pen.fill(look.surface, *body)
    pen.flat(
        GLASS,
        poly((back + 0.08, 0.42), (back + 0.14, 0.14), (0.39, 0.14), (0.39, 0.42)),
        poly((0.43, 0.42), (0.43, 0.14), (0.59, 0.14), (0.70, 0.42)),
    )
    pen.flat((236, 248, 252), poly((0.46, 0.40), (0.52, 0.16), (0.56, 0.16), (0.50, 0.40)), alpha=150)
    pen.flat(darker(look.colour, 0.3), limb(0.018, (0.41, 0.46), (0.41, 0.76)), limb(0.03, (0.46, 0.54), (0.51, 0.54)))
    pen.flat(LIGHT, oval(0.93, 0.50, 0.995, 0.64))
    pen.flat((214, 70, 60), oval(0.005, 0.50, 0.05, 0.62))
    pen.flat(darker(STEEL, 0.2), slab(0.0, 0.74, 0.1, 0.83), slab(0.9, 0.74, 1.0, 0.83))
    for x in (0.22, 0.78):
        _wheel(pen, x, 0.80, 0.20)


def bus(pen: Pen, look: Look) -> None:
    """A bus: a long box with a row of windows."""
    pen.fill(look.surface, slab(0.0, 0.0, 1.0, 0.88, 0.10))
    pen.flat(
        lighter(look.colour, 0.55) if brightness(look.colour) < 0.8 else (206, 70, 62),
        poly((0.0, 0.56), (1.0, 0.56), (1.0, 0.62), (0.0, 0.62)),
    )
    for x in (0.05, 0.21, 0.37, 0.53):
        pen.flat(GLASS, slab(x, 0.14, x + 0.13, 0.46, 0.12))
        pen.flat(
            (236, 248, 252), poly((x + 0.03, 0.44), (x + 0.07, 0.16), (x + 0.095, 0.16), (x + 0.055, 0.44)), alpha=140
        )
    pen.flat(darker(GLASS, 0.15), slab(0.70, 0.14, 0.82, 0.80, 0.08))
    pen.flat(darker(look.colour, 0.3), limb(0.014, (0.76, 0.14), (0.76, 0.80)))
    pen.flat(GLASS, slab(0.87, 0.12, 1.0, 0.52, 0.1))
    pen.flat(LIGHT, oval(0.945, 0.66, 0.995, 0.76))
    pen.flat(INK, slab(0.3, 0.03, 0.7, 0.09, 0.3))
    for x in (0.20, 0.62):
        _wheel(pen, x, 0.86, 0.13)


def truck(pen: Pen, look: Look) -> None:
    """A truck: a cab in front of an open bed, loaded or empty."""
    if "full" in look:
        for x, y, tone in ((0.04, 0.20, (196, 150, 96)), (0.22, 0.08, (180, 132, 80)), (0.40, 0.22, (206, 164, 110))):
            pen.fill(tone, slab(x, y, x + 0.19, 0.58, 0.06))
            pen.flat(darker(tone, 0.25), limb(0.02, (x + 0.095, y + 0.02), (x + 0.095, 0.5)))
    pen.fill(darker(STEEL, 0.25), slab(0.0, 0.70, 0.96, 0.84, 0.2), shade=False)
    pen.fill(look.surface, slab(0.0, 0.48, 0.62, 0.74, 0.08))
    pen.flat(darker(look.colour, 0.25), *(limb(0.014, (x, 0.50), (x, 0.72)) for x in (0.15, 0.31, 0.47)))
    pen.fill(
        look.surface,
        blob(
            (0.65, 0.04),
            (0.80, 0.0),
            (0.90, 0.06),
            (0.96, 0.36),
            (1.0, 0.48),
            (1.0, 0.80),
            (0.82, 0.82),
            (0.65, 0.82),
            (0.64, 0.4),
        ),
    )
    pen.flat(GLASS, poly((0.71, 0.12), (0.86, 0.12), (0.92, 0.40), (0.71, 0.40)))
    pen.flat(darker(look.colour, 0.3), limb(0.014, (0.70, 0.46), (0.70, 0.76)), limb(0.02, (0.74, 0.50), (0.79, 0.50)))
    pen.flat(LIGHT, oval(0.94, 0.56, 0.995, 0.66))
    for x in (0.16, 0.40, 0.82):
        _wheel(pen, x, 0.85, 0.15)


def bicycle(pen: Pen, look: Look) -> None:
    """A bicycle: two spoked wheels, a frame, a saddle."""
    for x in (0.215, 0.785):
        rx, ry = 0.205, 0.205 * pen.width / pen.height
        y = 1.0 - ry
        ring = oval(x - rx, y - ry, x + rx, y + ry).points
        pen.flat(INK, Path((*ring, ring[0], ring[1]), 0.055))
        for a in range(0, 16, 2):
            pen.flat(STEEL, limb(0.012, (x, y), ring[a * 2]))
        pen.dot(darker(STEEL, 0.3), (x, y), 0.035)
    y = 1.0 - 0.205 * pen.width / pen.height
    pen.fill(
        look.surface,
        limb(0.055, (0.215, y), (0.35, 0.26), (0.70, 0.26), (0.46, y + 0.04), (0.35, 0.26)),
        limb(0.055, (0.215, y), (0.46, y + 0.04)),
        limb(0.055, (0.785, y), (0.68, 0.10)),
        shade=False,
    )
    pen.flat(INK, limb(0.05, (0.345, 0.26), (0.33, 0.14)), curve(0.055, (0.68, 0.10), (0.74, 0.03), (0.81, 0.07)))
    pen.fill(INK, blob((0.24, 0.08), (0.34, 0.08), (0.43, 0.11), (0.34, 0.16), (0.25, 0.14)), shade=False)
    pen.dot(STEEL, (0.46, y + 0.04), 0.06)
    pen.flat(INK, limb(0.035, (0.46, y + 0.04), (0.50, y + 0.20)), limb(0.05, (0.46, y + 0.21), (0.54, y + 0.21)))


def motorcycle(pen: Pen, look: Look) -> None:
    """A motorcycle: thick wheels, tank, engine, exhaust."""
    pen.flat(STEEL, limb(0.06, (0.80, 0.74), (0.68, 0.20)), limb(0.06, (0.20, 0.74), (0.40, 0.62)))
    for x in (0.20, 0.80):
        _wheel(pen, x, 0.73, 0.27)
    pen.fill(darker(STEEL, 0.35), slab(0.36, 0.54, 0.62, 0.84, 0.2))
    pen.flat(STEEL, *(limb(0.025, (0.39, y), (0.59, y)) for y in (0.60, 0.67, 0.74)))
    pen.fill(STEEL, limb(0.07, (0.50, 0.84), (0.12, 0.86)), shade=False)
    pen.fill(
        look.surface,
        blob((0.40, 0.46), (0.48, 0.26), (0.64, 0.24), (0.72, 0.34), (0.66, 0.54), (0.46, 0.58)),
        blob((0.02, 0.42), (0.14, 0.36), (0.30, 0.44), (0.36, 0.56), (0.22, 0.50)),
        blob((0.62, 0.42), (0.80, 0.38), (0.94, 0.46), (0.80, 0.46)),
    )
    pen.fill(INK, blob((0.10, 0.34), (0.26, 0.36), (0.44, 0.34), (0.44, 0.48), (0.28, 0.48), (0.14, 0.44)), shade=False)
    pen.flat(INK, curve(0.055, (0.68, 0.20), (0.63, 0.06), (0.54, 0.05)))
    pen.fill(LIGHT, oval(0.69, 0.15, 0.80, 0.32), shade=False)


def boat(pen: Pen, look: Look) -> None:
    """A sailing boat on the water."""
    plain = replace(look.surface, material="") if look.surface.material == "glass" else look.surface
    pen.flat((120, 86, 60), limb(0.03, (0.46, 0.02), (0.46, 0.70)))
    sail: Rgb = (250, 246, 236) if brightness(look.colour) < 0.8 else (244, 226, 196)
    pen.fill(sail, poly((0.49, 0.03), (0.49, 0.60), (0.88, 0.60)))
    pen.fill(darker(sail, 0.08), poly((0.43, 0.14), (0.43, 0.60), (0.14, 0.60)))
    pen.fill(
        plain,
        blob(
            (0.0, 0.67),
            (0.06, 0.66),
            (0.5, 0.69),
            (0.95, 0.66),
            (1.0, 0.67),
            (0.90, 0.84),
            (0.78, 0.94),
            (0.5, 0.96),
            (0.22, 0.94),
            (0.10, 0.84),
        ),
    )
    pen.flat(
        lighter(look.colour, 0.5) if brightness(look.colour) < 0.7 else darker(look.colour, 0.3),
        curve(0.03, (0.05, 0.75), (0.5, 0.78), (0.95, 0.75)),
    )
    pen.flat(
        (232, 244, 248), blob((0.06, 0.95), (0.3, 0.91), (0.6, 0.93), (0.94, 0.94), (0.7, 1.0), (0.3, 1.0)), alpha=190
    )


def airplane(pen: Pen, look: Look) -> None:
    """An airplane with wings, tail and a row of windows."""
    accent: Rgb = (206, 74, 66) if brightness(look.colour) > 0.55 else (250, 236, 210)
    pen.fill(darker(look.colour, 0.24), poly((0.44, 0.42), (0.30, 0.06), (0.40, 0.06), (0.62, 0.42)), shade=False)
    pen.fill(
        look.surface,
        poly((0.02, 0.02), (0.10, 0.0), (0.24, 0.42), (0.10, 0.46)),
        blob(
            (0.04, 0.44),
            (0.14, 0.36),
            (0.5, 0.34),
            (0.84, 0.36),
            (0.97, 0.46),
            (1.0, 0.54),
            (0.92, 0.66),
            (0.6, 0.72),
            (0.24, 0.66),
            (0.08, 0.54),
        ),
    )
    pen.flat(accent, poly((0.03, 0.04), (0.09, 0.03), (0.14, 0.18), (0.065, 0.20)))
    pen.flat(
        darker(look.colour, 0.5) if brightness(look.colour) > 0.4 else GLASS,
        *(oval(x, 0.44, x + 0.035, 0.53) for x in (0.28, 0.36, 0.44, 0.52, 0.60, 0.68)),
    )
    pen.flat(darker(GLASS, 0.2), blob((0.84, 0.42), (0.92, 0.43), (0.95, 0.51), (0.84, 0.52)))
    pen.fill(
        lighter(look.colour, 0.12),
        poly((0.42, 0.60), (0.60, 0.60), (0.40, 1.0), (0.28, 1.0)),
        poly((0.05, 0.50), (0.15, 0.50), (0.06, 0.66), (0.0, 0.66)),
    )
    pen.fill(STEEL, slab(0.44, 0.76, 0.56, 0.88, 0.5), shade=False)


def train(pen: Pen, look: Look) -> None:
    """A train: an engine with a sloping nose and its cars."""
    cars = 3 if "long" in look else 1 if "short" in look else 2
    nose = 1.0 / (cars + 0.35)
    stripe = lighter(look.colour, 0.55) if brightness(look.colour) < 0.7 else (64, 108, 170)
    pen.fill(INK, slab(0.02, 0.80, 0.98, 0.90, 0.4), shade=False)
    for k in range(cars):
        left = k * nose * 0.97
        last = k == cars - 1
        right = 1.0 if last else left + nose * 0.94
        shape = (
            blob(
                (left, 0.10),
                (left + 0.03, 0.03),
                (right - 0.16, 0.03),
                (right - 0.07, 0.16),
                (right, 0.56),
                (right, 0.84),
                (left + 0.02, 0.84),
                (left, 0.8),
            )
            if last
            else slab(left, 0.03, right, 0.84, 0.08)
        )
        pen.fill(look.surface, shape)
        pen.flat(stripe, poly((left + 0.01, 0.56), (right - 0.01, 0.56), (right - 0.01, 0.64), (left + 0.01, 0.64)))
        step = nose * 0.29
        for w in range(3 if not last or cars > 1 else 4):
            x = left + 0.04 + w * step
            pen.flat(GLASS, slab(x, 0.18, x + step * 0.72, 0.44, 0.12))
    pen.flat(darker(GLASS, 0.1), poly((0.87, 0.18), (0.925, 0.18), (0.975, 0.46), (0.87, 0.46)))
    pen.flat(LIGHT, oval(0.95, 0.66, 0.99, 0.76))
    for k in range(4 + 2 * cars):
        _wheel(pen, 0.08 + k * 0.84 / (3 + 2 * cars), 0.90, 0.095)


SKETCHES: Sketches = {
    "car": car,
    "bus": bus,
    "truck": truck,
    "bicycle": bicycle,
    "motorcycle": motorcycle,
    "boat": boat,
    "airplane": airplane,
    "train": train,
}
