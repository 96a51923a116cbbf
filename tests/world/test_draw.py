"""The images: tight boxes, every attribute visible, nothing hidden, the same pixels everywhere."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from itertools import product
from json import dumps, loads
from random import Random

import numpy as np
import pytest
from PIL import Image

from askew.errors import UsageError
from askew.files.records import scene_from, scene_record
from askew.types import Relation, Scene, Thing
from askew.world.clusters import dressed, single
from askew.world.draw import draw
from askew.world.draw.draw_scene import RIM, paint
from askew.world.draw.sketch import drawings, strokes
from askew.world.draw.surface import palette
from askew.world.layout import box_of, overlap, painting_order, toss
from askew.world.scenes import main_things, make_scene
from askew.world.world_data import classes, dimensions, people

SHADOW = (30, 26, 50)
"""The colour of shadows: on a ground of it they do not show."""
MAIN = [name for name, kind in classes().items() if kind.family != "clothing"]
OBJECTS = [name for name in MAIN if classes()[name].family != "people"]


def alone(thing: Thing, *others: Thing, tied: tuple[Relation, ...] = (), key: str = "s") -> np.ndarray:
    """The visible pixels of the first object, at twice the scene's size."""
    scene = Scene(key, (thing, *others), tied, (224, 224), {"place": "park"})
    image = Image.new("RGB", (448, 448), SHADOW)
    paint(image, scene, [thing])
    return np.asarray(image).astype(np.int16)


def painted(pixels: np.ndarray) -> np.ndarray:
    return np.abs(pixels - np.array(SHADOW)).max(axis=2) > 14


def frame(mask: np.ndarray) -> tuple[float, float, float, float]:
    """The box of a mask, in the scene's pixels."""
    ys, xs = np.nonzero(mask)
    return xs.min() / 2, ys.min() / 2, (xs.max() + 1 - xs.min()) / 2, (ys.max() + 1 - ys.min()) / 2


