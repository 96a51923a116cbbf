"""What a single thing is like: colour, pattern, material, state and pose by the odds of its class; and its size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

from askew.world.vocabulary import Class, classes, dimensions

Key = TypeVar("Key")


def draw_one(rng: Random, weights: Mapping[Key, float]) -> Key:
    """One key by its weight.

    >>> draw_one(Random(0), {"sure": 1, "never": 0})
    'sure'
    """
    return rng.choices(list(weights), weights=list(weights.values()))[0]


def looks(
    rng: Random, name: str, given: Sequence[str] = (), odds: Mapping[str, float] | None = None
) -> tuple[str, ...]:
    """The attributes of a new thing: colour, pattern, material, opposites, pose. ``given`` words are kept.

    ``odds`` changes how often the first word of a pair holds, e.g. ``{"wet/dry": 0.8}`` in the rain.

    >>> looks(Random(1), "orange")
    ('orange',)
    >>> "closed" in looks(Random(1), "door", given=["closed"])
    True
    """
    kind = classes()[name]
    material = draw_one(rng, kind.materials) if kind.materials else "none"
    words = [_colour(rng, kind, material), _pattern(rng, kind, material), "" if material == "none" else material]
    words += [_side(rng, pair, given, odds or {}) for pair in kind.pairs]
    if kind.poses and not any(word in dimensions()["pose"] for word in given):
        words.append(draw_one(rng, kind.poses))
    words += [word for word in given if word not in words]
    return tuple(word for word in words if word)


def extent(rng: Random, name: str, attributes: Sequence[str]) -> tuple[float, float]:
    """Width and height of a thing at the front of the picture, in parts of the picture's short side."""
    kind = classes()[name]
    height = rng.uniform(*kind.height)
    aspect = kind.aspect
    for word in attributes:
        height *= dimensions()["scale"].get(word, 1.0) if word not in kind.aspect_when else 1.0
        height *= kind.height_when.get(word, 1.0)
        aspect = kind.aspect_when.get(word, aspect)
        if word in ("tall", "short") and word in kind.aspect_when:
            height *= dimensions()["scale"][word]
    return height * aspect * rng.uniform(0.97, 1.03), height


def _colour(rng: Random, kind: Class, material: str) -> str:
    colours = dict(kind.colours)
    allowed = dimensions()["material_colours"].get(material)
    if allowed is not None and not kind.framed:
        colours = {colour: allowed.count(colour) for colour in allowed if colour in colours}
    return draw_one(rng, colours) if colours else ""


def _pattern(rng: Random, kind: Class, material: str) -> str:
    if not kind.patterns or (material not in ("none", "plastic") and not kind.framed):
        return ""
    return draw_one(rng, kind.patterns)


def _side(rng: Random, pair: str, given: Sequence[str], odds: Mapping[str, float]) -> str:
    first, second = pair.split("/")
    chance = odds.get(pair, dimensions()["first"].get(pair, 0.5))
    neither = pair in dimensions()["sometimes"] and rng.random() < dimensions()["neither"]
    side = first if rng.random() < chance else second
    return next((word for word in (first, second) if word in given), "" if neither else side)
