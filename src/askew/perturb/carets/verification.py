"""Arguments of yes/no questions, Q1 to Q4 (CARETS, section 4.1). Each gives None where there is nothing to ask."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from askew.perturb.carets.arguments import NO, YES, Asked, definite, join, with_value
from askew.perturb.carets.attributes import Value, apart, opposites
from askew.perturb.carets.chance import in_turn, pick
from askew.perturb.carets.ontology import kin, lemma
from askew.perturb.carets.phrases import Noun
from askew.perturb.carets.plausibility import EMPTY, Plausibility
from askew.perturb.carets.view import Link, View, doubled, misread

RELATED = 36 / 54
"""How many of Q1's templates name a related object."""
ONE_TRUE = 0.75
"""How often a false conjunction, or a true disjunction, has one thing that is there and one that is not."""


def object_question(
    view: View, model: Plausibility, rng: Random, true: bool, related: float = RELATED, absolute: bool = False
) -> Asked | None:
    """Q1: is there such a thing, alone or related to another?"""
    if rng.random() < related and (found := _related(view, model, rng, true)):
        return found
    noun, things = _object(view, model, rng, true, absolute)
    return Asked("Q1", (noun,), YES if true else NO, things) if noun else None


def conjunction(view: View, model: Plausibility, rng: Random, true: bool) -> Asked | None:
    """Q2: are there both?"""
    there = (True, True) if true else _mixed(rng, False)
    return _two("Q2", view, model, rng, there, true)


def disjunction(view: View, model: Plausibility, rng: Random, true: bool) -> Asked | None:
    """Q3: is there either?"""
    there = _mixed(rng, True) if true else (False, False)
    return _two("Q3", view, model, rng, there, true)


def attribute_question(view: View, model: Plausibility, rng: Random, true: bool) -> Asked | None:
    """Q4: is the thing so? A false value is one that it cannot have beside its own."""
    for thing in in_turn(view.clear, rng, 4):
        own = [value for value in thing.settled if value.category]
        if not own:
            continue
        value = pick(own, rng)
        asked = value if true else _false_value(model, value, thing.lemma, rng)
        if asked and not true and any(asked.word == each.word for each in thing.values):
            continue
        noun = definite(view, thing, rng, value.category) if asked and not doubled(thing.name, asked.after) else None
        if noun and asked:
            return Asked("Q4", (noun,), YES if true else NO, (thing.id,), asked, asked.category)
    return None


def antonym_question(view: View, rng: Random, true: bool) -> tuple[Asked, Asked] | None:
    """Q4 and its opposite: is the thing wet, is the thing dry? The first is true or not; the second is the other."""
    for thing in in_turn(view.clear, rng, 6):
        found = _opposed(thing.settled, thing.values)
        if not found:
            continue
        value, other = pick(found, rng)
        noun = definite(view, thing, rng, value.category or "-")
        if noun is None or {value, other} & {*noun.values}:
            continue
        right = Asked("Q4", (noun,), YES, (thing.id,), value, value.category)
        wrong = right._replace(answer=NO, value=other)
        return (right, wrong) if true else (wrong, right)
    return None


def _object(
    view: View, model: Plausibility, rng: Random, true: bool, absolute: bool = False
) -> tuple[Noun | None, tuple[str, ...]]:
    if true:
        if not view.askable:
            return None, ()
        thing = pick(view.askable, rng)
        return with_value(thing, rng, absolute=absolute), (thing.id,)
    name = model.false_name(view, rng)
    return (false_noun(model, name, rng, absolute) if name else None), ()


def false_noun(model: Plausibility, name: str, rng: Random, absolute: bool = False) -> Noun:
    """Something that is not there by its name, now and then with an attribute that such things have."""
    if rng.random() < 0.6:
        value = model.attributes.get(name, EMPTY).draw(rng)
        if value and not (absolute and value.relative) and not misread(value.before, name):
            return Noun(name, (value,))
    return Noun(name)


def _related(view: View, model: Plausibility, rng: Random, true: bool) -> Asked | None:
    if true:
        if not view.told:
            return None
        link = pick(view.told, rng)
        noun = with_value(link.subject, rng, often=0.4)
        if noun.values and noun.values[0].before in link.relation:
            return None
        return Asked("Q1", (join(noun, link, rng),), YES, (link.subject.id, link.object.id))
    name = model.false_name(view, rng)
    if name is None:
        return None
    for _ in range(6):
        drawn = model.relations.get(name, EMPTY).draw(rng)
        if drawn is None:
            return None
        relation, other = drawn
        for thing in view.clear:
            if thing.name == other and view.alone(thing):
                noun = join(Noun(name), Link(thing, relation, thing), rng)
                return Asked("Q1", (noun,), NO)
    return None


def _two(
    type_: str, view: View, model: Plausibility, rng: Random, there: tuple[bool, bool], true: bool
) -> Asked | None:
    first, things = _object(view, model, rng, there[0])
    if first is None:
        return None
    for _ in range(4):
        second, more = _object(view, model, rng, there[1])
        if second is None:
            return None
        # hypernym exclusion: no "a black cat and a black animal"
        if not kin(lemma(first.name), lemma(second.name)):
            return Asked(type_, (first, second), YES if true else NO, things + more)
    return None


def _mixed(rng: Random, true: bool) -> tuple[bool, bool]:
    """One of two there (either), or else both as they are when none is, or all are."""
    if rng.random() < ONE_TRUE:
        return (True, False) if rng.random() < 0.5 else (False, True)
    return true, true


def _false_value(model: Plausibility, value: Value, name: str, rng: Random) -> Value | None:
    for key in ((value.category, name), (value.category, "")):
        for _ in range(4):
            word = model.values.get(key, EMPTY).draw(rng)
            if word and apart(value.category, word, value.word):
                return Value(value.category, word)
    return None


@lru_cache(maxsize=1 << 14)
def _opposed(settled: tuple[Value, ...], own: tuple[Value, ...]) -> tuple[tuple[Value, Value], ...]:
    """Each value that has opposites, with each of these that the thing is not said to have as well."""
    words = {value.word for value in own}
    return tuple((value, other) for value in settled for other in opposites(value) if other.word not in words)
