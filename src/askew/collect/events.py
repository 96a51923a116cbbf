"""The log of what owners and the protocol did: append-only, by a trigger."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from askew.collect.database import Tx
from askew.collect.schema import event


def record_event(
    tx: Tx, kind: str, subject: str, actor: int | None = None, data: Mapping[str, Any] | None = None
) -> None:
    """Add an event: what happened (``round.state``), to what (``round 2``), by whom (None: the command line)."""
    tx.insert(event, at=tx.now, actor_id=actor, kind=kind, subject=subject, data=json.dumps(data or {}, sort_keys=True))
