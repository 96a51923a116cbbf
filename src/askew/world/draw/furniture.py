"""Furniture: tables, seats, beds."""

from __future__ import annotations

from dataclasses import replace

from askew.world.draw.look import Look, Sketches
from askew.world.draw.palette import STEEL, WOOD, darker, lighter
from askew.world.draw.pen import Pen, limb, oval, poly, slab
from askew.world.draw.surface import Surface


def table(pen: Pen, look: Look) -> None:
    """A table seen a little from above: the top is a band of a fifth of its height."""
    legs = replace(look.surface, colour=darker(look.colour, 0.14))
    if look.surface.material == "glass":
        legs = Surface(STEEL, material="metal")
    dark = replace(legs, colour=darker(legs.colour, 0.25))
    pen.fill(dark, slab(0.12, 0.18, 0.17, 0.90, 0.1), slab(0.83, 0.18, 0.88, 0.90, 0.1), shade=False)
    pen.fill(legs, slab(0.03, 0.22, 0.10, 1.0, 0.1), slab(0.90, 0.22, 0.97, 1.0, 0.1))
    pen.fill(legs, slab(0.02, 0.20, 0.98, 0.33, 0.2))
    pen.fill(look.surface, poly((0.07, 0.0), (0.93, 0.0), (1.0, 0.21), (0.0, 0.21)), shade=False)


def chair(pen: Pen, look: Look) -> None:
    """A chair from the side: back on the left, seat to the right."""
    dark = replace(look.surface, colour=darker(look.colour, 0.28))
    pen.fill(dark, slab(0.22, 0.50, 0.32, 0.94, 0.1), slab(0.80, 0.52, 0.90, 0.94, 0.1), shade=False)
    pen.fill(look.surface, poly((0.0, 0.02), (0.17, 0.0), (0.26, 0.50), (0.10, 0.56)))
    pen.fill(look.surface, slab(0.08, 0.52, 0.20, 1.0, 0.1), slab(0.86, 0.54, 0.98, 1.0, 0.1))
    pen.fill(look.surface, slab(0.07, 0.47, 1.0, 0.60, 0.3))


def sofa(pen: Pen, look: Look) -> None:
    """A sofa from the front: back, two cushions, arms."""
    soft = look.surface
    pen.fill(darker(look.colour, 0.55), slab(0.07, 0.88, 0.12, 1.0), slab(0.88, 0.88, 0.93, 1.0), shade=False)
    pen.fill(soft, slab(0.08, 0.0, 0.92, 0.70, 0.22))
    pen.fill(
        replace(soft, colour=lighter(look.colour, 0.10)),
        slab(0.13, 0.50, 0.50, 0.76, 0.3),
        slab(0.50, 0.50, 0.87, 0.76, 0.3),
    )
    pen.flat(darker(look.colour, 0.3), limb(0.015, (0.5, 0.08), (0.5, 0.48)), limb(0.02, (0.5, 0.53), (0.5, 0.74)))
    pen.fill(soft, slab(0.06, 0.72, 0.94, 0.93, 0.15))
    pen.fill(soft, slab(0.0, 0.30, 0.15, 0.93, 0.45), slab(0.85, 0.30, 1.0, 0.93, 0.45))


def bed(pen: Pen, look: Look) -> None:
    """A bed from the side: headboard, pillow, and a blanket of the bed's colour and pattern."""
    frame = Surface(STEEL, material="metal") if look.surface.material == "metal" else Surface(WOOD, material="wooden")
    blanket = replace(look.surface, material="")
    pen.fill(frame, slab(0.0, 0.0, 0.08, 1.0, 0.25), slab(0.93, 0.40, 1.0, 1.0, 0.25))
    pen.fill(frame, slab(0.04, 0.76, 0.97, 0.90, 0.1))
    pen.fill((244, 240, 230), slab(0.07, 0.52, 0.95, 0.78, 0.3))
    pen.fill((252, 250, 244), slab(0.09, 0.34, 0.30, 0.58, 0.5))
    pen.fill(blanket, slab(0.30, 0.46, 0.955, 0.84, 0.25))
    pen.fill(lighter(look.colour, 0.4), slab(0.29, 0.46, 0.37, 0.84, 0.3), shade=False)


def bench(pen: Pen, look: Look) -> None:
    """A park bench from the front: slats on two iron feet."""
    iron = darker(STEEL, 0.6)
    for x in (0.12, 0.88):
        pen.fill(
            iron, slab(x - 0.02, 0.06, x + 0.02, 1.0, 0.3), limb(0.06, (x - 0.05, 0.97), (x + 0.05, 0.97)), shade=False
        )
    for y in (0.0, 0.17, 0.34):
        pen.fill(look.surface, slab(0.02, y, 0.98, y + 0.13, 0.3), shade=False)
    pen.fill(look.surface, poly((0.04, 0.54), (0.96, 0.54), (1.0, 0.66), (0.0, 0.66)), shade=False)
    pen.fill(replace(look.surface, colour=darker(look.colour, 0.15)), slab(0.0, 0.66, 1.0, 0.76, 0.2), shade=False)
    pen.flat(darker(look.colour, 0.3), limb(0.02, (0.02, 0.60), (0.98, 0.60)))
    for x in (0.12, 0.88):
        pen.flat(iron, oval(x - 0.012, 0.05, x + 0.012, 0.10), oval(x - 0.012, 0.22, x + 0.012, 0.27))


SKETCHES: Sketches = {"table": table, "chair": chair, "sofa": sofa, "bed": bed, "bench": bench}
