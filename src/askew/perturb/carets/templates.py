"""Question templates with named slots, at least as many of each type as in CARETS (section 4.1).

Templates are numbered within their type, from 1; the numbers never change, since pairs refer to templates by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from askew.files.resources import resource

Split = Literal["all", "odd", "even"]
"""Which templates are used: all, or one half, so that a model can be trained on the other half."""

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
    def that_is(self) -> bool:
        """True if *that is* precedes the relation."""
        return "that {is} {rel}" in self.text or "that is {rel}" in self.text

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
    data: dict[str, list[dict[str, Any]]] = resource(f"perturb/carets/templates/{TYPES[type_]}.yaml")
    entries = [entry for part in ("plain", "related") for entry in data.get(part, ())]
    return tuple(_template(type_, number, entry) for number, entry in enumerate(entries, 1))


@lru_cache(maxsize=1 << 10)
def usable(type_: str, category: str, related: bool, only_bare: bool, split: Split) -> tuple[Template, ...]:
    """The templates that a question of this category, with or without a related object, can be asked in.

    >>> [template.number for template in usable("Q7", "sport", True, True, "all")]
    [20, 22, 24, 26, 27]
    """
    return tuple(
        template
        for template in templates(type_)
        if template.related == related
        and not (only_bare and template.that_is)
        and (not template.only or category in template.only)
        and category not in template.never
        and (split == "all" or (template.number % 2 == 1) == (split == "odd"))
    )


def _template(type_: str, number: int, entry: Mapping[str, Any]) -> Template:
    return Template(
        type_, number, entry["ask"], entry.get("deny", ""), tuple(entry.get("for", ())), tuple(entry.get("not", ()))
    )
