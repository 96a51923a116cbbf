"""The places of a survey's questions: one for each person it wants, held with a batch, and freed when that ends."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.schema import batch, batch_answer, survey, survey_item

COUNTS = batch_answer.c.place.is_not(None) & (batch.c.state == "DONE")
"""An answer that counts."""
ANSWERS = batch_answer.join(batch, batch_answer.c.batch_id == batch.c.id).join(survey)
"""Answers with their batches and surveys."""


def counted_answers(tx: Tx, annotator_id: int) -> int:
    """How many answers of a person count in surveys that are open."""
    return tx.count(ANSWERS, batch_answer.c.annotator_id == annotator_id, COUNTS, survey.c.state == "OPEN")


def drop_answers(tx: Tx, annotator_id: int) -> int:
    """Stop counting a person's answers in surveys that are open; returns how many there were."""
    mine = sa.select(batch).join(survey).where(batch.c.annotator_id == annotator_id, survey.c.state == "OPEN")
    dropped = 0
    for row in tx.rows(mine):
        if row.state == "LEASED":
            end_batch(tx, row, "RETURNED", "excluded")
        elif row.state == "DONE":
            dropped += free_places(tx, row.id, batch_rows(tx, row.id))
    return dropped


def take_place(tx: Tx, one: AnyRow, people: int) -> bool:
    """Take a free place of an item for a row of a batch; False if there is none."""
    used = {row.place for row in tx.rows(sa.select(batch_answer.c.place).where(batch_answer.c.item_id == one.item_id))}
    free = next((n for n in range(1, people + 1) if n not in used), None)
    if free is None:
        return False
    tx.change(batch_answer, (batch_answer.c.batch_id == one.batch_id) & (batch_answer.c.n == one.n), place=free)
    tx.change(survey_item, survey_item.c.id == one.item_id, taken=survey_item.c.taken + 1)
    return True


def free_places(tx: Tx, batch_id: int, rows: Sequence[AnyRow]) -> int:
    """Free the places of rows of a batch; returns how many there were."""
    held = [one for one in rows if one.place is not None]
    for one in held:
        tx.change(batch_answer, (batch_answer.c.batch_id == batch_id) & (batch_answer.c.n == one.n), place=None)
        tx.change(survey_item, survey_item.c.id == one.item_id, taken=survey_item.c.taken - 1)
    return len(held)


def end_batch(tx: Tx, row: AnyRow, state: str, reason: str = "") -> None:
    """End a batch that is not finished, and free its places."""
    free_places(tx, row.id, batch_rows(tx, row.id))
    tx.change(batch, batch.c.id == row.id, state=state, ended_at=tx.now, reason=reason[:200])


def batch_rows(tx: Tx, batch_id: int) -> Sequence[AnyRow]:
    """The rows of a batch with their items, in order, without those that were reported."""
    shown = (survey_item.c[name] for name in ("sha256", "suffix", "content", "gold"))
    mine = (batch_answer.c.batch_id == batch_id) & ~batch_answer.c.reported
    return tx.rows(sa.select(batch_answer, *shown).join(survey_item).where(mine).order_by(batch_answer.c.n))
