"""GQA scene graphs (Hudson & Manning 2019): what is truly in each image.

``{image_id: {width, height, location?, weather?, objects: {id: {name, x, y, w, h, attributes, relations}}}}``
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from askew.data.faults import Sieve, mapping, missing, repeated, text, texts, wrong
from askew.data.index import Index, distinct
from askew.data.stream import pairs
from askew.data.write import encoded
from askew.errors import BadRecord, DataError
from askew.files import write_joined
from askew.types import Relation, Scene, Thing

_FACTS = ("location", "weather")


def read_scenes(path: str) -> Iterator[Scene]:
    """The scenes of a scene graph file (or of all of them in a folder), streamed; the first bad one stops."""
    for sieve, number, key, record in _graphs(path):
        scene = sieve.sift(number, key, scene_of, key, record)
        if scene:
            yield scene


class SceneIndex:
    """Scene graphs by image id: a file is read through once, then lies on disk, and few scenes are in memory."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._cached = lru_cache(maxsize=256)(self._read)
        self._index = Index()
        try:
            for sieve, number, key, record in _graphs(path):
                if not self._index.add(key, number, record):
                    sieve.refuse(number, repeated(key), key)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove what lies on disk."""
        self._index.close()

    def find(self, image: str) -> Scene:
        """The scene of an image."""
        return self._cached(image)

    def _read(self, image: str) -> Scene:
        found = self._index.get(image)
        if found is None:
            raise BadRecord(
                f"image {image!r} has no scene graph in {self._path}. Take the scene graphs of the same split."
            )
        try:
            return scene_of(image, found[1])
        except BadRecord as fault:
            raise BadRecord(f"its scene graph ({self._path}, record {found[0]}): {fault}") from None


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
    width, height = graph.get("width"), graph.get("height")
    size = (int(width), int(height)) if isinstance(width, int | float) and isinstance(height, int | float) else None
    return Scene(key, things, relations, size, {fact: text(graph, fact) for fact in _FACTS if graph.get(fact)})


def graph_of(scene: Scene) -> dict[str, Any]:
    """The scene graph of a scene, as GQA files have it."""
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
    """Write scenes as a GQA scene graph file, streamed; it appears when it is whole. Gives how many there were."""
    parts = (encoded(scene.id) + b": " + encoded(graph_of(scene)) for scene in scenes)
    return write_joined(path, parts, b"{\n", b",\n", b"\n}\n")


def scene_files(path: str) -> list[str]:
    """The scene graph files that a path means: itself, or those in the folder."""
    if not os.path.isdir(path):
        return [path]
    found = sorted(name for name in os.listdir(path) if "sceneGraphs" in name and ".json" in name)
    if not found:
        raise DataError(
            f"{path}: no file with sceneGraphs in its name is in this folder. Put val_sceneGraphs.json there."
        )
    return [os.path.join(path, name) for name in found]


def _graphs(path: str) -> Iterator[tuple[Sieve, int, str, Any]]:
    for file in scene_files(path):
        sieve = Sieve(file, skip=False, advice="")
        for number, key, (_, record) in distinct(sieve, pairs(file), lambda pair: pair[0]):
            yield sieve, number, str(key), record


def _thing(key: str, part: Mapping[str, Any]) -> Thing:
    sides = [part.get(side) for side in "xywh"]
    box = (sides[0], sides[1], sides[2], sides[3]) if all(isinstance(side, int | float) for side in sides) else None
    return Thing(key, text(part, "name"), texts(part, "attributes"), box)  # type: ignore[arg-type]


def _relations(subject: str, part: Mapping[str, Any], objects: Mapping[str, Any]) -> list[Relation]:
    try:
        found = [Relation(subject, each["name"], each["object"]) for each in part.get("relations") or ()]
    except (KeyError, TypeError):
        raise BadRecord(f"a relation of object {subject!r} lacks its 'name' or 'object'. Mend it.") from None
    for relation in found:
        if relation.object not in objects:
            raise BadRecord(
                f"object {subject!r} is related to {relation.object!r}, which is not in the scene. Mend it."
            )
    return found
