"""Verifying: other people answer a successful question, and say whether they were able to (Li et al. 2021, App. A).

A question has a fixed number of slots. Each is held by one person at a time and done once. A person who wrote for an
image never verifies a question about it. A verifier sees nothing of the author, the robot or other answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from askew.collect.accounts import person, require_worker
from askew.collect.database import AnyRow, Tx
from askew.collect.form_fields import checked_fields
from askew.collect.leases import OPEN_FIRST, end_lease, lease_end, reopen, require_working
from askew.collect.moderation import flag_question
from askew.collect.protocol import Gone, NotAllowed, Refused, checked_text, same_answer
from askew.collect.quiz import require_qualified
from askew.collect.rounds import WORKING
from askew.collect.schema import (
    annotator,
    gold_item,
    gold_result,
    image,
    lease,
    question,
    round_,
    session,
    slot,
    verification,
)

SKIP_REASONS = ("cannot see the image", "cannot understand the question", "offensive or private", "other")
FLAGGING = ("offensive or private", "cannot understand the question")
"""Reasons that count as a flag."""


@dataclass(frozen=True)
class VerifyTask:
    """A question to answer: the image and the question, nothing else."""

    question_id: int
    slot_n: int
    image_id: int
    sha256: str
    suffix: str
    text: str
    lease_until: int
    extensions_left: int


@dataclass(frozen=True)
class TaskDone:
    """The result of an answer, to a question of the study or to a gold question."""

    late: bool = False
    """It arrived after the lease, when all slots were taken: kept but not counted."""
    excluded: bool = False
    """The person no longer takes part, and gets no next task."""


def claim_slot(tx: Tx, annotator_id: int) -> VerifyTask | None:
    """The slot the person holds, or a new one; None if there is nothing to verify for this person.

    Questions with the most answers come first, then the oldest, so that they get finished. If there is another
    question, a person never gets two by the same author about the same image in a row.
    """
    require_qualified(tx, annotator_id)
    held = tx.first(sa.select(slot).where(slot.c.annotator_id == annotator_id, slot.c.state == "LEASED").limit(1))
    if held is not None:
        _renew(tx, held)
        return verify_task(tx, annotator_id, held.question_id)
    found = slot_for(tx, annotator_id)
    if found is None:
        return None
    if found.state == "LEASED":
        reopen(tx, found.question_id, found.n, "EXPIRED")
    _take(tx, annotator_id, found.question_id, found.n)
    return verify_task(tx, annotator_id, found.question_id)


def slot_for(tx: Tx, annotator_id: int) -> AnyRow | None:
    """The slot that this person would get next; none for an owner, unless the study lets owners verify."""
    if not may_verify(tx, person(tx, annotator_id)):
        return None
    tx.follow_indexes()
    about = {"me": annotator_id, "now": tx.now}
    if (last := _last_pair(tx, annotator_id)) is not None:
        found = tx.first(_work_query(avoiding=True), **about, image=last.image_id, author=last.annotator_id)
        if found is not None:
            return found
    return tx.first(_work_query(avoiding=False), **about)


def may_verify(tx: Tx, row: AnyRow) -> bool:
    """Whether a person's answers may count: owners can look up those of others."""
    return row.role != "owner" or tx.settings.owners_verify


def verify_task(tx: Tx, annotator_id: int, question_id: int) -> VerifyTask:
    """The task of a slot the person holds, for showing it again."""
    held = _require_held(tx, annotator_id, question_id)
    shown = tx.first(
        sa.select(question.c.text, image.c.id, image.c.sha256, image.c.suffix)
        .join(image)
        .where(question.c.id == question_id)
    )
    assert shown is not None
    left = tx.settings.max_extensions - held.extensions
    return VerifyTask(question_id, held.n, shown.id, shown.sha256, shown.suffix, shown.text, held.lease_until, left)


