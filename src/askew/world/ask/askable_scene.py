"""A scene prepared for asking questions: which things may be asked about, their attributes, and who touches what."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from random import Random
from typing import TypeVar

from askew.types import Scene, Thing
from askew.world.layout import askable, box_of
from askew.world.phrasing import data, plural_of
from askew.world.world_data import classes, dimension, is_a

T = TypeVar("T")

CONTACT = ("holding", "wearing", "riding", "sitting on", "on", "in", "under")
"""Complete relations: a scene lists all of them, so one that is not listed does not hold."""


class AskableScene:
    """A scene with the facts that its questions need, each computed once."""

    def __init__(self, scene: Scene) -> None:
        assert scene.size is not None
        self.scene = scene
        self.width, self.height = scene.size
        self.things = {thing.id: thing for thing in scene.things}
        self.main = [thing for thing in scene.things if classes()[thing.name].family != "clothing"]
        self.names = {thing.name for thing in self.main}
        self.looks = {thing.id: _looks(thing) for thing in scene.things}
        self._named: dict[str, list[Thing]] = {}

    @cached_property
    def asked(self) -> list[Thing]:
        """The things that may be asked about, including clothes."""
        keep = set(askable(self.scene))
        return [thing for thing in self.scene.things if thing.id in keep]

    @cached_property
    def asked_ids(self) -> frozenset[str]:
        """The ids of ``asked``."""
        return frozenset(thing.id for thing in self.asked)

    @cached_property
    def subjects(self) -> list[Thing]:
        """The main things that may be asked about."""
        return [thing for thing in self.main if thing.id in self.asked_ids]

    @cached_property
    def people(self) -> list[Thing]:
        """The people that may be asked about."""
        return [thing for thing in self.subjects if classes()[thing.name].family == "people"]

    @cached_property
    def beings(self) -> list[Thing]:
        """The people and animals that may be asked about."""
        return [thing for thing in self.subjects if classes()[thing.name].family in ("people", "animals")]

    @cached_property
    def touching(self) -> list[tuple[Thing, str, Thing]]:
        """Who touches what, and how."""
        return [
            (self.things[r.subject], r.name, self.things[r.object]) for r in self.scene.relations if r.name in CONTACT
        ]

    @cached_property
    def spatial(self) -> list[tuple[Thing, str, Thing]]:
        """Spatial relations: what is beside, above or in front of what."""
        relations = (r for r in self.scene.relations if r.name not in CONTACT)
        return [(self.things[r.subject], r.name, self.things[r.object]) for r in relations]

    @cached_property
    def wearer(self) -> dict[str, Thing]:
        """The wearer of each garment, by its id."""
        return {garment.id: person for person, name, garment in self.touching if name == "wearing"}

    def named(self, noun: str) -> list[Thing]:
        """Everything that the noun can refer to in this scene, clearly visible or not."""
        if noun not in self._named:
            self._named[noun] = [thing for thing in self.scene.things if is_a(thing.name, noun)]
        return self._named[noun]

    def others(self, thing: Thing, noun: str) -> list[Thing]:
        """Everything else that the noun can refer to."""
        return [other for other in self.named(noun) if other.id != thing.id]

    def centre(self, thing: Thing) -> float:
        """The horizontal centre of a thing, from 0 (left) to 1 (right)."""
        box = box_of(thing)
        return (box[0] + box[2] / 2) / self.width

    def of(self, thing: Thing, *relations: str) -> list[Thing]:
        """What this thing holds, wears, rides, sits on, ..."""
        return [other for subject, name, other in self.touching if subject.id == thing.id and name in relations]

    def joined(self, one: Thing, other: Thing) -> bool:
        """Whether the two touch in any way."""
        return any({a.id, b.id} == {one.id, other.id} for a, _, b in self.touching)

    def wider(self, noun: str) -> bool:
        """Whether the hypernym is unambiguous here: the scene contains no borderline case of it."""
        return not self.names.intersection(data("nouns")["wider"][noun].get("unless", ()))

    def call(self, noun: str, rng: Random) -> tuple[str, str]:
        """A word for a class and its plural, e.g. plane and planes for airplane."""
        entry = data("nouns")["said"].get(noun)
        if entry and rng.random() * 10 < entry["often"] and not self.names.intersection(entry.get("unless", ())):
            one, many = entry["words"]
            return one, many
        return noun, plural_of(noun)


def shuffled(items: Iterable[T], rng: Random) -> list[T]:
    """The items in a random order."""
    mixed = list(items)
    rng.shuffle(mixed)
    return mixed


def _looks(thing: Thing) -> dict[str, str]:
    """The attributes of a thing by dimension, except those that could be understood as about another part of it."""
    unsaid = list(data("nouns")["unsaid"].get(thing.name, ()))
    for word, kinds in data("nouns")["unsaid_when"].get(thing.name, {}).items():
        unsaid += kinds if word in thing.attributes else ()
    if "dirty" in thing.attributes:
        unsaid += data("nouns")["unsaid_dirty"].get(classes()[thing.name].family, ())
    found = {dimension(thing.name, word): word for word in thing.attributes}
    return {kind: word for kind, word in found.items() if kind and kind not in unsaid}
