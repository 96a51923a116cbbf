"""A scene prepared for asking questions, and referring expressions that fit exactly one of its things.

A prepared scene has the things that may be asked about, their attributes, and who touches what. A referring expression
is *the dog*, *the brown dog* or *the dog on the left*.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TypeVar

from askew.types import Scene, Thing
from askew.world.layout import askable, box_of
from askew.world.phrasing import Pick, data, near, plural_of, said_word
from askew.world.scenes import main_things
from askew.world.world_data import classes, dimension, dimensions, is_a, is_main

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
        self.main = main_things(scene)
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


SIZES = frozenset(("big/small", "tall/short", "long/short"))
_TELLING = (
    "colour",
    "pattern",
    "material",
    "young/old",
    "big/small",
    "tall/short",
    "long/short",
    "open/closed",
    "wet/dry",
)
_PASSING = ("colour", "material", "young/old")
_TIED = ("holding", "riding", "sitting on", "on", "in", "under")
_HELD = {"holding": "held by", "riding": "ridden by"}
MARGIN = 0.04
"""How far from the middle of the image a thing must be to be on a side, as a fraction of the width."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase, what it refers to, and whether it is grammatically plural."""

    text: str
    pick: Pick
    many: bool = False


def the(view: AskableScene, thing: Thing, rng: Random, hide: Collection[str] = ()) -> Phrase | None:
    """A phrase that fits this thing and nothing else in the scene, or None.

    ``hide`` names what the phrase must not mention, as the question asks for it: a dimension, ``side``, ``tie`` or
    ``wider``.
    """
    if not is_main(thing.name):
        return _worn(view, thing, rng)
    forms = list(_forms(view, thing, rng, hide))
    if not forms:
        return None
    return rng.choices([phrase for _, phrase in forms], weights=[weight for weight, _ in forms])[0]


def tells_apart(view: AskableScene, thing: Thing, noun: str, kind: str) -> bool:
    """Whether its attribute in this dimension distinguishes a thing from all others that the noun fits."""
    word = view.looks[thing.id].get(kind)
    if word is None or word == "plain":
        return False
    words = [view.looks[other.id].get(kind) for other in view.others(thing, noun)]
    return all(other is not None and other not in near(word) for other in words)


def side_of(view: AskableScene, thing: Thing) -> str:
    """``left`` or ``right`` if the thing is clearly in that half of the image, else an empty string."""
    centre = view.centre(thing)
    return "left" if centre < 0.5 - MARGIN else "right" if centre > 0.5 + MARGIN else ""


def owned(owner: str, noun: str) -> str:
    """A noun phrase with its owner.

    >>> owned("the man", "shirt"), owned("the man on the left", "shirt")
    ("the man's shirt", 'the shirt of the man on the left')
    """
    return f"{owner}'s {noun}" if len(owner.split()) <= 3 else f"the {noun} of {owner}"


def _forms(view: AskableScene, thing: Thing, rng: Random, hide: Collection[str]) -> Iterator[tuple[float, Phrase]]:
    noun = thing.name
    word = view.call(noun, rng)[0]
    yield from _before(view, thing, noun, word, hide)
    if "wider" not in hide:
        for wide in data("nouns")["wider"]:
            if wide != noun and wide in classes()[noun].hypernyms and view.wider(wide) and not view.others(thing, wide):
                yield 1.5, Phrase(f"the {wide}", Pick(wide))
                yield 0.5, Phrase(f"this {wide}", Pick(wide))
    if "side" not in hide:
        yield from _sides(view, thing, noun, word)
    alone = not view.others(thing, noun)
    if alone and classes()[noun].family in ("people", "animals", "vehicles"):
        yield 0.6, Phrase(f"this {word}", Pick(noun))
    if "tie" not in hide:
        for weight, phrase in _ties(view, thing, noun, word, rng, hide):
            yield (weight * 0.3 if alone else weight), phrase
    if "pose" not in hide and not alone and tells_apart(view, thing, noun, "pose"):
        pose = view.looks[thing.id]["pose"]
        who = "who" if classes()[noun].family == "people" else "that"
        yield 0.7, Phrase(f"the {word} {who} is {said_word(pose)}", Pick(noun, (pose,)))


