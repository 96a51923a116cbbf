"""How one thing looks, read from its attributes once: the sketches ask this, never the scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from askew.types import Thing
from askew.world.draw.palette import WOOD, Rgb, palette, shade_of
from askew.world.draw.pen import Pen
from askew.world.draw.surface import Surface
from askew.world.vocabulary import dimensions


@dataclass(frozen=True)
class Look:
    """A thing's name and words, its colour and surface, and its own source of chance."""

    name: str
    words: frozenset[str]
    colour: Rgb
    surface: Surface
    rng: Random
    time: str = "day"

    def __contains__(self, word: str) -> bool:
        return word in self.words


Sketch: TypeAlias = Callable[[Pen, Look], None]
Sketches: TypeAlias = Mapping[str, Sketch]


def look_of(thing: Thing, seed: str, time: str = "day") -> Look:
    """The look of a thing; ``seed`` makes it differ from others of its kind."""
    rng = Random(f"{seed}:{thing.id}:look")
    words = frozenset(thing.attributes)
    said = next((word for word in thing.attributes if word in dimensions()["colour"]), None)
    pattern = next((word for word in thing.attributes if word in dimensions()["pattern"]), "plain")
    material = next((word for word in thing.attributes if word in dimensions()["material"]), "")
    colour = shade_of(said, rng) if said else _unsaid(material)
    return Look(thing.name, words, colour, Surface(colour, pattern, material), rng, time)


def _unsaid(material: str) -> Rgb:
    if material == "wooden":
        return WOOD
    return palette()["white"] if material != "glass" else (206, 228, 236)
