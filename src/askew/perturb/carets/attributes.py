"""Attributes of things and relations between them: categories, wording, what they exclude and imply.

The data is in ``data/attributes.yaml`` and ``data/relations.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from askew.files.read_write import resource
from askew.perturb.carets.ontology import may_be, up
from askew.perturb.rad.what_color import Color

LOOSE = ""
"""The category of attributes that belong to no other."""


class Value(NamedTuple):
    """An attribute of a thing in its category: *old* is an age for a man, but not for a house."""

    category: str
    word: str
    """The preferred spelling among several with one meaning."""

    @property
    def before(self) -> str:
        """The form before a noun; empty if there is none."""
        return _forms(self.category, self.word)[0]

    @property
    def after(self) -> str:
        """The form after *is*."""
        return _forms(self.category, self.word)[1]

    @property
    def choice(self) -> str:
        """The form as a choice and as an answer."""
        return _forms(self.category, self.word)[2]

    @property
    def relative(self) -> bool:
        """True if it does not fit a wider word: a big mouse is not a big animal, and nobody says closed appliance."""
        own = categories().get(self.category, {})
        return self.category == LOOSE or bool(own.get("relative")) or own["asks"] == "state"


@lru_cache(maxsize=1 << 15)
def value(attribute: str, name: str) -> Value | None:
    """The value of an attribute for a thing with this lemma; None if unknown or not applicable.

    >>> value("old", "man"), value("wooden", "table")
    (Value(category='age', word='old'), Value(category='material', word='wood'))
    >>> value("old", "church").category, value("wooden", "table").after, value("qxz", "table") is None
    ('newness', 'made of wood', True)
    """
    for category, word in _meanings().get(" ".join(attribute.lower().split()), ()):
        if fits(category, name) and suits(category, word, name):
            return Value(category, word)
    return None


@lru_cache(maxsize=1 << 14)
def suits(category: str, word: str, name: str) -> bool:
    """True if things of this name can have this value of a category that applies to them.

    >>> suits("activity", "grazing", "cow"), suits("activity", "grazing", "man"), suits("activity", "eating", "man")
    (True, False, True)
    >>> suits("sport", "surfing", "surfer"), suits("sport", "surfing", "man")  # people named after it always do it
    (False, True)
    """
    only = categories()[category].get("only", {}) if category else {}
    if category in action_categories() and not _stems(word).isdisjoint(_stems(name)):
        return False
    return word not in only or not up(name).isdisjoint(only[word])


def _stems(words: str) -> set[str]:
    """The words without the endings of actions and of people who do them: *surf* for surfing and surfer."""
    return {re.sub(r"(ing|er|ist)$", "", word) for word in words.split()}


def asked_for(found: Value) -> bool:
    """True if questions ask for the value: not *Is the giraffe baby?*"""
    return not found.category or bool(categories()[found.category].get("asked", True))


@lru_cache(maxsize=1 << 15)
def values(attributes: tuple[str, ...], name: str) -> tuple[Value, ...]:
    """The values of a thing's attributes, without duplicates.

    >>> [each.word for each in values(("wood", "wooden", "brown", "qxz"), "table")]
    ['wood', 'brown']
    """
    return tuple(dict.fromkeys(found for each in attributes if (found := value(each, name)) is not None))


@lru_cache(maxsize=1 << 14)
def fits(category: str, name: str) -> bool:
    """True if a category applies to things of this name.

    >>> fits("pose", "dog"), fits("pose", "table"), fits("power", "lamp"), fits("power", "dog"), fits("color", "sky")
    (True, False, True, False, True)
    """
    of = categories()[category]["of"] if category else "any"
    if category and not up(name).isdisjoint(categories()[category].get("except", ())):
        return False
    living = not up(name).isdisjoint(("person", "animal"))
    if isinstance(of, list):
        return not up(name).isdisjoint(of)
    if of == "lifeless":
        return may_be(name).isdisjoint(("person", "animal")) or (not living and "body part" not in up(name))
    return of == "any" or (living if of == "living" else of in up(name))


@lru_cache(maxsize=1 << 14)
def apart(category: str, one: str, other: str) -> bool:
    """True if two values of a category exclude each other.

    >>> apart("color", "tan", "beige"), apart("color", "red", "blue"), apart("material", "wood", "glass")
    (False, True, True)
    """
    if one == other:
        return False
    if category == "color":
        return not Color().clash(one, other) and one.split()[-1] != other.split()[-1]  # light blue, royal blue
    near = categories()[category].get("near", ())
    return not any({one, other} == set(pair) for pair in near)


def opposites(found: Value) -> tuple[Value, ...]:
    """The values that people call the opposite of this one, and that exclude it.

    >>> opposites(Value("wetness", "wet"))
    (Value(category='wetness', word='dry'),)
    """
    return tuple(Value(found.category, word) for word in _opposites().get((found.category, found.word), ()))


def categories() -> Mapping[str, Any]:
    """The categories with their properties."""
    found: dict[str, Any] = _data()["categories"]
    return found


@lru_cache(maxsize=1)
def action_categories() -> tuple[str, ...]:
    """The categories that Q7 asks about."""
    return tuple(name for name, each in categories().items() if each["kind"] == "action")


@lru_cache(maxsize=256)
def words(category: str) -> tuple[str, ...]:
    """The values of a category in their preferred spelling.

    >>> words("wetness")
    ('wet', 'dry')
    """
    listed = categories()[category]["values"] if category else ", ".join(_data()["loose"].values())
    return tuple(spellings[0] for spellings in _spellings(listed))


def _data() -> Any:
    return resource("perturb/carets/data/attributes.yaml")


def _spellings(listed: str) -> list[list[str]]:
    return [[word.strip() for word in each.split("=")] for each in listed.split(",")]


@lru_cache(maxsize=1)
def _meanings() -> Mapping[str, tuple[tuple[str, str], ...]]:
    found: dict[str, list[tuple[str, str]]] = {}
    listed = [(category, each["values"]) for category, each in categories().items()]
    listed += [(LOOSE, line) for line in _data()["loose"].values()]
    for category, line in listed:
        for same in _spellings(line):
            for word in same:
                found.setdefault(word, []).append((category, same[0]))
    return {word: tuple(meanings) for word, meanings in found.items()}


@lru_cache(maxsize=1 << 12)
def _forms(category: str, word: str) -> tuple[str, str, str]:
    """The forms before a noun (empty if none), after *is*, and as a choice."""
    forms = _data()["said"].get(category, {}).get(word, {})
    verb = _data()["predicates"].get(category)
    before = forms.get("before", word) if _stands_before(category, word) else ""
    return before, forms.get("after", f"{verb} {word}" if verb else word), forms.get("choice", word)


def _stands_before(category: str, word: str) -> bool:
    if category == LOOSE:
        return any(same[0] == word for same in _spellings(_data()["loose"]["before"]))
    each = categories()[category]
    return bool(each["before"]) and not (each["kind"] == "action" and " " in word)


@lru_cache(maxsize=1)
def _opposites() -> Mapping[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], list[str]] = {}
    pairs = [(each.get("of", "size"), *each["pair"]) for each in _data()["antonyms"]]
    pairs += [(LOOSE, *pair) for pair in _data()["loose antonyms"]]
    for category, one, other in pairs:
        found.setdefault((category, one), []).append(other)
        found.setdefault((category, other), []).append(one)
    return {key: tuple(each) for key, each in found.items()}


@lru_cache(maxsize=1 << 12)
def relation_words(relation: str) -> str:
    """The words for a relation in a question; empty if questions do not use it.

    >>> [relation_words(relation) for relation in ("left of", "sitting on", "on", "of", "qxz")]
    ['to the left of', 'sitting on', 'on', '', '']
    """
    relation = " ".join(relation.lower().split())
    if relation in _wording()["never"]:
        return ""
    if relation in _wording()["said"]:
        return str(_wording()["said"][relation])
    if relation in _wording()["both"] or relation in _wording()["bare"]:
        return relation
    return relation if relation.split(" ")[0].endswith("ing") else ""


def bare(phrase: str) -> bool:
    """True if *that is* cannot precede the words: the sofa with pillows.

    >>> bare("with"), bare("on")
    (True, False)
    """
    return phrase in _wording()["bare"]


@lru_cache(maxsize=1 << 12)
def action(relation: str) -> str:
    """The action that a relation implies for a person or animal as its subject; empty if none.

    >>> action("sitting on"), action("eating"), action("on")
    ('sitting', 'eating', '')
    """
    first = relation.lower().split(" ")[0]
    return first if any(first in words(category) for category in action_categories()) else ""


def _wording() -> Any:
    return resource("perturb/carets/data/relations.yaml")
