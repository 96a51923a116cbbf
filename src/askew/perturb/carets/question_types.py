"""Arguments of questions of types Q1 to Q7 (CARETS, section 4.1): yes/no questions, then choices.

Each function returns None if the scene has nothing to ask about.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random

from askew.perturb.carets.arguments import (
    NO,
    TWO,
    YES,
    Noun,
    QuestionArguments,
    class_marks,
    class_noun,
    definite,
    join,
    value_pairs,
    with_value,
)
from askew.perturb.carets.attributes import Value, apart, asked_for, categories, opposites, suits, words
from askew.perturb.carets.ontology import exclusive, kin, lemma, number, question_classes
from askew.perturb.carets.plausibility import EMPTY, Plausibility, Urn, in_turn, pick, value_classes
from askew.perturb.carets.scene_view import Link, SceneView, ThingView, doubled, misread

RELATED = 36 / 54
"""The share of Q1's templates with a related object."""
ONE_TRUE = 0.75
"""How often a false conjunction or a true disjunction has one thing that is present and one that is absent."""

THREE = 0.5
"""How often there are three choices, where possible."""
TRIES = 12
"""How many draws are made to find further choices."""


def object_question(
    view: SceneView, model: Plausibility, rng: Random, true: bool, related: float = RELATED, absolute: bool = False
) -> QuestionArguments | None:
    """Q1: is there such a thing, alone or related to another?"""
    if rng.random() < related and (found := _related(view, model, rng, true)):
        return found
    noun, things = _object(view, model, rng, true, absolute)
    return QuestionArguments("Q1", (noun,), YES if true else NO, things) if noun else None


def conjunction(view: SceneView, model: Plausibility, rng: Random, true: bool) -> QuestionArguments | None:
    """Q2: are there both?"""
    return _two("Q2", view, model, rng, (True, True) if true else _mixed(rng, False), true)


def disjunction(view: SceneView, model: Plausibility, rng: Random, true: bool) -> QuestionArguments | None:
    """Q3: is there either?"""
    return _two("Q3", view, model, rng, _mixed(rng, True) if true else (False, False), true)


def attribute_question(view: SceneView, model: Plausibility, rng: Random, true: bool) -> QuestionArguments | None:
    """Q4: does the thing have this attribute? A false value excludes its own."""
    for thing in in_turn(view.clear, rng, 4):
        own = [value for value in thing.settled if value.category and asked_for(value)]
        if not own:
            continue
        value = pick(own, rng)
        asked = value if true else _false_value(model, value, thing.lemma, rng)
        if asked and not true and any(asked.word == each.word for each in thing.values):
            continue
        if asked is None or doubled(thing.name, asked.after):
            continue
        noun, things = definite(view, thing, rng, value.category)
        if noun:
            return QuestionArguments("Q4", (noun,), YES if true else NO, things, asked, asked.category)
    return None


def antonym_question(view: SceneView, rng: Random, true: bool) -> tuple[QuestionArguments, QuestionArguments] | None:
    """Q4 and its opposite: is the thing wet, is the thing dry? One of the two is true, the first if ``true``."""
    for thing in in_turn(view.clear, rng, 6):
        found = _opposed(thing.settled, thing.values)
        if not found:
            continue
        value, other = pick(found, rng)
        noun, things = definite(view, thing, rng, value.category or "-")
        if noun is None or {value, other} & {*noun.values}:
            continue
        right = QuestionArguments("Q4", (noun,), YES, things, value, value.category)
        wrong = right._replace(answer=NO, value=other)
        return (right, wrong) if true else (wrong, right)
    return None


def _object(
    view: SceneView, model: Plausibility, rng: Random, true: bool, absolute: bool = False
) -> tuple[Noun | None, tuple[str, ...]]:
    if true:
        if not view.askable:
            return None, ()
        thing = pick(view.askable, rng)
        return with_value(thing, rng, absolute=absolute), (thing.id,)
    name = model.false_name(view, rng)
    return (false_noun(model, name, rng, absolute) if name else None), ()


def false_noun(model: Plausibility, name: str, rng: Random, absolute: bool = False) -> Noun:
    """An absent thing by its name, sometimes with an attribute that such things have."""
    if rng.random() < 0.6:
        value = model.attributes.get(name, EMPTY).draw(rng)
        if value and not (absolute and value.relative) and not misread(value.before, name):
            more = model.attributes.get(name, EMPTY).draw(rng) if rng.random() < TWO else None
            two = value_pairs([value, more]) if more and not (absolute and more.relative) else []
            if two and more and not misread(more.before, name):
                return Noun(name, two[0])
            return Noun(name, (value,))
    return Noun(name)


def _related(view: SceneView, model: Plausibility, rng: Random, true: bool) -> QuestionArguments | None:
    if true:
        if not view.askable_links:
            return None
        link = pick(view.askable_links, rng)
        noun = with_value(link.subject, rng, often=0.4)
        if noun.values and noun.values[0].before in link.relation:
            return None
        return QuestionArguments("Q1", (join(noun, link, rng),), YES, (link.subject.id, link.object.id))
    name = model.false_name(view, rng)
    for _ in range(6):
        drawn = model.relations.get(name, EMPTY).draw(rng) if name else None
        if name is None or drawn is None:
            return None
        relation, other = drawn
        for thing in view.clear:
            if thing.name == other and view.alone(thing):
                noun = join(Noun(name), Link(thing, relation, thing), rng)
                return QuestionArguments("Q1", (noun,), NO, (thing.id,))
    return None


