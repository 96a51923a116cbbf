"""Clusters: things that belong together and are placed as one, such as a table with cups or a girl on a horse.

A cluster is built facing right, in parts of the picture's short side, its foot at (0, 0).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import TypeVar

from askew.world.layout import LEAST_SIDE, Box
from askew.world.world_data import Class, Place, classes, dimensions, people


@dataclass(frozen=True)
class Part:
    """A thing to be: name, attributes, and its box relative to the cluster's foot."""

    name: str
    attributes: tuple[str, ...]
    box: Box

    def moved(self, dx: float, dy: float) -> Part:
        """The same, elsewhere."""
        return replace(self, box=(self.box[0] + dx, self.box[1] + dy, *self.box[2:]))


@dataclass(frozen=True)
class Cluster:
    """Parts and how they touch: ``(subject, relation, object)`` by position among the parts. The first part stands."""

    parts: tuple[Part, ...]
    joints: tuple[tuple[int, str, int], ...] = ()

    def with_part(self, part: Part, *joints: tuple[int, str, int]) -> Cluster:
        """One part more, last."""
        return Cluster((*self.parts, part), self.joints + joints)

    @cached_property
    def least(self) -> float:
        """The shortest side among the main parts, at scale 1."""
        return min(min(p.box[2:]) for p in self.parts if classes()[p.name].family != "clothing")

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
        return sum(classes()[part.name].family != "clothing" for part in self.parts)

    @property
    def mirrored(self) -> Cluster:
        """The same, facing left."""
        parts = (replace(p, box=(-p.box[0] - p.box[2], *p.box[1:])) for p in self.parts)
        return Cluster(tuple(parts), self.joints)


def single(rng: Random, name: str, given: Iterable[str] = (), odds: Mapping[str, float] | None = None) -> Cluster:
    """One thing alone, standing at the foot; never smaller than what may be asked about."""
    attributes = looks(rng, name, tuple(given), odds)
    width, height = extent(rng, name, attributes)
    larger = max(1.0, 1.02 * LEAST_SIDE / min(width, height))
    width, height = width * larger, height * larger
    return Cluster((Part(name, attributes, (-width / 2, -height, width, height)),))


def laden_table(rng: Random, place: Place, most: int) -> Cluster:
    """A table with up to ``most`` things on it, each clear of the next, and now and then one below."""
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
    """A thing for a table; some vases hold a flower, some bowls fruit."""
    if name == "vase" and rng.random() < 0.45:
        return _inside(single(rng, "vase"), single(rng, "flower"), 0.12, 0.8)
    if name == "bowl" and rng.random() < 0.4:
        fruit = draw_one(rng, {"apple": 3, "orange": 3, "banana": 2})
        return _inside(single(rng, "bowl", ["full"]), single(rng, fruit), 0.36, 1.0)
    return single(rng, name)


def occupied(rng: Random, name: str) -> Cluster:
    """A sofa, bed or the like, now and then with a cat or dog on it."""
    cluster = single(rng, name)
    if name not in ("sofa", "bed") or rng.random() > 0.3:
        return cluster
    animal = single(rng, draw_one(rng, {"cat": 3, "dog": 2}), [draw_one(rng, {"lying": 2, "sitting": 3})])
    x, y, width, height = cluster.parts[0].box
    seat = people()["seats"][name][1]
    return joined(cluster, animal, x + width * rng.uniform(0.35, 0.65), y + height * seat, "on", 0)


def joined(cluster: Cluster, other: Cluster, dx: float, dy: float, relation: str, to: int) -> Cluster:
    """Both clusters, the other moved, its first part standing in the relation to a part of this one."""
    shift = len(cluster.parts)
    parts = cluster.parts + tuple(part.moved(dx, dy) for part in other.parts)
    joints = tuple((a + shift, name, b + shift) for a, name, b in other.joints)
    return Cluster(parts, (*cluster.joints, (shift, relation, to), *joints))


def _inside(vessel: Cluster, content: Cluster, depth: float, scale: float) -> Cluster:
    """The content standing in the vessel, sunk by a part of the vessel's height."""
    x, y, width, height = vessel.parts[0].box
    part = content.parts[0]
    part = replace(part, box=tuple(side * scale for side in part.box))  # type: ignore[arg-type]
    return joined(vessel, Cluster((part,)), x + width / 2, y + depth * height, "in", 0)


Key = TypeVar("Key")


def draw_one(rng: Random, weights: Mapping[Key, float]) -> Key:
    """One key by its weight.

    >>> draw_one(Random(0), {"sure": 1, "never": 0})
    'sure'
    """
    return rng.choices(list(weights), weights=list(weights.values()))[0]


def looks(
    rng: Random, name: str, given: Sequence[str] = (), odds: Mapping[str, float] | None = None
) -> tuple[str, ...]:
    """The attributes of a new thing: colour, pattern, material, opposites, pose. ``given`` words are kept.

    ``odds`` changes how often the first word of a pair holds, e.g. ``{"wet/dry": 0.8}`` in the rain.

    >>> looks(Random(1), "orange")
    ('orange',)
    >>> "closed" in looks(Random(1), "door", given=["closed"])
    True
    """
    kind = classes()[name]
    material = draw_one(rng, kind.materials) if kind.materials else "none"
    words = [_colour(rng, kind, material), _pattern(rng, kind, material), "" if material == "none" else material]
    words += [_side(rng, pair, given, odds or {}) for pair in kind.pairs]
    if kind.poses and not any(word in dimensions()["pose"] for word in given):
        words.append(draw_one(rng, kind.poses))
    words += [word for word in given if word not in words]
    return tuple(word for word in words if word)


def extent(rng: Random, name: str, attributes: Sequence[str]) -> tuple[float, float]:
    """Width and height of a thing at the front of the picture, in parts of the picture's short side."""
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


def _pattern(rng: Random, kind: Class, material: str) -> str:
    if not kind.patterns or (material not in ("none", "plastic") and not kind.framed):
        return ""
    return draw_one(rng, kind.patterns)


def _side(rng: Random, pair: str, given: Sequence[str], odds: Mapping[str, float]) -> str:
    first, second = pair.split("/")
    chance = odds.get(pair, dimensions()["first"].get(pair, 0.5))
    neither = pair in dimensions()["sometimes"] and rng.random() < dimensions()["neither"]
    side = first if rng.random() < chance else second
    return next((word for word in (first, second) if word in given), "" if neither else side)
