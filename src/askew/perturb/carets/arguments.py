"""What a question asks, before it is put into words: its type, the things it names, its choices and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from askew.perturb.carets.attributes import Value, categories
from askew.perturb.carets.chance import pick
from askew.perturb.carets.ontology import number, piece
from askew.perturb.carets.phrases import Noun, listed
from askew.perturb.carets.relations import action
from askew.perturb.carets.templates import Split, Template, usable
from askew.perturb.carets.view import Link, Seen, View, plain_values, tells_apart

YES, NO = "yes", "no"


class Asked(NamedTuple):
    """One question's arguments (CARETS, section 4.1).

    >>> asked = Asked("Q1", (Noun("cup", (Value("color", "red"),)),), "yes")
    >>> asked.write(asked.ways()[4]), asked.wrong
    ('Do you see a red cup?', 'no')
    """

    type: str
    nouns: tuple[Noun, ...]
    answer: str
    things: tuple[str, ...] = ()
    """The ids of the things that are truly there."""
    value: Value | None = None
    """The attribute that Q4 asks for."""
    category: str = ""
    """The class (Q5) or category (Q6, Q7) of the choices."""
    options: tuple[str, ...] = ()
    """The choices, in their order."""

    @property
    def wrong(self) -> str:
        """The other answer of a yes/no question."""
        return NO if self.answer == YES else YES

    @property
    def binary(self) -> bool:
        """True for yes/no questions."""
        return not self.options

    def ways(self, split: Split = "all") -> tuple[Template, ...]:
        """The templates that it can be asked in."""
        noun = self.nouns[0]
        return usable(self.type, self.category, noun.to is not None, noun.only_bare, split)

    def write(self, template: Template) -> str:
        """The question in these words."""
        return template.fill(self._slots())

    def record(self) -> dict[str, Any]:
        """The arguments as plain JSON, in the words of the question."""
        keys = ("object", "object2")
        found: dict[str, Any] = {key: noun.bare for key, noun in zip(keys, self.nouns, strict=False)}
        noun = self.nouns[0]
        if noun.to is not None:
            found |= {"relation": noun.relation, "related": noun.to.bare}
        if self.value is not None:
            found["attribute"] = self.value.after
        if self.options:
            found |= {"category": self.category, "options": list(self.options)}
        return found

    def _slots(self) -> Mapping[str, str]:
        noun = self.nouns[0]
        slots = {"is": noun.verb, "a": noun.a, "no": noun.no, "the": noun.the}
        if noun.to is not None:
            slots |= {"rel": noun.relation, "to": noun.to.the}
        if len(self.nouns) == 2:
            other = self.nouns[1]
            slots |= {"one": noun.some, "other": other.some, "none": noun.no, "no_other": other.no}
        if self.value is not None:
            slots["attr"] = self.value.after
        if self.type == "Q5":
            slots["options"] = listed(tuple(Noun(option).some for option in self.options))
        elif self.options:
            slots |= {"options": listed(self.options), "category": categories()[self.category]["asks"]}
        return slots

    def swapped(self) -> Asked:
        """With its two objects in the other order."""
        return self._replace(nouns=self.nouns[::-1])


def with_value(thing: Seen, rng: Random, often: float = 0.6, absolute: bool = False) -> Noun:
    """A thing by its name, now and then with one of its attributes."""
    if rng.random() < often and (found := plain_values(thing, absolute=absolute)):
        return Noun(thing.name, (pick(found, rng),))
    return Noun(thing.name)


def definite(view: View, thing: Seen, rng: Random, avoid: str) -> Noun | None:
    """A description that means this thing alone, saying nothing of the category to avoid; None when there is none.

    A thing whose name others bear too is told apart by an attribute, where each of the others is known to have another.
    """
    if rivals := view.rivals(thing):
        telling = [value for value in plain_values(thing, avoid) if tells_apart(value, rivals)]
        return Noun(thing.name, (pick(telling, rng),)) if telling else None
    noun = Noun(thing.name)
    links = _links(view, thing, avoid)
    if links and rng.random() < 0.35:
        return join(noun, pick(links, rng), rng)
    if rng.random() < 0.5 and (found := plain_values(thing, avoid)):
        noun = Noun(thing.name, (pick(found, rng),))
    return noun


def join(noun: Noun, link: Link, rng: Random) -> Noun:
    """The noun with what it is related to."""
    other = with_value(link.object, rng, often=0.3)
    return noun._replace(relation=link.relation, to=other)


def _links(view: View, thing: Seen, avoid: str) -> list[Link]:
    """What the thing is related to; where an action is asked for, no relation that says one."""
    found = view.linked.get(thing.id, [])
    asked = avoid in categories() and categories()[avoid]["kind"] == "action"
    return [link for link in found if not (asked and action(link.relation))]


def class_noun(name: str, value: Value | None) -> Noun:
    """A class as one thing of it is called: ``black piece of clothing``."""
    return Noun(piece(name), (value,) if value else ())


def one_or_mass(name: str) -> bool:
    """True when *Is the ... a ... ?* can name it."""
    return number(name) != "many"
