"""Clusters: things placed together as one, such as a table with cups, a girl on a horse or a man with an umbrella.

A cluster is built facing right, its foot at (0, 0). Lengths are fractions of the image's shorter side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import TypeVar

from askew.world.layout import LEAST_SIDE, Box
from askew.world.world_data import Class, WorldPlace, classes, dimensions, is_main, people


@dataclass(frozen=True)
class ClusterPart:
    """A thing to be placed: its name, its attributes, and its box relative to the cluster's foot."""

    name: str
    attributes: tuple[str, ...]
    box: Box

    def moved(self, dx: float, dy: float) -> ClusterPart:
        """The same part, moved."""
        return replace(self, box=(self.box[0] + dx, self.box[1] + dy, *self.box[2:]))


@dataclass(frozen=True)
class Cluster:
    """Parts and how they touch: ``(subject, relation, object)`` as indices of parts. The first part is the base."""

    parts: tuple[ClusterPart, ...]
    joints: tuple[tuple[int, str, int], ...] = ()

    @cached_property
    def least(self) -> float:
        """The shortest side among the main parts, at scale 1."""
        return min(min(p.box[2:]) for p in self.parts if is_main(p.name))

    @cached_property
    def ends(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the box around it, at scale 1."""
        boxes = [part.box for part in self.parts]
        left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
        return left, top, max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)

    @property
    def spread(self) -> float:
        """The area of the box around it, at scale 1."""
        left, top, right, bottom = self.ends
        return (right - left) * (bottom - top)

    @property
    def weight(self) -> int:
        """How many main things it has."""
        return sum(is_main(part.name) for part in self.parts)

    @property
    def mirrored(self) -> Cluster:
        """The cluster mirrored, so that it faces left."""
        parts = (replace(p, box=(-p.box[0] - p.box[2], *p.box[1:])) for p in self.parts)
        return Cluster(tuple(parts), self.joints)


def single(rng: Random, name: str, given: Iterable[str] = (), odds: Mapping[str, float] | None = None) -> Cluster:
    """A single thing standing at the foot, at least as large as ``askable`` requires."""
    attributes = looks(rng, name, tuple(given), odds)
    width, height = extent(rng, name, attributes)
    larger = max(1.0, 1.02 * LEAST_SIDE / min(width, height))
    width, height = width * larger, height * larger
    return Cluster((ClusterPart(name, attributes, (-width / 2, -height, width, height)),))


def laden_table(rng: Random, place: WorldPlace, most: int) -> Cluster:
    """A table with up to ``most`` things on it that do not overlap, and sometimes one under it."""
    cluster = single(rng, "table")
    x, y, width, height = cluster.parts[0].box
    left = x + 0.04 * width
    wanted: list[str] = []
    while len(wanted) < most and place.surface:
        wanted += [draw_one(rng, place.surface)] * draw_one(rng, {1: 5, 2: 4, 3: 2, 4: 1})
    for name in wanted[:most]:
        item = filled(rng, name)
        across = max(part.box[0] + part.box[2] for part in item.parts) - min(part.box[0] for part in item.parts)
        if left + across > x + 0.96 * width:
            continue
        foot = y + height * rng.uniform(0.03, 0.10)
        cluster = joined(cluster, item, left + across / 2, foot, "on", 0)
        left += across + rng.uniform(0.01, 0.05)
    if rng.random() < 0.15:
        name, words = draw_one(rng, {("ball", ("small",)): 2, ("cat", ("lying",)): 2, ("dog", ("lying", "small")): 1})
        cluster = joined(cluster, single(rng, name, words), x + width / 2, 0.0, "under", 0)
    return cluster


def filled(rng: Random, name: str) -> Cluster:
    """A thing to put on a table; some vases hold a flower, some bowls hold fruit."""
    if name == "vase" and rng.random() < 0.45:
        return _inside(single(rng, "vase"), single(rng, "flower"), 0.12, 0.8)
    if name == "bowl" and rng.random() < 0.4:
        fruit = draw_one(rng, {"apple": 3, "orange": 3, "banana": 2})
        return _inside(single(rng, "bowl", ["full"]), single(rng, fruit), 0.36, 1.0)
    return single(rng, name)


def occupied(rng: Random, name: str) -> Cluster:
    """A piece of furniture; sofas and beds sometimes have a cat or dog on them."""
    cluster = single(rng, name)
    if name not in ("sofa", "bed") or rng.random() > 0.3:
        return cluster
    animal = single(rng, draw_one(rng, {"cat": 3, "dog": 2}), [draw_one(rng, {"lying": 2, "sitting": 3})])
    x, y, width, height = cluster.parts[0].box
    seat = people()["seats"][name][1]
    return joined(cluster, animal, x + width * rng.uniform(0.35, 0.65), y + height * seat, "on", 0)


def joined(cluster: Cluster, other: Cluster, dx: float, dy: float, relation: str, to: int) -> Cluster:
    """Both clusters as one: the other is moved, and its first part has the relation to part ``to`` of this one."""
    shift = len(cluster.parts)
    parts = cluster.parts + tuple(part.moved(dx, dy) for part in other.parts)
    joints = tuple((a + shift, name, b + shift) for a, name, b in other.joints)
    return Cluster(parts, (*cluster.joints, (shift, relation, to), *joints))


def _inside(vessel: Cluster, content: Cluster, depth: float, scale: float) -> Cluster:
    """The content standing in the vessel; ``depth`` is a fraction of the vessel's height."""
    x, y, width, height = vessel.parts[0].box
    part = content.parts[0]
    part = replace(part, box=tuple(side * scale for side in part.box))  # type: ignore[arg-type]
    return joined(vessel, Cluster((part,)), x + width / 2, y + depth * height, "in", 0)


Key = TypeVar("Key")


def draw_one(rng: Random, weights: Mapping[Key, float]) -> Key:
    """A random key, with probability proportional to its weight.

    >>> draw_one(Random(0), {"sure": 1, "never": 0})
    'sure'
    """
    return rng.choices(list(weights), weights=list(weights.values()))[0]


def looks(
    rng: Random, name: str, given: Sequence[str] = (), odds: Mapping[str, float] | None = None
) -> tuple[str, ...]:
    """The attributes of a new thing: colour, pattern, material, opposites, pose. The ``given`` words are included.

    ``odds`` changes how often the first word of a pair holds, e.g. ``{"wet/dry": 0.8}`` in the rain.

    >>> looks(Random(1), "orange")
    ('orange',)
    >>> "closed" in looks(Random(1), "door", given=["closed"])
    True
    """
    kind = classes()[name]
    material = draw_one(rng, kind.materials) if kind.materials else "none"
    words = [_colour(rng, kind, material)]
    if kind.patterns and (material in ("none", "plastic") or kind.framed):
        words.append(draw_one(rng, kind.patterns))
    words.append("" if material == "none" else material)
    words += [_side(rng, pair, given, odds or {}) for pair in kind.pairs]
    if kind.poses and not any(word in dimensions()["pose"] for word in given):
        words.append(draw_one(rng, kind.poses))
    words += [word for word in given if word not in words]
    return tuple(word for word in words if word)


def extent(rng: Random, name: str, attributes: Sequence[str]) -> tuple[float, float]:
    """Width and height of a thing at the front of the image, as fractions of the image's shorter side."""
    kind = classes()[name]
    height = rng.uniform(*kind.height)
    aspect = kind.aspect
    for word in attributes:
        height *= dimensions()["scale"].get(word, 1.0) if word not in kind.aspect_when else 1.0
        height *= kind.height_when.get(word, 1.0)
        aspect = kind.aspect_when.get(word, aspect)
        if word in ("tall", "short") and word in kind.aspect_when:
            height *= dimensions()["scale"][word]
    return height * aspect * rng.uniform(0.97, 1.03), height


def _colour(rng: Random, kind: Class, material: str) -> str:
    colours = dict(kind.colours)
    allowed = dimensions()["material_colours"].get(material)
    if allowed is not None and not kind.framed:
        colours = {colour: allowed.count(colour) for colour in allowed if colour in colours}
    return draw_one(rng, colours) if colours else ""


def _side(rng: Random, pair: str, given: Sequence[str], odds: Mapping[str, float]) -> str:
    first, second = pair.split("/")
    chance = odds.get(pair, dimensions()["first"].get(pair, 0.5))
    neither = pair in dimensions()["sometimes"] and rng.random() < dimensions()["neither"]
    side = first if rng.random() < chance else second
    return next((word for word in (first, second) if word in given), "" if neither else side)


def person(rng: Random, name: str, place: WorldPlace, odds: Mapping[str, float]) -> Cluster:
    """A dressed person who stands, walks, runs, jumps, sits, rides, holds, eats, reads or throws."""
    possible = dict(place.activities)
    for activity, needed in (("ride", place.ridden), ("sit", place.seats), ("hold", place.held)):
        if not needed:
            possible.pop(activity, None)
    activity = draw_one(rng, possible)
    if activity == "ride":
        return _rider(rng, name, draw_one(rng, place.ridden))
    if activity == "sit":
        return _sitter(rng, name, draw_one(rng, place.seats))
    if activity in ("hold", "eat", "read", "throw"):
        pose = "standing" if activity != "hold" or rng.random() < 0.6 else "walking"
        cluster = dressed(rng, name, pose)
        held = draw_one(rng, place.held) if activity == "hold" else ""
        return _with_item(rng, cluster, activity, held, odds)
    return dressed(rng, name, activity)


def dressed(rng: Random, name: str, pose: str, doing: str = "") -> Cluster:
    """A dressed person. ``pose`` is a row of ``people.yaml``; the attributes name it in plain words."""
    posture = {"facing": "sitting", "riding": "sitting", "balancing": "standing"}.get(pose, pose)
    attributes = looks(rng, name, [word for word in (posture, doing) if word])
    kind, shape = classes()[name], people()["poses"][pose]
    tall = rng.uniform(*kind.height)
    width, height = tall * shape["width"] * kind.aspect / 0.44, tall * shape["height"]
    lift = 0.10 * tall if pose == "jumping" else 0.0
    cluster = Cluster((ClusterPart(name, attributes, (-width / 2, -height - lift, width, height)),))
    garments = ["shirt", "trousers"]
    if name in ("woman", "girl") and pose not in ("riding",) and rng.random() < 0.5:
        garments = ["dress"]
    if rng.random() < 0.25:
        garments.append("hat")
    for garment in garments:
        words = looks(rng, garment, ["short"] if garment == "dress" and pose != "standing" else ())
        part = ClusterPart(garment, words, garment_box(cluster.parts[0].box, pose, garment, words, "hat" in garments))
        cluster = Cluster((*cluster.parts, part), (*cluster.joints, (0, "wearing", len(cluster.parts))))
    return cluster


def garment_box(box: Box, pose: str, garment: str, words: Iterable[str], hat: bool) -> Box:
    """The box of a garment on a person with this box; a hat moves everything else down."""
    tables = people()["garments"]
    key = ("long dress" if "long" in words else "short dress") if garment == "dress" else garment
    table = tables.get(pose, tables["standing"])
    x, y, width, height = table.get(key, tables["standing"][key])
    if hat and garment != "hat":
        room = people()["hat_room"]
        y, height = room + (1 - room) * y, (1 - room) * height
    return box[0] + x * box[2], box[1] + y * box[3], width * box[2], height * box[3]


def _with_item(rng: Random, cluster: Cluster, activity: str, held: str, odds: Mapping[str, float]) -> Cluster:
    """The cluster with something in its person's hand."""
    doing = {"eat": "eating", "read": "reading", "throw": "throwing", "hold": "holding"}[activity]
    name = {"eat": draw_one(rng, people()["foods"]), "read": "book", "throw": "ball", "hold": held}[activity]
    given = {"book": ["open"], "umbrella": ["open"], "ball": ["small"], "kite": ["flying"]}.get(name, [])
    item = single(rng, name, given, odds).parts[0]
    who = next(i for i, part in enumerate(cluster.parts) if classes()[part.name].family == "people")
    body = cluster.parts[who]
    pose = "walking" if "walking" in body.attributes else "standing"
    if "sitting" in body.attributes:
        pose = "sitting" if any(part.name == "chair" for part in cluster.parts) else "facing"
    hand = _point(body.box, people()["poses"][pose][grip(doing, name)])
    item = _in_hand(item, hand, body, doing, rng)
    parts = list(cluster.parts)
    parts[who] = replace(body, attributes=(*body.attributes, doing))
    return Cluster((*parts, item), (*cluster.joints, (who, "holding", len(parts))))


def grip(doing: str, item: str) -> str:
    """Where the hand is while a person does this with this item: a column of ``people.yaml``.

    >>> grip("eating", "apple"), grip("holding", "umbrella"), grip("holding", "cup")
    ('mouth', 'lifted', 'hand')
    """
    if doing == "throwing" or item == "kite":
        return "raised"
    if doing == "eating":
        return "mouth"
    return "lifted" if item == "umbrella" else "hand"


def _in_hand(item: ClusterPart, hand: tuple[float, float], body: ClusterPart, doing: str, rng: Random) -> ClusterPart:
    """The item placed in the hand so that it hides neither face nor clothes."""
    _, _, width, height = item.box
    if item.name == "umbrella":
        tall = 0.78 * body.box[3]
        return replace(item, box=(hand[0] - tall / 2, hand[1] + 0.04 * tall - tall, tall, tall))
    if item.name == "kite":
        x, y = hand[0] + rng.uniform(0.10, 0.2), body.box[1] - rng.uniform(-0.02, 0.08) - height
        return replace(item, box=(x, y, width, height))
    if item.name == "surfboard":
        return replace(item, box=(hand[0] - 0.12 * width, -height, width, height))
    held = {"ball": (0.3, 0.85), "bottle": (0.25, 0.6), "flower": (0.25, 0.6)}.get(item.name, (0.1, 0.65))
    x, y = (0.25, 0.75) if doing == "eating" else held
    return replace(item, box=(hand[0] - x * width, hand[1] - y * height, width, height))


def _sitter(rng: Random, name: str, seat: str) -> Cluster:
    chair = single(rng, seat, ["long"] if seat == "bench" else ()).parts[0]
    wider = {"chair": 1.2, "sofa": 1.3, "bed": 1.25, "bench": 1.3}[seat]
    taller = 1.15 if seat == "chair" else 1.0
    x, y, width, height = chair.box
    chair = replace(chair, box=(x * wider, y * taller, width * wider, height * taller))
    pose = "sitting" if seat == "chair" else "facing"
    sitter = dressed(rng, name, pose)
    spot = people()["seats"][seat]
    shift = 0.0 if seat == "chair" else rng.uniform(-0.22, 0.22)
    target = _point(chair.box, (spot[0] + shift, spot[1]))
    cluster = _resting(Cluster((chair,)), sitter, pose, target, "sitting on")
    activity = draw_one(
        rng, {"": 4, "read": 0 if seat == "bench" or (seat == "sofa" and name in ("man", "woman")) else 3, "eat": 2}
    )
    return _with_item(rng, cluster, activity, "", {}) if activity else cluster


def _rider(rng: Random, name: str, mount: str) -> Cluster:
    pose = "balancing" if mount in ("skateboard", "surfboard") else "riding"
    given = {"horse": [draw_one(rng, {"standing": 1, "running": 1})], "surfboard": ["wet"]}.get(mount, [])
    below = single(rng, mount, given).parts[0]
    larger = {"horse": 1.2, "elephant": 1.1, "bicycle": 1.15, "motorcycle": 1.25}.get(mount, 1.0)
    below = replace(below, box=tuple(side * larger for side in below.box))  # type: ignore[arg-type]
    if mount == "surfboard":
        words = tuple(word for word in below.attributes if word not in ("long", "short"))
        below = ClusterPart(mount, words, (-0.24, -0.135, 0.48, 0.135))
    rider = dressed(rng, name, pose, "riding")
    return _resting(Cluster((below,)), rider, pose, _point(below.box, people()["mounts"][mount]), "riding")


def _resting(cluster: Cluster, body: Cluster, pose: str, spot: tuple[float, float], relation: str) -> Cluster:
    """The person of ``body`` with their seat (or feet) at this point."""
    seat = _point(body.parts[0].box, people()["poses"][pose].get("seat", (0.5, 1.0)))
    return joined(cluster, body, spot[0] - seat[0], spot[1] - seat[1], relation, 0)


def _point(box: Box, spot: tuple[float, float] | list[float]) -> tuple[float, float]:
    return box[0] + spot[0] * box[2], box[1] + spot[1] * box[3]
