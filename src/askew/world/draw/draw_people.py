"""People in their clothes, from the far limbs to the near ones."""

from __future__ import annotations

from dataclasses import replace

from askew.world.draw.pen import Point, blob, limb, poly
from askew.world.draw.person_figure import PersonFigure, hair_behind, head
from askew.world.draw.surface import Surface, darker, mix


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
