"""What a person can do next, and what the person has done so far; every number is a count of rows."""

from __future__ import annotations

from dataclasses import dataclass

from askew.collect import leases, verify_queue, verifying
from askew.collect.accounts import among_simulated
from askew.collect.database import AnyRow, Tx
from askew.collect.rounds import open_round
from askew.collect.schema import batch, gold_result, place, question, session, verification


@dataclass(frozen=True)
class Work:
    """The work that is available to one person."""

    session: AnyRow | None
    """The session of the image the person holds."""
    task: verify_queue.Task | None
    """The question that the person holds."""
    images: bool
    """Whether there is an image to write for."""
    questions: bool
    """Whether there is a question to verify."""


@dataclass(frozen=True)
class Progress:
    """What one person has done."""

    asked: int
    fooled: int
    images: int
    verified: int
    batches: int = 0
    """Batches of surveys that were sent."""

    @property
    def pieces(self) -> int:
        """Finished images, verified questions and batches."""
        return self.images + self.verified + self.batches


def work_for(tx: Tx, annotator_id: int) -> Work:
    """What this person holds, and whether there is more."""
    held = leases.leased_session(tx, annotator_id)
    task = verify_queue.held_reference(tx, annotator_id)
    closed = among_simulated(tx)
    open_ = None if closed else open_round(tx)
    return Work(
        session=held,
        task=verify_queue.open_task(tx, annotator_id, task) if task is not None else None,
        images=held is not None or (open_ is not None and leases.place_for(tx, annotator_id, open_.id) is not None),
        questions=task is not None or (not closed and verifying.slot_for(tx, annotator_id) is not None),
    )


def progress_of(tx: Tx, annotator_id: int, since: int = 0) -> Progress:
    """Count what this person did, at or after a time."""

    asked = (question.c.annotator_id == annotator_id) & (question.c.asked_at >= since)
    answered = (verification.c.annotator_id == annotator_id) & (verification.c.at >= since)
    gold = (gold_result.c.annotator_id == annotator_id) & (gold_result.c.at >= since)
    sent = (batch.c.annotator_id == annotator_id) & (batch.c.ended_at >= since)
    finished = (session.c.annotator_id == annotator_id) & session.c.state.in_(("SUCCEEDED", "EXHAUSTED"))
    return Progress(
        asked=tx.count(question, asked, question.c.try_no.is_not(None)),
        fooled=tx.count(question, asked, question.c.state.in_(("VERIFYING", "VERIFIED"))),
        # a session whose question was withdrawn holds no place
        images=tx.count(session.join(place), finished, session.c.ended_at >= since),
        verified=tx.count(verification, answered, ~verification.c.excluded)
        + tx.count(gold_result, gold, gold_result.c.answer.is_not(None)),
        batches=tx.count(batch, sent, batch.c.state == "DONE"),
    )