def _two(
    type_: str, view: SceneView, model: Plausibility, rng: Random, there: tuple[bool, bool], true: bool
) -> QuestionArguments | None:
    first, things = _object(view, model, rng, there[0])
    if first is None:
        return None
    for _ in range(4):
        second, more = _object(view, model, rng, there[1])
        if second is None:
            return None
        # hypernym exclusion: no "a black cat and a black animal"
        if not kin(lemma(first.name), lemma(second.name)):
            return QuestionArguments(type_, (first, second), YES if true else NO, things + more)
    return None


def _mixed(rng: Random, true: bool) -> tuple[bool, bool]:
    """Which of two things are present: mostly one of them, otherwise both or neither, as given."""
    if rng.random() < ONE_TRUE:
        return (True, False) if rng.random() < 0.5 else (False, True)
    return true, true


def _false_value(model: Plausibility, value: Value, name: str, rng: Random) -> Value | None:
    for key in ((value.category, name), (value.category, "")):
        for _ in range(4):
            word = model.values.get(key, EMPTY).draw(rng)
            if word and apart(value.category, word, value.word) and suits(value.category, word, name):
                return Value(value.category, word)
    return None


@lru_cache(maxsize=1 << 14)
def _opposed(settled: tuple[Value, ...], own: tuple[Value, ...]) -> tuple[tuple[Value, Value], ...]:
    """Each value with each of its opposites that the thing does not have as well."""
    words = {value.word for value in own}
    return tuple((value, other) for value in settled for other in opposites(value) if other.word not in words)


def object_choice(view: SceneView, model: Plausibility, rng: Random) -> QuestionArguments | None:
    """Q5: is the black animal a dog or a cat? The class comes with an attribute or a related object."""
    for thing in in_turn(view.clear, rng, 5):
        classes = question_classes(thing.lemma)
        if not classes or number(thing.name) == "many" or thing.name != thing.lemma:
            continue
        name = pick(classes, rng)
        asked = _class_question(view, thing, name, rng)
        urn = model.classes.get((name, number(thing.name)), EMPTY)
        if asked and (options := _options(thing.name, urn, rng, exclusive)):
            return asked._replace(options=options)
    return None


def attribute_choice(view: SceneView, model: Plausibility, rng: Random) -> QuestionArguments | None:
    """Q6: is the cup red or blue?"""
    return _value_choice("Q6", "attribute", view, model, rng)


def action_choice(view: SceneView, model: Plausibility, rng: Random) -> QuestionArguments | None:
    """Q7: is the man standing or sitting?"""
    return _value_choice("Q7", "action", view, model, rng)


def _class_question(view: SceneView, thing: ThingView, name: str, rng: Random) -> QuestionArguments | None:
    values, links = class_marks(view, thing, name)
    things: tuple[str, ...] = (thing.id,)
    if links and (not values or rng.random() < 0.5):
        link = pick(links, rng)
        noun, things = join(class_noun(name, None), link, rng), (thing.id, link.object.id)
    elif values:
        noun = class_noun(name, pick(values, rng))
    else:
        return None
    return QuestionArguments("Q5", (noun,), thing.name, things, category=name)


def _value_choice(type_: str, kind: str, view: SceneView, model: Plausibility, rng: Random) -> QuestionArguments | None:
    for thing in in_turn(view.clear, rng, 5):
        own = [
            value
            for value in thing.settled
            if value.category and categories()[value.category]["kind"] == kind and asked_for(value)
        ]
        if not own:
            continue
        value = pick(own, rng)
        options = _value_options(value, thing, model, rng)
        if not options or any(doubled(thing.name, option) for option in options):
            continue
        noun, things = definite(view, thing, rng, value.category)
        if noun:
            return QuestionArguments(type_, (noun,), value.choice, things, category=value.category, options=options)
    return None


def _value_options(value: Value, thing: ThingView, model: Plausibility, rng: Random) -> tuple[str, ...]:
    """The correct value and one or two others that such a thing could have, all excluding each other."""
    of_names = (model.values.get((value.category, of), EMPTY) for of in (thing.lemma, *value_classes(thing.lemma)))
    urn = next((each for each in of_names if len(each.items) >= 3), model.values.get((value.category, ""), EMPTY))
    if len(words(value.category)) < 4:
        urn = Urn.of(dict.fromkeys(words(value.category), 1))

    def fits(one: str, other: str) -> bool:
        return apart(value.category, one, other) and suits(value.category, one, thing.lemma)

    options = _options(value.word, urn, rng, fits)
    return tuple(Value(value.category, word).choice for word in options)


def _options(correct: str, urn: Urn[str], rng: Random, fits: Callable[[str, str], bool]) -> tuple[str, ...]:
    """The correct choice and others from the urn in random order; empty if there is no other."""
    chosen = [correct]
    wanted = 3 if rng.random() < THREE else 2
    for _ in range(TRIES):
        drawn = urn.draw(rng)
        if drawn and all(drawn != each and fits(drawn, each) for each in chosen):
            chosen.append(drawn)
            if len(chosen) == wanted:
                break
    rng.shuffle(chosen)
    return tuple(chosen) if len(chosen) > 1 else ()
