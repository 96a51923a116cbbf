"""Food, and the vessels and plates it is served on: full and empty, clean and dirty."""

from __future__ import annotations

from dataclasses import replace

from askew.world.draw.pen import Look, Path, Pen, Sketches, blob, curve, limb, oval, poly, slab
from askew.world.draw.surface import GLASS, INK, LEAF, PAPER, WHITE, Rgb, darker, lighter, mix

DRINK: Rgb = (128, 70, 40)


def vase(pen: Pen, look: Look) -> None:
    """A vase with a narrow neck."""
    wide = look.rng.uniform(0.0, 0.06)
    pen.fill(
        look.surface,
        blob(
            (0.26, 0.02),
            (0.5, 0.0),
            (0.74, 0.02),
            (0.66, 0.16),
            (0.72, 0.30),
            (1.0, 0.56 - wide),
            (0.92, 0.84),
            (0.70, 0.98),
            (0.5, 1.0),
            (0.30, 0.98),
            (0.08, 0.84),
            (0.0, 0.56 - wide),
            (0.28, 0.30),
            (0.34, 0.16),
        ),
    )
    pen.flat(darker(look.colour, 0.35), oval(0.30, 0.005, 0.70, 0.07))


def cup(pen: Pen, look: Look) -> None:
    """A cup with a handle; if full, with a steaming drink."""
    ring = oval(0.62, 0.34, 0.98, 0.80).points
    pen.fill(look.colour, Path((*ring, ring[0], ring[1]), 0.09), shade=False)
    top = 0.16 if "full" in look else 0.0
    if "full" in look:
        for x in (0.28, 0.50):
            pen.flat(WHITE, curve(0.05, (x, 0.13), (x + 0.06, 0.09), (x - 0.02, 0.05), (x + 0.05, 0.0)))
    pen.fill(
        look.surface,
        blob(
            (0.0, top + 0.08),
            (0.04, top + 0.10),
            (0.76, top + 0.10),
            (0.80, top + 0.08),
            (0.77, 0.78),
            (0.64, 0.98),
            (0.40, 1.0),
            (0.16, 0.98),
            (0.03, 0.78),
        ),
    )
    pen.fill(
        lighter(look.colour, 0.3) if look.surface.material != "glass" else lighter(GLASS, 0.4),
        oval(0.0, top, 0.80, top + 0.22),
        shade=False,
    )
    inner = oval(0.06, top + 0.03, 0.74, top + 0.20)
    pen.flat(DRINK if "full" in look else darker(look.colour, 0.42), inner)
    if "full" in look:
        if look.surface.material == "glass":
            pen.flat(
                DRINK,
                poly((0.05, 0.36), (0.75, 0.36), (0.71, 0.78), (0.60, 0.94), (0.20, 0.94), (0.09, 0.78)),
                alpha=190,
            )
        pen.flat(lighter(DRINK, 0.25), oval(0.16, top + 0.06, 0.40, top + 0.12))


