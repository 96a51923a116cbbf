"""Noun phrases: *a red cup*, *any black shorts*, *the dog on the sofa*, with the number that a verb takes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from askew.language.inflect import with_article
from askew.perturb.carets.attributes import Value
from askew.perturb.carets.ontology import Number, number
from askew.perturb.carets.relations import bare


class Noun(NamedTuple):
    """What a question names: a thing by its name, with what it is like and what it is related to.

    >>> cup = Noun("cup", (Value("color", "orange"),), relation="on", to=Noun("table"))
    >>> cup.a, cup.the, cup.no, cup.verb
    ('an orange cup', 'the orange cup', 'no orange cup', 'is')
    >>> shorts = Noun("shorts", (Value("color", "black"),))
    >>> shorts.a, shorts.some, shorts.verb, Noun("water").a, Noun("water").some
    ('any black shorts', 'black shorts', 'are', 'any water', 'water')
    """

    name: str
    values: tuple[Value, ...] = ()
    relation: str = ""
    """As it is said: ``to the left of``."""
    to: Noun | None = None

    @property
    def bare(self) -> str:
        """Without a determiner: ``red cup``."""
        return " ".join([*[value.before for value in self.values], self.name]) if self.values else self.name

    @property
    def number(self) -> Number:
        """One, many or mass."""
        return number(self.name)

    @property
    def verb(self) -> str:
        """``is`` or ``are``."""
        return "are" if self.number == "many" else "is"

    @property
    def a(self) -> str:
        """In a question that asks whether there is one: ``a``, ``an`` or ``any``."""
        return _article(self.bare) if self.number == "one" else f"any {self.bare}"

    @property
    def some(self) -> str:
        """After *both*, *either* or *or*: ``a``, ``an`` or nothing."""
        return _article(self.bare) if self.number == "one" else self.bare

    @property
    def the(self) -> str:
        """``the red cup``, without what it is related to."""
        return f"the {self.bare}"

    @property
    def no(self) -> str:
        """``no red cup``."""
        return f"no {self.bare}"

    @property
    def only_bare(self) -> bool:
        """True when the relation cannot follow *that is*."""
        return bare(self.relation)

    def called(self, name: str) -> Noun:
        """The same by another name."""
        return self._replace(name=name)


_article = lru_cache(maxsize=1 << 14)(with_article)


def listed(options: tuple[str, ...]) -> str:
    """Choices as a list.

    >>> listed(("red", "blue")), listed(("red", "blue", "green"))
    ('red or blue', 'red, blue or green')
    """
    return f"{', '.join(options[:-1])} or {options[-1]}"
