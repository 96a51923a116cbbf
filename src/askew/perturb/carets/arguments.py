"""The templates of questions, and the arguments that fill them: noun phrases, choices and the answer.

Templates have named slots; there are at least as many of each type as in CARETS (section 4.1). They are numbered within
their type, from 1; the numbers never change, since pairs refer to templates by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from askew.files.read_write import resource
from askew.language.inflect import with_article
from askew.perturb.carets.attributes import Value, action, action_categories, bare, categories
from askew.perturb.carets.ontology import Number, cased, number, piece, up
from askew.perturb.carets.plausibility import pick
from askew.perturb.carets.scene_view import Link, SceneView, ThingView, misread, plain_values, tells_apart

TYPES: Mapping[str, str] = {
    "Q1": "q1_object",
    "Q2": "q2_conjunctive",
    "Q3": "q3_disjunctive",
    "Q4": "q4_attribute",
    "Q5": "q5_objects",
    "Q6": "q6_attributes",
    "Q7": "q7_actions",
}
"""The question types of CARETS, and the file of each."""


@dataclass(frozen=True, slots=True)
class Template:
    """One wording of a question type.

    >>> template = templates("Q1")[0]
    >>> template.fill({"is": "are", "a": "any cups"}), template.negation.fill({"is": "are", "no": "no cups"})
    ('Are there any cups in the picture?', 'Are there no cups in the picture?')
    """

    type: str
    number: int
    text: str
    deny: str = ""
    """The negated text (Q1 to Q3)."""
    only: tuple[str, ...] = ()
    """The categories it is for; empty for all."""
    never: tuple[str, ...] = ()

    @property
    def related(self) -> bool:
        """True if it has a related object."""
        return "{rel}" in self.text

    @property
    def negation(self) -> Template:
        """The paired negated template, of the same number."""
        return Template(self.type, self.number, self.deny)

    def fill(self, slots: Mapping[str, str]) -> str:
        """The question."""
        text = self.text.format_map(slots)
        return text[0].upper() + text[1:]


@lru_cache(maxsize=len(TYPES))
def templates(type_: str) -> tuple[Template, ...]:
    """The templates of a type, in the order of their numbers.

    >>> [len(templates(each)) for each in TYPES]
    [54, 18, 18, 25, 25, 39, 28]
    """
    data = resource(f"perturb/carets/templates/{TYPES[type_]}.yaml")
    return tuple(
        Template(
            type_, number, entry["ask"], entry.get("deny", ""), tuple(entry.get("for", ())), tuple(entry.get("not", ()))
        )
        for number, entry in enumerate((*data.get("plain", ()), *data.get("related", ())), 1)
    )


@lru_cache(maxsize=1 << 10)
def usable(type_: str, category: str, related: bool, only_bare: bool) -> tuple[Template, ...]:
    """The templates that a question of this category, with or without a related object, can be asked in.

    ``only_bare``: without *that is* before the relation.

    >>> [template.number for template in usable("Q7", "sport", True, True)]
    [20, 22, 24, 26, 27]
    """
    return tuple(
        template
        for template in templates(type_)
        if template.related == related
        and not (only_bare and ("that {is} {rel}" in template.text or "that is {rel}" in template.text))
        and (not template.only or category in template.only)
        and category not in template.never
    )


YES, NO = "yes", "no"


class Noun(NamedTuple):
    """A noun phrase: a name with attributes and a related thing, and the number that its verb takes.

    >>> cup = Noun("cup", (Value("color", "orange"),), relation="on", to=Noun("table"))
    >>> cup.a, cup.bare, cup.number
    ('an orange cup', 'orange cup', 'one')
    >>> shorts = Noun("shorts", (Value("color", "black"),))
    >>> shorts.a, shorts.some, shorts.number, Noun("water").a, Noun("water").some
    ('any black shorts', 'black shorts', 'many', 'any water', 'water')
    """

    name: str
    values: tuple[Value, ...] = ()
    relation: str = ""
    """In the words of a question: ``to the left of``."""
    to: Noun | None = None

    @property
    def bare(self) -> str:
        """The phrase without a determiner: ``red cup``."""
        return " ".join([*[value.before for value in self.values], self.name]) if self.values else self.name

    @property
    def number(self) -> Number:
        """One, many or mass."""
        return number(self.name)

    @property
    def a(self) -> str:
        """The phrase in an existence question, with ``a``, ``an`` or ``any``."""
        return _article(self.bare) if self.number == "one" else f"any {self.bare}"

    @property
    def some(self) -> str:
        """The phrase after *both*, *either* or *or*, with ``a``, ``an`` or nothing."""
        return _article(self.bare) if self.number == "one" else self.bare

    @property
    def described(self) -> str:
        """The phrase without determiners, with its relation and the related thing: the same for the same text."""
        return f"{self.bare} {self.relation} {self.to.bare if self.to else ''}"


@lru_cache(maxsize=1 << 14)
def _article(phrase: str) -> str:
    return with_article(cased(phrase))


def listed(options: tuple[str, ...]) -> str:
    """Choices as a list.

    >>> listed(("red", "blue")), listed(("red", "blue", "green"))
    ('red or blue', 'red, blue or green')
    """
    return f"{', '.join(options[:-1])} or {options[-1]}"


class QuestionArguments(NamedTuple):
    """The arguments of one question (CARETS, section 4.1).

    >>> asked = QuestionArguments("Q1", (Noun("cup", (Value("color", "red"),)),), "yes")
    >>> asked.write(asked.ways()[4]), asked.wrong
    ('Do you see a red cup?', 'no')
    """

    type: str
    nouns: tuple[Noun, ...]
    answer: str
    things: tuple[str, ...] = ()
    """The ids of the named things that are in the scene."""
    value: Value | None = None
    """The attribute that Q4 asks about."""
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

    def ways(self) -> tuple[Template, ...]:
        """The templates that fit the question."""
        noun = self.nouns[0]
        return usable(self.type, self.category, noun.to is not None, bare(noun.relation))

    def write(self, template: Template) -> str:
        """The text of the question in this template."""
        return cased(template.fill(self._slots()))

    def record(self) -> dict[str, Any]:
        """The arguments as JSON, in the words of the question."""
        noun = self.nouns[0]
        found: dict[str, Any] = {"object": noun.bare}
        if len(self.nouns) == 2:
            found["object2"] = self.nouns[1].bare
        if noun.to is not None:
            found |= {"relation": noun.relation, "related": noun.to.bare}
        if self.value is not None:
            found["attribute"] = self.value.after
        if self.options:
            found |= {"category": self.category, "options": list(self.options)}
        return found

    def _slots(self) -> Mapping[str, str]:
        noun = self.nouns[0]
        verb = "are" if noun.number == "many" else "is"
        slots = {"is": verb, "a": noun.a, "no": f"no {noun.bare}", "the": f"the {noun.bare}"}
        if noun.to is not None:
            slots |= {"rel": noun.relation, "to": f"the {noun.to.bare}"}
        if len(self.nouns) == 2:
            other = self.nouns[1]
            slots |= {"one": noun.some, "other": other.some, "none": slots["no"], "no_other": f"no {other.bare}"}
        if self.value is not None:
            slots["attr"] = self.value.after
        if self.type == "Q5":
            slots["options"] = listed(tuple(Noun(option).some for option in self.options))
        elif self.options:
            slots |= {"options": listed(self.options), "category": categories()[self.category]["asks"]}
        return slots


def with_value(thing: ThingView, rng: Random, often: float = 0.6, absolute: bool = False) -> Noun:
    """A thing by its name, sometimes with one or two of its attributes."""
    if rng.random() < often and (found := plain_values(thing, absolute=absolute)):
        if rng.random() < TWO and (two := value_pairs(found)):
            return Noun(thing.name, pick(two, rng))
        return Noun(thing.name, (pick(found, rng),))
    return Noun(thing.name)


def value_pairs(values: Sequence[Value]) -> list[tuple[Value, Value]]:
    """Each pair of attributes of different categories, in the order before a noun: size, age, color, material.

    >>> [[value.word for value in pair] for pair in value_pairs([Value("material", "wood"), Value("size", "large")])]
    [['large', 'wood']]
    """
    plain = [value for value in values if value.category and categories()[value.category]["kind"] == "attribute"]
    ordered = sorted(plain, key=lambda value: (_ORDER.get(value.category, 4), value.category))
    return [pair for pair in combinations(ordered, 2) if pair[0].category != pair[1].category]


_ORDER = {
    "size": 0,
    "height": 1,
    "length": 1,
    "age": 2,
    "newness": 2,
    "shape": 5,
    "color": 6,
    "pattern": 7,
    "material": 8,
}
TWO = 0.3
"""How often an object with attributes has two of them, if it has two (6 % of the release)."""


def definite(view: SceneView, thing: ThingView, rng: Random, avoid: str) -> tuple[Noun | None, tuple[str, ...]]:
    """A description of this thing alone that does not mention the category to avoid (None if there is none).

    Returned with the ids of the things that it names: this one, and the one it is related to.

    If other things have the same name, an attribute must distinguish the thing: one whose category has a different
    value for each of the others.
    """
    if rivals := view.rivals(thing):
        distinguishing = [value for value in plain_values(thing, avoid) if tells_apart(value, rivals)]
        return (Noun(thing.name, (pick(distinguishing, rng),)) if distinguishing else None), (thing.id,)
    noun = Noun(thing.name)
    links = view.linked.get(thing.id, [])
    if avoid in action_categories():
        links = [link for link in links if not action(link.relation)]
    if links and rng.random() < 0.35:
        link = pick(links, rng)
        return join(noun, link, rng), (thing.id, link.object.id)
    if rng.random() < 0.5 and (found := plain_values(thing, avoid)):
        noun = Noun(thing.name, (pick(found, rng),))
    return noun, (thing.id,)


def join(noun: Noun, link: Link, rng: Random) -> Noun:
    """The noun with the related thing of a link."""
    other = with_value(link.object, rng, often=0.3)
    return noun._replace(relation=link.relation, to=other)


def class_noun(name: str, value: Value | None) -> Noun:
    """A noun for one thing of a class: ``black piece of clothing``."""
    return Noun(piece(name), (value,) if value else ())


def class_marks(view: SceneView, thing: ThingView, name: str) -> tuple[list[Value], list[Link]]:
    """The values and the links that distinguish a thing from all others of a class: the black animal, on the sofa."""
    rivals = [each for each in view.called(name) if each is not thing]
    values = [
        value
        for value in plain_values(thing, absolute=True)
        if tells_apart(value, rivals) and not misread(value.before, piece(name))
    ]
    links = [] if rivals else view.linked.get(thing.id, [])
    return values, [link for link in links if name not in up(link.object.lemma)]
