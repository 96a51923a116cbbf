"""The geometry of a scene: what rests on what, what is in front, how much of a thing is visible, which relations hold.

Boxes are ``x, y, width, height`` in pixels, ``y`` downwards; thresholds are fractions of the image's shorter side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import TypeAlias

from askew.types import Relation, Scene, Thing
from askew.world.world_data import classes, places

Box: TypeAlias = tuple[float, float, float, float]

LEAST_SIDE = 28 / 224
"""The least shorter side of a thing that questions may be about, as a fraction of the image's shorter side."""
LEAST_VISIBLE = 0.7
"""The least fraction of its box that must not be covered."""
TOUCHING = ("on", "under", "in", "holding", "wearing", "riding", "sitting on")
"""Relations between things that touch. They may cover each other; the drawing keeps both visible."""


def overlap(a: Box, b: Box) -> float:
    """The common area of two boxes.

    >>> overlap((0, 0, 4, 4), (2, 3, 4, 4))
    2
    """
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return width * height if width > 0 and height > 0 else 0


def union(boxes: Iterable[Box]) -> float:
    """The area that the boxes cover together.

    >>> union([(0, 0, 4, 4), (2, 3, 4, 4)])
    30.0
    """
    boxes = list(boxes)
    edges = sorted({x for box in boxes for x in (box[0], box[0] + box[2])})
    area = 0.0
    for left, right in pairwise(edges):
        spans = sorted((box[1], box[1] + box[3]) for box in boxes if box[0] <= left and right <= box[0] + box[2])
        end = float("-inf")
        for low, high in spans:
            area += (right - left) * max(0, high - max(low, end))
            end = max(end, high)
    return area


def box_of(thing: Thing) -> Box:
    """The box of a thing of the world, which always has one."""
    assert thing.box is not None
    return thing.box


def ground_line(scene_id: str, place: str) -> float:
    """Where the floor or the land begins in this scene, from the top, as a fraction of the height."""
    low, high = places()[place].ground
    return Random(f"{scene_id}:ground").uniform(low, high)


def level(thing: Thing) -> str:
    """Where the thing is: sky, wall, or ground (which includes water and what stands on furniture).

    >>> level(Thing("1", "bird", ("flying",))), level(Thing("2", "bird", ("standing",))), level(Thing("3", "clock"))
    ('sky', 'ground', 'wall')
    """
    if "flying" in thing.attributes:
        return "sky"
    return "wall" if classes()[thing.name].stands[0] in ("wall", "floor") else "ground"


def facing(scene: Scene, thing_id: str) -> int:
    """1 if the thing faces right, -1 if left. Riders, sitters and held things face like their mount, seat or holder."""
    carried = {r.subject: r.object for r in scene.relations if r.name in ("riding", "sitting on")}
    carried |= {r.object: r.subject for r in scene.relations if r.name in ("holding", "wearing")}
    while thing_id in carried:
        thing_id = carried[thing_id]
    return toss(scene.id, thing_id)


def toss(scene_id: str, thing_id: str) -> int:
    """The direction that a thing faces if nothing carries it."""
    return 1 if Random(f"{scene_id}:{thing_id}:facing").random() < 0.5 else -1


def painting_order(scene: Scene) -> list[Thing]:
    """The things from far to near: sky, wall, then by where they stand; a carried thing comes after its carrier.

    Things in a vessel or under a table are painted before it, so that its rim or legs are in front.
    """
    things = {thing.id: thing for thing in scene.things}
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    inner = set()
    for relation in scene.relations:
        if relation.name not in TOUCHING:
            continue
        carrier, carried = _carrier(relation)
        (before if relation.name in ("in", "under") else after).setdefault(carrier, []).append(carried)
        inner.add(carried)
    roots = [thing for thing in scene.things if thing.id not in inner]
    roots.sort(key=lambda thing: (("sky", "wall", "ground").index(level(thing)), _bottom(thing)))

    def expand(thing_id: str) -> Iterator[Thing]:
        for child in sorted(before.get(thing_id, ()), key=lambda i: _bottom(things[i])):
            yield from expand(child)
        yield things[thing_id]
        for child in sorted(after.get(thing_id, ()), key=lambda i: _bottom(things[i])):
            yield from expand(child)

    return [thing for root in roots for thing in expand(root.id)]


def askable(scene: Scene) -> list[str]:
    """Ids of the things that questions may be about: large enough and hardly covered. All but some garments are.

    >>> scene = Scene("s", (Thing("1", "dog", ("brown",), (10, 10, 40, 40)), Thing("2", "hat", (), (0, 0, 40, 9))),
    ...     size=(224, 224))
    >>> askable(scene)
    ['1']
    """
    assert scene.size is not None
    least = LEAST_SIDE * min(scene.size) - 1e-6
    order = painting_order(scene)
    large = [thing.id for thing in scene.things if min(box_of(thing)[2:]) >= least]
    return [thing_id for thing_id in large if visible(scene, thing_id, order) >= LEAST_VISIBLE]


