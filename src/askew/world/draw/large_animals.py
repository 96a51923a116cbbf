"""Large animals, from the side, facing right."""

from __future__ import annotations

from dataclasses import replace

from askew.world.draw.pen import Look, Pen, Sketches, blob, curve, limb, oval, poly
from askew.world.draw.small_animals import coat_of, eye, far_legs, gallop
from askew.world.draw.surface import INK, WHITE, Rgb, Surface, brightness, darker, lighter, mix


def horse(pen: Pen, look: Look) -> None:
    """A horse with mane and long tail."""
    _equine(
        pen,
        look,
        coat_of(look),
        darker(look.colour, 0.45) if brightness(look.colour) > 0.35 else lighter(look.colour, 0.25),
    )


def zebra(pen: Pen, look: Look) -> None:
    """A zebra: striped black on white with a standing mane."""
    white: Rgb = (246, 244, 238)
    _equine(pen, replace(look, colour=white), Surface(white, "zebra", other=INK), INK)


def _equine(pen: Pen, look: Look, coat: Surface, mane: Rgb) -> None:
    run = "running" in look
    far = (
        gallop(True, 0.20, 0.56, 0.58, 0.09)
        if run
        else (limb(0.085, (0.28, 0.58), (0.30, 0.76), (0.28, 0.95)), limb(0.085, (0.56, 0.58), (0.57, 0.95)))
    )
    far_legs(pen, look, far)
    pen.fill(mane, curve(0.09, (0.13, 0.46), (0.05, 0.52), (0.04, 0.72)), shade=False)
    near = (
        gallop(False, 0.18, 0.60, 0.58, 0.095)
        if run
        else (limb(0.095, (0.18, 0.56), (0.15, 0.74), (0.17, 0.95)), limb(0.095, (0.64, 0.58), (0.66, 0.95)))
    )
    pen.fill(
        coat,
        blob(
            (0.10, 0.50),
            (0.20, 0.41),
            (0.42, 0.44),
            (0.62, 0.40),
            (0.72, 0.48),
            (0.68, 0.64),
            (0.44, 0.64),
            (0.20, 0.66),
        ),
        *near,
        blob((0.56, 0.46), (0.64, 0.28), (0.74, 0.10), (0.86, 0.12), (0.82, 0.30), (0.74, 0.50), (0.66, 0.60)),
        blob((0.74, 0.06), (0.84, 0.05), (0.94, 0.20), (0.99, 0.28), (0.95, 0.34), (0.86, 0.30), (0.76, 0.22)),
        poly((0.755, 0.09), (0.77, 0.0), (0.80, 0.07)),
    )
    pen.fill(
        mane,
        blob((0.74, 0.02), (0.70, 0.08), (0.60, 0.26), (0.53, 0.42), (0.58, 0.42), (0.68, 0.28), (0.77, 0.10)),
        shade=False,
    )
    pen.flat(
        mix(look.colour, INK, 0.5),
        limb(0.095, (0.66, 0.945), (0.66, 0.95)) if not run else limb(0.09, (0.84, 0.93), (0.84, 0.93)),
    )
    eye(pen, (0.845, 0.15), 0.018, look)
    pen.dot(darker(look.colour, 0.6), (0.965, 0.275), 0.012)


