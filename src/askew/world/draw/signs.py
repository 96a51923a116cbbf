"""What stands at the road: traffic lights and stop signs."""

from __future__ import annotations

from math import cos, pi, sin

from PIL import ImageFont

from askew.world.draw.look import Look, Sketches
from askew.world.draw.palette import STEEL, WHITE, darker, lighter
from askew.world.draw.pen import Path, Pen, poly, slab


def traffic_light(pen: Pen, look: Look) -> None:
    """A traffic light on a pole; on, one of the three lamps shines."""
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


SKETCHES: Sketches = {"traffic light": traffic_light, "stop sign": stop_sign}
