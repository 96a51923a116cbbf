"""A form that is sent twice does its work once (invariant 9)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from askew.collect.database import Tx
from askew.collect.refusals import NotAllowed
from askew.collect.schema import form


def once(tx: Tx, form_key: str, annotator_id: int, kind: str, act: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What ``act`` gave when this form was first sent, kept in the same transaction as what it did."""
    earlier = tx.first(sa.select(form).where(form.c.form_key == form_key))
    if earlier is not None:
        if (earlier.annotator_id, earlier.kind) != (annotator_id, kind):
            raise NotAllowed("This form was sent by somebody else, or for something else. Open the page again.")
        kept: dict[str, Any] = json.loads(earlier.result)
        return kept
    result = act()
    tx.insert(form, form_key=form_key, annotator_id=annotator_id, kind=kind, result=json.dumps(result), at=tx.now)
    return result
