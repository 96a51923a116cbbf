"""Birds, ducks and fish, from the side, looking right."""

from __future__ import annotations

from askew.world.draw.coats import eye
from askew.world.draw.palette import INK, WHITE, Rgb, darker, lighter
from askew.world.draw.pen import Look, Pen, Point, Sketches, blob, curve, limb, poly

BEAK: Rgb = (240, 160, 50)


def bird(pen: Pen, look: Look) -> None:
    """A small round bird; flying, with spread wings."""
    dark = darker(look.colour, 0.25)
    if "flying" in look:
        pen.fill(dark, blob((0.44, 0.52), (0.36, 0.20), (0.16, 0.0), (0.22, 0.30), (0.34, 0.56)), shade=False)
        pen.fill(
            look.surface,
            poly((0.24, 0.56), (0.0, 0.50), (0.02, 0.66), (0.12, 0.74), (0.30, 0.68)),
            blob(
                (0.16, 0.60),
                (0.40, 0.48),
                (0.66, 0.46),
                (0.76, 0.38),
                (0.90, 0.42),
                (0.90, 0.60),
                (0.70, 0.76),
                (0.42, 0.78),
            ),
        )
        pen.fill(
            lighter(look.colour, 0.2),
            blob((0.62, 0.54), (0.66, 0.20), (0.56, 0.02), (0.44, 0.26), (0.36, 0.60), (0.48, 0.66)),
        )
        pen.fill(BEAK, poly((0.90, 0.46), (1.0, 0.53), (0.90, 0.58)), shade=False)
        eye(pen, (0.81, 0.49), 0.035, look)
        return
    pen.flat(
        BEAK,
        limb(0.045, (0.46, 0.8), (0.45, 0.98)),
        limb(0.045, (0.60, 0.8), (0.61, 0.98)),
        limb(0.04, (0.43, 0.98), (0.52, 0.98)),
        limb(0.04, (0.59, 0.98), (0.69, 0.98)),
    )
    pen.fill(
        look.surface,
        poly((0.22, 0.50), (0.0, 0.62), (0.06, 0.74), (0.30, 0.72)),
        blob(
            (0.18, 0.62),
            (0.34, 0.38),
            (0.54, 0.14),
            (0.72, 0.04),
            (0.88, 0.14),
            (0.90, 0.32),
            (0.80, 0.62),
            (0.58, 0.84),
            (0.32, 0.80),
        ),
    )
    pen.flat(lighter(look.colour, 0.5), blob((0.86, 0.40), (0.78, 0.64), (0.60, 0.80), (0.62, 0.60), (0.74, 0.44)))
    pen.fill(dark, blob((0.12, 0.66), (0.34, 0.46), (0.58, 0.44), (0.60, 0.60), (0.42, 0.74)), shade=False)
    pen.fill(BEAK, poly((0.89, 0.18), (1.0, 0.25), (0.89, 0.31)), shade=False)
    eye(pen, (0.76, 0.19), 0.04, look)


def duck(pen: Pen, look: Look) -> None:
    """A duck with a broad bill; swimming, with ripples."""
    swim = "swimming" in look
    scale = 1.0 if not swim else 1.12

    def p(x: float, y: float) -> Point:
        return x, y * scale

    if not swim:
        for x in (0.40, 0.56):
            pen.flat(BEAK, limb(0.05, (x, 0.8), (x, 0.96)), poly((x - 0.04, 1.0), (x + 0.14, 1.0), (x + 0.02, 0.92)))
    pen.fill(
        look.surface,
        blob(
            p(0.02, 0.40),
            p(0.12, 0.50),
            p(0.36, 0.50),
            p(0.56, 0.46),
            p(0.60, 0.26),
            p(0.62, 0.08),
            p(0.76, 0.0),
            p(0.88, 0.10),
            p(0.86, 0.26),
            p(0.80, 0.40),
            p(0.86, 0.60),
            p(0.74, 0.80),
            p(0.44, 0.86),
            p(0.18, 0.76),
        ),
    )
    pen.fill(BEAK, blob(p(0.86, 0.14), p(0.98, 0.20), p(1.0, 0.26), p(0.86, 0.27)), shade=False)
    pen.fill(
        darker(look.colour, 0.16),
        blob(p(0.16, 0.56), p(0.40, 0.54), p(0.62, 0.58), p(0.54, 0.72), p(0.30, 0.74)),
        shade=False,
    )
    eye(pen, p(0.76, 0.11), 0.035, look)
    if swim:
        pen.flat(
            (226, 240, 246),
            blob((0.06, 0.93), (0.3, 0.87), (0.6, 0.89), (0.92, 0.92), (0.7, 1.0), (0.3, 1.0)),
            alpha=170,
        )


def fish(pen: Pen, look: Look) -> None:
    """A fish with fins and a forked tail."""
    fin = darker(look.colour, 0.22)
    pen.fill(
        fin,
        blob((0.40, 0.22), (0.54, 0.0), (0.72, 0.08), (0.66, 0.26)),
        poly((0.48, 0.78), (0.44, 1.0), (0.64, 0.82)),
        shade=False,
    )
    pen.fill(
        look.surface,
        poly((0.26, 0.5), (0.02, 0.12), (0.08, 0.5), (0.02, 0.90)),
        blob(
            (0.20, 0.5), (0.40, 0.22), (0.68, 0.14), (0.90, 0.30), (0.99, 0.5), (0.90, 0.70), (0.68, 0.88), (0.40, 0.78)
        ),
    )
    pen.flat(
        fin,
        curve(0.03, (0.76, 0.30), (0.70, 0.5), (0.76, 0.72)),
        blob((0.52, 0.5), (0.62, 0.44), (0.64, 0.58), (0.54, 0.64)),
    )
    pen.dot(WHITE, (0.85, 0.42), 0.085)
    pen.dot(INK, (0.86, 0.42), 0.05)


SKETCHES: Sketches = {"bird": bird, "duck": duck, "fish": fish}
