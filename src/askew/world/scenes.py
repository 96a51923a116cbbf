"""Scenes of the embedded world: a place, what is there, how it looks and how it stands to the rest. All of it is known.

Places make things probable, never certain, and things have their usual colours, so there are shortcuts to be learned:
most bananas are yellow, most surfboards are at the beach, and most plural counts are two.
"""

from __future__ import annotations

from functools import cache
from itertools import count
from random import Random

from askew.errors import BadOption
from askew.types import Scene, Thing
from askew.world.arrange import arranged
from askew.world.looks import draw_one
from askew.world.vocabulary import Place, classes, places, read

FEWEST, MOST = 3, 9
"""How many main things a scene has."""


def make_scene(seed: int, index: int, size: tuple[int, int] = (224, 224)) -> Scene:
    """The scene of this seed and number; the same on every machine, whatever else was made before.

    >>> scene = make_scene(0, 7)
    >>> scene == make_scene(0, 7), scene == make_scene(1, 7)
    (True, False)
    >>> 3 <= len(main_things(scene)) <= 9
    True
    """
    rng = Random(f"{seed}:scene:{index}")
    place = places()[draw_one(rng, {name: place.weight for name, place in places().items()})]
    facts = _facts(rng, place)
    target = rng.choice((3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9))
    if min(size) < 28:
        raise BadOption(f"A picture of {size[0]}x{size[1]} pixels is too small. Take at least 28 each way.")
    numbered = (Random(f"{seed}:scene:{index}:{attempt}") for attempt in count())
    tries = (arranged(f"world-{seed}-{index}", place, size, chance, facts, target) for chance in numbered)
    return next(made.scene() for made in tries if FEWEST <= len(made.main) <= MOST)


def main_things(scene: Scene) -> list[Thing]:
    """The things that stand for themselves; clothes are left out."""
    return [thing for thing in scene.things if classes()[thing.name].family != "clothing"]


@cache
def _times() -> dict[str, float]:
    return dict(read("places")["times"])


def _facts(rng: Random, place: Place) -> dict[str, str]:
    facts = {"place": place.name, "setting": place.setting, "time": draw_one(rng, _times())}
    if place.weather:
        facts["weather"] = draw_one(rng, place.weather)
    if place.sports:
        facts["sport"] = draw_one(rng, place.sports)
    return facts