def cow(pen: Pen, look: Look) -> None:
    """A cow with horns, a pink muzzle and an udder."""
    coat = coat_of(look)
    pink: Rgb = (240, 176, 168)
    if "lying" in look:
        pen.fill(
            coat,
            blob(
                (0.03, 0.86),
                (0.06, 0.50),
                (0.24, 0.34),
                (0.56, 0.36),
                (0.74, 0.52),
                (0.76, 0.92),
                (0.4, 0.98),
                (0.10, 0.97),
            ),
            limb(0.15, (0.60, 0.92), (0.86, 0.92)),
        )
    else:
        far_legs(pen, look, (limb(0.12, (0.26, 0.6), (0.27, 0.94)), limb(0.12, (0.60, 0.6), (0.60, 0.94))))
        pen.fill(pink, oval(0.24, 0.62, 0.38, 0.78), shade=False)
        pen.fill(
            coat,
            blob(
                (0.06, 0.36),
                (0.10, 0.26),
                (0.40, 0.27),
                (0.70, 0.22),
                (0.78, 0.40),
                (0.72, 0.66),
                (0.44, 0.70),
                (0.14, 0.66),
                (0.06, 0.54),
            ),
            limb(0.13, (0.14, 0.56), (0.14, 0.94)),
            limb(0.13, (0.68, 0.56), (0.69, 0.94)),
        )
        pen.fill(look.colour, curve(0.05, (0.07, 0.34), (0.02, 0.44), (0.03, 0.64)), shade=False)
        pen.dot(darker(look.colour, 0.4), (0.03, 0.66), 0.05)
    y = 0.0 if "lying" not in look else 0.02
    horn = (226, 214, 186)
    pen.fill(
        horn,
        curve(0.045, (0.73, y + 0.15), (0.69, y + 0.08), (0.72, y + 0.01)),
        curve(0.045, (0.87, y + 0.15), (0.92, y + 0.08), (0.89, y + 0.01)),
        shade=False,
    )
    pen.fill(
        replace(coat, pattern="plain"),
        blob((0.70, y + 0.16), (0.60, y + 0.20), (0.66, y + 0.28)),
        blob((0.90, y + 0.16), (0.99, y + 0.20), (0.93, y + 0.28)),
        blob(
            (0.69, y + 0.14), (0.80, y + 0.10), (0.91, y + 0.14), (0.90, y + 0.38), (0.80, y + 0.48), (0.70, y + 0.38)
        ),
    )
    pen.fill(
        pink,
        blob(
            (0.70, y + 0.40), (0.80, y + 0.34), (0.90, y + 0.40), (0.88, y + 0.52), (0.80, y + 0.55), (0.72, y + 0.52)
        ),
        shade=False,
    )
    for side in (0.75, 0.85):
        eye(pen, (side, y + 0.26), 0.025, look)
        pen.dot((176, 100, 100), (side, y + 0.45), 0.02)


def sheep(pen: Pen, look: Look) -> None:
    """A sheep: a woolly cloud with a dark face."""
    face: Rgb = (92, 78, 74) if brightness(look.colour) > 0.4 else (206, 190, 176)
    floor = 0.94
    if "lying" not in look:
        pen.fill(darker(face, 0.2), *(limb(0.09, (x, 0.7), (x, floor)) for x in (0.24, 0.36, 0.56, 0.67)), shade=False)
    top, low = (0.06, 0.78) if "lying" not in look else (0.08, 0.98)
    tall = low - top
    puffs = [
        (0.14, 0.5),
        (0.2, 0.24),
        (0.36, 0.16),
        (0.54, 0.17),
        (0.68, 0.28),
        (0.74, 0.54),
        (0.64, 0.78),
        (0.46, 0.83),
        (0.28, 0.80),
    ]
    r = 0.145
    pen.fill(
        look.surface,
        oval(0.12, top + 0.1 * tall, 0.78, low - 0.06 * tall),
        *(oval(x - r, top + y * tall - r * 1.15, x + r, top + y * tall + r * 1.15) for x, y in puffs),
    )
    for x, y in ((0.34, 0.42), (0.52, 0.55), (0.30, 0.64), (0.56, 0.32)):
        pen.flat(
            darker(look.colour, 0.14),
            curve(0.025, (x - 0.06, top + y * tall), (x, top + y * tall + 0.06), (x + 0.06, top + y * tall)),
        )
    pen.fill(
        face,
        blob(
            (0.74, top + 0.14),
            (0.88, top + 0.12),
            (0.98, top + 0.32),
            (0.96, top + 0.46),
            (0.84, top + 0.44),
            (0.74, top + 0.32),
        ),
        blob((0.76, top + 0.20), (0.66, top + 0.24), (0.64, top + 0.34), (0.74, top + 0.30)),
    )
    pen.fill(look.colour, oval(0.70, top - 0.01, 0.90, top + 0.18), shade=False)
    pen.dot(WHITE, (0.87, top + 0.24), 0.03)
    pen.dot(INK, (0.875, top + 0.24), 0.018)