def _before(
    view: AskableScene, thing: Thing, noun: str, word: str, hide: Collection[str]
) -> Iterator[tuple[float, Phrase]]:
    """Phrases with all modifiers before the noun."""
    alone = not view.others(thing, noun)
    if alone:
        yield 9.0, Phrase(f"the {word}", Pick(noun))
    for kind in _PASSING if alone else _TELLING:
        look = view.looks[thing.id].get(kind)
        if look is None or kind in hide or (kind == "colour" and not one_colour(view, thing)):
            continue
        if alone or tells_apart(view, thing, noun, kind):
            yield (0.6 if alone else 3.0), Phrase(f"the {look} {word}", Pick(noun, (look,)))


def one_colour(view: AskableScene, thing: Thing) -> bool:
    """Whether people would name a single colour: it has one, and no pattern with a second one."""
    looks = view.looks[thing.id]
    return "colour" in looks and looks.get("pattern", "plain") == "plain"


def _sides(view: AskableScene, thing: Thing, noun: str, word: str) -> Iterator[tuple[float, Phrase]]:
    side = side_of(view, thing)
    others = [side_of(view, other) for other in view.others(thing, noun)]
    if not side or not others or any(other in ("", side) for other in others):
        return
    pick = Pick(noun, side=side)
    yield 3.0, Phrase(f"the {word} on the {side}", pick)
    yield 0.6, Phrase(f"the {word} on the {side} side of the picture", pick)
    if len(others) == 1:
        yield 0.5, Phrase(f"the {side} {word}", pick)


def _ties(
    view: AskableScene, thing: Thing, noun: str, word: str, rng: Random, hide: Collection[str]
) -> Iterator[tuple[float, Phrase]]:
    """Phrases that mention what the thing touches: *the cup on the table*, *the man in the red shirt*."""
    peers = {other.id for other in view.others(thing, noun)}
    for subject, name, other in view.touching:
        if (
            subject.id == thing.id
            and name in _TIED
            and not any(a.id in peers and n == name and b.name == other.name for a, n, b in view.touching)
        ):
            if not view.others(other, other.name):
                other_word = view.call(other.name, rng)[0]
                yield 1.5, Phrase(f"the {word} {name} the {other_word}", Pick(noun, tie=name, to=Pick(other.name)))
        elif other.id == thing.id and name in _HELD and not view.others(subject, subject.name):
            if len([b for b in view.of(subject, name) if b.name == noun]) == 1:
                text = f"the {word} the {subject.name} is {name}"
                yield 1.2, Phrase(text, Pick(noun, tie=_HELD[name], to=Pick(subject.name)))
        elif subject.id == thing.id and name == "wearing" and "clothes" not in hide and peers:
            yield from _in_clothes(view, thing, noun, word, other)


def _in_clothes(
    view: AskableScene, thing: Thing, noun: str, word: str, garment: Thing
) -> Iterator[tuple[float, Phrase]]:
    colour = view.looks[garment.id].get("colour")
    if (
        garment.id not in view.asked_ids
        or colour is None
        or garment.name == "trousers"
        or not one_colour(view, garment)
    ):
        return
    for other in view.others(thing, noun):
        worn = [view.looks[item.id].get("colour") for item in view.of(other, "wearing") if item.name == garment.name]
        if any(shade in near(colour) for shade in worn if shade):
            return
    yield (
        2.0,
        Phrase(
            f"the {word} in the {colour} {garment.name}", Pick(noun, tie="wearing", to=Pick(garment.name, (colour,)))
        ),
    )


def _worn(view: AskableScene, garment: Thing, rng: Random) -> Phrase | None:
    """*the man's shirt*, *the shirt of the man on the left*."""
    owner = view.wearer[garment.id]
    many = garment.name in data("nouns")["plural"]
    word = view.call(garment.name, rng)[0]
    if not view.others(garment, garment.name) and rng.random() < 0.15:
        return Phrase(f"the {word}", Pick(garment.name), many)
    who = the(view, owner, rng, hide=("clothes", "wider" if rng.random() < 0.7 else ""))
    if who is None:
        return None
    return Phrase(owned(who.text, word), Pick(garment.name, tie="worn by", to=who.pick), many)


def size_shows(view: AskableScene, thing: Thing, kind: str) -> bool:
    """Whether its size is visible: another thing of its class has the opposite size, or it is a dress."""
    if thing.name == "dress":
        return True
    mine = view.looks[thing.id].get(kind)
    return any(view.looks[other.id].get(kind, mine) != mine for other in view.others(thing, thing.name))


def words_of(kind: str) -> list[str]:
    """All words of a dimension, or both of a pair of opposites."""
    return kind.split("/") if "/" in kind else list(dimensions()[kind])
