"""A person ready to be drawn: joints, lengths, tones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askew.world.draw.look import Look
from askew.world.draw.palette import Rgb, tones
from askew.world.draw.pen import Path, Pen, Point, curve, oval
from askew.world.vocabulary import people


@dataclass(frozen=True)
class Outfit:
    """What a person wears, by garment, and where the hand reaches."""

    garments: Mapping[str, Look]
    pose: str
    reach: Point | None = None
    """The point, in parts of the person's box, that the near hand goes to."""


@dataclass(frozen=True)
class Figure:
    """A person ready to be drawn: joints in the box, lengths in parts of the standing height."""

    pen: Pen
    look: Look
    outfit: Outfit
    joints: Mapping[str, Any]
    tall: float
    """Standing height in pixels."""
    skin: Rgb
    hair: Rgb

    def wide(self, part: float) -> float:
        """A stroke width of this part of the standing height, as paths have it."""
        return part * self.tall / self.pen.short

    def spot(self, center: Point, dx: float, dy: float) -> Point:
        """A point near another; offsets in parts of the standing height."""
        return center[0] + dx * self.tall / self.pen.width, center[1] + dy * self.tall / self.pen.height

    def disc(self, center: Point, rx: float, ry: float) -> Path:
        """An ellipse around a point; radii in parts of the standing height."""
        (left, top), (right, bottom) = self.spot(center, -rx, -ry), self.spot(center, rx, ry)
        return oval(left, top, right, bottom)

    def limb(self, width: float, points: list[Point]) -> Path:
        """An arm or leg."""
        return curve(self.wide(width), *points)


def figure(pen: Pen, look: Look, outfit: Outfit) -> Figure:
    """The figure of a person; a hat lowers the body to make room."""
    table = people()
    joints = table["joints"][outfit.pose]
    if "hat" in outfit.garments:
        joints = _lowered(joints, table["hat_room"])
    child = look.name in ("boy", "girl")
    skin = look.rng.choice(tones("skin"))
    hair = (206, 204, 204) if "old" in look else look.rng.choice(tones("hair"))
    tall = pen.height / table["poses"][outfit.pose]["height"] * (1.06 if child else 1.0)
    return Figure(pen, look, outfit, joints, tall, skin, hair)


def _lowered(joints: Mapping[str, Any], room: float) -> dict[str, Any]:
    def move(value: Any) -> Any:
        if isinstance(value[0], list):
            return [move(inner) for inner in value]
        return [value[0], room + (1 - room) * value[1]]

    return {name: move(value) for name, value in joints.items()}