def elephant(pen: Pen, look: Look) -> None:
    """An elephant with a large ear, trunk and tusk."""
    far_legs(pen, look, (limb(0.16, (0.30, 0.6), (0.30, 0.90)), limb(0.16, (0.56, 0.6), (0.56, 0.90))))
    pen.fill(
        look.surface,
        blob(
            (0.04, 0.52),
            (0.08, 0.22),
            (0.30, 0.06),
            (0.54, 0.08),
            (0.68, 0.24),
            (0.68, 0.60),
            (0.50, 0.70),
            (0.20, 0.70),
        ),
        limb(0.18, (0.17, 0.6), (0.17, 0.89)),
        limb(0.18, (0.62, 0.55), (0.64, 0.89)),
        blob((0.58, 0.14), (0.72, 0.04), (0.86, 0.10), (0.90, 0.30), (0.82, 0.48), (0.66, 0.46)),
        curve(0.13, (0.82, 0.30), (0.90, 0.48), (0.89, 0.68), (0.93, 0.78)),
    )
    pen.fill((246, 240, 222), curve(0.045, (0.80, 0.46), (0.84, 0.55), (0.93, 0.54)), shade=False)
    pen.fill(
        darker(look.colour, 0.14),
        blob((0.56, 0.16), (0.66, 0.12), (0.72, 0.26), (0.70, 0.44), (0.60, 0.54), (0.51, 0.42), (0.50, 0.26)),
        shade=False,
    )
    pen.flat(darker(look.colour, 0.3), curve(0.035, (0.06, 0.36), (0.02, 0.46), (0.03, 0.58)))
    for y in (0.52, 0.59, 0.66):
        pen.flat(darker(look.colour, 0.25), limb(0.014, (0.86, y), (0.93, y - 0.01)))
    for x in (0.13, 0.17, 0.21, 0.60, 0.64, 0.68):
        pen.dot(lighter(look.colour, 0.6), (x, 0.955), 0.018)
    eye(pen, (0.80, 0.22), 0.018, look)


def giraffe(pen: Pen, look: Look) -> None:
    """A giraffe: a long neck, brown patches on sand."""
    sand: Rgb = (240, 200, 120)
    coat = Surface(sand, "reticle", other=(166, 104, 56))
    far_legs(
        pen,
        replace(look, colour=sand),
        (limb(0.075, (0.28, 0.6), (0.30, 0.97)), limb(0.075, (0.52, 0.6), (0.52, 0.97))),
    )
    pen.fill((150, 94, 52), curve(0.03, (0.09, 0.52), (0.04, 0.60), (0.05, 0.70)), shade=False)
    pen.fill(
        coat,
        blob(
            (0.08, 0.56),
            (0.16, 0.48),
            (0.40, 0.46),
            (0.58, 0.42),
            (0.64, 0.54),
            (0.54, 0.64),
            (0.30, 0.66),
            (0.12, 0.66),
        ),
        blob((0.42, 0.50), (0.56, 0.36), (0.66, 0.08), (0.74, 0.06), (0.78, 0.12), (0.70, 0.38), (0.62, 0.58)),
        limb(0.085, (0.17, 0.6), (0.16, 0.97)),
        limb(0.085, (0.57, 0.58), (0.60, 0.97)),
    )
    pen.fill(
        sand,
        blob((0.66, 0.06), (0.76, 0.04), (0.88, 0.10), (0.99, 0.15), (0.97, 0.185), (0.82, 0.18), (0.70, 0.14)),
        poly((0.66, 0.08), (0.55, 0.06), (0.66, 0.11)),
    )
    for x in (0.70, 0.76):
        pen.flat((120, 76, 46), limb(0.03, (x, 0.06), (x - 0.01, 0.015)))
        pen.dot((120, 76, 46), (x - 0.01, 0.014), 0.028)
    pen.dot(INK, (0.80, 0.085), 0.022)
    pen.dot((120, 76, 46), (0.95, 0.15), 0.014)


SKETCHES: Sketches = {
    "horse": horse,
    "zebra": zebra,
    "cow": cow,
    "sheep": sheep,
    "elephant": elephant,
    "giraffe": giraffe,
}
