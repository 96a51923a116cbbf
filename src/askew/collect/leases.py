"""Leases: a person holds an image to write about, or a question to verify, for a while.

A session uses up one of its image's places when the work is done; a slot waits for one verifier. An expired
lease is taken over by the next claim that needs it; ``expire`` is for monitors and freezing.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx
from askew.collect.protocol import Gone, NotAllowed
from askew.collect.rounds import WORKING
from askew.collect.schema import gold_item, gold_result, image, judgement, lease, place, question, round_, session, slot

UNJUDGED = ("ASKED", "ANSWERED", "MODEL_FAILED")


def lease_end(tx: Tx, minutes: int) -> int:
    """When a lease of this many minutes that begins now ends."""
    return tx.now + minutes * 60_000


def own_session(tx: Tx, annotator_id: int, session_id: int) -> AnyRow:
    """The row of an active session of this person."""
    row = tx.row(session, session_id)
    if row is None or row.annotator_id != annotator_id:
        raise NotAllowed("This is not your image.")
    if row.state != "LEASED":
        raise Gone(_OVER[row.state])
    return row


def leased_session(tx: Tx, annotator_id: int) -> AnyRow | None:
    """The person's active session, if there is one."""
    mine = (session.c.annotator_id == annotator_id) & (session.c.state == "LEASED")
    return tx.first(sa.select(session).where(mine))


def start_session(tx: Tx, annotator_id: int, round_id: int) -> int | None:
    """Start a session at a free place of this round; None if there is none for this person."""
    found = place_for(tx, annotator_id, round_id)
    if found is None:
        return None
    if found.session_id is not None:
        end_session(tx, found.session_id, "EXPIRED")
    new = tx.insert(
        session,
        image_id=found.image_id,
        annotator_id=annotator_id,
        state="LEASED",
        started_at=tx.now,
        lease_until=lease_end(tx, tx.settings.writing_minutes),
    )
    free = (place.c.image_id == found.image_id) & (place.c.n == found.n) & place.c.session_id.is_(None)
    assert tx.change(place, free, session_id=new) == 1
    return new


def end_session(tx: Tx, session_id: int, state: str, reason: str = "") -> None:
    """End an active session: its place becomes free unless the session succeeded or used all tries."""
    active = (session.c.id == session_id) & (session.c.state == "LEASED")
    if tx.change(session, active, state=state, ended_at=tx.now, reason=reason) != 1:
        raise Gone("The session is over already.")
    if state not in ("SUCCEEDED", "EXHAUSTED"):
        tx.change(place, place.c.session_id == session_id, session_id=None)
    left = (question.c.session_id == session_id) & question.c.state.in_(UNJUDGED)
    tx.change(question, left, state="ABANDONED")
    free_place_of_withdrawn(tx, session_id)


def free_place_of_withdrawn(tx: Tx, session_id: int) -> None:
    """Free the place of a finished session that no longer counts, because its writer withdrew a question.

    A success counts until the question that fooled the robot is withdrawn; a session that used all tries, until any
    of its questions is.
    """
    mine = sa.select(question.c.id).where(question.c.session_id == session_id)
    state = tx.value(sa.select(session.c.state).where(session.c.id == session_id))
    kept = mine.join(judgement).where(judgement.c.verdict == "wrong", question.c.state != "WITHDRAWN")
    withdrawn = mine.where(question.c.state == "WITHDRAWN").limit(1)
    if tx.first(withdrawn) is None:
        return
    if state == "EXHAUSTED" or (state == "SUCCEEDED" and tx.first(kept.limit(1)) is None):
        tx.change(place, place.c.session_id == session_id, session_id=None)


def renew(tx: Tx, session_id: int, **values: Any) -> int:
    """Renew the lease of a session; returns its end."""
    until = lease_end(tx, tx.settings.writing_minutes)
    tx.change(session, session.c.id == session_id, lease_until=until, **values)
    return until


def place_for(tx: Tx, annotator_id: int, round_id: int) -> AnyRow | None:
    """The place that this person would get next: a free one, or one whose lease has expired."""
    tx.follow_indexes()
    me = {"me": annotator_id, "round": round_id}
    return tx.first(_free_place(), **me) or tx.first(_expired_place(), **me, now=tx.now)


