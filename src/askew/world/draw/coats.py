"""What four-legged animals share: coats, eyes, the far pair of legs, a gallop."""

from __future__ import annotations

from dataclasses import replace

from askew.world.draw.palette import INK, WHITE, brightness, darker, lighter
from askew.world.draw.pen import Look, Path, Pen, Point, limb
from askew.world.draw.surface import Surface


def coat_of(look: Look) -> Surface:
    """The animal's surface; spots of large animals are patches."""
    if look.surface.pattern != "spotted":
        return look.surface
    other = darker(look.colour, 0.55) if brightness(look.colour) > 0.3 else lighter(look.colour, 0.6)
    return replace(look.surface, pattern="patched", other=other)


def far_legs(pen: Pen, look: Look, legs: tuple[Path, ...]) -> None:
    """The legs on the side away from us, darker."""
    pen.fill(darker(look.colour, 0.30), *legs, shade=False)


def eye(pen: Pen, spot: Point, radius: float, look: Look) -> None:
    """An eye, ringed with white on dark coats."""
    if brightness(look.colour) < 0.42:
        pen.dot(WHITE, spot, radius * 1.5)
    pen.dot(INK, spot, radius)


def gallop(far: bool, back: float, front: float, top: float, width: float) -> tuple[Path, ...]:
    """Legs at a gallop."""
    if far:
        return (
            limb(width, (back + 0.06, top), (back + 0.16, 0.80), (back + 0.02, 0.95)),
            limb(width, (front - 0.05, top), (front + 0.14, 0.74), (front + 0.10, 0.90)),
        )
    return (
        limb(width, (back, top), (back - 0.05, 0.78), (back - 0.16, 0.93)),
        limb(width, (front, top), (front + 0.10, 0.80), (front + 0.24, 0.93)),
    )
