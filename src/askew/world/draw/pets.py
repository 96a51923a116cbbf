"""Dogs and cats, from the side, looking right."""

from __future__ import annotations

from dataclasses import replace

from askew.world.draw.coats import coat_of, far_legs, gallop
from askew.world.draw.palette import INK, WHITE, Rgb, brightness, darker, lighter, mix
from askew.world.draw.pen import Look, Pen, Point, Sketches, blob, curve, limb, oval, poly
from askew.world.draw.surface import Surface


def dog(pen: Pen, look: Look) -> None:
    """A dog with hanging ears, a muzzle and a lifted tail."""
    coat, dark = (
        coat_of(look),
        darker(look.colour, 0.30) if brightness(look.colour) > 0.3 else lighter(look.colour, 0.2),
    )
    if "sitting" in look:
        pen.fill(
            coat,
            curve(0.12, (0.16, 0.90), (0.04, 0.84), (0.03, 0.70)),
            blob((0.16, 0.94), (0.16, 0.66), (0.34, 0.42), (0.56, 0.32), (0.78, 0.40), (0.80, 0.66), (0.74, 0.94)),
            limb(0.15, (0.74, 0.55), (0.76, 0.92)),
            limb(0.15, (0.76, 0.92), (0.84, 0.93)),
            limb(0.15, (0.30, 0.92), (0.50, 0.93)),
            poly((0.46, 0.44), (0.50, 0.14), (0.80, 0.20), (0.80, 0.50)),
        )
        head = (0.40, 0.0, 0.60)
    elif "lying" in look:
        pen.fill(
            coat,
            blob((0.04, 0.90), (0.06, 0.55), (0.26, 0.42), (0.60, 0.46), (0.74, 0.70), (0.72, 0.94), (0.3, 0.97)),
            limb(0.17, (0.60, 0.86), (0.90, 0.90)),
            curve(0.13, (0.08, 0.86), (0.0, 0.80), (0.02, 0.60)),
        )
        head = (0.52, 0.0, 0.48)
    else:
        run = "running" in look
        far = (
            gallop(True, 0.20, 0.60, 0.58, 0.12)
            if run
            else (limb(0.12, (0.32, 0.6), (0.33, 0.94)), limb(0.12, (0.56, 0.6), (0.57, 0.94)))
        )
        far_legs(pen, look, far)
        near = (
            gallop(False, 0.20, 0.60, 0.58, 0.13)
            if run
            else (limb(0.14, (0.20, 0.58), (0.18, 0.76), (0.20, 0.94)), limb(0.14, (0.65, 0.58), (0.66, 0.94)))
        )
        pen.fill(
            coat,
            curve(0.10, (0.14, 0.46), (0.05, 0.34), (0.06, 0.14)),
            blob(
                (0.10, 0.50),
                (0.26, 0.38),
                (0.52, 0.40),
                (0.70, 0.36),
                (0.76, 0.54),
                (0.66, 0.70),
                (0.42, 0.66),
                (0.18, 0.70),
            ),
            poly((0.56, 0.44), (0.66, 0.2), (0.82, 0.3), (0.75, 0.58)),
            *near,
        )
        head = (0.58, 0.0, 0.42)
    _dog_head(pen, look, coat, dark, head)


def _dog_head(pen: Pen, look: Look, coat: Surface, dark: Rgb, place: tuple[float, float, float]) -> None:
    x, y, size = place
    tall = size * pen.width / pen.height

    def p(a: float, b: float) -> Point:
        return x + a * size, y + b * tall

    pen.fill(
        replace(coat, pattern="plain"),
        blob(
            p(0.10, 0.40),
            p(0.22, 0.12),
            p(0.46, 0.04),
            p(0.66, 0.20),
            p(0.94, 0.36),
            p(0.98, 0.58),
            p(0.72, 0.72),
            p(0.40, 0.78),
            p(0.16, 0.66),
        ),
    )
    pen.flat(lighter(look.colour, 0.45), blob(p(0.66, 0.40), p(0.92, 0.42), p(0.95, 0.58), p(0.70, 0.66)))
    pen.fill(
        dark,
        blob(p(0.20, 0.14), p(0.34, 0.12), p(0.36, 0.44), p(0.22, 0.76), p(0.08, 0.66), p(0.06, 0.36)),
        shade=False,
    )
    head = 0.5 * size * pen.width / pen.short
    pen.dot(INK, p(0.93, 0.42), 0.16 * head)
    pen.dot(WHITE, p(0.58, 0.36), 0.13 * head)
    pen.dot(INK, p(0.60, 0.36), 0.10 * head)
    pen.flat(INK, curve(0.05 * head, p(0.90, 0.56), p(0.80, 0.64), p(0.68, 0.62)))


