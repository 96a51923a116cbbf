"""People: their figure (joints, lengths, skin tones), head, face, hair and hat, and their clothes.

A person is drawn from the far limbs to the near ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from askew.world.draw.pen import Brush, Look, Pen, brush
from askew.world.draw.shapes import Path, Point, ShapeFrame, blob, curve, limb, oval, poly
from askew.world.draw.sketch import sketch
from askew.world.draw.surface import INK, Rgb, Surface, darker, lighter, mix, tones
from askew.world.world_data import people


@dataclass(frozen=True)
class Outfit:
    """What a person wears, by garment, and where the hand reaches."""

    garments: Mapping[str, Look]
    pose: str
    reach: Point | None = None
    """The point that the near hand reaches, in fractions of the person's box."""


@dataclass(frozen=True)
class PersonFigure:
    """A person to draw: joints in the box, lengths as fractions of the standing height."""

    pen: Pen
    look: Look
    outfit: Outfit
    joints: Mapping[str, Any]
    tall: float
    """Standing height in pixels."""
    skin: Rgb
    hair: Rgb

    def wide(self, part: float) -> float:
        """The stroke width of a path for this fraction of the standing height."""
        return part * self.tall / self.pen.short

    def spot(self, center: Point, dx: float, dy: float) -> Point:
        """A point near another; offsets are fractions of the standing height."""
        return center[0] + dx * self.tall / self.pen.width, center[1] + dy * self.tall / self.pen.height

    def disc(self, center: Point, rx: float, ry: float) -> Path:
        """An ellipse around a point; radii are fractions of the standing height."""
        (left, top), (right, bottom) = self.spot(center, -rx, -ry), self.spot(center, rx, ry)
        return oval(left, top, right, bottom)

    @property
    def radius(self) -> float:
        """The radius of the head, as a fraction of the standing height."""
        return 0.138 if self.look.name in ("boy", "girl") else 0.125

    @property
    def center(self) -> Point:
        """The middle of the head."""
        x, y = self.joints["head"]
        return x, y + (self.radius - 0.125) * self.tall / self.pen.height

    def brush(self, front: bool, turn: float = 0.0) -> Brush:
        """A brush whose unit is the radius of the head."""
        r = self.radius * self.tall
        frame = ShapeFrame(
            *self.spot(self.center, turn, 0.0), r / self.pen.width, r / self.pen.height, r / self.pen.short
        )
        pupil = INK if sum(self.skin) > 300 else (30, 24, 26)
        words = ["front"] if front else []
        return brush(self.pen, self.look, *words, frame=frame, skin=self.skin, hair=self.hair, pupil=pupil)


def figure(pen: Pen, look: Look, outfit: Outfit) -> PersonFigure:
    """The figure of a person; a hat lowers the body to make room."""
    table = people()
    joints = table["joints"][outfit.pose]
    if "hat" in outfit.garments:
        joints = _lowered(joints, table["hat_room"])
    child = look.name in ("boy", "girl")
    skin = look.rng.choice(tones("skin"))
    hair = (206, 204, 204) if "old" in look else look.rng.choice(tones("hair"))
    tall = pen.height / table["poses"][outfit.pose]["height"] * (1.06 if child else 1.0)
    return PersonFigure(pen, look, outfit, joints, tall, skin, hair)


def _lowered(joints: Mapping[str, Any], room: float) -> dict[str, Any]:
    def move(value: Any) -> Any:
        if isinstance(value[0], list):
            return [move(inner) for inner in value]
        return [value[0], room + (1 - room) * value[1]]

    return {name: move(value) for name, value in joints.items()}


def head(body: PersonFigure, front: bool) -> None:
    """Face, hair and hat; with ``front`` the person looks at the viewer, otherwise slightly to the side."""
    pen, r, c = body.pen, body.radius, body.center
    if front:
        ears = (body.disc(body.spot(c, dx * r, r * 0.15), 0.025, 0.032) for dx in (-0.95, 0.95))
        pen.fill(body.skin, *ears, shade=False)
    sketch("head", body.brush(front))
    sketch("face", body.brush(front, 0.0 if front else 0.22 * r))
    if "hat" in body.outfit.garments:
        _hat(body, c, r)


