"""Writing: a person gets an image, asks a question and judges the robot's answer (Li et al. 2021, section 3.1).

Asking takes two transactions, before and after the model's call: ``ask`` draws the model and commits, then the model is
called, then ``record_reply`` stores its reply. A try is counted when the answer exists.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from askew.collect import leases
from askew.collect.accounts import require_worker
from askew.collect.database import AnyRow, Tx
from askew.collect.form_fields import checked_fields
from askew.collect.protocol import Gone, NotAllowed, Refused, checked_text, same_answer, same_question
from askew.collect.quiz import require_qualified
from askew.collect.robots import Call, call_for, draw_model
from askew.collect.rounds import open_round
from askew.collect.schema import VERDICTS, image, judgement, prediction, question, slot


@dataclass(frozen=True)
class Try:
    """One of the person's own questions about the image, with its outcome."""

    question_id: int
    text: str
    state: str
    try_no: int | None
    answer: str | None
    """The short answer extracted from the robot's reply; this is what the author judges."""
    raw: str | None
    """The full reply."""
    verdict: str | None
    correct_answer: str | None


@dataclass(frozen=True)
class WritingTask:
    """An image to write for, and what the person has done with it so far."""

    session_id: int
    image_id: int
    sha256: str
    suffix: str
    lease_until: int
    tries_left: int
    extensions_left: int
    tries: tuple[Try, ...]

    @property
    def open_question(self) -> Try | None:
        """The question that is waiting for the robot or for the judgement."""
        return next((one for one in self.tries if one.state in ("ASKED", "ANSWERED")), None)


@dataclass(frozen=True)
class Judged:
    """The result of a judgement."""

    question_id: int
    session_state: str
    """LEASED: write another question; SUCCEEDED or EXHAUSTED: done with this image."""
    tries_left: int


def claim_image(tx: Tx, annotator_id: int) -> WritingTask | None:
    """The image the person holds, or a new one; None if there is nothing to write for."""
    require_qualified(tx, annotator_id)
    held = leases.leased_session(tx, annotator_id)
    if held is not None:
        leases.renew(tx, held.id)
        return writing_task(tx, annotator_id, held.id)
    open_ = open_round(tx)
    new = leases.start_session(tx, annotator_id, open_.id) if open_ else None
    return None if new is None else writing_task(tx, annotator_id, new)


def writing_task(tx: Tx, annotator_id: int, session_id: int) -> WritingTask:
    """The task of an active session, for showing it again."""
    held = leases.own_session(tx, annotator_id, session_id)
    shown = tx.row(image, held.image_id)
    assert shown is not None
    tries = session_tries(tx, session_id)
    return WritingTask(
        session_id=session_id,
        image_id=held.image_id,
        sha256=shown.sha256,
        suffix=shown.suffix,
        lease_until=held.lease_until,
        tries_left=tx.settings.max_tries - sum(one.try_no is not None for one in tries),
        extensions_left=tx.settings.max_extensions - held.extensions,
        tries=tries,
    )


def ask(tx: Tx, annotator_id: int, session_id: int, text: str, seed: int | None = None) -> Call:
    """Store a question and draw the model that will answer it; the first of the two transactions of a try.

    A question that this person has asked about this image before is refused, since a second draw could pick a weaker
    model; one that no model could answer may be asked again. Neither uses a try.
    """
    require_worker(tx, annotator_id)
    held = leases.own_session(tx, annotator_id, session_id)
    leases.require_working(tx, held.image_id)
    text = checked_text(text, tx.settings.question_length, "A question")
    normalised = same_question(text)
    if not normalised:
        raise Refused("A question needs words.")
    new = _check_may_ask(tx, session_id, normalised)
    if new is None:
        new = add_question(tx, held, text, state="ASKED")
    else:
        tx.change(question, question.c.id == new, state="ASKED", asked_at=tx.now, text=text)
    leases.renew(tx, session_id)
    drawn = draw_model(tx, new, held.image_id, secrets.randbits(62) if seed is None else seed)
    assert drawn is not None, "a working round has an active model"
    return call_for(tx, new)


def add_question(tx: Tx, held: AnyRow, text: str, **values: Any) -> int:
    """Add a question to a session; returns its id."""
    normalised = same_question(text)
    same = (question.c.image_id == held.image_id) & (question.c.normalised == normalised)
    return tx.insert(
        question,
        session_id=held.id,
        image_id=held.image_id,
        annotator_id=held.annotator_id,
        text=text,
        normalised=normalised,
        asked_at=tx.now,
        same_as=tx.value(sa.select(sa.func.min(question.c.id)).where(same)),
        **values,
    )


def open_slots(tx: Tx, question_id: int) -> None:
    """Let people verify a question."""
    numbers = range(1, tx.settings.verifiers_per_question + 1)
    tx.execute(sa.insert(slot), [{"question_id": question_id, "n": n, "state": "OPEN"} for n in numbers])


