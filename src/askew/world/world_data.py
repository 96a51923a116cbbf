"""What the world can contain: classes of things, places, and the dimension of each attribute (read from ``data/``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from askew.files.read_write import resource

Weights = Mapping[str, float]


@dataclass(frozen=True)
class Class:
    """A class of things: its WordNet synset, possible attributes, size, and where it can stand."""

    name: str
    synset: str
    hypernyms: tuple[str, ...]
    """WordNet hypernyms used in questions, nearest first."""
    plural: str
    family: str
    stands: tuple[str, ...]
    """ground, water, sky, wall, floor (at the foot of the wall), surface (of a table), worn."""
    height: tuple[float, float] = (0.0, 0.0)
    """Range of heights at the front of the image, as fractions of its shorter side."""
    aspect: float = 1.0
    """Width / height."""
    aspect_when: Weights = field(default_factory=dict)
    height_when: Weights = field(default_factory=dict)
    depth: tuple[float, float] = (0.12, 1.0)
    """How near it stands: 0 at the far edge of the ground, 1 at the front."""
    colours: Weights = field(default_factory=dict)
    patterns: Weights = field(default_factory=dict)
    materials: Weights = field(default_factory=dict)
    poses: Weights = field(default_factory=dict)
    framed: bool = False
    """The material is the frame's, colour and pattern are the cloth's (a wooden bed with a striped blanket)."""
    pairs: tuple[str, ...] = ()
    """Pairs of opposites it can have, e.g. ``open/closed``."""


@dataclass(frozen=True)
class WorldPlace:
    """A kind of place, and how probable things and activities are there."""

    name: str
    weight: float
    setting: str
    """indoors or outdoors."""
    ground: tuple[float, float]
    """Range of heights, from the top, at which floor or land begins."""
    things: Weights
    water: tuple[float, float] | None = None
    """Top and bottom of the water."""
    weather: Weights = field(default_factory=dict)
    surface: Weights = field(default_factory=dict)
    held: Weights = field(default_factory=dict)
    ridden: Weights = field(default_factory=dict)
    seats: Weights = field(default_factory=dict)
    activities: Weights = field(default_factory=dict)
    sports: Weights = field(default_factory=dict)


def read(name: str) -> Any:
    """One data file of the world."""
    return resource(f"world/data/{name}.yaml")


@cache
def classes() -> Mapping[str, Class]:
    """Every class by name.

    >>> classes()["boy"].hypernyms
    ('male', 'child', 'person')
    >>> len(classes()) >= 40
    True
    """
    return {name: Class(name=name, **_tupled(entry)) for name, entry in read("classes").items()}


@cache
def places() -> Mapping[str, WorldPlace]:
    """Every place by name.

    >>> places()["beach"].ridden["surfboard"]
    8
    """
    entries = read("places")
    return {name: WorldPlace(name=name, **_tupled(entry)) for name, entry in entries.items() if "weight" in entry}


def dimensions() -> Any:
    """The words of each dimension, the pairs of opposites, and how often the first word of a pair applies."""
    return read("dimensions")


def people() -> Any:
    """Poses, joints, garments, seats and mounts of people."""
    return read("people")


def is_a(name: str, word: str) -> bool:
    """Whether the word is the class or one of its hypernyms.

    >>> is_a("duck", "bird"), is_a("bird", "duck"), is_a("boy", "person")
    (True, False, True)
    """
    return word == name or word in classes()[name].hypernyms


@cache
def is_main(name: str) -> bool:
    """Whether things of this class are placed by themselves: all but clothes, which come with their wearer."""
    return classes()[name].family != "clothing"


def dimension(name: str, word: str) -> str | None:
    """The dimension of an attribute of this class: colour, pattern, material, pose, action or a pair of opposites.

    >>> [dimension("umbrella", word) for word in ("red", "striped", "closed", "wet", "sitting")]
    ['colour', 'pattern', 'open/closed', 'wet/dry', 'pose']
    >>> dimension("tree", "short"), dimension("fence", "short"), dimension("fence", "tasty")
    ('tall/short', 'long/short', None)
    """
    for kind in ("colour", "pattern", "material", "pose", "action"):
        if word in dimensions()[kind]:
            return kind
    return next((pair for pair in classes()[name].pairs if word in pair.split("/")), None)


def _tupled(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
