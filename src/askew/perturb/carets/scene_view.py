"""A scene prepared for the generator: the names and attributes of its things, and what is certainly absent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from askew.perturb.carets.attributes import Value, action, apart, relation_words, values
from askew.perturb.carets.ontology import absent, askable, countable, figure, first_words, known, lemma, may_be, up
from askew.types import Scene, Thing

SMALLEST = 32
"""The smallest side in pixels of a thing to ask about (CARETS, section 4.2, after Torralba et al. 2008)."""


BESIDE = ("to the left of", "to the right of", "next to", "near")


class ThingView(NamedTuple):
    """One thing of a scene with its lemma and attributes."""

    id: str
    name: str
    lemma: str
    values: tuple[Value, ...]
    """Its attributes, including actions from its relations."""
    settled: tuple[Value, ...]
    """Values that are the only one of their category."""
    plain: tuple[Value, ...]
    """Values that can precede its name."""
    clear: bool
    """True if its name can be used in questions and it is large enough."""


class Link(NamedTuple):
    """Two things and their relation, in the words of a question."""

    subject: ThingView
    relation: str
    object: ThingView


class SceneView:
    """The things, classes and links of a scene, computed once."""

    def __init__(self, scene: Scene) -> None:
        doing: dict[str, list[str]] = {}
        for relation in scene.relations:
            if found := action(relation.name):
                doing.setdefault(relation.subject, []).append(found)
        self.things = [_thing_view(thing, tuple(doing.get(thing.id, ()))) for thing in scene.things]
        self.clear = [thing for thing in self.things if thing.clear]
        self.askable = [thing for thing in self.clear if countable(thing.name)]
        self.lemmas = {thing.lemma for thing in self.things}
        self.classes: frozenset[str] = frozenset().union(*(may_be(name) for name in self.lemmas))
        self.lacked = Lacked(self.lemmas, self.classes)
        self._called: dict[str, list[ThingView]] = {}
        self.links = list(self._links(scene))
        self.askable_links = [link for link in self.links if countable(link.subject.name)]
        self.linked: dict[str, list[Link]] = {}
        for link in self.links:
            self.linked.setdefault(link.subject.id, []).append(link)

    def called(self, name: str) -> list[ThingView]:
        """The things that a lemma or class may mean."""
        found = self._called.get(name)
        if found is None:
            wide = may_be(name)
            akin = {base for base in self.lemmas if base in wide or name in may_be(base)}
            found = self._called[name] = [each for each in self.things if each.lemma in akin]
        return found

    def rivals(self, thing: ThingView) -> list[ThingView]:
        """The other things that its name may mean."""
        return [each for each in self.called(thing.lemma) if each is not thing]

    def alone(self, thing: ThingView) -> bool:
        """True if its name means no other thing of the scene."""
        return len(self.called(thing.lemma)) == 1

    def _links(self, scene: Scene) -> Iterator[Link]:
        """Links between two clear things, the second being the only one of its name."""
        by_id = {thing.id: thing for thing in self.things}
        for relation in scene.relations:
            subject, other = by_id[relation.subject], by_id[relation.object]
            words = relation_words(relation.name)
            if words in BESIDE and not (countable(subject.name) and countable(other.name)):
                continue  # no sky to the left of the tree
            if words and subject.clear and other.clear and subject.lemma != other.lemma and self.alone(other):
                yield Link(subject, words, other)


class Lacked(dict[str, bool]):
    """Whether a name is certainly absent (CARETS, section 4.1: no hypernym and no part of what is there)."""

    def __init__(self, lemmas: set[str], classes: frozenset[str]) -> None:
        self._scene = lemmas, classes

    def __missing__(self, name: str) -> bool:
        found = self[name] = absent(lemma(name), *self._scene)
        return found


def tells_apart(value: Value, rivals: list[ThingView]) -> bool:
    """True if each rival has a different value of the category, so that the value identifies one thing."""
    return bool(value.category) and all(
        any(each.category == value.category for each in rival.values)
        and all(
            apart(value.category, value.word, each.word) for each in rival.values if each.category == value.category
        )
        for rival in rivals
    )


def plain_values(thing: ThingView, avoid: str = "-", absolute: bool = False) -> list[Value]:
    """The values that can precede the thing's name: one per category, none of the category to avoid."""
    return [value for value in thing.plain if value.category != avoid and not (absolute and value.relative)]


@lru_cache(maxsize=1 << 14)
def misread(before: str, name: str) -> bool:
    """True if an attribute before a name repeats it (*wooden wood*) or forms another name (an *orange tree*).

    >>> misread("wooden", "wood fence"), misread("orange", "tree"), misread("orange", "cup")
    (True, True, False)
    >>> misread("bright orange", "tree")
    True
    """
    attribute, alike = before.split(), f" {before[:4]}"
    if (len(before) > 4 and alike in f" {name}") or not {*attribute}.isdisjoint(name.split()):
        return True
    joined = (" ".join(attribute[at:]) for at, word in enumerate(attribute) if word in first_words())
    return any(known(lemma(f"{words} {name}")) for words in joined)


def doubled(name: str, after: str) -> bool:
    """True if an attribute after a name repeats its last word: is the adult adult?

    >>> doubled("adult", "adult"), doubled("orange juice", "orange")
    (True, False)
    """
    return name.rpartition(" ")[2] == after.partition(" ")[0]


def _thing_view(thing: Thing, doing: tuple[str, ...]) -> ThingView:
    name, base, own, settled, plain, can = _read(thing.name, thing.attributes, doing)
    large = thing.box is None or (thing.box[2] >= SMALLEST and thing.box[3] >= SMALLEST)
    return ThingView(thing.id, name, base, own, settled, plain, large and can)


@lru_cache(maxsize=1 << 14)
def _read(
    name: str, attributes: tuple[str, ...], doing: tuple[str, ...]
) -> tuple[str, str, tuple[Value, ...], tuple[Value, ...], tuple[Value, ...], bool]:
    """Name, lemma, values, settled and plain values of a thing, and whether questions can use its name."""
    name = " ".join(name.lower().split())
    base = lemma(name)
    living = not up(base).isdisjoint(("person", "animal"))
    own = values(attributes + doing if living else attributes, base)
    of = [value.category for value in own]
    settled = tuple(value for value in own if not value.category or of.count(value.category) == 1)
    plain = tuple(value for value in settled if value.before and not misread(value.before, name))
    return name, base, own, settled, plain, askable(name) and not (living and figure(attributes))