def relations(things: Mapping[str, Thing], touching: Iterable[Relation], unit: float) -> list[Relation]:
    """The visible relations between main things that do not touch, if they are unambiguous.

    ``left of``/``right of``: beside each other, no common column. ``above``/``below``: in the sky or on a wall over
    something, no common row. ``in front of``/``behind``: on the ground, overlapping, clearly nearer. ``next to``: on
    the ground or the same table, equally near, a small gap.
    """
    touching = list(touching)
    joined = {frozenset((r.subject, r.object)) for r in touching}
    carriers = {carried: carrier for carrier, carried in map(_carrier, touching)}
    found: list[Relation] = []
    main = [thing for thing in things.values() if not _worn(thing)]
    for a in main:
        for b in main:
            if a.id != b.id and frozenset((a.id, b.id)) not in joined:
                found += _visible_relations(a, b, carriers, unit)
    return found


def _visible_relations(a: Thing, b: Thing, carriers: Mapping[str, str], unit: float) -> Iterator[Relation]:
    """Relations of the pair in this order, and their converses; each pair is examined in both orders."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = box_of(a), box_of(b)
    gap = (bx - (ax + aw)) / unit
    if gap >= -0.01 and (bx + bw / 2 - ax - aw / 2) / unit >= 0.14:
        yield Relation(a.id, "left of", b.id)
        yield Relation(b.id, "right of", a.id)
    columns = min(ax + aw, bx + bw) - max(ax, bx)
    if columns >= 0.4 * min(aw, bw) and ay + ah <= by + 0.01 * unit and level(a) != "ground":
        yield Relation(a.id, "above", b.id)
        yield Relation(b.id, "below", a.id)
    if level(a) != "ground" or level(b) != "ground":
        return
    alone = a.id not in carriers and b.id not in carriers
    nearer = (ay + ah - by - bh) / unit
    if alone and columns >= 0.3 * min(aw, bw) and nearer >= 0.05 and ay <= by + 0.8 * bh:
        yield Relation(a.id, "in front of", b.id)
        yield Relation(b.id, "behind", a.id)
    together = alone or (a.id in carriers and carriers[a.id] == carriers.get(b.id))
    if together and -0.01 <= gap <= 0.09 and abs(nearer) <= 0.06:
        yield Relation(a.id, "next to", b.id)
        yield Relation(b.id, "next to", a.id)


def visible(scene: Scene, thing_id: str, order: Sequence[Thing]) -> float:
    """The fraction of the thing's box that no nearer box covers; things it touches do not count (see ``TOUCHING``).

    ``order`` is the ``painting_order``. A garment is hidden by what its wearer holds, not by its wearer.

    >>> dog, car = Thing("1", "dog", (), (5, 5, 10, 10)), Thing("2", "car", (), (0, 0, 20, 10))
    >>> visible(Scene("s", (dog, car)), "2", [car, dog])
    0.75
    """
    position = next(i for i, thing in enumerate(order) if thing.id == thing_id)
    box = box_of(order[position])
    nearer = [t for t in order[position + 1 :] if not _worn(t) and overlap(box_of(t), box)]
    touching = _kin(scene, thing_id) if nearer else set()
    covered = union(_clip(box_of(t), box) for t in nearer if t.id not in touching)
    return 1 - covered / (box[2] * box[3])


def _carrier(relation: Relation) -> tuple[str, str]:
    if relation.name in ("holding", "wearing"):
        return relation.subject, relation.object
    return relation.object, relation.subject


def _kin(scene: Scene, thing_id: str) -> set[str]:
    """The thing with everything that carries it or that it carries, directly or indirectly."""
    pairs = [_carrier(relation) for relation in scene.relations if relation.name in TOUCHING]
    above, below = {thing_id}, {thing_id}
    for _ in pairs:
        above |= {carrier for carrier, carried in pairs if carried in above}
        below |= {carried for carrier, carried in pairs if carrier in below}
    return above | below


def _worn(thing: Thing) -> bool:
    return classes()[thing.name].stands == ("worn",)


def _bottom(thing: Thing) -> float:
    return box_of(thing)[1] + box_of(thing)[3]


def _clip(box: Box, frame: Box) -> Box:
    left, top = max(box[0], frame[0]), max(box[1], frame[1])
    right, bottom = min(box[0] + box[2], frame[0] + frame[2]), min(box[1] + box[3], frame[1] + frame[3])
    return left, top, right - left, bottom - top
