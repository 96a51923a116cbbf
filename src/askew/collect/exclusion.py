"""Exclusion: what a person did is kept and stops to count; others do it again."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import sqlalchemy as sa

from askew.collect.accounts import person
from askew.collect.database import Tx
from askew.collect.events import record_event
from askew.collect.refusals import Refused
from askew.collect.rounds import WORKING
from askew.collect.schema import annotator, image, login, place, question, round_, session, slot, verification
from askew.collect.sessions import end_session
from askew.collect.slots import reopen_all


@dataclass(frozen=True)
class ExclusionEffect:
    """What excluding a person changes, in rounds that are not frozen."""

    verifications: int
    """Answers that stop to count; as many slots open again."""
    questions: int
    """Questions of this person that will not be released."""
    sessions: int
    """Writing sessions whose place opens again."""
    frozen: int
    """Answers and questions in frozen rounds, which stay as they are."""


def preview_exclusion(tx: Tx, annotator_id: int) -> ExclusionEffect:
    """What excluding this person would change."""
    said = verification.join(question, question.c.id == verification.c.question_id)
    mine, counted = verification.c.annotator_id == annotator_id, verification.c.slot_n.is_not(None)
    wrote = session.join(place, place.c.session_id == session.c.id)
    return ExclusionEffect(
        verifications=_count(tx, said, question, mine & counted),
        questions=_count(tx, question, question, question.c.annotator_id == annotator_id),
        sessions=_count(tx, wrote, session, session.c.annotator_id == annotator_id),
        frozen=_count(tx, said, question, mine & counted, working=False)
        + _count(tx, question, question, question.c.annotator_id == annotator_id, working=False),
    )


def exclude(tx: Tx, annotator_id: int, reason: str, actor: int | None = None) -> ExclusionEffect:
    """Exclude a person from the study. No row is deleted; slots and places open again where the round is not frozen."""
    who = person(tx, annotator_id)
    if who.excluded_at is not None:
        raise Refused(f"{who.name} is excluded already.")
    effect = preview_exclusion(tx, annotator_id)
    tx.change(annotator, annotator.c.id == annotator_id, excluded_at=tx.now, excluded_reason=reason[:200])
    tx.execute(sa.delete(login).where(login.c.annotator_id == annotator_id))
    reopen_all(tx, slot.c.annotator_id == annotator_id, "STOPPED")
    _uncount(tx, annotator_id)
    _open_places(tx, annotator_id)
    record_event(tx, "person.excluded", f"annotator {annotator_id}", actor, {"reason": reason[:200], **asdict(effect)})
    return effect


def _uncount(tx: Tx, annotator_id: int) -> None:
    """The person's answers stop to count, and their slots open again."""
    said = tx.rows(
        sa.select(verification.c.id, verification.c.question_id, verification.c.slot_n)
        .join(question, question.c.id == verification.c.question_id)
        .join(image, image.c.id == question.c.image_id)
        .join(round_, round_.c.id == image.c.round_id)
        .where(verification.c.annotator_id == annotator_id, round_.c.state.in_(WORKING))
    )
    for row in said:
        tx.change(verification, verification.c.id == row.id, slot_n=None, excluded=True)
        if row.slot_n is None:
            continue
        done = (slot.c.question_id == row.question_id) & (slot.c.n == row.slot_n)
        tx.change(slot, done, state="OPEN", annotator_id=None, leased_at=None, lease_until=None)
        tx.change(question, question.c.id == row.question_id, done=question.c.done - 1)
        tx.change(question, (question.c.id == row.question_id) & (question.c.state == "VERIFIED"), state="VERIFYING")


def _open_places(tx: Tx, annotator_id: int) -> None:
    """The person's writing stops to count: the session that goes on ends, and every place opens again."""
    held = (
        sa.select(session.c.id, session.c.state)
        .join(image, image.c.id == session.c.image_id)
        .join(round_, round_.c.id == image.c.round_id)
        .where(session.c.annotator_id == annotator_id, round_.c.state.in_(WORKING))
    )
    for row in tx.rows(held):
        if row.state == "LEASED":
            end_session(tx, row.id, "RELEASED", "excluded")
        else:
            tx.change(place, place.c.session_id == row.id, session_id=None)


def _count(
    tx: Tx, joined: sa.FromClause, table: sa.Table, where: sa.ColumnElement[bool], *, working: bool = True
) -> int:
    """How many rows; ``table`` is the one with the image."""
    chosen = round_.c.state.in_(WORKING)
    source = joined.join(image, image.c.id == table.c.image_id).join(round_, round_.c.id == image.c.round_id)
    counted = sa.select(sa.func.count()).select_from(source).where(where, chosen if working else ~chosen)
    return int(tx.value(counted))