def bottle(pen: Pen, look: Look) -> None:
    """A bottle, full or empty, with its cap on or beside it."""
    shape = blob(
        (0.36, 0.10),
        (0.64, 0.10),
        (0.64, 0.26),
        (0.86, 0.38),
        (1.0, 0.52),
        (1.0, 0.92),
        (0.90, 1.0),
        (0.10, 1.0),
        (0.0, 0.92),
        (0.0, 0.52),
        (0.14, 0.38),
        (0.36, 0.26),
    )
    clear = replace(look.surface, material="glass")
    pen.fill(clear if "empty" in look or look.surface.material == "glass" else look.surface, shape)
    if "full" in look:
        pen.flat(
            mix(look.colour, (140, 30, 50), 0.25) if look.surface.material == "glass" else darker(look.colour, 0.10),
            blob(
                (0.20, 0.42),
                (0.80, 0.42),
                (0.93, 0.54),
                (0.93, 0.90),
                (0.85, 0.97),
                (0.15, 0.97),
                (0.07, 0.90),
                (0.07, 0.54),
            ),
            alpha=235,
        )
    if look.surface.material == "plastic":
        pen.flat(
            lighter(look.colour, 0.6),
            limb(0.05, (0.16, 0.56), (0.16, 0.90)),
            *(limb(0.03, (0.04, y), (0.96, y)) for y in (0.86, 0.92)),
        )
    else:
        pen.flat(WHITE, limb(0.07, (0.18, 0.52), (0.18, 0.86)), alpha=180)
    if "full" in look:
        pen.flat(PAPER, slab(0.03, 0.60, 0.97, 0.80, 0.05))
        pen.flat((206, 84, 66), slab(0.20, 0.65, 0.80, 0.75, 0.3))
    if "closed" in look:
        pen.fill((206, 66, 58), slab(0.30, 0.0, 0.70, 0.13, 0.2))
    else:
        pen.fill(lighter(look.colour, 0.4), oval(0.33, 0.0, 0.67, 0.06), shade=False)
        pen.fill(lighter(look.colour, 0.3), slab(0.37, 0.03, 0.63, 0.14, 0.1), shade=False)
        pen.flat(INK, oval(0.41, 0.012, 0.59, 0.05))


def plate(pen: Pen, look: Look) -> None:
    """A plate; if dirty, with sauce and crumbs."""
    pen.fill(darker(look.colour, 0.2), oval(0.0, 0.10, 1.0, 1.0), shade=False)
    pen.fill(look.surface, oval(0.0, 0.0, 1.0, 0.90), shade=False)
    pen.fill(darker(look.colour, 0.07), oval(0.20, 0.18, 0.80, 0.74), shade=False)
    if "dirty" in look:
        sauce: Rgb = (150, 78, 40)
        pen.flat(
            sauce,
            blob((0.30, 0.46), (0.42, 0.28), (0.62, 0.36), (0.70, 0.52), (0.54, 0.64), (0.40, 0.58)),
            oval(0.66, 0.24, 0.76, 0.34),
            oval(0.24, 0.28, 0.31, 0.36),
        )
        for _ in range(9):
            pen.dot((110, 70, 40), (look.rng.uniform(0.14, 0.86), look.rng.uniform(0.22, 0.72)), 0.035)


def bowl(pen: Pen, look: Look) -> None:
    """A bowl; if full, of soup or salad."""
    pen.fill(
        look.surface,
        blob(
            (0.0, 0.22),
            (0.1, 0.26),
            (0.9, 0.26),
            (1.0, 0.22),
            (0.92, 0.62),
            (0.72, 0.94),
            (0.5, 1.0),
            (0.28, 0.94),
            (0.08, 0.62),
        ),
    )
    pen.fill(lighter(look.colour, 0.25), oval(0.0, 0.0, 1.0, 0.44), shade=False)
    pen.flat(darker(look.colour, 0.40), oval(0.06, 0.05, 0.94, 0.39))
    if "full" in look:
        food = look.rng.choice(((214, 96, 50), (226, 176, 80), (120, 160, 70)))
        pen.flat(food, oval(0.08, 0.08, 0.92, 0.38))
        for _ in range(7):
            pen.dot(lighter(food, 0.4), (look.rng.uniform(0.24, 0.76), look.rng.uniform(0.15, 0.31)), 0.05)


def apple(pen: Pen, look: Look) -> None:
    """An apple with stalk and leaf."""
    pen.flat((110, 76, 48), curve(0.06, (0.5, 0.24), (0.5, 0.12), (0.55, 0.03)))
    pen.fill(
        look.colour,
        blob(
            (0.5, 0.24),
            (0.70, 0.16),
            (0.94, 0.28),
            (0.98, 0.56),
            (0.80, 0.90),
            (0.60, 1.0),
            (0.5, 0.96),
            (0.40, 1.0),
            (0.20, 0.90),
            (0.02, 0.56),
            (0.06, 0.28),
            (0.30, 0.16),
        ),
    )
    pen.fill(LEAF, blob((0.56, 0.14), (0.68, 0.02), (0.88, 0.02), (0.78, 0.14)), shade=False)
    pen.flat(lighter(look.colour, 0.55), blob((0.16, 0.40), (0.28, 0.28), (0.32, 0.36), (0.22, 0.56)))