def cat(pen: Pen, look: Look) -> None:
    """A cat with pointed ears, whiskers and a long tail."""
    coat = coat_of(look)
    if "sitting" in look:
        pen.fill(
            coat,
            curve(0.11, (0.22, 0.92), (0.02, 0.88), (0.03, 0.62), (0.12, 0.52)),
            blob(
                (0.18, 0.95),
                (0.16, 0.70),
                (0.34, 0.44),
                (0.56, 0.36),
                (0.80, 0.44),
                (0.82, 0.74),
                (0.78, 0.96),
                (0.5, 0.98),
            ),
            limb(0.13, (0.66, 0.66), (0.68, 0.94)),
        )
        head = (0.36, 0.0, 0.60)
    elif "lying" in look:
        pen.fill(
            coat,
            blob((0.10, 0.94), (0.08, 0.64), (0.26, 0.46), (0.58, 0.46), (0.80, 0.66), (0.84, 0.94), (0.45, 0.99)),
            curve(0.14, (0.12, 0.90), (0.02, 0.80), (0.04, 0.50), (0.10, 0.40)),
            limb(0.15, (0.70, 0.90), (0.92, 0.91)),
        )
        head = (0.56, 0.0, 0.40)
    else:
        far_legs(pen, look, (limb(0.11, (0.34, 0.6), (0.35, 0.95)), limb(0.11, (0.60, 0.6), (0.59, 0.95))))
        pen.fill(
            coat,
            curve(0.09, (0.20, 0.54), (0.05, 0.44), (0.06, 0.20), (0.13, 0.08)),
            blob(
                (0.16, 0.56),
                (0.30, 0.46),
                (0.52, 0.47),
                (0.70, 0.42),
                (0.78, 0.58),
                (0.68, 0.74),
                (0.42, 0.70),
                (0.22, 0.74),
            ),
            limb(0.12, (0.24, 0.62), (0.23, 0.95)),
            limb(0.12, (0.68, 0.62), (0.70, 0.95)),
        )
        head = (0.58, 0.0, 0.42)
    _cat_head(pen, look, head)


def _cat_head(pen: Pen, look: Look, place: tuple[float, float, float]) -> None:
    x, y, size = place
    tall = size * pen.width / pen.height

    def p(a: float, b: float) -> Point:
        return x + a * size, y + b * tall * 0.9

    pen.fill(
        look.colour,
        poly(p(0.06, 0.46), p(0.08, 0.0), p(0.42, 0.22)),
        poly(p(0.94, 0.46), p(0.92, 0.0), p(0.58, 0.22)),
        blob(
            p(0.02, 0.56),
            p(0.14, 0.28),
            p(0.5, 0.18),
            p(0.86, 0.28),
            p(0.98, 0.56),
            p(0.78, 0.86),
            p(0.5, 0.94),
            p(0.22, 0.86),
        ),
    )
    head = 0.5 * size * pen.width / pen.short
    inner = (236, 160, 160)
    pen.flat(
        inner, poly(p(0.13, 0.30), p(0.14, 0.12), p(0.30, 0.24)), poly(p(0.87, 0.30), p(0.86, 0.12), p(0.70, 0.24))
    )
    for side in (0.32, 0.68):
        pen.dot((170, 206, 110), p(side, 0.50), 0.17 * head)
        pen.flat(INK, oval(*p(side - 0.035, 0.42), *p(side + 0.035, 0.58)))
    pen.flat(inner, poly(p(0.44, 0.64), p(0.56, 0.64), p(0.5, 0.71)))
    line = mix(look.colour, INK if brightness(look.colour) > 0.4 else WHITE, 0.6)
    pen.flat(line, curve(0.04 * head, p(0.40, 0.78), p(0.45, 0.80), p(0.5, 0.72), p(0.55, 0.80), p(0.60, 0.78)))
    for a, b in ((0.60, 0.66), (0.70, 0.74)):
        pen.flat(
            line, limb(0.03 * head, p(0.66, a), p(0.92, b - 0.06)), limb(0.03 * head, p(0.34, a), p(0.08, b - 0.06))
        )


SKETCHES: Sketches = {"dog": dog, "cat": cat}
