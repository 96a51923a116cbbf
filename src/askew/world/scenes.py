"""Scenes of the embedded world: a place, the things in it, their attributes and their relations, all of it known.

Places make things probable but never certain, and things have usual colours, so there are shortcuts to learn: most
bananas are yellow, most surfboards are at the beach, and most plural counts are two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from askew.errors import BadOption
from askew.types import Relation, Scene, Thing
from askew.world.clusters import Cluster, draw_one, laden_table, occupied, person, single
from askew.world.layout import LEAST_SIDE, Box, box_of, ground_line, level, overlap, relations, toss
from askew.world.world_data import WorldPlace, classes, is_main, people, places, read

FEWEST, MOST = 3, 9
"""How many main things a scene has."""


def make_scene(seed: int, index: int, size: tuple[int, int] = (224, 224)) -> Scene:
    """The scene with this seed and index; the same on every machine, regardless of what was generated before.

    >>> scene = make_scene(0, 7)
    >>> scene == make_scene(0, 7), scene == make_scene(1, 7)
    (True, False)
    >>> 3 <= len(main_things(scene)) <= 9
    True
    """
    rng = Random(f"{seed}:scene:{index}")
    place = places()[draw_one(rng, {name: place.weight for name, place in places().items()})]
    facts = _facts(rng, place)
    target = rng.choice((3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9))
    if min(size) < 28:
        raise BadOption(f"An image of {size[0]}x{size[1]} pixels is too small. Width and height must be at least 28.")
    attempt = 0
    while True:
        chance = Random(f"{seed}:scene:{index}:{attempt}")
        arrangement = Arrangement(f"world-{seed}-{index}", place, size, chance, facts)
        arrangement.fill(target)
        if FEWEST <= len(arrangement.main) <= MOST:
            return arrangement.scene()
        attempt += 1


def main_things(scene: Scene) -> list[Thing]:
    """All things except clothes."""
    return [thing for thing in scene.things if is_main(thing.name)]


def _facts(rng: Random, place: WorldPlace) -> dict[str, str]:
    facts = {"place": place.name, "setting": place.setting, "time": draw_one(rng, read("places")["times"])}
    if place.weather:
        facts["weather"] = draw_one(rng, place.weather)
    if place.sports:
        facts["sport"] = draw_one(rng, place.sports)
    return facts


@dataclass
class Arrangement:
    """A scene under construction."""

    id: str
    place: WorldPlace
    size: tuple[int, int]
    rng: Random
    facts: dict[str, str]
    things: dict[str, Thing] = field(default_factory=dict)
    joints: list[Relation] = field(default_factory=list)
    depths: dict[str, float] = field(default_factory=dict)
    """The row where each thing's cluster stands; lower in the image is nearer."""
    hidden: dict[str, float] = field(default_factory=dict)
    """An upper bound of the area of each thing's box that other clusters cover."""

    @cached_property
    def ground(self) -> float:
        """Where the ground begins, as a fraction of the height."""
        return ground_line(self.id, self.place.name)

    @property
    def main(self) -> list[Thing]:
        """The main things placed so far."""
        return [thing for thing in self.things.values() if is_main(thing.name)]

    def fill(self, target: int) -> None:
        """Draw classes by their weights, several things of one class at a time; place the largest clusters first."""
        left = dict(self.place.things)
        if self.rng.random() < 1 / 12:
            left[self.rng.choice([name for name in classes() if name not in left])] = sum(left.values()) / 3
        if self.place.setting == "indoors" and self.rng.random() < 0.85:
            large = [name for name in left if classes()[name].family == "furniture" and name != "chair"]
            anchor = draw_one(self.rng, {name: left[name] for name in large})
            del left[anchor]
            self._place(self._clusters(anchor, 1, target))
        for _ in range(4):
            self._place(self._wanted(left, target - len(self.main)))

    def _wanted(self, left: dict[str, float], missing: int) -> list[tuple[str, Cluster]]:
        """Clusters with at most as many main things as are still missing; their classes are removed from ``left``."""
        found: list[tuple[str, Cluster]] = []
        while left and missing > 0:
            name = draw_one(self.rng, left)
            del left[name]
            many = 1
            if (kind := classes()[name]).family != "furniture":
                small = kind.height[1] ** 2 * kind.aspect < 0.1  # several fit
                many = draw_one(self.rng, read("places")["counts_small" if small else "counts"])
            new = self._clusters(name, many, missing)
            missing -= sum(cluster.weight for _, cluster in new)
            found += new
        return found

    def _clusters(self, name: str, many: int, room: int) -> list[tuple[str, Cluster]]:
        """Up to this many clusters around a class, each with the surface it stands on."""
        found = []
        for _ in range(many):
            possible = [stand for stand in classes()[name].stands if self._offers(stand)]
            stand = self.rng.choice(possible) if possible else ""
            if not stand or room <= 0:
                break
            cluster = self._cluster(name, stand, room)
            if cluster.parts[0].name == "surfboard" and len(cluster.parts) > 1 and self.place.water:
                stand = "water"
            if cluster.weight <= room:
                found.append((stand, cluster))
                room -= cluster.weight
        return found

    def _place(self, clusters: list[tuple[str, Cluster]]) -> None:
        """Find a spot for each cluster, the largest first; those for which there is none are left out."""
        for stand, cluster in sorted(clusters, key=lambda pair: pair[1].spread, reverse=True):
            if toss(self.id, str(len(self.things) + 1)) < 0:
                cluster = cluster.mirrored
            for _ in range(60):
                boxes = self._try(cluster, stand)
                if boxes and self._fits(cluster, boxes):
                    self._keep(cluster, boxes)
                    break

    def scene(self) -> Scene:
        """The scene of the things placed so far, with every visible relation."""
        apart = relations(self.things, self.joints, min(self.size))
        every = dict.fromkeys([*self.joints, *apart])
        facts = dict(self.facts)
        ridden = {self.things[r.object].name for r in self.joints if r.name == "riding"}
        sports = {people()["sports"][mount] for mount in ridden if mount in people()["sports"]}
        if len(ridden) == len(sports) == 1:
            facts.setdefault("sport", *sports)
        if self.place.setting == "indoors" and not any(t.name == "window" for t in self.things.values()):
            facts.pop("time")
        return Scene(self.id, tuple(self.things.values()), tuple(every), self.size, facts)

    def _offers(self, stand: str) -> bool:
        """Whether this place has such a surface."""
        if stand in ("wall", "floor"):
            return self.place.setting == "indoors"
        if stand == "sky":
            return self.place.setting == "outdoors"
        return (stand == "ground" and self.place.name != "sky") or (stand == "water" and self.place.water is not None)

    def _cluster(self, name: str, stand: str, room: int) -> Cluster:
        family = classes()[name].family
        rainy = self.facts.get("weather") == "rainy"
        odds = {"wet/dry": 0.75, "open/closed": 0.9} if rainy else {}
        if family == "people":
            return person(self.rng, name, self.place, odds)
        if name == "table":
            return laden_table(self.rng, self.place, min(room - 1, self.rng.choice((2, 3, 3, 4, 5, 6))))
        if family == "furniture":
            return occupied(self.rng, name)
        given = {
            ("bird", "sky"): ["flying"],
            ("duck", "water"): ["swimming", "wet"],
            ("lamp", "ground"): ["tall"],
        }.get((name, stand), [])
        return single(self.rng, name, given, odds)

    def _try(self, cluster: Cluster, stand: str) -> list[Box] | None:
        """Boxes in pixels at a random spot, or None if they are too small there or outside the image."""
        unit = min(self.size)
        width, height = self.size[0] / unit, self.size[1] / unit
        ground = self.ground * height
        foot, scale = self._spot(stand, ground, height, classes()[cluster.parts[0].name].depth)
        left, top, right, bottom = (scale * end for end in cluster.ends)
        edge = 0.015
        if scale * cluster.least < LEAST_SIDE or right - left > width - 2 * edge:
            return None
        if foot + top < edge or foot + bottom > height - edge or (stand == "wall" and foot > ground - 0.03):
            return None
        if cluster.parts[0].name == "fish" and foot + top < (self.place.water or (0, 0))[0] * height:
            return None
        x = self.rng.uniform(edge - left, width - edge - right)
        return [_at(part.box, scale, x, foot, unit) for part in cluster.parts]

    def _spot(self, stand: str, ground: float, height: float, depth: tuple[float, float]) -> tuple[float, float]:
        """Foot and scale: on the ground, lower means nearer and larger."""
        rng = self.rng
        if stand == "sky":
            horizon = self.place.water[0] * height + 0.08 if self.place.water else ground
            return rng.uniform(0.16, max(0.3, horizon - 0.04)), rng.uniform(0.9, 1.1)
        if stand == "wall":
            return rng.uniform(0.2, ground - 0.05), 1.0
        if stand == "floor":
            return ground + 0.015, 1.0
        if stand == "water":
            assert self.place.water is not None
            top, bottom = (edge * height for edge in self.place.water)
            foot = rng.uniform(top + 0.5 * (bottom - top) * 0.5, bottom + 0.02)
            return foot, 0.78 + 0.2 * (foot - top) / (bottom - top)
        near = rng.uniform(*depth)
        return ground + near * (0.985 * height - ground), 0.80 + 0.20 * near

    def _fits(self, cluster: Cluster, boxes: list[Box]) -> bool:
        """Whether the boxes fit: nothing hides more than a sixth of anything, and similar things do not overlap.

        Of a thing that carries something or is carried, half as much may be hidden.
        """
        depth = boxes[0][1] + boxes[0][3]
        hidden = dict(self.hidden)
        for part, box in zip(cluster.parts, boxes, strict=True):
            if not is_main(part.name):
                continue
            own = 0.0
            for thing in self.main:
                other = box_of(thing)
                behind = self.depths[thing.id] <= depth
                far, near = (other, box) if behind else (box, other)
                if _seems_on(far, near, min(self.size)):
                    return False
                common = overlap(box, other)
                if not common:
                    continue
                flat = "wall" in (level(thing), _level(part.name)) or "flying" in (*part.attributes, *thing.attributes)
                if flat or thing.name == part.name or overlap(_top(far), near) > 0.12 * _area(_top(far)):
                    return False
                if not behind:
                    own += common
                    continue
                hidden[thing.id] = hidden.get(thing.id, 0.0) + common
                joined = any(thing.id in (joint.subject, joint.object) for joint in self.joints)
                if hidden[thing.id] > (0.08 if joined else 0.18) * _area(other):
                    return False
            if own > (0.18 if len(cluster.parts) == 1 else 0.08) * _area(box):
                return False
        return True

    def _keep(self, cluster: Cluster, boxes: list[Box]) -> None:
        first = len(self.things) + 1
        added: dict[str, Thing] = {}
        for part, box in zip(cluster.parts, boxes, strict=True):
            key = str(first + len(added))
            self.depths[key] = boxes[0][1] + boxes[0][3]
            for thing in self.main:
                far = thing.id if self.depths[thing.id] <= self.depths[key] else key
                self.hidden[far] = self.hidden.get(far, 0.0) + overlap(box, box_of(thing))
            added[key] = Thing(key, part.name, part.attributes, box)
        self.things |= added
        self.joints += [Relation(str(first + a), name, str(first + b)) for a, name, b in cluster.joints]


def _at(box: Box, scale: float, x: float, foot: float, unit: float) -> Box:
    """The box of a part in pixels if its cluster stands at (x, foot)."""
    left, top, width, height = box
    return (
        round((x + left * scale) * unit, 2),
        round((foot + top * scale) * unit, 2),
        round(width * scale * unit, 2),
        round(height * scale * unit, 2),
    )


def _level(name: str) -> str:
    return "wall" if classes()[name].stands[0] in ("wall", "floor") else "ground"


def _top(box: Box) -> Box:
    """The upper half of a tall thing, where faces and signs are; the whole box of anything else."""
    x, y, width, height = box
    return (x, y, width, height / 2) if height > 1.25 * width else box


def _seems_on(far: Box, near: Box, unit: float) -> bool:
    """Whether the foot of the farther thing is so close to the top of the nearer one that it seems to stand on it."""
    columns = min(far[0] + far[2], near[0] + near[2]) - max(far[0], near[0])
    return columns > 0.2 * min(far[2], near[2]) and -0.03 < (far[1] + far[3] - near[1]) / unit < 0.09


def _area(box: Box) -> float:
    return box[2] * box[3]