def agreement(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Intersection over union of two boxes."""
    common = overlap(a, b)
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def sample(name: str, number: int) -> Thing:
    """An object of the class in the middle of a scene; lamps are off, because their light would reach far."""
    part = single(Random(f"{name}:{number}"), name, ["off"] if name == "lamp" else []).parts[0]
    scale = 110 / max(part.box[2:])
    width, height = part.box[2] * scale, part.box[3] * scale
    return Thing("1", name, part.attributes, (112 - width / 2, 112 - height / 2, width, height))


def test_the_box_is_the_tight_box_of_what_is_painted() -> None:
    for name, number in product(sorted(OBJECTS), range(5)):
        thing = sample(name, number)
        dry = replace(thing, attributes=tuple(w for w in thing.attributes if w not in ("wet", "dirty")))
        assert agreement(frame(painted(alone(dry))), box_of(thing)) > 0.9, thing


def test_the_box_of_a_person_is_tight_in_every_pose() -> None:
    for name, pose, number in product(["man", "woman", "boy", "girl"], sorted(people()["joints"]), range(3)):
        person, clothes, tied, others = _dressed(name, pose, number)
        mask = painted(alone(person, *clothes, *others, tied=tied))
        assert agreement(frame(mask), box_of(person)) > 0.85, (name, pose, frame(mask), box_of(person))


@pytest.mark.parametrize("pose", sorted(people()["joints"]))
def test_the_box_of_a_garment_is_where_its_colour_shows(pose: str) -> None:
    for number, name in enumerate(("man", "woman", "boy", "girl")):
        person, clothes, tied, others = _dressed(name, pose, number)
        for garment in clothes:
            shots = []
            for colour in ("red", "green"):
                words = (colour, *(w for w in garment.attributes if w in ("long", "short")))
                changed = [replace(c, attributes=words) if c is garment else c for c in clothes]
                shots.append(alone(person, *changed, *others, tied=tied))
            mask = np.abs(shots[0] - shots[1]).max(axis=2) > 40
            assert agreement(frame(mask), box_of(garment)) > 0.8, (pose, garment, frame(mask))


def _dressed(name: str, pose: str, number: int) -> tuple[Thing, list[Thing], tuple[Relation, ...], list[Thing]]:
    """A person in clothes, and what the pose needs: a mount or a seat (not painted)."""
    cluster = dressed(
        Random(f"{name}:{pose}:{number}"), name, pose, "riding" if pose in ("riding", "balancing") else ""
    )
    scale = 150 / cluster.parts[0].box[3]
    below = {"riding": "horse", "balancing": "skateboard", "sitting": "chair", "facing": "sofa"}.get(pose)
    others = [Thing("9", below, (), (0.0, 0.0, 1.0, 1.0))] if below else []
    side = toss("s", "9" if below else "1")
    if side < 0:
        cluster = cluster.mirrored
    things = [
        Thing(
            str(k + 1),
            p.name,
            p.attributes,
            (112 + p.box[0] * scale, 200 + p.box[1] * scale, p.box[2] * scale, p.box[3] * scale),
        )
        for k, p in enumerate(cluster.parts)
    ]
    tied = [Relation("1", "wearing", thing.id) for thing in things[1:]]
    if below:
        tied.append(Relation("1", "riding" if "riding" in things[0].attributes else "sitting on", "9"))
    return things[0], things[1:], tuple(tied), others


def _alternatives(name: str) -> list[tuple[str, ...]]:
    """Words that exclude each other and must look different; sizes show in the box."""
    kind = classes()[name]
    pairs = [p for p in kind.pairs if p not in ("big/small", "tall/short", "long/short")]
    found = [tuple(pair.split("/")) for pair in pairs]
    found += [
        tuple(words) for words in (kind.colours, kind.patterns, [m for m in kind.materials if m != "none"], kind.poses)
    ]
    return [words for words in found if len(words) > 1]


def test_every_attribute_is_visible() -> None:
    """In the same box and with the same seed, another word gives clearly different pixels."""
    for name, words in [(one, words) for one in MAIN for words in _alternatives(one)]:
        base = sample(name, 0) if name in OBJECTS else _dressed(name, "standing", 0)[0]
        clothes: list[Thing] = [] if name in OBJECTS else _dressed(name, "standing", 0)[1]
        tied = tuple(Relation("1", "wearing", garment.id) for garment in clothes)
        others = tuple(word for word in base.attributes if word not in words)
        x, y, width, height = (round(2 * side) for side in box_of(base))
        cut = slice(max(0, y - 9), y + height + 9), slice(max(0, x - 9), x + width + 9)
        shots = {word: alone(replace(base, attributes=(word, *others)), *clothes, tied=tied)[cut] for word in words}
        area = painted(shots[words[0]]).sum()
        for i, a in enumerate(words):
            for b in words[i + 1 :]:
                changed = (np.abs(shots[a] - shots[b]).max(axis=2) > 24).sum()
                assert changed > 0.004 * area, (name, a, b)
                assert changed >= 60, (name, a, b)


@pytest.mark.parametrize(
    "name", ["car", "ball", "cup", "umbrella", "sofa", "bus", "bird", "apple", "kite", "horse", "chair"]
)
def test_the_named_colour_is_the_visible_colour(name: str) -> None:
    """The most frequent colour of the image is nearest to the palette's colour of that name."""
    base = sample(name, 1)
    kept = tuple(
        w for w in base.attributes if w not in (*dimensions()["colour"], "wet", "dirty", *dimensions()["material"])
    )
    for colour in classes()[name].colours:
        pixels = alone(replace(base, attributes=(colour, *kept)))
        common = Counter(map(tuple, pixels[painted(pixels)].tolist())).most_common(1)[0][0]
        nearest = min(
            palette(), key=lambda word: sum((a - b) ** 2 for a, b in zip(palette()[word], common, strict=True))
        )
        assert nearest == colour


def test_at_most_three_tenths_of_any_object_are_hidden() -> None:
    for index in range(30):
        scene = make_scene(19, index)
        dim = tuple(replace(t, attributes=tuple("off" if w == "on" else w for w in t.attributes)) for t in scene.things)
        vessels = {r.subject: r.object for r in scene.relations if r.name == "in"}
        loose = replace(scene, things=dim, relations=tuple(r for r in scene.relations if r.name != "in"))
        order = [t for t in painting_order(replace(scene, things=dim)) if classes()[t.name].family != "clothing"]
        masks = {}
        for thing in order:
            image = Image.new("RGB", (448, 448), SHADOW)
            paint(image, loose, [thing])
            masks[thing.id] = painted(np.asarray(image).astype(np.int16))
        for place, thing in enumerate(order):
            cover = np.zeros((448, 448), dtype=bool)
            for other in order[place + 1 :]:
                mask = masks[other.id].copy()
                if vessels.get(thing.id) == other.id:
                    mask[: round(2 * (box_of(other)[1] + RIM[other.name] * box_of(other)[3]))] = False
                cover |= mask
            assert (masks[thing.id] & cover).sum() <= 0.3 * masks[thing.id].sum(), (scene.id, thing)


def test_same_scene_same_pixels_in_another_process() -> None:
    program = (
        "from hashlib import sha256; from askew.world.scenes import make_scene; from askew.world.draw import draw;"
        "print(sha256(b''.join(draw(make_scene(5, i)).tobytes() for i in range(6))).hexdigest())"
    )
    here = sha256(b"".join(draw(make_scene(5, i)).tobytes() for i in range(6))).hexdigest()
    for hashing in ("0", "1"):
        there = subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": hashing}, capture_output=True, text=True, check=True
        )
        assert there.stdout.strip() == here