def banana(pen: Pen, look: Look) -> None:
    """A banana, bent, with dark ends."""
    pen.fill(
        look.colour,
        blob(
            (0.04, 0.22),
            (0.12, 0.12),
            (0.20, 0.24),
            (0.34, 0.50),
            (0.58, 0.62),
            (0.84, 0.54),
            (0.97, 0.50),
            (0.98, 0.64),
            (0.80, 0.88),
            (0.52, 0.98),
            (0.24, 0.82),
            (0.08, 0.50),
        ),
    )
    pen.flat(darker(look.colour, 0.22), curve(0.04, (0.12, 0.26), (0.30, 0.62), (0.58, 0.78), (0.90, 0.62)))
    pen.fill(
        (96, 72, 44),
        blob((0.04, 0.14), (0.08, 0.0), (0.15, 0.02), (0.16, 0.16)),
        oval(0.94, 0.48, 1.0, 0.62),
        shade=False,
    )


def orange(pen: Pen, look: Look) -> None:
    """An orange with a small leaf and dimples."""
    pen.fill(look.colour, oval(0.0, 0.04, 1.0, 1.0))
    for x, y in ((0.40, 0.62), (0.56, 0.74), (0.66, 0.54), (0.34, 0.44), (0.52, 0.48), (0.72, 0.70), (0.44, 0.82)):
        pen.dot(darker(look.colour, 0.22), (x, y), 0.022)
    pen.flat(lighter(look.colour, 0.5), oval(0.18, 0.22, 0.36, 0.38))
    pen.fill(LEAF, blob((0.50, 0.08), (0.62, 0.0), (0.78, 0.05), (0.64, 0.15)), shade=False)
    pen.dot((90, 110, 60), (0.48, 0.09), 0.05)


def pizza(pen: Pen, look: Look) -> None:
    """A whole sliced pizza, lying flat."""
    pen.fill((176, 116, 60), oval(0.0, 0.10, 1.0, 1.0), shade=False)
    pen.fill((222, 160, 84), oval(0.0, 0.0, 1.0, 0.90), shade=False)
    pen.fill((250, 208, 96), oval(0.08, 0.08, 0.92, 0.80), shade=False)
    for x, y in ((0.30, 0.28), (0.52, 0.20), (0.72, 0.32), (0.24, 0.52), (0.46, 0.48), (0.68, 0.56), (0.44, 0.68)):
        pen.flat((204, 62, 50), oval(x - 0.06, y - 0.065, x + 0.06, y + 0.065))
        pen.flat((226, 96, 76), oval(x - 0.04, y - 0.05, x + 0.02, y + 0.01))
    for x, y in ((0.40, 0.34), (0.60, 0.42), (0.34, 0.64), (0.58, 0.70), (0.80, 0.46)):
        pen.flat((84, 148, 72), oval(x - 0.025, y - 0.03, x + 0.035, y + 0.03))
    pen.flat((196, 136, 70), *(limb(0.03, (0.5, 0.44), end) for end in ((0.08, 0.40), (0.80, 0.13), (0.66, 0.80))))


