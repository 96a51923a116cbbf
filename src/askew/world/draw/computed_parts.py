"""Parts of drawings that are computed: round things in boxes of any shape, random details, rows of equal pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin

from PIL import ImageFont

from askew.world.draw.pen import Brush
from askew.world.draw.shapes import Path, Point, blob, curve, dot, limb, oval, poly, ring, slab
from askew.world.draw.surface import GLASS, INK, STEEL, WHITE, brightness, darker, lighter


def _eye(brush: Brush, spot: Point, radius: float) -> None:
    """An eye, with a white ring on dark coats."""
    if brightness(brush.colour) < 0.42:
        brush.pen.flat(WHITE, dot(spot, radius * 1.5))
    brush.pen.flat(INK, dot(spot, radius))


def _wool(brush: Brush) -> None:
    """The wool of a sheep: puffs that stay as large when it lies down, and curls."""
    top, low = (0.08, 0.98) if "lying" in brush.words else (0.06, 0.78)
    tall, r = low - top, 0.145
    upper = ((0.14, 0.5), (0.2, 0.24), (0.36, 0.16), (0.54, 0.17), (0.68, 0.28))
    lower = ((0.74, 0.54), (0.64, 0.78), (0.46, 0.83), (0.28, 0.80))
    spots = [(x, top + y * tall) for x, y in upper + lower]
    puffs = [oval(x - r, y - r * 1.15, x + r, y + r * 1.15) for x, y in spots]
    brush.pen.fill(brush.look.surface, oval(0.12, top + 0.1 * tall, 0.78, low - 0.06 * tall), *puffs)
    for x, y in ((0.34, 0.42), (0.52, 0.55), (0.30, 0.64), (0.56, 0.32)):
        y = top + y * tall
        brush.pen.flat(darker(brush.colour, 0.14), curve(0.025, (x - 0.06, y), (x, y + 0.06), (x + 0.06, y)))


def _disc(brush: Brush, spot: Point, radius: float) -> Path:
    """A circle; the radius is a fraction of the shorter side of the box."""
    rx, ry = radius * brush.pen.short / brush.pen.width, radius * brush.pen.short / brush.pen.height
    return oval(spot[0] - rx, spot[1] - ry, spot[0] + rx, spot[1] + ry)


def _wheel(brush: Brush, spot: Point, radius: float) -> None:
    """A tyre with a hub."""
    brush.pen.fill(INK, _disc(brush, spot, radius), shade=False)
    brush.pen.flat(STEEL, dot(spot, radius * 0.52))
    brush.pen.flat(darker(STEEL, 0.3), dot(spot, radius * 0.2))


def _rollers(brush: Brush, spot: Point, radius: float) -> None:
    """The axle of a skateboard with its two wheels."""
    x, y = spot
    brush.pen.flat(STEEL, limb(0.12, (x, 0.42), (x, 0.66)))
    brush.pen.fill((244, 226, 170), *(_disc(brush, (x + dx, y), radius) for dx in (-0.045, 0.045)))
    for dx in (-0.045, 0.045):
        brush.pen.flat(darker(STEEL, 0.3), dot((x + dx, y), 0.09))


def _cabin(brush: Brush) -> None:
    """The body of a car, whose cabin begins somewhere on it, and its windows."""
    back = brush.look.rng.choice((0.10, 0.17, 0.24))
    brush.pen.fill(
        brush.look.surface,
        slab(0.0, 0.42, 1.0, 0.84, 0.45),
        poly((back, 0.5), (back + 0.10, 0.06), (0.62, 0.06), (0.78, 0.48)),
        blob((back + 0.06, 0.1), (back + 0.14, 0.02), (0.58, 0.02), (0.64, 0.1)),
    )
    brush.pen.flat(
        GLASS,
        poly((back + 0.08, 0.42), (back + 0.14, 0.14), (0.39, 0.14), (0.39, 0.42)),
        poly((0.43, 0.42), (0.43, 0.14), (0.59, 0.14), (0.70, 0.42)),
    )


def _bicycle(brush: Brush) -> None:
    """The wheels of a bicycle, which stay round, and the frame between them."""
    pen = brush.pen
    r = 0.205 * pen.width / pen.height
    y = 1.0 - r
    for x in (0.215, 0.785):
        tyre = ring(x - 0.205, y - r, x + 0.205, y + r, 0.055)
        pen.flat(INK, tyre)
        pen.flat(STEEL, *(limb(0.012, (x, y), tyre.points[k]) for k in range(0, 32, 4)))
        pen.flat(darker(STEEL, 0.3), dot((x, y), 0.035))
    pen.fill(
        brush.look.surface,
        limb(0.055, (0.215, y), (0.35, 0.26), (0.70, 0.26), (0.46, y + 0.04), (0.35, 0.26)),
        limb(0.055, (0.215, y), (0.46, y + 0.04)),
        limb(0.055, (0.785, y), (0.68, 0.10)),
        shade=False,
    )


def _pedal(brush: Brush) -> None:
    """The crank and a pedal of a bicycle."""
    y = 1.0 - 0.205 * brush.pen.width / brush.pen.height
    brush.pen.flat(STEEL, dot((0.46, y + 0.04), 0.06))
    brush.pen.flat(INK, limb(0.035, (0.46, y + 0.04), (0.50, y + 0.20)), limb(0.05, (0.46, y + 0.21), (0.54, y + 0.21)))


def _cars(brush: Brush) -> int:
    return 3 if "long" in brush.words else 1 if "short" in brush.words else 2


def _train_cars(brush: Brush) -> None:
    """The engine of a train and its cars, with a stripe and windows."""
    cars, pen, colour = _cars(brush), brush.pen, brush.colour
    nose = 1.0 / (cars + 0.35)
    stripe = lighter(colour, 0.55) if brightness(colour) < 0.7 else (64, 108, 170)
    for k in range(cars):
        left = k * nose * 0.97
        last = k == cars - 1
        right = 1.0 if last else left + nose * 0.94
        engine = ((right - 0.16, 0.03), (right - 0.07, 0.16), (right, 0.56), (right, 0.84))
        front = blob((left, 0.10), (left + 0.03, 0.03), *engine, (left + 0.02, 0.84), (left, 0.8))
        pen.fill(brush.look.surface, front if last else slab(left, 0.03, right, 0.84, 0.08))
        pen.flat(stripe, poly((left + 0.01, 0.56), (right - 0.01, 0.56), (right - 0.01, 0.64), (left + 0.01, 0.64)))
        step = nose * 0.29
        for w in range(3 if not last or cars > 1 else 4):
            x = left + 0.04 + w * step
            pen.flat(GLASS, slab(x, 0.18, x + step * 0.72, 0.44, 0.12))


def _train_wheels(brush: Brush) -> None:
    cars = _cars(brush)
    for k in range(4 + 2 * cars):
        _wheel(brush, (0.08 + k * 0.84 / (3 + 2 * cars), 0.90), 0.095)


def _vase_body(brush: Brush) -> None:
    """A vase that is widest somewhere below its neck."""
    y = 0.56 - brush.look.rng.uniform(0.0, 0.06)
    neck, lip = ((0.66, 0.16), (0.72, 0.30)), ((0.26, 0.02), (0.5, 0.0), (0.74, 0.02))
    foot = ((0.92, 0.84), (0.70, 0.98), (0.5, 1.0), (0.30, 0.98), (0.08, 0.84))
    brush.pen.fill(brush.look.surface, blob(*lip, *neck, (1.0, y), *foot, (0.0, y), (0.28, 0.30), (0.34, 0.16)))


def _crumbs(brush: Brush) -> None:
    rng = brush.look.rng
    for _ in range(9):
        brush.pen.flat((110, 70, 40), dot((rng.uniform(0.14, 0.86), rng.uniform(0.22, 0.72)), 0.035))


def _food(brush: Brush) -> None:
    """Soup or salad in a bowl."""
    rng = brush.look.rng
    food = rng.choice(((214, 96, 50), (226, 176, 80), (120, 160, 70)))
    brush.pen.flat(food, oval(0.08, 0.08, 0.92, 0.38))
    for _ in range(7):
        brush.pen.flat(lighter(food, 0.4), dot((rng.uniform(0.24, 0.76), rng.uniform(0.15, 0.31)), 0.05))


def _sponge(brush: Brush) -> None:
    """The layers of a cake, lighter under brown icing."""
    sponge = (240, 206, 150) if brush.colour[0] - brush.colour[2] < 90 else (250, 232, 196)
    brush.pen.fill(sponge, slab(0.08, 0.40, 0.92, 0.94, 0.2))
    brush.pen.flat(darker(sponge, 0.25), slab(0.08, 0.66, 0.92, 0.71))


def _glow(brush: Brush) -> None:
    """The light of a lamp, which does not count as a part of it."""
    if brush.pen.dry:
        return
    x, y = brush.pen.at((0.5, 0.34))
    for radius, alpha in ((1.15, 34), (0.9, 44), (0.68, 56)):
        r = radius * brush.pen.width
        brush.pen.draw.ellipse((x - r, y - r * 0.8, x + r, y + r * 0.8), fill=(255, 236, 150, alpha))


def _dial(brush: Brush) -> None:
    """The marks and hands of a clock."""
    rng = brush.look.rng

    def at(angle: float, radius: float) -> Point:
        return 0.5 + radius * sin(angle), 0.5 - radius * cos(angle)

    for k in range(12):
        brush.pen.flat(INK, dot(at(k * pi / 6, 0.30), 0.03 if k % 3 == 0 else 0.016))
    hour, minute = rng.uniform(0, 2 * pi), rng.uniform(0, 2 * pi)
    brush.pen.flat(INK, limb(0.06, (0.5, 0.5), at(hour, 0.17)), limb(0.04, (0.5, 0.5), at(minute, 0.27)))


def _leaves(brush: Brush) -> None:
    """Light strokes on a round crown."""
    high, low = ((0.5, 0.17, 0.25), (0.25, 0.30, 0.23), (0.75, 0.30, 0.23)), ((0.22, 0.48, 0.20), (0.78, 0.48, 0.20))
    puffs, rng = (*high, *low, (0.5, 0.44, 0.28)), brush.look.rng
    for _ in range(9):
        x, y, r = rng.choice(puffs)
        x, y = x + rng.uniform(-0.5, 0.4) * r, y + rng.uniform(-0.4, 0.3) * r
        tuft = curve(0.025, (x - 0.05, y + 0.01), (x, y - 0.012), (x + 0.05, y + 0.01))
        brush.pen.flat(lighter(brush.colour, 0.28), tuft)


def _petals(brush: Brush) -> None:
    """The petals of a flower around its core."""
    ry = brush.pen.width / brush.pen.height
    count, size = brush.look.rng.choice(((5, 0.20), (6, 0.18), (8, 0.15)))

    def disc(x: float, y: float, r: float) -> Path:
        return oval(round(x - r, 4), round(y - r * ry, 4), round(x + r, 4), round(y + r * ry, 4))

    angles = [2 * pi * k / count - pi / 2 for k in range(count)]
    brush.pen.fill(brush.colour, *(disc(0.5 + 0.27 * cos(a), 0.44 * ry + 0.27 * sin(a) * ry, size) for a in angles))
    yellow = brush.colour[0] > 225 and brush.colour[2] < 120
    brush.pen.fill((150, 92, 50) if yellow else (250, 200, 70), disc(0.5, 0.44 * ry, 0.14), shade=False)


def _pales(brush: Brush) -> None:
    """The pales of a fence, or its metal bars with round tops."""
    count = max(3, round(1 / (0.30 * brush.pen.height / brush.pen.width)))
    step = 1 / count
    wide = 0.70 * step
    for k in range(count):
        x = k * step + 0.14 * step
        if "metal" in brush.words:
            bar = slab(x + wide * 0.3, 0.10, x + wide * 0.7, 1.0, 0.1)
            brush.pen.fill(brush.colour, bar, oval(x + wide * 0.15, 0.0, x + wide * 0.85, 0.14), shade=False)
        else:
            pale = poly((x, 0.16), (x + wide / 2, 0.0), (x + wide, 0.16), (x + wide, 1.0), (x, 1.0))
            brush.pen.fill(brush.look.surface, pale, shade=False)


def _signals(brush: Brush) -> None:
    """The three lamps of a traffic light; if it is on, one of them shines."""
    pen = brush.pen
    lit = brush.look.rng.randrange(3) if "on" in brush.words else -1
    for k, tone in enumerate(((236, 60, 50), (252, 200, 60), (70, 206, 100))):
        y = 0.10 + 0.19 * k
        if k == lit:
            pen.flat(lighter(tone, 0.55), dot((0.5, y), 0.33))
            pen.flat(tone, dot((0.5, y), 0.27))
            pen.flat(WHITE, dot((0.42, y - 0.07 * pen.width / pen.height), 0.07))
        else:
            pen.flat(darker(tone, 0.72), dot((0.5, y), 0.27))


def _stop(brush: Brush) -> None:
    """The word on a stop sign."""
    pen = brush.pen
    if not pen.dry:
        pen.draw.text(
            pen.at((0.5, 0.475 * pen.width / pen.height)),
            "STOP",
            fill=WHITE,
            font=ImageFont.load_default(0.30 * pen.width),
            anchor="mm",
            stroke_width=max(1, round(0.008 * pen.width)),
            stroke_fill=WHITE,
        )


PARTS: Mapping[str, Callable[..., None]] = {
    "eye": _eye,
    "wool": _wool,
    "wheel": _wheel,
    "rollers": _rollers,
    "cabin": _cabin,
    "spokes and frame": _bicycle,
    "pedal": _pedal,
    "train cars": _train_cars,
    "train wheels": _train_wheels,
    "vase body": _vase_body,
    "crumbs": _crumbs,
    "food": _food,
    "sponge": _sponge,
    "glow": _glow,
    "dial and hands": _dial,
    "leaves": _leaves,
    "petals": _petals,
    "pales": _pales,
    "signals": _signals,
    "stop": _stop,
}
"""What ``draw`` can name in the data file besides other entries."""
