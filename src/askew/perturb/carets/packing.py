"""Scenes, drafts and groups as bytes, for a file or for another process of this run.

Frozen dataclasses with slots and named tuples are slow to pickle: each is taken apart in Python, and the former are set
together so as well. Here each is a call with its fields, which takes a third of the time.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any

from askew.perturb.carets.arguments import Asked
from askew.perturb.carets.attributes import Value
from askew.perturb.carets.draft import Draft
from askew.perturb.carets.phrases import Noun
from askew.perturb.carets.twins import Twins
from askew.types import Group, ImageRef, Kind, Question, Refusal, Relation, Scene, Thing, Variant


def packed(what: object) -> bytes:
    """As bytes; ``unpacked`` gives it again.

    >>> unpacked(packed([Thing("1", "cup", ("red",))]))
    [Thing(id='1', name='cup', attributes=('red',), box=None)]
    """
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _CALLS
    pickler.dump(what)
    return file.getvalue()


def unpacked(what: bytes) -> Any:
    """What ``packed`` was given. Only for bytes that this run has made itself."""
    return pickle.loads(what)


def _call(kind: type[Any]) -> Callable[[Any], tuple[type[Any], tuple[Any, ...]]]:
    values = tuple if issubclass(kind, tuple) else attrgetter(*(each.name for each in fields(kind)))
    return lambda it: (kind, values(it))


_KINDS = (Group, ImageRef, Kind, Question, Refusal, Relation, Scene, Thing, Variant, Asked, Draft, Noun, Twins, Value)
_CALLS: dict[type[Any], Callable[[Any], Any]] = {kind: _call(kind) for kind in _KINDS}
