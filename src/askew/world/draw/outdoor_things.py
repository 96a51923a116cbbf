"""Trees, flowers, fences, umbrellas, kites, balls and boards."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

from PIL import ImageFont

from askew.world.draw.pen import Look, Path, Pen, Sketches, blob, curve, limb, oval, poly, slab
from askew.world.draw.surface import INK, LEAF, STEEL, WHITE, WOOD, Surface, brightness, darker, lighter


def tree(pen: Pen, look: Look) -> None:
    """A tree with a crown in its colour, round or in three tiers."""
    pen.fill(
        Surface((122, 86, 60), material="wooden"),
        poly((0.43, 0.5), (0.57, 0.5), (0.60, 0.92), (0.68, 1.0), (0.32, 1.0), (0.40, 0.92)),
    )
    if look.rng.random() < 0.3 and brightness(look.colour) < 0.62:
        for top, low, half in ((0.36, 0.74, 0.5), (0.18, 0.54, 0.42), (0.0, 0.34, 0.32)):
            pen.fill(
                look.colour,
                blob(
                    (0.5, top),
                    (0.5 + half * 0.55, (top + low) / 2),
                    (0.5 + half, low),
                    (0.5, low + 0.03),
                    (0.5 - half, low),
                    (0.5 - half * 0.55, (top + low) / 2),
                ),
            )
        return
    pen.flat((122, 86, 60), limb(0.05, (0.5, 0.66), (0.68, 0.48)), limb(0.05, (0.5, 0.62), (0.32, 0.46)))
    puffs = (
        (0.5, 0.17, 0.25),
        (0.25, 0.30, 0.23),
        (0.75, 0.30, 0.23),
        (0.22, 0.48, 0.20),
        (0.78, 0.48, 0.20),
        (0.5, 0.44, 0.28),
    )
    high = 0.62
    pen.fill(look.colour, *(oval(x - r, y - r * high, x + r, y + r * high) for x, y, r in puffs))
    for _ in range(9):
        x, y, r = look.rng.choice(puffs)
        x, y = x + look.rng.uniform(-0.5, 0.4) * r, y + look.rng.uniform(-0.4, 0.3) * r
        pen.flat(lighter(look.colour, 0.28), curve(0.025, (x - 0.05, y + 0.01), (x, y - 0.012), (x + 0.05, y + 0.01)))


def flower(pen: Pen, look: Look) -> None:
    """A flower: petals in its colour on a stem with leaves."""
    ry = pen.width / pen.height
    pen.flat(darker(LEAF, 0.1), curve(0.09, (0.5, 0.4), (0.47, 0.7), (0.5, 0.98)))
    pen.fill(
        LEAF,
        blob((0.5, 0.86), (0.30, 0.66), (0.06, 0.62), (0.20, 0.82)),
        blob((0.5, 0.80), (0.70, 0.62), (0.94, 0.58), (0.80, 0.76)),
        shade=False,
    )
    cy = 0.44 * ry
    count = look.rng.choice((5, 6, 8))
    size = {5: 0.20, 6: 0.18, 8: 0.15}[count]
    petals = []
    for k in range(count):
        a = 2 * pi * k / count - pi / 2
        x, y = 0.5 + 0.27 * cos(a), cy + 0.27 * sin(a) * ry
        petals.append(oval(round(x - size, 4), round(y - size * ry, 4), round(x + size, 4), round(y + size * ry, 4)))
    pen.fill(look.colour, *petals)
    core = (250, 200, 70) if not (look.colour[0] > 225 and look.colour[2] < 120) else (150, 92, 50)
    pen.fill(core, oval(0.36, round(cy - 0.14 * ry, 4), 0.64, round(cy + 0.14 * ry, 4)), shade=False)


def fence(pen: Pen, look: Look) -> None:
    """A fence: pointed pales, or metal bars with round tops."""
    step = 0.30 * pen.height / pen.width
    count = max(3, round(1 / step))
    step = 1 / count
    rail = replace(look.surface, colour=darker(look.colour, 0.12))
    pen.fill(rail, slab(0.0, 0.30, 1.0, 0.40, 0.1), slab(0.0, 0.70, 1.0, 0.80, 0.1), shade=False)
    for k in range(count):
        x = k * step + 0.14 * step
        wide = 0.70 * step
        if look.surface.material == "metal":
            pen.fill(
                look.colour,
                slab(x + wide * 0.3, 0.10, x + wide * 0.7, 1.0, 0.1),
                oval(x + wide * 0.15, 0.0, x + wide * 0.85, 0.14),
                shade=False,
            )
        else:
            pen.fill(
                look.surface,
                poly((x, 0.16), (x + wide / 2, 0.0), (x + wide, 0.16), (x + wide, 1.0), (x, 1.0)),
                shade=False,
            )


def umbrella(pen: Pen, look: Look) -> None:
    """An umbrella: a dome on a stick if open, a furled cone with a hook if closed."""
    if "closed" in look:
        pen.flat(STEEL, limb(0.10, (0.5, 0.0), (0.5, 0.10)))
        pen.fill(WOOD, curve(0.16, (0.5, 0.74), (0.5, 0.86), (0.56, 0.96), (0.80, 0.95), (0.88, 0.84)), shade=False)
        pen.fill(
            look.surface,
            blob(
                (0.5, 0.05),
                (0.62, 0.16),
                (0.90, 0.68),
                (0.78, 0.78),
                (0.5, 0.74),
                (0.22, 0.78),
                (0.10, 0.68),
                (0.38, 0.16),
            ),
        )
        pen.flat(
            darker(look.colour, 0.35),
            limb(0.03, (0.44, 0.16), (0.34, 0.74)),
            limb(0.03, (0.56, 0.16), (0.66, 0.74)),
            limb(0.09, (0.21, 0.48), (0.79, 0.48)),
        )
        return
    pen.flat(darker(STEEL, 0.3), limb(0.028, (0.5, 0.0), (0.5, 0.92)))
    pen.flat(WOOD, curve(0.045, (0.5, 0.86), (0.5, 0.95), (0.55, 0.98), (0.60, 0.93)))
    dome = blob(
        (0.0, 0.46),
        (0.05, 0.28),
        (0.24, 0.10),
        (0.5, 0.04),
        (0.76, 0.10),
        (0.95, 0.28),
        (1.0, 0.46),
        (0.88, 0.41),
        (0.75, 0.46),
        (0.62, 0.41),
        (0.5, 0.46),
        (0.38, 0.41),
        (0.25, 0.46),
        (0.12, 0.41),
    )
    pen.fill(look.surface, dome)
    pen.flat(
        darker(look.colour, 0.28),
        *(curve(0.012, (0.5, 0.05), (0.5 + dx * 0.75, 0.2), (0.5 + dx, 0.455)) for dx in (-0.25, 0.25)),
        limb(0.012, (0.5, 0.05), (0.5, 0.455)),
    )


def traffic_light(pen: Pen, look: Look) -> None:
    """A traffic light on a pole; if on, one of the three lamps shines."""
    pen.fill(STEEL, slab(0.42, 0.40, 0.58, 1.0, 0.2), slab(0.28, 0.96, 0.72, 1.0, 0.3), shade=False)
    pen.fill(look.colour, slab(0.0, 0.0, 1.0, 0.58, 0.2))
    lit = look.rng.randrange(3) if "on" in look else -1
    ry = pen.width / pen.height
    for k, tone in enumerate(((236, 60, 50), (252, 200, 60), (70, 206, 100))):
        y = 0.10 + 0.19 * k
        if k == lit:
            pen.dot(lighter(tone, 0.55), (0.5, y), 0.33)
            pen.dot(tone, (0.5, y), 0.27)
            pen.dot(WHITE, (0.42, y - 0.07 * ry), 0.07)
        else:
            pen.dot(darker(tone, 0.72), (0.5, y), 0.27)


def stop_sign(pen: Pen, look: Look) -> None:
    """A stop sign: a red octagon with the word, on a pole."""
    pen.fill(STEEL, slab(0.45, 0.30, 0.55, 1.0, 0.2), shade=False)
    ry = pen.width / pen.height

    def octagon(r: float) -> Path:
        return poly(
            *((0.5 + r * cos(pi / 8 + k * pi / 4), 0.475 * ry + r * sin(pi / 8 + k * pi / 4) * ry) for k in range(8))
        )

    pen.fill(WHITE, octagon(0.54), shade=False)
    pen.fill(look.colour, octagon(0.48))
    if not pen.dry:
        x, y = pen.at((0.5, 0.475 * ry))
        pen.draw.text(
            (x, y),
            "STOP",
            fill=WHITE,
            font=ImageFont.load_default(0.30 * pen.width),
            anchor="mm",
            stroke_width=max(1, round(0.008 * pen.width)),
            stroke_fill=WHITE,
        )


def kite(pen: Pen, look: Look) -> None:
    """A kite: a diamond with a tail of bows."""
    pen.flat(INK, curve(0.02, (0.5, 0.62), (0.38, 0.74), (0.56, 0.86), (0.44, 0.98)))
    for x, y in ((0.42, 0.72), (0.52, 0.84), (0.45, 0.955)):
        pen.fill(
            lighter(look.colour, 0.3),
            poly((x, y), (x - 0.12, y - 0.04), (x - 0.12, y + 0.04)),
            poly((x, y), (x + 0.12, y - 0.04), (x + 0.12, y + 0.04)),
            shade=False,
        )
    pen.fill(look.surface, poly((0.5, 0.0), (1.0, 0.26), (0.5, 0.66), (0.0, 0.26)), shade=False)
    if look.surface.pattern == "plain":
        pen.flat(
            darker(look.colour, 0.18),
            poly((0.5, 0.0), (1.0, 0.26), (0.5, 0.26)),
            poly((0.5, 0.66), (0.0, 0.26), (0.5, 0.26)),
        )
    pen.flat(darker(look.colour, 0.45), limb(0.02, (0.5, 0.0), (0.5, 0.66)), limb(0.02, (0.0, 0.26), (1.0, 0.26)))


def ball(pen: Pen, look: Look) -> None:
    """A ball: plain with seams, striped or spotted."""
    pen.fill(look.surface, oval(0.0, 0.0, 1.0, 1.0))
    seam = darker(look.colour, 0.35) if brightness(look.colour) > 0.4 else lighter(look.colour, 0.3)
    if look.surface.pattern != "striped" and look.surface.pattern != "spotted":
        pen.flat(
            seam,
            curve(0.03, (0.12, 0.18), (0.40, 0.42), (0.44, 0.99)),
            curve(0.03, (0.02, 0.62), (0.40, 0.42), (0.80, 0.12)),
            curve(0.03, (0.40, 0.42), (0.72, 0.62), (0.94, 0.72)),
        )
    pen.flat(lighter(look.colour, 0.6), oval(0.20, 0.16, 0.36, 0.28))


def surfboard(pen: Pen, look: Look) -> None:
    """A surfboard: standing on its tail, or lying on the water."""
    line = darker(look.colour, 0.35) if brightness(look.colour) > 0.4 else lighter(look.colour, 0.4)
    if pen.width > pen.height:
        pen.flat(
            (238, 248, 250),
            blob(
                (0.0, 0.80),
                (0.15, 0.62),
                (0.5, 0.70),
                (0.85, 0.62),
                (1.0, 0.80),
                (0.75, 0.98),
                (0.5, 1.0),
                (0.25, 0.98),
            ),
            alpha=215,
        )
        pen.fill(
            look.surface,
            blob(
                (0.02, 0.46),
                (0.16, 0.26),
                (0.5, 0.20),
                (0.84, 0.14),
                (1.0, 0.0),
                (0.93, 0.34),
                (0.74, 0.62),
                (0.40, 0.72),
                (0.12, 0.66),
            ),
        )
        pen.flat(line, curve(0.05, (0.05, 0.48), (0.5, 0.42), (0.95, 0.12)))
        return
    pen.fill(
        look.surface,
        blob(
            (0.5, 0.0),
            (0.80, 0.12),
            (1.0, 0.42),
            (0.94, 0.72),
            (0.68, 0.97),
            (0.5, 1.0),
            (0.32, 0.97),
            (0.06, 0.72),
            (0.0, 0.42),
            (0.20, 0.12),
        ),
    )
    pen.flat(line, limb(0.05, (0.5, 0.03), (0.5, 0.97)))
    pen.flat(line, oval(0.36, 0.76, 0.64, 0.84), alpha=150)


def skateboard(pen: Pen, look: Look) -> None:
    """A skateboard from the side: a bent deck on four wheels."""
    for x in (0.22, 0.78):
        pen.flat(STEEL, limb(0.12, (x, 0.42), (x, 0.66)))
        r = 0.28
        rx = r * pen.short / pen.width
        pen.fill(
            (244, 226, 170),
            oval(x - rx - 0.045, 0.44, x + rx - 0.045, 1.0),
            oval(x - rx + 0.045, 0.44, x + rx + 0.045, 1.0),
        )
        pen.dot(darker(STEEL, 0.3), (x - 0.045, 0.72), 0.09)
        pen.dot(darker(STEEL, 0.3), (x + 0.045, 0.72), 0.09)
    pen.fill(
        look.surface,
        blob(
            (0.0, 0.06),
            (0.03, 0.0),
            (0.16, 0.20),
            (0.5, 0.24),
            (0.84, 0.20),
            (0.97, 0.0),
            (1.0, 0.06),
            (0.90, 0.40),
            (0.80, 0.50),
            (0.5, 0.52),
            (0.20, 0.50),
            (0.10, 0.40),
        ),
    )


SKETCHES: Sketches = {
    "tree": tree,
    "flower": flower,
    "fence": fence,
    "umbrella": umbrella,
    "traffic light": traffic_light,
    "stop sign": stop_sign,
    "kite": kite,
    "ball": ball,
    "surfboard": surfboard,
    "skateboard": skateboard,
}
