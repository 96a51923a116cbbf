"""Slots of a question: freeing them, whoever held them."""

from __future__ import annotations

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.schema import lease, slot

OPEN_FIRST = (sa.case((slot.c.state == "OPEN", 0), else_=1), slot.c.lease_until, slot.c.n)
"""The order in which slots are taken: open ones before those whose lease is over, so that late answers can count."""


def free_slot(tx: Tx, question_id: int) -> AnyRow | None:
    """A slot of the question that is open, or whose lease is over."""
    free = (slot.c.state == "OPEN") | ((slot.c.state == "LEASED") & (slot.c.lease_until < tx.now))
    return tx.first(sa.select(slot).where(slot.c.question_id == question_id, free).order_by(*OPEN_FIRST).limit(1))


def reopen(tx: Tx, question_id: int, n: int, outcome: str, reason: str = "") -> None:
    """Open a leased slot again, and note how the lease ended."""
    held = (slot.c.question_id == question_id) & (slot.c.n == n)
    holder = tx.value(sa.select(slot.c.annotator_id).where(held, slot.c.state == "LEASED"))
    if holder is not None:
        empty = {"annotator_id": None, "leased_at": None, "lease_until": None}
        tx.change(slot, held, state="OPEN", **empty)
        end_lease(tx, question_id, holder, outcome, reason)


def reopen_all(tx: Tx, where: sa.ColumnElement[bool], outcome: str) -> int:
    """Open every leased slot that the condition picks; gives how many."""
    held = tx.rows(sa.select(slot.c.question_id, slot.c.n).where(slot.c.state == "LEASED", where))
    for row in held:
        reopen(tx, row.question_id, row.n, outcome)
    return len(held)


def end_lease(tx: Tx, question_id: int, annotator_id: int, outcome: str, reason: str = "") -> None:
    """Note how the lease that goes on ended."""
    going_on = (
        (lease.c.question_id == question_id) & (lease.c.annotator_id == annotator_id) & lease.c.ended_at.is_(None)
    )
    tx.change(lease, going_on, ended_at=tx.now, outcome=outcome, reason=reason)