def verify(
    tx: Tx, annotator_id: int, question_id: int, answer: str, confidence: str, more: Mapping[str, str] | None = None
) -> TaskDone:
    """Record a verifier's answer. After the lease it counts if a slot is still free; otherwise it is kept as late.

    ``more`` has the other fields of the form (``form_fields.py``).
    """
    if not may_verify(tx, require_worker(tx, annotator_id)):
        raise NotAllowed("Owners do not verify in this study, since they can look up the answers of others.")
    text, chosen = checked_answer(tx, answer, {**(more or {}), "confidence": confidence})
    held = _own_slot(tx, annotator_id, question_id)
    asked = _require_leased_once(tx, annotator_id, question_id)
    require_working(tx, asked.image_id)
    if held is None and asked.state == "VERIFYING" and asked.standing == "OK":
        expired = (slot.c.state == "LEASED") & (slot.c.lease_until < tx.now)
        free_slots = sa.select(slot).where(slot.c.question_id == question_id, (slot.c.state == "OPEN") | expired)
        free = tx.first(free_slots.order_by(*OPEN_FIRST).limit(1))
        if free is not None:
            if free.state == "LEASED":
                reopen(tx, question_id, free.n, "EXPIRED")
            _take(tx, annotator_id, question_id, free.n)
            held = _own_slot(tx, annotator_id, question_id)
    tx.insert(
        verification,
        question_id=question_id,
        annotator_id=annotator_id,
        slot_n=None if held is None else held.n,
        answer=text,
        normalised=same_answer(text),
        **chosen,
        late=held is None,
        excluded=False,
        leased_at=tx.now if held is None else held.leased_at,
        at=tx.now,
    )
    if held is not None:
        _finish(tx, held)
    return TaskDone(late=held is None)


