"""Relations between things: their wording in questions, and the actions they imply (``data/relations.yaml``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from askew.perturb.carets.attributes import action_categories, words
from askew.perturb.carets.ontology import read


@lru_cache(maxsize=1 << 12)
def said(relation: str) -> str:
    """The words for a relation in a question; empty if questions do not use it.

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
    """True if *that is* cannot precede the words: the sofa with pillows.

    >>> bare("with"), bare("on")
    (True, False)
    """
    return phrase in _data()["bare"]


@lru_cache(maxsize=1 << 12)
def action(relation: str) -> str:
    """The action that a relation implies for a person or animal as its subject; empty if none.

    >>> action("sitting on"), action("eating"), action("on")
    ('sitting', 'eating', '')
    """
    first = relation.lower().split(" ")[0]
    return first if any(first in words(category) for category in action_categories()) else ""


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    return read("relations.yaml")
