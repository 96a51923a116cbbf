"""People: their figure (joints, lengths, skin tones), head, face, hair and hat, and their clothes.

A person is drawn from the far limbs to the near ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from askew.world.draw.pen import Look, Path, Pen, Point, blob, curve, limb, oval, poly
from askew.world.draw.surface import INK, WHITE, Rgb, Surface, darker, lighter, mix, tones
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

    def limb(self, width: float, points: list[Point]) -> Path:
        """An arm or leg."""
        return curve(self.wide(width), *points)


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


def hair_behind(body: PersonFigure) -> None:
    """Long hair and plaits, drawn behind the body."""
    r, c = _radius(body), _center(body)
    if body.look.name == "woman":
        body.pen.fill(
            body.hair,
            blob(
                body.spot(c, -r * 1.05, -r * 0.2),
                body.spot(c, 0, -r),
                body.spot(c, r * 1.05, -r * 0.2),
                body.spot(c, r * 1.12, r * 1.25),
                body.spot(c, 0, r * 1.1),
                body.spot(c, -r * 1.12, r * 1.25),
            ),
            shade=False,
        )
    elif body.look.name == "girl":
        for side in (-1, 1):
            body.pen.fill(body.hair, body.disc(body.spot(c, side * r * 1.02, r * 0.45), r * 0.32, r * 0.5), shade=False)
            body.pen.fill((222, 80, 110), body.disc(body.spot(c, side * r * 0.94, 0.02), 0.022, 0.022), shade=False)


def head(body: PersonFigure, front: bool) -> None:
    """Face, hair and hat; with ``front`` the person looks at the viewer, otherwise slightly to the side."""
    r, c = _radius(body), _center(body)
    pen = body.pen
    turn = 0.0 if front else 0.22 * r
    if front:
        pen.fill(
            body.skin,
            body.disc(body.spot(c, -r * 0.95, r * 0.15), 0.025, 0.032),
            body.disc(body.spot(c, r * 0.95, r * 0.15), 0.025, 0.032),
            shade=False,
        )
    pen.fill(body.skin, body.disc(c, r * 0.95, r))
    _hair(body, c, r, turn)
    _face(body, c, r, turn)
    if "hat" in body.outfit.garments:
        _hat(body, c, r)


def _radius(body: PersonFigure) -> float:
    return 0.138 if body.look.name in ("boy", "girl") else 0.125


def _center(body: PersonFigure) -> Point:
    x, y = body.joints["head"]
    return x, y + (_radius(body) - 0.125) * body.tall / body.pen.height


def _hair(body: PersonFigure, c: Point, r: float, turn: float) -> None:
    pen, hair = body.pen, body.hair

    def p(x: float, y: float) -> Point:
        return body.spot(c, x * r, y * r)

    t = turn / r
    if body.look.name in ("woman", "girl"):
        shape = blob(
            p(-1.0, 0.30),
            p(-0.96, -0.45),
            p(-0.5, -0.95),
            p(0.1, -1.04),
            p(0.65, -0.85),
            p(0.98, -0.40),
            p(0.96, 0.1),
            p(0.70 + t / 2, -0.38),
            p(0.10 + t, -0.52),
            p(-0.55 + t, -0.30),
            p(-0.80, 0.10),
        )
    elif body.look.name == "boy":
        shape = blob(
            p(-0.98, 0.05),
            p(-0.90, -0.55),
            p(-0.45, -1.0),
            p(0.0, -1.04),
            p(0.40, -1.02),
            p(0.9, -0.55),
            p(0.98, 0.0),
            p(0.72, -0.40),
            p(0.40 + t, -0.28),
            p(0.16 + t, -0.48),
            p(-0.16 + t, -0.26),
            p(-0.46 + t, -0.46),
            p(-0.74, -0.30),
        )
    else:
        shape = blob(
            p(-0.99, 0.16),
            p(-0.94, -0.50),
            p(-0.5, -0.96),
            p(0.05, -1.04),
            p(0.6, -0.90),
            p(0.97, -0.42),
            p(0.97, 0.08),
            p(0.76, -0.34),
            p(0.2 + t, -0.50),
            p(-0.5 + t, -0.50),
            p(-0.80, -0.28),
        )
    pen.fill(hair, shape, shade=False)


def _face(body: PersonFigure, c: Point, r: float, turn: float) -> None:
    pen = body.pen

    def p(x: float, y: float) -> Point:
        return body.spot(c, x * r + turn, y * r)

    for side in (-0.36, 0.36):
        pen.flat(_ink(body), body.disc(p(side, 0.06), 0.10 * r, 0.13 * r))
        pen.flat((236, 120, 110), body.disc(p(side * 1.6, 0.40), 0.17 * r, 0.11 * r), alpha=90)
    if "old" in body.look:
        _aged(body, c, r, turn)
    _mouth(body, c, r, turn)


def _ink(body: PersonFigure) -> Rgb:
    return INK if sum(body.skin) > 300 else (30, 24, 26)


def _mouth(body: PersonFigure, c: Point, r: float, turn: float) -> None:
    """A laugh, a line, or a sad mouth with frown and tear."""
    pen, look = body.pen, body.look

    def p(x: float, y: float) -> Point:
        return body.spot(c, x * r + turn, y * r)

    tone = darker(body.skin, 0.62)
    if "happy" in look:
        pen.flat(tone, blob(p(-0.34, 0.38), p(0, 0.46), p(0.34, 0.38), p(0.19, 0.68), p(-0.19, 0.68)))
        pen.flat(WHITE, poly(p(-0.23, 0.42), p(0.23, 0.42), p(0.17, 0.51), p(-0.17, 0.51)))
    elif "sad" in look:
        brow = body.wide(0.08 * r)
        pen.flat(tone, curve(body.wide(0.12 * r), p(-0.29, 0.66), p(0, 0.46), p(0.29, 0.66)))
        pen.flat(_ink(body), limb(brow, p(-0.56, -0.12), p(-0.24, -0.27)), limb(brow, p(0.56, -0.12), p(0.24, -0.27)))
        pen.flat((96, 172, 236), blob(p(0.44, 0.20), p(0.57, 0.44), p(0.44, 0.56), p(0.31, 0.44)))
    else:
        pen.flat(tone, limb(body.wide(0.09 * r), p(-0.18, 0.52), p(0.18, 0.52)))


def _aged(body: PersonFigure, c: Point, r: float, turn: float) -> None:
    """Glasses, and a man's white beard or a woman's bun."""
    pen = body.pen

    def p(x: float, y: float) -> Point:
        return body.spot(c, x * r + turn, y * r)

    for side in (-0.37, 0.37):
        ring = body.disc(p(side, 0.06), 0.27 * r, 0.25 * r).points
        pen.flat((92, 84, 92), Path((*ring, ring[0], ring[1]), body.wide(0.075 * r)))
    pen.flat((92, 84, 92), limb(body.wide(0.07 * r), p(-0.10, 0.04), p(0.10, 0.04)))
    if body.look.name == "man":
        cheeks = (p(-0.72, 0.34), p(-0.30, 0.36), p(0, 0.30), p(0.30, 0.36), p(0.72, 0.34))
        pen.fill(lighter(body.hair, 0.4), blob(*cheeks, p(0.52, 0.92), p(0, 1.16), p(-0.52, 0.92)), shade=False)
    else:
        pen.fill(body.hair, body.disc(p(-turn / r, -1.0), 0.34 * r, 0.26 * r), shade=False)


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
    hair_behind(body)
    _leg(body, legs[0], far=True)
    _arm(body, arms[0], far=True)
    front = body.outfit.pose in ("standing", "jumping", "facing", "balancing")
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
    body.pen.fill(tone, body.limb(0.075, leg), shade=False)
    _shoe(body, leg, far)


def _shoe(body: PersonFigure, leg: list[Point], far: bool) -> None:
    tone = mix(body.hair, (70, 50, 60), 0.6) if not far else (54, 44, 52)
    x, y = leg[-1]
    toe = 0.035 if body.outfit.pose not in ("standing", "facing") else (0.012 if x > 0.5 else -0.012)
    body.pen.fill(tone, body.disc(body.spot((x, y), toe, 0.012), 0.065, 0.034), shade=False)


def _arm(body: PersonFigure, arm: list[Point], far: bool) -> None:
    tone = darker(body.skin, 0.15) if far else body.skin
    garment = "dress" if "dress" in body.outfit.garments else "shirt"
    body.pen.fill(tone, body.limb(0.068, arm), body.disc(arm[-1], 0.036, 0.036), shade=False)
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
        paths = [body.limb(0.118, [leg[0], leg[1], ankle])]
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