def test_a_scene_read_back_from_its_record_gives_the_same_pixels() -> None:
    scene = make_scene(5, 4)
    again = scene_from(loads(dumps(scene_record(scene))))
    assert draw(again).tobytes() == draw(scene).tobytes()


def test_every_drawing_can_be_read_and_every_class_has_one() -> None:
    assert set(OBJECTS) <= set(drawings())
    for name, entry in drawings().items():
        assert strokes(name, entry)


@pytest.mark.parametrize(
    "stroke",
    [
        {"flat red wine": "dot 50 50, 3"},
        {"wavy ink": "dot 50 50, 3"},
        {"flat ink": "oval 50 50"},
        {"flat ink": "circle 50 50, 3"},
        {"flat ink": "blob 1 2, 3 4 at"},
        {"draw nothing like it": ""},
        {"if brightness = 3": []},
        "scale",
    ],
)
def test_a_stroke_that_cannot_be_read_is_named(stroke: object) -> None:
    with pytest.raises(ValueError, match=r"drawings.yaml, teapot: .*cannot be read"):
        strokes("teapot", [stroke])


def test_only_scenes_of_this_world_are_drawn() -> None:
    with pytest.raises(UsageError, match="make_scene"):
        draw(Scene("2370799", (Thing("1", "dog", (), (0, 0, 9, 9)),), size=(500, 375)))


def test_any_size_shows_the_same_scene() -> None:
    scene = make_scene(5, 2)
    assert draw(scene).size == (224, 224)
    large = draw(scene, 448).resize((112, 112), Image.Resampling.BOX)
    small = draw(scene, 224).resize((112, 112), Image.Resampling.BOX)
    assert np.abs(np.asarray(large).astype(np.int16) - np.asarray(small)).mean() < 4
    assert draw(make_scene(5, 2, (320, 224)), 112).size == (160, 112)


def test_weather_hour_and_place_are_visible() -> None:
    scene = next(s for s in (make_scene(5, i) for i in range(99)) if s.facts["place"] == "park")
    facts = [
        {"place": place, "setting": "outdoors", "weather": weather, "time": time}
        for place, weather, time in (
            ("park", "sunny", "day"), ("park", "rainy", "day"), ("park", "snowy", "day"), ("park", "cloudy", "day"),
            ("park", "sunny", "night"), ("park", "sunny", "evening"), ("street", "sunny", "day"),
            ("beach", "sunny", "day"),
        )
    ]  # fmt: skip
    images = [np.asarray(draw(replace(scene, facts=fact), 112)).astype(np.int16) for fact in facts]
    for i, a in enumerate(images):
        for b in images[i + 1 :]:
            assert np.abs(a - b).mean() > 3
    assert images[4].mean() < 0.75 * images[0].mean()


def test_objects_of_one_class_differ_in_shade() -> None:
    """A model cannot match pixels: two red cars are not the same red."""
    car = Thing("1", "car", ("red", "clean"), (20, 60, 180, 95))
    shades = {tuple(alone(car, key=f"s{k}")[245, 180]) for k in range(8)}
    assert len(shades) >= 5


def test_every_object_of_a_scene_is_painted() -> None:
    for index in range(8):
        scene = make_scene(23, index)
        whole = np.asarray(draw(scene)).astype(np.int16)
        for thing in main_things(scene):
            x, y, width, height = (round(side) for side in box_of(thing))
            tied = {r.object for r in scene.relations if r.subject == thing.id and r.name in ("wearing", "holding")}
            rest = tuple(t for t in scene.things if t.id != thing.id and t.id not in tied)
            ids = {t.id for t in rest}
            bonds = tuple(r for r in scene.relations if {r.subject, r.object} <= ids)
            without = np.asarray(draw(replace(scene, things=rest, relations=bonds))).astype(np.int16)
            patch = np.abs(whole - without)[y : y + height, x : x + width]
            assert (patch.max(axis=2) > 12).mean() > 0.10, (scene.id, thing)