def _hat(body: PersonFigure, c: Point, r: float) -> None:
    """A hat on the top of the head: a crown on a brim."""
    look = body.outfit.garments["hat"]
    top = -c[1] * body.pen.height / body.tall + 0.004

    def p(x: float, y: float) -> Point:
        return body.spot(c, x * r, y)

    low = -0.38 * r
    half, high, peak = (top + low) / 2, top * 0.7 + low * 0.3, top * 0.86 + low * 0.14
    crowns = (
        ((-0.86, low), (-0.80, high), (-0.55, top), (0.55, top), (0.80, high), (0.86, low)),
        ((-0.98, low), (-0.94, half), (-0.62, peak), (0.0, top), (0.62, peak), (0.94, half), (0.98, low)),
        ((-0.90, low), (-0.74, half), (-0.46, top), (0.0, peak), (0.46, top), (0.74, half), (0.90, low)),
    )
    crown = blob(*(p(x, y) for x, y in look.rng.choice(crowns)))
    body.pen.fill(look.surface, crown, body.disc(p(0.0, low), 1.30 * r, 0.27 * r))
    band = darker(look.colour, 0.4) if sum(look.colour) > 240 else lighter(look.colour, 0.4)
    body.pen.flat(band, limb(body.wide(0.2 * r), p(-0.74, low - 0.24 * r), p(0.74, low - 0.24 * r)))


def draw_person(body: PersonFigure) -> None:
    """The far limbs, the clothes, the head, the near limbs."""
    arms = [_points(arm) for arm in body.joints["arms"]]
    legs = [_points(leg) for leg in body.joints["legs"]]
    if body.outfit.reach is not None:
        shoulder, hand = arms[1][0], body.outfit.reach
        bend = body.spot(((shoulder[0] + hand[0]) / 2, (shoulder[1] + hand[1]) / 2), 0.0, 0.035)
        arms[1] = [shoulder, bend, hand]
    front = body.outfit.pose in ("standing", "jumping", "facing", "balancing")
    sketch("hair behind", body.brush(front))
    _leg(body, legs[0], far=True)
    _arm(body, arms[0], far=True)
    if "dress" in body.outfit.garments:
        _leg(body, legs[1], far=False)
        _dress(body, legs)
    else:
        _trousers(body, legs)
        _torso(body)
    _arm(body, arms[1], far=False)
    head(body, front)


def hand(body: PersonFigure, spot: Point) -> None:
    """The hand, drawn again over what it holds."""
    body.pen.fill(body.skin, body.disc(spot, 0.036, 0.036), shade=False)


def _points(values: list[list[float]]) -> list[Point]:
    return [(x, y) for x, y in values]


def _surface(body: PersonFigure, garment: str, far: bool = False) -> Surface:
    surface = body.outfit.garments[garment].surface
    return replace(surface, colour=darker(surface.colour, 0.2)) if far else surface


def _leg(body: PersonFigure, leg: list[Point], far: bool) -> None:
    """A bare leg with a shoe (under a dress); trousers are drawn over it."""
    tone = darker(body.skin, 0.15) if far else body.skin
    body.pen.fill(tone, curve(body.wide(0.075), *leg), shade=False)
    _shoe(body, leg, far)


def _shoe(body: PersonFigure, leg: list[Point], far: bool) -> None:
    tone = mix(body.hair, (70, 50, 60), 0.6) if not far else (54, 44, 52)
    x, y = leg[-1]
    toe = 0.035 if body.outfit.pose not in ("standing", "facing") else (0.012 if x > 0.5 else -0.012)
    body.pen.fill(tone, body.disc(body.spot((x, y), toe, 0.012), 0.065, 0.034), shade=False)


