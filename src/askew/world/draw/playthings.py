"""Kites, balls and boards."""

from __future__ import annotations

from askew.world.draw.palette import INK, STEEL, brightness, darker, lighter
from askew.world.draw.pen import Look, Pen, Sketches, blob, curve, limb, oval, poly


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


SKETCHES: Sketches = {"kite": kite, "ball": ball, "surfboard": surfboard, "skateboard": skateboard}
