"""Scenes for the tests of CARETS, and the data set that reads them."""

from __future__ import annotations

from random import Random

from askew.perturb.carets.attributes import fits, words
from askew.perturb.carets.ontology import members
from askew.types import Question, Relation, Scene, Thing

TEXT_TESTS = ("REPHRASE-INV", "ORDER-INV", "ONTOLOGICAL-INV", "NEGATION-DIR", "ANTONYM-DIR")
NAMES = sorted(members())[::3]
RELATIONS = ("to the left of", "on", "near", "wearing", "holding", "behind", "sitting on", "of")
CATEGORIES = ("color", "material", "size", "pose", "openness", "age", "wetness", "sport", "pattern")


class Scenes:
    """Scenes as a data set: one question without text per scene."""

    name = "scenes"
    skipped = ()

    def __init__(self, scenes):
        self.scenes = list(scenes)

    def questions(self):
        return (Question(scene.id, None, "", scene=scene) for scene in self.scenes)


def synthetic(count, seed=0):
    """Scenes in the shape of GQA's, over a third of the vocabulary."""
    return [_scene(number, Random(f"{seed}:{number}")) for number in range(count)]


def _scene(number, rng):
    things = tuple(_thing(str(place), rng) for place in range(rng.randint(4, 14)))
    pairs = [rng.sample(things, 2) for _ in things]
    links = tuple(Relation(one.id, rng.choice(RELATIONS), other.id) for one, other in pairs)
    return Scene(f"s{number}", things, links, (500, 375))


def _thing(key, rng):
    name = rng.choice(NAMES)
    suit = [category for category in CATEGORIES if fits(category, name)]
    said = tuple(rng.choice(words(each)) for each in rng.sample(suit, rng.randint(0, min(3, len(suit)))))
    return Thing(
        key, name, said, (rng.randint(0, 300), rng.randint(0, 200), rng.randint(20, 200), rng.randint(20, 170))
    )