def checked_answer(tx: Tx, answer: str, values: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """A verifier's answer and the other fields of the form, if they are acceptable."""
    text = checked_text(answer, tx.settings.answer_length, "An answer")
    return text, checked_fields("verification", tx.settings, values)


def skip_slot(tx: Tx, annotator_id: int, question_id: int, reason: str) -> None:
    """Return a slot to somebody else; this person does not get the question again. Some reasons count as a flag."""
    require_worker(tx, annotator_id)
    if reason not in SKIP_REASONS:
        raise Refused(f"Give one of these reasons: {', '.join(SKIP_REASONS)}.")
    held = _require_held(tx, annotator_id, question_id)
    reopen(tx, question_id, held.n, "SKIPPED", reason)
    if reason in FLAGGING:
        flag_question(tx, annotator_id, question_id, reason)


def extend_verifying(tx: Tx, annotator_id: int, question_id: int) -> int:
    """Renew the lease; returns its end."""
    require_worker(tx, annotator_id)
    held = _require_held(tx, annotator_id, question_id)
    if held.extensions >= tx.settings.max_extensions:
        raise Refused("The time cannot be extended again. Answer the question, or skip it.")
    return _renew(tx, held, extensions=held.extensions + 1)


@cache
def _work_query(avoiding: bool) -> sa.Select[Any]:
    """The slot that a person should fill next; ``avoiding``: not one of the same image and author as before."""
    me = sa.bindparam("me", type_=sa.Integer)
    expired = (slot.c.state == "LEASED") & (slot.c.lease_until < sa.bindparam("now", type_=sa.BigInteger))
    wrote = sa.exists().where(session.c.image_id == question.c.image_id, session.c.annotator_id == me)
    answered = sa.exists().where(verification.c.question_id == question.c.id, verification.c.annotator_id == me)
    skipped = sa.exists().where(
        lease.c.question_id == question.c.id, lease.c.annotator_id == me, lease.c.outcome == "SKIPPED"
    )
    as_gold = sa.exists().where(
        gold_item.c.question_id == question.c.id,
        gold_result.c.gold_id == gold_item.c.id,
        gold_result.c.annotator_id == me,
    )
    found = (
        sa.select(slot)
        .select_from(
            question.join(slot).join(image).join(round_).join(annotator, annotator.c.id == question.c.annotator_id)
        )
        .where(
            question.c.state == "VERIFYING",
            question.c.standing == "OK",
            (slot.c.state == "OPEN") | expired,
            image.c.hidden_at.is_(None),
            round_.c.state.in_(WORKING),
            annotator.c.excluded_at.is_(None),
            ~wrote,
            ~answered,
            ~skipped,
            ~as_gold,
        )
        .order_by(question.c.done.desc(), question.c.id, *OPEN_FIRST)
        .limit(1)
    )
    if not avoiding:
        return found
    pair = (question.c.image_id != sa.bindparam("image")) | (question.c.annotator_id != sa.bindparam("author"))
    return found.where(pair)


def _last_pair(tx: Tx, annotator_id: int) -> AnyRow | None:
    """The image and the author of the question that this person answered last."""
    return tx.first(
        sa.select(question.c.image_id, question.c.annotator_id)
        .join(verification)
        .where(verification.c.annotator_id == annotator_id)
        .order_by(verification.c.id.desc())
        .limit(1)
    )


def _take(tx: Tx, annotator_id: int, question_id: int, n: int) -> None:
    free = (slot.c.question_id == question_id) & (slot.c.n == n) & (slot.c.state == "OPEN")
    until = lease_end(tx, tx.settings.verifying_minutes)
    taken = {"state": "LEASED", "annotator_id": annotator_id, "leased_at": tx.now, "lease_until": until}
    assert tx.change(slot, free, extensions=0, **taken) == 1
    tx.insert(lease, question_id=question_id, slot_n=n, annotator_id=annotator_id, leased_at=tx.now)


def _finish(tx: Tx, held: AnyRow) -> None:
    mine = (slot.c.question_id == held.question_id) & (slot.c.n == held.n)
    tx.change(slot, mine, state="DONE")
    end_lease(tx, held.question_id, held.annotator_id, "DONE")
    last = (question.c.done + 1 == tx.settings.verifiers_per_question) & (question.c.state == "VERIFYING")
    state = sa.case((last, "VERIFIED"), else_=question.c.state)
    tx.change(question, question.c.id == held.question_id, done=question.c.done + 1, state=state)


def _renew(tx: Tx, held: AnyRow, **values: Any) -> int:
    until = lease_end(tx, tx.settings.verifying_minutes)
    mine = (slot.c.question_id == held.question_id) & (slot.c.n == held.n)
    tx.change(slot, mine, lease_until=until, **values)
    return until


def _require_held(tx: Tx, annotator_id: int, question_id: int) -> AnyRow:
    """The row of the slot that the person holds."""
    held = _own_slot(tx, annotator_id, question_id)
    if held is None:
        raise Gone("You can no longer answer this question. Take the next one.")
    return held


def _own_slot(tx: Tx, annotator_id: int, question_id: int) -> AnyRow | None:
    mine = (slot.c.question_id == question_id) & (slot.c.annotator_id == annotator_id)
    return tx.first(sa.select(slot).where(mine, slot.c.state == "LEASED"))


def _require_leased_once(tx: Tx, annotator_id: int, question_id: int) -> AnyRow:
    """The question's row; the person must have been given it, and must not have answered or skipped it."""
    asked = tx.row(question, question_id)
    mine = (lease.c.question_id == question_id) & (lease.c.annotator_id == annotator_id)
    leases = tx.rows(sa.select(lease.c.outcome).where(mine))
    if asked is None or not leases:
        raise NotAllowed("This question was not given to you.")
    outcomes = {row.outcome for row in leases}
    answered = (verification.c.question_id == question_id) & (verification.c.annotator_id == annotator_id)
    if "DONE" in outcomes or tx.count(verification, answered):
        raise Gone("You have answered this question already. Take the next one.")
    if "SKIPPED" in outcomes:
        raise Gone("You skipped this question. Take the next one.")
    return asked
