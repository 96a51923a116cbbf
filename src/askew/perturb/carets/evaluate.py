"""An evaluator that answers a CARETS question from its text and its scene, knowing nothing of how it was made.

It reads the sentence by a grammar of its own (``grammar.py``) and walks the ontology from the class down, where the
generator walks it up. What a scene does not say is not so. It must agree with every label that the generator gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from askew.perturb.carets.grammar import Parsed, Phrase, parse
from askew.perturb.carets.ontology import lemma, names, read
from askew.perturb.carets.relations import said
from askew.types import Scene, Thing


def answer(text: str, type_: str, scene: Scene) -> str | None:
    """The answer to a question of this type, or None when it cannot be read or has no one answer.

    >>> scene = Scene("1", (Thing("a", "puppy", ("brown", "sitting")), Thing("b", "sofa", ("red",))))
    >>> answer("Is there a brown animal in the picture?", "Q1", scene), answer("Do you see no sofa?", "Q1", scene)
    ('yes', 'no')
    >>> answer("Is there either no sofa or no cat anywhere?", "Q2", scene), answer("Is the sofa blue?", "Q4", scene)
    ('yes', 'no')
    >>> answer("Is the brown animal a puppy or a horse?", "Q5", scene)
    'puppy'
    """
    parsed = parse(text, type_)
    if not parsed.phrases:
        return None
    if type_ in ("Q1", "Q2", "Q3"):
        return _existence(parsed, scene, type_)
    meant = list(_meant(parsed, scene))
    found = {_said_of(parsed, thing, scene, type_) for thing in meant}
    return found.pop() if len(found) == 1 else None


def _existence(parsed: Parsed, scene: Scene, type_: str) -> str:
    if type_ == "Q1":
        there = [any(True for _ in _meant(parsed, scene))]
    else:
        there = [any(_is(thing, phrase, scene) for thing in scene.things) for phrase in parsed.phrases]
    held = [not found if each.determiner == "no" else found for found, each in zip(there, parsed.phrases, strict=False)]
    return "yes" if (all(held) if parsed.join != "or" else any(held)) else "no"


def _meant(parsed: Parsed, scene: Scene) -> Iterator[Thing]:
    """The things that the first phrase, with its relation, can mean."""
    by_id = {thing.id: thing for thing in scene.things}
    for thing in scene.things:
        if _is(thing, parsed.phrases[0], scene) and (
            len(parsed.phrases) == 1
            or any(
                relation.subject == thing.id
                and said(relation.name) == parsed.relation
                and _is(by_id[relation.object], parsed.phrases[1], scene)
                for relation in scene.relations
            )
        ):
            yield thing


def _said_of(parsed: Parsed, thing: Thing, scene: Scene, type_: str) -> str | None:
    if type_ == "Q4":
        return "yes" if _has(thing, parsed.attribute, scene) else "no"
    if type_ == "Q5":
        found = [option for option in parsed.options if lemma(thing.name) in _below(lemma(option))]
    else:
        found = [option for option in parsed.options if _has(thing, option, scene)]
    return found[0] if len(found) == 1 else None


def _is(thing: Thing, phrase: Phrase, scene: Scene) -> bool:
    return lemma(thing.name) in _below(_class_of(phrase.name)) and all(
        _has(thing, attribute, scene) for attribute in phrase.attributes
    )


def _has(thing: Thing, word: str, scene: Scene) -> bool:
    """True when an attribute, or what a person or animal does by a relation, is this word or another spelling of it."""
    word = word.removeprefix("made of ")
    own = {attribute.lower() for attribute in thing.attributes}
    if lemma(thing.name) in _below("person") or lemma(thing.name) in _below("animal"):
        own |= {each.name.split(" ")[0].lower() for each in scene.relations if each.subject == thing.id}
    return not own.isdisjoint(_spelled().get(word, {word}))


@lru_cache(maxsize=1 << 12)
def _class_of(name: str) -> str:
    pieces = {spoken: word for word, spoken in names()["pieces"].items()}
    return pieces.get(name) or lemma(name)


@lru_cache(maxsize=1 << 12)
def _below(name: str) -> frozenset[str]:
    """A name and all that is of its kind, with other names of each."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += [member.strip() for member in _classes().get(each, "").split(",") if member.strip()]
            waiting += [other for row in names()["same"] if each in row for other in row]
    return frozenset(found)


@lru_cache(maxsize=1)
def _classes() -> dict[str, str]:
    """The reviewed classes as they are written."""
    return read("ontology.yaml")


@lru_cache(maxsize=1)
def _spelled() -> dict[str, set[str]]:
    """Each spelling of an attribute with all that mean the same in some category."""
    data = read("attributes.yaml")
    lines = [each["values"] for each in data["categories"].values()] + list(data["loose"].values())
    found: dict[str, set[str]] = {}
    for line in lines:
        for each in line.split(","):
            same = {word.strip() for word in each.split("=")}
            for word in same:
                found.setdefault(word, set()).update(same)
    for said_of in data["said"].values():
        for word, forms in said_of.items():
            for form in filter(None, forms.values()):
                found.setdefault(form.removeprefix("made of "), set()).update(found[word])
    return found
