"""Distributions fitted on scenes, from which plausible false objects, attributes and choices are drawn.

CARETS (section 4.1): false objects come from a distribution conditioned on the image's objects, their attributes from
one conditioned on the object, false choices from one conditioned on the class or category.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Any, Generic, TypeVar

from askew.perturb.carets.attributes import Value
from askew.perturb.carets.ontology import choice_classes, lemma, number, question_classes, up, wider
from askew.perturb.carets.scene_view import SceneView
from askew.types import Scene

COMPANIONS = 200
"""How many companions of a name are kept: the most frequent ones."""
BESIDE = 0.85
"""How often a false object is a companion of an object in the scene rather than any object."""
USUAL = 5
"""How many companions of a name are its usual ones."""
OFTEN = 3
"""In how many scenes a name must occur with another for its usual companions to be known."""
FEW_THINGS = 6
"""A scene graph with fewer different names than this may have left out a rare thing."""
TRIES = 12
"""How many draws are made to find an object that is certainly not in the scene."""
Item = TypeVar("Item", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)
Drawn = TypeVar("Drawn")


def pick(items: Sequence[Drawn], rng: Random) -> Drawn:
    """A random item, like ``Random.choice`` but faster.

    >>> sorted({pick("abc", Random(seed)) for seed in range(20)})
    ['a', 'b', 'c']
    """
    return items[int(rng.random() * len(items))]


def in_turn(items: Sequence[Drawn], rng: Random, most: int) -> Iterator[Drawn]:
    """At most ``most`` different items in random order, drawn lazily.

    >>> sorted(in_turn("abc", Random(0), 5)), len(list(in_turn("abc", Random(0), 2)))
    (['a', 'b', 'c'], 2)
    """
    rest = list(items)
    for _ in range(min(most, len(rest))):
        yield rest.pop(int(rng.random() * len(rest)))


@dataclass(frozen=True, slots=True)
class Urn(Generic[Item]):
    """Items to draw with probability proportional to their counts.

    >>> urn = Urn.of(Counter({"cup": 3, "fork": 1}))
    >>> urn.items, urn.sums, Urn.of(Counter()).draw(Random(0)) is None
    (('cup', 'fork'), (3, 4), True)
    """

    items: tuple[Item, ...] = ()
    sums: tuple[int, ...] = ()

    @classmethod
    def of(cls, counts: Mapping[Item, int], most: int = 0) -> Urn[Item]:
        """The urn of these counts (of the ``most`` largest), in an order that depends on the counts alone."""
        least = sorted(counts.values())[-most] if 0 < most < len(counts) else 0
        large = [pair for pair in counts.items() if pair[1] >= least]
        ordered = sorted(large, key=lambda pair: (-pair[1], repr(pair[0])))[: most or None]
        return cls(tuple(item for item, _ in ordered), tuple(accumulate(count for _, count in ordered)))

    def draw(self, rng: Random) -> Item | None:
        """A random item, or None if the urn is empty."""
        return self.items[bisect(self.sums, rng.random() * self.sums[-1])] if self.items else None


EMPTY: Urn[Any] = Urn()


@dataclass(frozen=True)
class Plausibility:
    """Distributions fitted on a number of scenes."""

    scenes: int = 0
    names: Urn[str] = EMPTY
    """Names of things that can be asked about."""
    companions: Mapping[str, Urn[str]] = field(default_factory=dict)
    """From a lemma to the names that occur with it."""
    attributes: Mapping[str, Urn[Value]] = field(default_factory=dict)
    """From a name to attributes that can precede it."""
    relations: Mapping[str, Urn[tuple[str, str]]] = field(default_factory=dict)
    """From a name to (relation, name of the other thing)."""
    values: Mapping[tuple[str, str], Urn[str]] = field(default_factory=dict)
    """From a category, alone or with a lemma or a class of ``value_classes``, to words."""
    classes: Mapping[tuple[str, str], Urn[str]] = field(default_factory=dict)
    """From a class and a number to names of its members."""
    kinds: Mapping[str, Urn[str]] = field(default_factory=dict)
    """From a wider word to the names it can stand for."""
    usual: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """From a lemma to its usual companions, by lemma: those most frequent with it, given how often they occur."""
    sure: bool = False
    """True if false objects are drawn only if one of their usual companions is annotated."""

    def __repr__(self) -> str:
        return f"Plausibility(scenes={self.scenes}, names={len(self.names.items)})"

    def false_name(self, view: SceneView, rng: Random) -> str | None:
        """The name of something plausible that is certainly not in the scene."""
        chance, things, lacked = rng.random, view.things, view.lacked
        for _ in range(TRIES):
            urn = self.names
            if things and chance() < BESIDE:
                urn = self.companions.get(things[int(chance() * len(things))].lemma, urn)
            name = urn.draw(rng)
            if name and lacked[name] and not (self.sure and self.doubtful(name, view.lemmas)):
                return name
        return None

    def doubtful(self, name: str, lemmas: set[str]) -> bool:
        """True if a thing may only have been left out of the graph of a scene with these lemmas.

        None of its usual companions is named; or, if it is too rare to have any, the scene names only a few things.
        """
        usual = self.usual.get(lemma(name))
        return lemmas.isdisjoint(usual) if usual else len(lemmas) < FEW_THINGS


def fit(scenes: Iterable[Scene]) -> Plausibility:
    """Fit the distributions on these scenes; the same in any order.

    >>> from askew.types import Thing
    >>> kitchen = Scene("1", (Thing("a", "cup", ("red",), (0, 0, 40, 40)), Thing("b", "fork", (), (0, 0, 40, 40))))
    >>> fitted = fit([kitchen])
    >>> fitted.companions["cup"].items, fitted.attributes["cup"].items
    (('fork',), (Value(category='color', word='red'),))
    """
    return Counts.of(scenes).fitted()


@dataclass
class Counts:
    """The counts behind ``fit``. Counts of two halves of the scenes add up to those of the whole."""

    scenes: int = 0
    names: Counter[str] = field(default_factory=Counter)
    companions: dict[str, Counter[str]] = field(default_factory=dict)
    attributes: dict[str, Counter[Value]] = field(default_factory=dict)
    relations: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    values: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, scenes: Iterable[Scene]) -> Counts:
        """The counts of these scenes."""
        counts = cls()
        for scene in scenes:
            counts.add(SceneView(scene))
        return counts

    def join(self, other: Counts) -> None:
        """Add the counts of further scenes."""
        self.scenes += other.scenes
        self.names.update(other.names)
        for name in ("companions", "attributes", "relations", "values"):
            for key, counts in getattr(other, name).items():
                getattr(self, name).setdefault(key, Counter()).update(counts)

    def add(self, view: SceneView) -> None:
        """Count one scene."""
        self.scenes += 1
        there = {thing.name: thing.lemma for thing in view.askable}
        self.names.update(list(there))
        for base in view.lemmas:
            seen = self.companions.setdefault(base, Counter())
            seen.update([name for name, own in there.items() if own != base])
        for thing in view.clear:
            for value in thing.values:
                if value.before:
                    self.attributes.setdefault(thing.name, Counter())[value] += 1
                if value.category:
                    for of in (thing.lemma, *value_classes(thing.lemma), ""):
                        self.values.setdefault((value.category, of), Counter())[value.word] += 1
        for link in view.links:
            self.relations.setdefault(link.subject.name, Counter())[(link.relation, link.object.name)] += 1

    def fitted(self) -> Plausibility:
        """The distributions."""
        classes: dict[tuple[str, str], Counter[str]] = {}
        kinds: dict[str, Counter[str]] = {}
        for name, count in self.names.items():
            base = lemma(name)
            for each in question_classes(base):
                classes.setdefault((each, number(name)), Counter())[name] += count
            for each in wider(base):
                kinds.setdefault(each, Counter())[name] += count
        return Plausibility(
            self.scenes,
            Urn.of(self.names),
            {base: Urn.of(counts, COMPANIONS) for base, counts in sorted(self.companions.items())},
            _urns(self.attributes),
            _urns(self.relations),
            _urns(self.values),
            _urns(classes),
            _urns(kinds),
            {
                base: self._usual(counts)
                for base, counts in sorted(self.companions.items())
                if max(counts.values(), default=0) >= OFTEN
            },
        )

    def _usual(self, companions: Mapping[str, int]) -> tuple[str, ...]:
        """The companions with the largest product of both conditional probabilities."""
        found: Counter[str] = Counter()
        for name, count in companions.items():
            found[lemma(name)] = max(found[lemma(name)], count * count * 1_000_000 // self.names[name])
        return tuple(sorted(found, key=lambda base: (-found[base], base))[:USUAL])


@lru_cache(maxsize=1 << 14)
def value_classes(base: str) -> tuple[str, ...]:
    """The classes whose things can have the same attributes, as keys of ``Plausibility.values``.

    >>> value_classes("dog")
    ('animal of any name',)
    """
    return tuple(f"{name} of any name" for name in choice_classes() if name in up(base))


def _urns(counts: Mapping[Key, Mapping[Item, int]]) -> dict[Key, Urn[Item]]:
    return {key: Urn.of(each) for key, each in sorted(counts.items(), key=lambda pair: repr(pair[0]))}