def judge(
    tx: Tx,
    annotator_id: int,
    question_id: int,
    verdict: str,
    answer: str | None = None,
    confidence: str | None = None,
    more: Mapping[str, str] | None = None,
) -> Judged:
    """Record the author's judgement of the robot's answer: correct, wrong (with the correct answer) or unsure.

    Wrong is a success: the question goes to the verifiers, and the session ends unless the study lets it continue.
    ``more`` has the other fields of the form (``form_fields.py``).
    """
    require_worker(tx, annotator_id)
    row = own_question(tx, annotator_id, question_id)
    if verdict not in VERDICTS:
        raise Refused(f"There is no judgement {verdict!r}. Choose one of: {', '.join(VERDICTS)}.")
    if row.state != "ANSWERED":
        raise Gone(_NOT_JUDGED.get(row.state, "You have judged this answer already."))
    held = leases.own_session(tx, annotator_id, row.session_id)
    leases.require_working(tx, held.image_id)
    correct_answer = None
    if verdict == "wrong":
        if not (answer or "").strip():
            raise Refused("If the robot is wrong, give the correct answer.")
        correct_answer = checked_text(answer or "", tx.settings.answer_length, "An answer")
    values = {**(more or {}), "confidence": confidence}
    chosen = {} if correct_answer is None else checked_fields("judgement", tx.settings, values)
    tx.insert(
        judgement,
        question_id=question_id,
        annotator_id=annotator_id,
        verdict=verdict,
        answer=correct_answer,
        normalised=None if correct_answer is None else same_answer(correct_answer),
        **chosen,
        at=tx.now,
    )
    state = {"correct": "CORRECT", "unsure": "UNSURE", "wrong": "VERIFYING"}[verdict]
    tx.change(question, question.c.id == question_id, state=state)
    if verdict == "wrong":
        open_slots(tx, question_id)
    return _continue_or_end(tx, row, verdict)


def release_image(tx: Tx, annotator_id: int, session_id: int, reason: str = "") -> None:
    """Return an image: its place goes to somebody else; judged questions stay."""
    require_worker(tx, annotator_id)
    leases.own_session(tx, annotator_id, session_id)
    leases.end_session(tx, session_id, "RELEASED", reason[:200])


def extend_writing(tx: Tx, annotator_id: int, session_id: int) -> int:
    """Renew the lease; returns its end."""
    require_worker(tx, annotator_id)
    held = leases.own_session(tx, annotator_id, session_id)
    if held.extensions >= tx.settings.max_extensions:
        raise Refused("The time cannot be extended again. Ask or judge a question, or give the image back.")
    return leases.renew(tx, session_id, extensions=held.extensions + 1)


def withdraw(tx: Tx, annotator_id: int, question_id: int) -> None:
    """Withdraw a question before anybody has verified it; it is kept but never released.

    If the person's work on the image then no longer counts, somebody else gets the image, and nothing is paid for it.
    """
    require_worker(tx, annotator_id)
    row = own_question(tx, annotator_id, question_id)
    leases.require_working(tx, row.image_id)
    leased = tx.count(slot, slot.c.question_id == question_id, slot.c.state != "OPEN")
    if row.state not in ("CORRECT", "UNSURE", "VERIFYING") or row.done or leased:
        raise Gone("This question can no longer be withdrawn: somebody is verifying it, or has done so.")
    tx.change(question, question.c.id == question_id, state="WITHDRAWN")
    leases.free_place_of_withdrawn(tx, row.session_id)


def own_question(tx: Tx, annotator_id: int, question_id: int) -> AnyRow:
    """The row of a question that this person wrote."""
    row = tx.row(question, question_id)
    if row is None or row.annotator_id != annotator_id:
        raise NotAllowed("This is not your question.")
    return row


def _check_may_ask(tx: Tx, session_id: int, normalised: str) -> int | None:
    """Refuse a question that may not be asked now; returns the id of the same question if no model could answer it."""
    same = None
    tries = 0
    for row in tx.rows(sa.select(question).where(question.c.session_id == session_id)):
        tries += row.try_no is not None
        if row.state in ("ASKED", "ANSWERED"):
            raise Refused("Judge the robot's answer to your last question first.")
        if row.normalised == normalised and row.state == "MODEL_FAILED":
            same = int(row.id)
        elif row.normalised == normalised:
            raise Refused("You have asked this already. Ask something else; no try was used.")
    if tries >= tx.settings.max_tries:
        raise Gone("You have used all tries for this image. Take the next image.")
    return same


def _continue_or_end(tx: Tx, row: AnyRow, verdict: str) -> Judged:
    """Continue the session, or end it."""
    used = tx.count(question, question.c.session_id == row.session_id, question.c.try_no.is_not(None))
    left = tx.settings.max_tries - used
    succeeded = verdict == "wrong" and tx.settings.stop_at_first_success
    if not succeeded and left > 0:
        leases.renew(tx, row.session_id)
        return Judged(row.id, "LEASED", left)
    won = tx.count(question.join(judgement), question.c.session_id == row.session_id, judgement.c.verdict == "wrong")
    state = "SUCCEEDED" if won else "EXHAUSTED"
    leases.end_session(tx, row.session_id, state)
    return Judged(row.id, state, left)


def session_tries(tx: Tx, session_id: int) -> tuple[Try, ...]:
    """Every question of a session, in order."""
    joined = question.outerjoin(prediction).outerjoin(judgement)
    asked, answered = question.c["id", "text", "state", "try_no"], prediction.c["answer", "raw"]
    found = sa.select(*asked, *answered, *judgement.c["verdict", "answer"]).select_from(joined)
    mine = question.c.session_id == session_id
    return tuple(Try(*row) for row in tx.rows(found.where(mine).order_by(question.c.id)))


_NOT_JUDGED = {
    "ASKED": "The robot has not answered yet.",
    "MODEL_FAILED": "No robot could answer this question. Ask it again, or another one; no try was used.",
    "ABANDONED": "Your time for this image ended before you judged the answer. The question is kept but not counted.",
}