def cake(pen: Pen, look: Look) -> None:
    """A cake with icing in its colour, a cherry and a candle."""
    sponge: Rgb = (240, 206, 150) if look.colour[0] - look.colour[2] < 90 else (250, 232, 196)
    pen.fill(darker(WHITE, 0.1), oval(0.0, 0.84, 1.0, 1.0), shade=False)
    pen.fill(sponge, slab(0.08, 0.40, 0.92, 0.94, 0.2))
    pen.flat(darker(sponge, 0.25), slab(0.08, 0.66, 0.92, 0.71))
    pen.fill(
        look.colour,
        blob(
            (0.08, 0.40),
            (0.14, 0.28),
            (0.5, 0.22),
            (0.86, 0.28),
            (0.92, 0.40),
            (0.91, 0.56),
            (0.82, 0.50),
            (0.74, 0.64),
            (0.64, 0.52),
            (0.52, 0.66),
            (0.42, 0.52),
            (0.32, 0.62),
            (0.22, 0.50),
            (0.10, 0.58),
        ),
    )
    pen.flat(lighter(look.colour, 0.5), oval(0.16, 0.28, 0.84, 0.42))
    pen.fill((92, 150, 214), slab(0.46, 0.10, 0.54, 0.34, 0.3), shade=False)
    pen.flat((252, 190, 60), blob((0.5, 0.0), (0.55, 0.07), (0.5, 0.12), (0.45, 0.07)))
    for x in (0.28, 0.72):
        pen.fill((206, 46, 56), oval(x - 0.07, 0.22, x + 0.07, 0.35), shade=False)


def sandwich(pen: Pen, look: Look) -> None:
    """A sandwich: two slices of bread with salad, cheese and tomato between."""
    bread, crust = (246, 216, 164), (200, 144, 84)
    pen.fill(bread, slab(0.03, 0.76, 0.97, 1.0, 0.35))
    pen.fill(
        (250, 200, 70),
        poly((0.02, 0.66), (0.98, 0.66), (0.82, 0.84), (0.70, 0.74), (0.50, 0.86), (0.30, 0.74), (0.14, 0.80)),
        shade=False,
    )
    pen.fill((206, 66, 56), slab(0.06, 0.56, 0.94, 0.68, 0.5), shade=False)
    pen.fill(
        (116, 178, 82),
        blob(
            (0.0, 0.54),
            (0.12, 0.46),
            (0.88, 0.46),
            (1.0, 0.54),
            (0.90, 0.62),
            (0.78, 0.56),
            (0.64, 0.64),
            (0.50, 0.56),
            (0.36, 0.64),
            (0.22, 0.56),
            (0.10, 0.62),
        ),
        shade=False,
    )
    pen.fill(
        crust,
        blob(
            (0.03, 0.48), (0.02, 0.22), (0.16, 0.04), (0.5, 0.0), (0.84, 0.04), (0.98, 0.22), (0.97, 0.48), (0.5, 0.52)
        ),
    )
    pen.flat(
        lighter(bread, 0.2),
        *(
            oval(x, y, x + 0.07, y + 0.06)
            for x, y in ((0.24, 0.18), (0.44, 0.10), (0.64, 0.18), (0.34, 0.30), (0.56, 0.28), (0.76, 0.30))
        ),
    )


def carrot(pen: Pen, look: Look) -> None:
    """A carrot lying at an angle, with its leaves."""
    for end in ((0.70, 0.02), (0.86, 0.0), (0.98, 0.12), (0.98, 0.28)):
        pen.fill(
            LEAF, curve(0.10, (0.66, 0.36), ((0.66 + end[0]) / 2 + 0.02, (0.36 + end[1]) / 2 - 0.04), end), shade=False
        )
    pen.fill(
        look.colour,
        blob(
            (0.56, 0.26),
            (0.70, 0.28),
            (0.78, 0.42),
            (0.70, 0.58),
            (0.36, 0.86),
            (0.04, 1.0),
            (0.0, 0.97),
            (0.18, 0.70),
            (0.42, 0.36),
        ),
    )
    for a, b in (
        ((0.46, 0.42), (0.54, 0.52)),
        ((0.34, 0.70), (0.28, 0.62)),
        ((0.60, 0.54), (0.54, 0.46)),
        ((0.22, 0.74), (0.28, 0.82)),
    ):
        pen.flat(darker(look.colour, 0.28), limb(0.03, a, b))


SKETCHES: Sketches = {
    "vase": vase,
    "cup": cup,
    "bottle": bottle,
    "plate": plate,
    "bowl": bowl,
    "apple": apple,
    "banana": banana,
    "orange": orange,
    "pizza": pizza,
    "cake": cake,
    "sandwich": sandwich,
    "carrot": carrot,
}