@cache
def _free_place() -> sa.Select[Any]:
    """The first free place, images in the order of their import, so that images already begun are finished first."""
    in_order = place.c.image_id > 0  # always true; makes SQLite read the index in order instead of sorting
    free = sa.select(place).where(place.c.session_id.is_(None), in_order, *_fits(place.c.image_id))
    return free.order_by(place.c.image_id, place.c.n).limit(1)


@cache
def _expired_place() -> sa.Select[Any]:
    """The place of the session whose lease expired first."""
    now = sa.bindparam("now", type_=sa.BigInteger)
    return (
        sa.select(place)
        .select_from(session.join(place))
        .where(session.c.state == "LEASED", session.c.lease_until < now, *_fits(session.c.image_id))
        .order_by(session.c.lease_until, session.c.id)
        .limit(1)
    )


def _fits(image_id: sa.ColumnElement[int]) -> list[sa.ColumnElement[bool]]:
    """Conditions for an image of the round that this person has neither written for nor been given a question about."""
    me = sa.bindparam("me", type_=sa.Integer)
    other = session.alias("other")
    shown = sa.select(image.c.round_id).where(image.c.id == image_id, image.c.hidden_at.is_(None)).scalar_subquery()
    wrote = sa.exists().where(other.c.image_id == image_id, other.c.annotator_id == me)
    given = sa.exists().where(
        question.c.image_id == image_id,
        question.c.id == lease.c.question_id,
        lease.c.annotator_id + 0 == me,  # + 0: searched by question, not through all leases of this person
    )
    as_gold = sa.exists().where(
        image.c.id == image_id,
        gold_item.c.sha256 == image.c.sha256,
        gold_result.c.gold_id == gold_item.c.id,
        gold_result.c.annotator_id == me,
    )
    return [shown == sa.bindparam("round", type_=sa.Integer), ~wrote, ~given, ~as_gold]


def require_working(tx: Tx, image_id: int) -> None:
    """Refuse unless people work in the image's round."""
    if not tx.count(round_.join(image), image.c.id == image_id, round_.c.state.in_(WORKING)):
        raise Gone("The round is over. What you did before is kept.")


_OVER = {
    "SUCCEEDED": "You have fooled the robot with this image already. Take the next image.",
    "EXHAUSTED": "You have used all tries for this image. Take the next image.",
    "RELEASED": "You gave this image back. Take the next image.",
    "EXPIRED": "Your time for this image ended, and it was given to somebody else. Questions you judged are kept.",
}


OPEN_FIRST = (sa.case((slot.c.state == "OPEN", 0), else_=1), slot.c.lease_until, slot.c.n)
"""The order in which slots are taken: open ones before those with an expired lease, so that late answers can count."""


def reopen(tx: Tx, question_id: int, n: int, outcome: str, reason: str = "") -> None:
    """Open a leased slot again, and note how the lease ended."""
    held = (slot.c.question_id == question_id) & (slot.c.n == n)
    holder = tx.value(sa.select(slot.c.annotator_id).where(held, slot.c.state == "LEASED"))
    if holder is not None:
        empty = {"annotator_id": None, "leased_at": None, "lease_until": None}
        tx.change(slot, held, state="OPEN", **empty)
        end_lease(tx, question_id, holder, outcome, reason)


def reopen_all(tx: Tx, where: sa.ColumnElement[bool], outcome: str) -> None:
    """Open every leased slot that the condition picks."""
    for row in tx.rows(sa.select(slot.c.question_id, slot.c.n).where(slot.c.state == "LEASED", where)):
        reopen(tx, row.question_id, row.n, outcome)


def end_lease(tx: Tx, question_id: int, annotator_id: int, outcome: str, reason: str = "") -> None:
    """Record how the active lease ended."""
    active = (lease.c.question_id == question_id) & (lease.c.annotator_id == annotator_id) & lease.c.ended_at.is_(None)
    tx.change(lease, active, ended_at=tx.now, outcome=outcome, reason=reason)


def expire(tx: Tx) -> None:
    """End every session and free every slot whose lease has expired."""
    for row in tx.rows(sa.select(session.c.id).where(session.c.state == "LEASED", session.c.lease_until < tx.now)):
        end_session(tx, row.id, "EXPIRED")
    reopen_all(tx, slot.c.lease_until < tx.now, "EXPIRED")
