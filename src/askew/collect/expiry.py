"""Leases that are over. Claims take them by themselves: this sweep is for monitors and freezing, not for safety."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from askew.collect.database import Tx
from askew.collect.schema import session, slot
from askew.collect.sessions import end_session
from askew.collect.slots import reopen_all


@dataclass(frozen=True)
class Expired:
    """How many leases were over."""

    sessions: int
    slots: int


def expire(tx: Tx) -> Expired:
    """End every session and free every slot whose lease is over."""
    over = tx.rows(sa.select(session.c.id).where(session.c.state == "LEASED", session.c.lease_until < tx.now))
    for row in over:
        end_session(tx, row.id, "EXPIRED")
    return Expired(len(over), reopen_all(tx, slot.c.lease_until < tx.now, "EXPIRED"))
