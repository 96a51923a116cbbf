"""Arguments of choice questions, Q5 to Q7 (CARETS, section 4.1). Each gives None where there is nothing to ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random

from askew.perturb.carets.arguments import Asked, class_noun, definite, join, one_or_mass
from askew.perturb.carets.attributes import Value, apart, categories, words
from askew.perturb.carets.chance import in_turn, pick
from askew.perturb.carets.ontology import choice_classes, doubtful, kin, lemma, number, piece, up
from askew.perturb.carets.plausibility import EMPTY, Plausibility, Urn
from askew.perturb.carets.view import Seen, View, doubled, misread, plain_values, tells_apart

THREE = 0.5
"""How often there are three choices, where there can be."""
TRIES = 12


def object_choice(view: View, model: Plausibility, rng: Random) -> Asked | None:
    """Q5: is the black animal a dog or a cat? The class is said with an attribute or a related object."""
    for thing in in_turn(view.clear, rng, 5):
        classes = _classes(thing.lemma)
        if not classes or not one_or_mass(thing.name) or thing.name != thing.lemma:
            continue
        name = pick(classes, rng)
        asked = _class_question(view, thing, name, rng)
        if asked is None:
            continue
        urn = model.classes.get((name, number(thing.name)), EMPTY)
        options = _options(thing.name, urn, rng, lambda one, other: not kin(lemma(one), lemma(other)))
        if options:
            return asked._replace(options=options)
    return None


def attribute_choice(view: View, model: Plausibility, rng: Random) -> Asked | None:
    """Q6: is the cup red or blue?"""
    return _value_choice("Q6", "attribute", view, model, rng)


def action_choice(view: View, model: Plausibility, rng: Random) -> Asked | None:
    """Q7: is the man standing or sitting?"""
    return _value_choice("Q7", "action", view, model, rng)


@lru_cache(maxsize=1 << 13)
def _classes(base: str) -> tuple[str, ...]:
    """The classes that a question about a thing of this lemma can name."""
    return tuple(name for name in choice_classes() if name in up(base) and name != base and not doubtful(base, name))


def _class_question(view: View, thing: Seen, name: str, rng: Random) -> Asked | None:
    rivals = [each for each in view.called(name) if each is not thing]
    found = [value for value in plain_values(thing, absolute=True) if tells_apart(value, rivals)]
    found = [value for value in found if not misread(value.before, piece(name))]
    links = [] if rivals else view.linked.get(thing.id, [])
    links = [link for link in links if name not in up(link.object.lemma)]
    if links and (not found or rng.random() < 0.5):
        noun = join(class_noun(name, None), pick(links, rng), rng)
    elif found:
        noun = class_noun(name, pick(found, rng))
    else:
        return None
    return Asked("Q5", (noun,), thing.name, (thing.id,), category=name)


def _value_choice(type_: str, kind: str, view: View, model: Plausibility, rng: Random) -> Asked | None:
    for thing in in_turn(view.clear, rng, 5):
        own = [value for value in thing.settled if value.category and categories()[value.category]["kind"] == kind]
        if not own:
            continue
        value = pick(own, rng)
        options = _value_options(value, thing, model, rng)
        said_twice = any(doubled(thing.name, option) for option in options)
        noun = definite(view, thing, rng, value.category) if options and not said_twice else None
        if noun and options:
            return Asked(type_, (noun,), value.choice, (thing.id,), category=value.category, options=options)
    return None


def _value_options(value: Value, thing: Seen, model: Plausibility, rng: Random) -> tuple[str, ...]:
    """The right value and one or two that such a thing could have, none of them near another."""
    urn = model.values.get((value.category, thing.lemma), EMPTY)
    if len(urn.items) < 4:
        urn = model.values.get((value.category, ""), EMPTY)
    if len(words(value.category)) < 4:
        urn = Urn.of(dict.fromkeys(words(value.category), 1))
    options = _options(value.word, urn, rng, lambda one, other: apart(value.category, one, other))
    return tuple(Value(value.category, word).choice for word in options)


def _options(right: str, urn: Urn[str], rng: Random, fits: Callable[[str, str], bool]) -> tuple[str, ...]:
    """The right choice and others of the urn in a random order; nothing when there is no other."""
    chosen = [right]
    wanted = 3 if rng.random() < THREE else 2
    for _ in range(TRIES):
        drawn = urn.draw(rng)
        if drawn and all(drawn != each and fits(drawn, each) for each in chosen):
            chosen.append(drawn)
            if len(chosen) == wanted:
                break
    rng.shuffle(chosen)
    return tuple(chosen) if len(chosen) > 1 else ()
