"""Images of the embedded world with labels for everything visible in them: the region encoder's training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askew.models.onnx_encoder import pixels
from askew.types import ImageRef, Scene, Thing
from askew.verbs import Dataset
from askew.world.scenes import main_things

MOST = 12
"""The largest number of objects of an image that are learned from."""
VISIBLE_RELATIONS = ("wearing", "holding", "riding", "sitting on", "on", "in", "under")
"""Relations that are visible on one of the two objects; the others follow from the boxes."""


@dataclass(frozen=True)
class Labels:
    """The labels of objects (names first) and of whole images."""

    names: tuple[str, ...]
    rest: tuple[str, ...]
    facts: tuple[str, ...]

    @property
    def things(self) -> tuple[str, ...]:
        """All labels of objects."""
        return (*self.names, *self.rest)

    def record(self) -> dict[str, list[str]]:
        """As plain JSON."""
        return {"names": list(self.names), "rest": list(self.rest), "facts": list(self.facts)}


def labels_of(scenes: Iterable[Scene], least: int = 20) -> Labels:
    """The labels of at least ``least`` objects (or images) of these scenes, sorted; rarer ones cannot be learned.

    >>> dog = Scene("s", (Thing("1", "dog", ("wet",)),), facts={"place": "park"})
    >>> labels_of([dog], least=1)
    Labels(names=('dog',), rest=('wet',), facts=('place: park',))
    """
    names, rest, facts = Counter[str](), Counter[str](), Counter[str]()
    for scene in scenes:
        facts.update(facts_of(scene))
        for thing, labels in labelled_things(scene):
            names[thing.name] += 1
            rest.update(labels)
    return Labels(*(tuple(sorted(k for k, n in counts.items() if n >= least)) for counts in (names, rest, facts)))


def labelled_things(scene: Scene) -> Iterator[tuple[Thing, list[str]]]:
    """Each main object with its labels besides the name.

    >>> from askew.types import Relation
    >>> man, hat = Thing("1", "man", ("old",)), Thing("2", "hat", ("red",))
    >>> [labels for _, labels in labelled_things(Scene("s", (man, hat), (Relation("1", "wearing", "2"),)))]
    [['old', 'wearing hat', 'red hat']]
    """
    by_id = {thing.id: thing for thing in scene.things}
    ties: dict[str, list[str]] = {}
    for relation in scene.relations:
        if relation.name in VISIBLE_RELATIONS:
            other = by_id[relation.object]
            labels = ties.setdefault(relation.subject, [])
            labels.append(f"{relation.name} {other.name}")
            if relation.name == "wearing":
                labels.extend(f"{word} {other.name}" for word in other.attributes)
    for thing in main_things(scene):
        yield thing, [*thing.attributes, *ties.get(thing.id, ())]


def facts_of(scene: Scene) -> list[str]:
    """The labels of the whole image.

    >>> facts_of(Scene("s", facts={"place": "park", "time": "day"}))
    ['place: park', 'time: day']
    """
    return [f"{name}: {value}" for name, value in scene.facts.items()]


@dataclass(frozen=True, eq=False)
class LabelledImages:
    """Images and their labels, as arrays. N images, M objects at most."""

    images: Any
    """(N, 3, S, S) uint8."""
    boxes: Any
    """(N, M, 4) float32: x, y, width, height as shares of the image."""
    names: Any
    """(N, M) int64: the number of the name, -1 if there is no object."""
    rest: Any
    """(N, M, V - names) bool."""
    facts: Any
    """(N, F) bool."""

    def __len__(self) -> int:
        return len(self.images)


def images_with_scenes(data: Dataset) -> dict[str, tuple[ImageRef, Scene]]:
    """Each image of the data once, with its scene, by the image's id."""
    found: dict[str, tuple[ImageRef, Scene]] = {}
    for question in data.questions():
        if question.image is not None and question.scene is not None:
            found.setdefault(str(question.image.id), (question.image, question.scene))
    return found


def label_images(found: Sequence[tuple[ImageRef, Scene]], labels: Labels, size: int) -> LabelledImages:
    """The images at this size, with their labels."""
    count = len(found)
    labelled = LabelledImages(
        np.zeros((count, 3, size, size), np.uint8),
        np.zeros((count, MOST, 4), np.float32),
        np.full((count, MOST), -1, np.int64),
        np.zeros((count, MOST, len(labels.rest)), np.bool_),
        np.zeros((count, len(labels.facts)), np.bool_),
    )
    places = {
        part: {label: at for at, label in enumerate(getattr(labels, part))} for part in ("names", "rest", "facts")
    }
    for row, (image, scene) in enumerate(found):
        labelled.images[row] = pixels(image, size)
        _describe(labelled, row, scene, places)
    return labelled


def _describe(labelled: LabelledImages, row: int, scene: Scene, places: Mapping[str, Mapping[str, int]]) -> None:
    assert scene.size is not None
    labelled.facts[row, [places["facts"][fact] for fact in facts_of(scene) if fact in places["facts"]]] = True
    known = [(thing, rest) for thing, rest in labelled_things(scene) if thing.name in places["names"] and thing.box]
    for at, (thing, rest) in enumerate(known[:MOST]):
        labelled.boxes[row, at] = np.array(thing.box) / np.array([*scene.size, *scene.size])
        labelled.names[row, at] = places["names"][thing.name]
        labelled.rest[row, at, [places["rest"][label] for label in rest if label in places["rest"]]] = True
