"""What can be asked about a scene so that the same text has another answer elsewhere (``balance=text``).

A scene offers keys: it certainly lacks a cup, it has a red cup, it has one wooden table. A yes/no question about
objects is matched with a scene that offers the keys of the other answer. A description of one thing with a value (the
brown dog: standing) is matched with the same description with another value in another scene.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from random import Random
from typing import NamedTuple

from askew.perturb.carets.arguments import Noun, class_marks, class_noun, value_pairs
from askew.perturb.carets.attributes import Value, action, action_categories, asked_for, opposites
from askew.perturb.carets.ontology import lemma, number, question_classes, wider
from askew.perturb.carets.plausibility import Plausibility
from askew.perturb.carets.scene_view import Link, SceneView, ThingView, doubled, plain_values, tells_apart

FALSE_NAMES = 48
"""How many plausible absent names are drawn for a scene."""


@lru_cache(maxsize=1 << 17)
def content_hash(text: str) -> int:
    """A 64-bit hash of a text, the same on every machine.

    >>> content_hash("cup") == content_hash("cup") != content_hash("fork")
    True
    """
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def lacks(name: str) -> int:
    """The key of a scene that certainly shows no such thing, by its lemma."""
    return content_hash(f"lacks {name}")


def lacks_kind(word: str) -> int:
    """The key of a scene that certainly shows nothing of a class."""
    return content_hash(f"lacks any {word}")


def has(noun: Noun) -> int:
    """The key of a scene that shows such a thing."""
    return content_hash(f"has {noun.bare}")


def has_one(noun: Noun) -> int:
    """The key of a scene in which only one thing can be meant."""
    return content_hash(f"the {noun.bare}")


class SceneClaim(NamedTuple):
    """A description that means one thing of a scene, and a value that it has, or its name for a class (Q5)."""

    type: str
    """Q5, Q6 or Q7; Q4 for attributes that only antonyms use."""
    noun: Noun
    category: str
    """The category of the value, the class, or both words of a pair of opposites without a category."""
    value: str
    things: tuple[str, ...]

    @property
    def key(self) -> int:
        """The same for all claims that ask the same of the same description."""
        description = self.noun.described
        if self.type == "Q5":  # no list of "a leek or kale"
            description = f"{description} {number(self.value)}"
        return content_hash(f"{self.type} {self.category}: {description}")


@dataclass
class Offers:
    """The keys and claims of several scenes, by the place of the scene; values by their place in ``words``."""

    keys: array[int] = field(default_factory=lambda: array("Q"))
    scenes: array[int] = field(default_factory=lambda: array("I"))
    values: array[int] = field(default_factory=lambda: array("i"))
    """-1 for keys; for claims the place of the value in ``words``."""
    claims: array[int] = field(default_factory=lambda: array("H"))
    """For claims, their place among those of the scene."""
    words: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """Type, category and value of claims."""

    def add(self, scene: int, keys: set[int], claims: list[SceneClaim]) -> None:
        """Add the keys and the claims of a scene."""
        rows = [(key, -1, 0) for key in sorted(keys)]
        for place, claim in enumerate(claims):
            word = self.words.setdefault((claim.type, claim.category, claim.value), len(self.words))
            rows.append((claim.key, word, place))
        for key, value, place in rows:
            self.keys.append(key)
            self.scenes.append(scene)
            self.values.append(value)
            self.claims.append(place)

    def join(self, other: Offers, first: int) -> None:
        """Add the offers of further scenes; the first of them has the place ``first``."""
        same = [self.words.setdefault(word, len(self.words)) for word in other.words]
        self.keys.extend(other.keys)
        self.scenes.extend(scene + first for scene in other.scenes)
        self.values.extend(same[value] if value >= 0 else -1 for value in other.values)
        self.claims.extend(other.claims)


def scene_keys(view: SceneView, model: Plausibility, rng: Random) -> set[int]:
    """The keys of what a scene certainly lacks (plausible things only) and of what it has."""
    found: set[int] = set()
    for _ in range(FALSE_NAMES):
        name = model.false_name(view, rng)
        if name:
            found.add(lacks(lemma(name)))
            found.update(lacks_kind(word) for word in wider(lemma(name)) if view.lacked[word])
    for thing in view.askable:
        found.update(has(noun) for noun in phrases(thing))
    for thing in view.clear:
        if view.alone(thing):
            found.update(has_one(noun) for noun in phrases(thing))
    return found


def phrases(thing: ThingView) -> Iterator[Noun]:
    """A thing by its name, with each of its attributes, and with each pair of them."""
    yield Noun(thing.name)
    values = plain_values(thing)
    yield from (Noun(thing.name, (value,)) for value in values)
    yield from (Noun(thing.name, pair) for pair in value_pairs(values))


def scene_claims(view: SceneView, rng: Random, most: int) -> list[SceneClaim]:
    """The claims about a scene's things, at most ``most`` of them."""
    found = list(dict.fromkeys(each for thing in view.clear for each in _claims(view, thing)))
    return found if len(found) <= most else rng.sample(found, most)


def _claims(view: SceneView, thing: ThingView) -> Iterator[SceneClaim]:
    described = list(_descriptions(view, thing))
    for value in filter(asked_for, thing.settled):
        for type_, category in _askable_as(value, thing):
            for noun, things in described:
                if not _mentions(noun, value):
                    yield SceneClaim(type_, noun, category, value.word, things)
    for name in question_classes(thing.lemma) if number(thing.name) != "many" and thing.name == thing.lemma else ():
        for noun, things in _class_descriptions(view, thing, name):
            yield SceneClaim("Q5", noun, name, thing.name, things)


def _askable_as(value: Value, thing: ThingView) -> Iterator[tuple[str, str]]:
    """The types and categories by which a value can be asked for."""
    if value.category:
        if not doubled(thing.name, value.after):
            yield ("Q7" if value.category in action_categories() else "Q6"), value.category
        return
    own = {each.word for each in thing.values}
    for other in opposites(value):
        if other.word not in own:
            yield "Q4", "/".join(sorted((value.word, other.word)))


def _mentions(noun: Noun, value: Value) -> bool:
    """True if a description already says something of the category."""
    if value.category and any(each.category == value.category for each in noun.values):
        return True
    return value in noun.values or (value.category in action_categories() and bool(action(noun.relation)))


def _descriptions(view: SceneView, thing: ThingView) -> Iterator[tuple[Noun, tuple[str, ...]]]:
    """The descriptions that mean this thing alone, with the ids of the things they name."""
    if rivals := view.rivals(thing):
        for value in plain_values(thing):
            if tells_apart(value, rivals):
                yield Noun(thing.name, (value,)), (thing.id,)
        return
    yield Noun(thing.name), (thing.id,)
    for value in plain_values(thing):
        yield Noun(thing.name, (value,)), (thing.id,)
    for link in view.linked.get(thing.id, ()):
        yield _linked(Noun(thing.name), link), (thing.id, link.object.id)


def _class_descriptions(view: SceneView, thing: ThingView, name: str) -> Iterator[tuple[Noun, tuple[str, ...]]]:
    """The black animal, the animal on the sofa: the descriptions by a class that mean this thing alone."""
    values, links = class_marks(view, thing, name)
    for value in values:
        yield class_noun(name, value), (thing.id,)
    for link in links:
        yield _linked(class_noun(name, None), link), (thing.id, link.object.id)


def _linked(noun: Noun, link: Link) -> Noun:
    return noun._replace(relation=link.relation, to=Noun(link.object.name))
