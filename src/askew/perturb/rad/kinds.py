"""What is known about nouns and answers of "What kind of ..." questions, from ``kinds.yaml``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, TypeAlias

from askew.files.resources import resource

Order: TypeAlias = Literal["counted", "uncounted", "modifier"]
"""Where the answer stands: behind the noun with an article, behind it without one, or before it."""


def order_of(subject: str) -> Order:
    """The order that a noun takes.

    >>> order_of("animal"), order_of("food"), order_of("floor")
    ('counted', 'uncounted', 'modifier')
    """
    if subject in _data()["counted"]:
        return "counted"
    return "uncounted" if subject in _data()["uncounted"] else "modifier"


def family(subject: str) -> str:
    """What sort of thing a noun names, by its last word: ``animal``, ``food``, ...; empty when it is in no list.

    >>> family("bird"), family("winter sport"), family("idea")
    ('animal', 'event', '')
    """
    return _families().get(subject) or _families().get(subject.rpartition(" ")[2], "")


def aspect(value: str) -> str:
    """What an answer is about: ``color``, ``material``, ..., or ``kind`` when it says what the thing is.

    >>> aspect("red"), aspect("italian"), aspect("elephant")
    ('color', 'nation', 'kind')
    """
    return _aspects().get(value, "kind")


def is_listed(name: str, value: str) -> bool:
    """True when a word is in a plain list: ``purposes``, ``things``, ``plural modifiers``, ``general``, ``empty``.

    >>> is_listed("purposes", "farm"), is_listed("things", "canoe"), is_listed("general", "animal")
    (True, True, True)
    """
    return value in _data()[name]


def kin(value: str) -> frozenset[int]:
    """The groups of words that may all be true of one thing in which this one stands.

    >>> bool(kin("dog") & kin("puppy")), bool(kin("dog") & kin("church"))
    (True, False)
    """
    return _kin().get(value, frozenset())


@lru_cache(maxsize=1)
def _families() -> dict[str, str]:
    return {str(word): name for name, words in _data()["families"].items() for word in words}


@lru_cache(maxsize=1)
def _aspects() -> dict[str, str]:
    return {str(word): name for name, words in _data()["aspects"].items() for word in words}


@lru_cache(maxsize=1)
def _kin() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(_data()["kin"]):
        for word in group:
            found.setdefault(str(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    data: dict[str, Any] = resource("perturb/rad/kinds.yaml")
    return {name: _words(value) if isinstance(value, list) and name != "kin" else value for name, value in data.items()}


def _words(words: list[Any]) -> frozenset[str]:
    return frozenset(str(word) for word in words)
