"""People as clusters: in clothes, standing, sitting, riding, with something in hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from random import Random

from askew.world.clusters import Cluster, Part, draw_one, joined, looks, single
from askew.world.layout import Box
from askew.world.world_data import Place, classes, people


def person(rng: Random, name: str, place: Place, odds: Mapping[str, float]) -> Cluster:
    """A person in clothes who stands, walks, runs, jumps, sits, rides, holds, eats, reads or throws."""
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
    """A person in clothes. ``pose`` is a row of ``people.yaml``; the attributes say it in plain words."""
    said = {"facing": "sitting", "riding": "sitting", "balancing": "standing"}.get(pose, pose)
    attributes = looks(rng, name, [word for word in (said, doing) if word])
    kind, shape = classes()[name], people()["poses"][pose]
    tall = rng.uniform(*kind.height)
    width, height = tall * shape["width"] * kind.aspect / 0.44, tall * shape["height"]
    lift = 0.10 * tall if pose == "jumping" else 0.0
    cluster = Cluster((Part(name, attributes, (-width / 2, -height - lift, width, height)),))
    garments = ["shirt", "trousers"]
    if name in ("woman", "girl") and pose not in ("riding",) and rng.random() < 0.5:
        garments = ["dress"]
    if rng.random() < 0.25:
        garments.append("hat")
    for garment in garments:
        words = looks(rng, garment, ["short"] if garment == "dress" and pose != "standing" else ())
        part = Part(garment, words, garment_box(cluster.parts[0].box, pose, garment, words, "hat" in garments))
        cluster = cluster.with_part(part, (0, "wearing", len(cluster.parts)))
    return cluster


def garment_box(box: Box, pose: str, garment: str, words: Iterable[str], hat: bool, side: int = 1) -> Box:
    """The box of a garment on a person with this box; a hat moves everything else down."""
    tables = people()["garments"]
    key = ("long dress" if "long" in words else "short dress") if garment == "dress" else garment
    table = tables.get(pose, tables["standing"])
    x, y, width, height = table.get(key, tables["standing"][key])
    if hat and garment != "hat":
        room = people()["hat_room"]
        y, height = room + (1 - room) * y, (1 - room) * height
    if side < 0:
        x = 1 - x - width
    return box[0] + x * box[2], box[1] + y * box[3], width * box[2], height * box[3]


def _with_item(rng: Random, cluster: Cluster, activity: str, held: str, odds: Mapping[str, float]) -> Cluster:
    """The person of a cluster with something in hand."""
    doing = {"eat": "eating", "read": "reading", "throw": "throwing", "hold": "holding"}[activity]
    name = {"eat": draw_one(rng, people()["foods"]), "read": "book", "throw": "ball", "hold": held}[activity]
    given = {"book": ["open"], "umbrella": ["open"], "ball": ["small"], "kite": ["flying"]}.get(name, [])
    item = single(rng, name, given, odds).parts[0]
    who = next(i for i, part in enumerate(cluster.parts) if classes()[part.name].family == "people")
    body = cluster.parts[who]
    pose = pose_of(body.attributes, cluster)
    hand = _point(body.box, people()["poses"][pose][grip(doing, name)])
    item = _in_hand(item, hand, body, doing, rng)
    parts = list(cluster.parts)
    parts[who] = replace(body, attributes=(*body.attributes, doing))
    return Cluster((*parts, item), (*cluster.joints, (who, "holding", len(parts))))


def grip(doing: str, item: str) -> str:
    """Where the hand of a person who does this with this item is: a column of ``people.yaml``.

    >>> grip("eating", "apple"), grip("holding", "umbrella"), grip("holding", "cup")
    ('mouth', 'lifted', 'hand')
    """
    if doing == "throwing" or item == "kite":
        return "raised"
    if doing == "eating":
        return "mouth"
    return "lifted" if item == "umbrella" else "hand"


def pose_of(attributes: Iterable[str], cluster: Cluster) -> str:
    """The row of ``people.yaml`` for a person who sits or stands in this cluster."""
    names = [part.name for part in cluster.parts]
    if "sitting" in attributes:
        return "sitting" if "chair" in names else "facing"
    return "walking" if "walking" in attributes else "standing"


def _in_hand(item: Part, hand: tuple[float, float], body: Part, doing: str, rng: Random) -> Part:
    """The item where the hand holds it, so that it hides neither face nor clothes."""
    _, _, width, height = item.box
    if item.name == "umbrella":
        tall = 0.78 * body.box[3]
        return replace(item, box=(hand[0] - tall / 2, hand[1] + 0.04 * tall - tall, tall, tall))
    if item.name == "kite":
        x, y = hand[0] + rng.uniform(0.10, 0.2), body.box[1] - rng.uniform(-0.02, 0.08) - height
        return replace(item, box=(x, y, width, height))
    if item.name == "surfboard":
        return replace(item, box=(hand[0] - 0.12 * width, -height, width, height))
    if "eating" in doing:
        return replace(item, box=(hand[0] - 0.25 * width, hand[1] - 0.75 * height, width, height))
    if item.name == "ball":
        return replace(item, box=(hand[0] - 0.3 * width, hand[1] - 0.85 * height, width, height))
    if item.name in ("bottle", "flower"):
        return replace(item, box=(hand[0] - 0.25 * width, hand[1] - 0.6 * height, width, height))
    return replace(item, box=(hand[0] - 0.1 * width, hand[1] - 0.65 * height, width, height))


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
        below = Part(mount, words, (-0.24, -0.135, 0.48, 0.135))
    rider = dressed(rng, name, pose, "riding")
    return _resting(Cluster((below,)), rider, pose, _point(below.box, people()["mounts"][mount]), "riding")


def _resting(cluster: Cluster, body: Cluster, pose: str, spot: tuple[float, float], relation: str) -> Cluster:
    """The person of ``body`` with its seat (or feet) at the spot."""
    seat = _point(body.parts[0].box, people()["poses"][pose].get("seat", (0.5, 1.0)))
    return joined(cluster, body, spot[0] - seat[0], spot[1] - seat[1], relation, 0)


def _point(box: Box, spot: tuple[float, float] | list[float]) -> tuple[float, float]:
    return box[0] + spot[0] * box[2], box[1] + spot[1] * box[3]
