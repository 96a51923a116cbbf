"""How a relation is said in a question, and what it says that somebody does (``data/relations.yaml``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from askew.perturb.carets.attributes import action_categories, words
from askew.perturb.carets.ontology import read


@lru_cache(maxsize=1 << 12)
def said(relation: str) -> str:
    """The words that a question uses for a relation; empty when it uses none.

    >>> said("left of"), said("sitting on"), said("on"), said("of"), said("qxz")
    ('to the left of', 'sitting on', 'on', '', '')
    """
    relation = " ".join(relation.lower().split())
    if relation in _data()["never"]:
        return ""
    if relation in _data()["said"]:
        return str(_data()["said"][relation])
    if relation in _data()["both"] or relation in _data()["bare"]:
        return relation
    return relation if relation.split(" ")[0].endswith("ing") else ""


def bare(phrase: str) -> bool:
    """True when *that is* cannot stand before it: the sofa with pillows.

    >>> bare("with"), bare("on")
    (True, False)
    """
    return phrase in _data()["bare"]


@lru_cache(maxsize=1 << 12)
def action(relation: str) -> str:
    """The action that a relation says of a person or animal that is its subject; empty for none.

    >>> action("sitting on"), action("eating"), action("on")
    ('sitting', 'eating', '')
    """
    first = relation.lower().split(" ")[0]
    return first if any(first in words(category) for category in action_categories()) else ""


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    return read("relations.yaml")
