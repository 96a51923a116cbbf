"""GQA scene graphs (Hudson & Manning 2019): the objects, attributes and relations in each image.

``{image_id: {width, height, location?, weather?, objects: {id: {name, x, y, w, h, attributes, relations}}}}``

``SceneFile`` reads them as data: one empty question per scene, for suites that generate their own questions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import orjson

from askew.data.bad_records import (
    DataFiles,
    Sieve,
    distinct,
    identity,
    mapping,
    missing,
    repeated,
    short,
    text,
    texts,
    wrong,
)
from askew.data.find_images import ImagesById
from askew.data.json_stream import pairs
from askew.errors import BadImage, BadRecord, DataError
from askew.files.read_write import write_joined
from askew.files.records import encoded
from askew.types import Question, Relation, Scene, Thing

_FACTS = ("location", "weather")


class SceneIndex:
    """Scene graphs by image id: the files are read once; graphs stay encoded until they are looked up."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._cached = lru_cache(maxsize=256)(self._read)
        self._graphs: dict[str, tuple[int, bytes]] = {}
        for sieve, number, key, record in _graphs(path):
            if key in self._graphs:
                sieve.refuse(number, repeated(key), key)
            self._graphs[key] = number, orjson.dumps(record)

    def find(self, image: str) -> Scene:
        """The scene of an image."""
        return self._cached(image)

    def _read(self, image: str) -> Scene:
        if image not in self._graphs:
            raise BadRecord(
                f"image {image!r} has no scene graph in {self._path}. Use the scene graphs of the same split."
            )
        number, graph = self._graphs[image]
        try:
            return scene_of(image, orjson.loads(graph))
        except BadRecord as fault:
            raise BadRecord(f"its scene graph ({self._path}, record {number}): {fault}") from None


def scene_of(key: str, record: object) -> Scene:
    """The scene of one scene graph.

    >>> cat = {"name": "cat", "x": 1, "y": 2, "w": 3, "h": 4}
    >>> scene_of("1", {"width": 9, "height": 5, "objects": {"7": cat}}).things
    (Thing(id='7', name='cat', attributes=(), box=(1, 2, 3, 4)),)
    """
    graph = mapping(record)
    objects = graph.get("objects")
    if not isinstance(objects, dict):
        raise missing(graph, "objects") if objects is None else wrong("objects", "an object {id: ...}", objects)
    things = tuple(_thing(name, mapping(part)) for name, part in objects.items())
    relations = tuple(relation for name, part in objects.items() for relation in _relations(name, part, objects))
    width, height = _number(graph, "width"), _number(graph, "height")
    size = None if width is None or height is None else (int(width), int(height))
    if size and min(size) < 1:
        raise BadRecord(f"width and height are {size[0]} and {size[1]}. Give the image's size in pixels.")
    return Scene(key, things, relations, size, {fact: text(graph, fact) for fact in _FACTS if graph.get(fact)})


def check_scene(record: object) -> None:
    """Refuse an invalid scene in our own format, with a valid example."""
    try:
        _check_scene(mapping(record))
    except BadRecord as fault:
        raise BadRecord(f"its scene cannot be read: {fault} {_LIKE_THIS}") from None


def _check_scene(scene: Mapping[str, Any]) -> None:
    identity(scene, "id")
    _check_numbers(scene, "size", "[width, height] above 0", 2, least=1)
    mapping(scene.get("facts") or {})
    known = set()
    for part in _list(scene, "things"):
        thing = mapping(part)
        if identity(thing, "id") in known:
            raise repeated(thing["id"])
        known.add(thing["id"])
        text(thing, "name")
        texts(thing, "attributes")
        _check_numbers(thing, "box", "[x, y, width, height]", 4)
    for relation in _list(scene, "relations"):
        if not isinstance(relation, list) or len(relation) != 3 or not isinstance(relation[1], str):
            raise wrong("relations[…]", "[thing, name, thing]", relation)
        if not all(isinstance(thing, str | int) and thing in known for thing in relation[::2]):
            raise BadRecord(f"the relation {short(relation)} names things that are not in the scene.")


def _list(record: Mapping[str, Any], key: str) -> list[Any]:
    value = record.get(key)
    if value is not None and not isinstance(value, list):
        raise wrong(key, "a list", value)
    return value or []


def _check_numbers(record: Mapping[str, Any], key: str, wanted: str, count: int, least: float | None = None) -> None:
    values = record.get(key)
    if values is None:
        return
    valid = isinstance(values, list) and len(values) == count and all(type(value) in (int, float) for value in values)
    if not valid or (least is not None and min(values) < least):
        raise wrong(key, wanted, values)


_LIKE_THIS = (
    'Write it like {"id": "1", "size": [640, 480], "things": [{"id": "7", "name": "cat", "attributes": ["white"], '
    '"box": [10, 20, 200, 150]}, {"id": "8", "name": "sofa"}], "relations": [["7", "on", "8"]]}.'
)


