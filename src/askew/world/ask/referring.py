"""Referring expressions that fit exactly one thing of a scene: *the dog*, *the brown dog*, *the dog on the left*."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from random import Random

from askew.types import Thing
from askew.world.ask.askable_scene import AskableScene
from askew.world.phrasing import Pick, data, near, said_word
from askew.world.world_data import classes, dimensions

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
    if classes()[thing.name].family == "clothing":
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
                said = view.call(other.name, rng)[0]
                yield 1.5, Phrase(f"the {word} {name} the {said}", Pick(noun, tie=name, to=Pick(other.name)))
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