def _arm(body: PersonFigure, arm: list[Point], far: bool) -> None:
    tone = darker(body.skin, 0.15) if far else body.skin
    garment = "dress" if "dress" in body.outfit.garments else "shirt"
    body.pen.fill(tone, curve(body.wide(0.068), *arm), body.disc(arm[-1], 0.036, 0.036), shade=False)
    middle = ((arm[0][0] + arm[1][0] * 1.2) / 2.2, (arm[0][1] + arm[1][1] * 1.2) / 2.2)
    sleeve = limb(body.wide(0.10), arm[0], middle)
    body.pen.fill(replace(_surface(body, garment, far), pattern="plain"), sleeve, shade=False)


def _trousers(body: PersonFigure, legs: list[list[Point]]) -> None:
    (hx, hy), (kx, ky) = _points(body.joints["hips"])
    for far, leg in ((True, legs[0]), (False, legs[1])):
        surface = _surface(
            body, "trousers", far and body.outfit.pose not in ("standing", "facing", "jumping", "balancing")
        )
        ankle = (leg[1][0] + (leg[2][0] - leg[1][0]) * 0.86, leg[1][1] + (leg[2][1] - leg[1][1]) * 0.86)
        paths = [curve(body.wide(0.118), leg[0], leg[1], ankle)]
        if not far:
            paths.append(limb(body.wide(0.13), (hx, hy), (kx, ky)))
            _shoe(body, leg, far)
        body.pen.fill(surface, *paths, shade=False)


def _torso(body: PersonFigure) -> None:
    (ax, ay), (bx, by) = _points(body.joints["shoulders"])
    (cx, cy), (dx, dy) = _points(body.joints["hips"])
    low = 0.035 * body.tall / body.pen.height
    out = 0.03 * body.tall / body.pen.width
    shape = blob(
        (ax - out, ay),
        ((ax + bx) / 2, min(ay, by) - low),
        (bx + out, by),
        ((bx + dx) / 2 + out, (by + dy) / 2),
        (dx + out, dy + low),
        ((cx + dx) / 2, (cy + dy) / 2 + low),
        (cx - out, cy + low),
        ((ax + cx) / 2 - out, (ay + cy) / 2),
    )
    body.pen.fill(_surface(body, "shirt"), shape)


def _dress(body: PersonFigure, legs: list[list[Point]]) -> None:
    (ax, ay), (bx, by) = _points(body.joints["shoulders"])
    (cx, cy), (dx, dy) = _points(body.joints["hips"])
    words = body.outfit.garments["dress"].words
    low = 0.035 * body.tall / body.pen.height
    out = 0.03 * body.tall / body.pen.width
    if body.outfit.pose in ("sitting", "facing", "riding"):
        knees = [leg[1] for leg in legs]
        left, right = min(k[0] for k in (*knees, (cx, cy))), max(k[0] for k in (*knees, (dx, dy)))
        hem = max(k[1] for k in knees) + 2.2 * low
        skirt = poly(
            (ax, (ay + cy) / 2),
            (bx, (by + dy) / 2),
            (right + 2 * out, knees[1][1] - 1.4 * low),
            (right + 2.4 * out, hem),
            (left - 1.6 * out, hem),
            (cx - 1.6 * out, cy),
        )
    else:
        share = 0.80 if "long" in words else 0.42
        hem = cy + (max(leg[2][1] for leg in legs) - cy) * share
        flare = (3.4 if "long" in words else 2.6) * out
        skirt = poly(
            (cx - 0.3 * out, (ay + cy) / 2),
            (dx + 0.3 * out, (by + dy) / 2),
            (dx + flare, hem),
            ((cx + dx) / 2, hem + 0.6 * low),
            (cx - flare, hem),
        )
    bodice = blob(
        (ax - out, ay),
        ((ax + bx) / 2, min(ay, by) - low),
        (bx + out, by),
        (dx + 0.2 * out, (by + dy) / 2),
        (dx, dy),
        (cx, cy),
        (cx - 0.2 * out, (ay + cy) / 2),
    )
    body.pen.fill(_surface(body, "dress"), bodice, skirt)