def graph_of(scene: Scene) -> dict[str, Any]:
    """The scene graph of a scene, in GQA's format."""
    graph: dict[str, Any] = dict(scene.facts)
    if scene.size is not None:
        graph |= {"width": scene.size[0], "height": scene.size[1]}
    objects: dict[str, Any] = {}
    for thing in scene.things:
        box = dict(zip("xywh", thing.box, strict=True)) if thing.box else {}
        objects[thing.id] = {"name": thing.name, **box, "attributes": list(thing.attributes), "relations": []}
    for relation in scene.relations:
        objects[relation.subject]["relations"].append({"name": relation.name, "object": relation.object})
    return {**graph, "objects": objects}


def write_scenes(scenes: Iterable[Scene], path: str) -> int:
    """Write scenes as a GQA scene graph file, streamed; the file appears when it is complete. Returns their number."""
    parts = (encoded(scene.id) + b": " + encoded(graph_of(scene)) for scene in scenes)
    return write_joined(path, parts, b"{\n", b",\n", b"\n}\n")


def scene_files(path: str) -> list[str]:
    """The scene graph files at a path: itself, or those in the folder."""
    if not os.path.isdir(path):
        return [path]
    found = sorted(name for name in os.listdir(path) if "sceneGraphs" in name and ".json" in name)
    if not found:
        raise DataError(
            f"{path}: this folder has no file with sceneGraphs in its name. Put val_sceneGraphs.json there."
        )
    return [os.path.join(path, name) for name in found]


def _graphs(path: str) -> Iterator[tuple[Sieve, int, str, Any]]:
    for file in scene_files(path):
        sieve = Sieve(file, skip=False, advice="")
        for number, key, (_, record) in distinct(sieve, pairs(file), lambda pair: pair[0]):
            yield sieve, number, str(key), record


def _thing(key: str, part: Mapping[str, Any]) -> Thing:
    x, y, w, h = (_number(part, side) for side in "xywh")
    box = None if x is None or y is None or w is None or h is None else (x, y, w, h)
    return Thing(key, text(part, "name"), texts(part, "attributes"), box)


def _number(part: Mapping[str, Any], key: str) -> float | None:
    """A size or coordinate in pixels, None if it is not given."""
    value = part.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise wrong(key, "a number", value)
    return value


def _relations(subject: str, part: Mapping[str, Any], objects: Mapping[str, Any]) -> list[Relation]:
    try:
        relations = [Relation(subject, each["name"], each["object"]) for each in part.get("relations") or ()]
    except (KeyError, TypeError):
        raise BadRecord(f"a relation of object {subject!r} lacks its 'name' or 'object'. Fix it.") from None
    for relation in relations:
        for key, value in (("name", relation.name), ("object", relation.object)):
            if not isinstance(value, str):
                raise wrong(f"relations[…].{key}", "text", value)
        if relation.object not in objects:
            raise BadRecord(f"object {subject!r} is related to {relation.object!r}, which is not in the scene. Fix it.")
    return relations


@dataclass(frozen=True, repr=False)
class SceneFile(DataFiles):
    """GQA scene graphs without questions (Hudson & Manning 2019): ``scenes:val_sceneGraphs.json,images=FOLDER``."""

    path: str
    """The scene graph file, or a folder of files with ``sceneGraphs`` in their name."""
    images: str | None = None
    """The folder of images, named by the scene's id; without it, images are only known by their ids."""
    skip_bad: bool = False
    """Leave out bad scenes and list them in ``skipped``."""

    counted: ClassVar[str] = "scene"
    """What messages call the records: ``questions`` yields one question for each."""

    def __post_init__(self) -> None:
        scene_files(self.path)

    @property
    def name(self) -> str:
        """The name of the file or folder without its extension."""
        return os.path.basename(os.path.normpath(self.path)).split(".")[0]

    def files(self) -> Sequence[str]:
        """The file, or those of the folder."""
        return scene_files(self.path)

    def questions(self) -> Iterator[Question]:
        """One question for each scene, in the order of the files: no text, no answers, the scene and its image.

        An image whose file is missing is only refused when it is opened, since questions can be made from the scene.
        If no image has a file, the folder must be wrong: BadImage is raised at the end.
        """
        self.begin()
        images = ImagesById(self.images, ["{id}.jpg", "{id}.png"])
        seen: set[str] = set()
        for file in scene_files(self.path):
            sieve = Sieve(file, self.skip_bad, self.skipped)
            for number, (key, record) in pairs(file):
                question = sieve.sift(number, key, _question, key, record, seen, images)
                if question:
                    yield question
        if images.missing and not images.found:
            raise BadImage(f"{self.path}: none of the images was found, e.g. {images.missing}")


def _question(key: str, record: object, seen: set[str], images: ImagesById) -> Question:
    if key in seen:
        raise repeated(key)
    seen.add(key)
    return Question(key, images.find_later(key), "", scene=scene_of(key, record))
