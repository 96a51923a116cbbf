"""A person's queue of questions to answer: slots of real questions, mixed with gold questions that look the same.

A task is identified by a reference, ``q 12`` for a question and ``g 3`` for a gold one, which pages must seal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from askew.collect import gold, verifying
from askew.collect.accounts import require_worker
from askew.collect.database import Tx
from askew.collect.moderation import IMAGE_REASONS, report_image
from askew.collect.protocol import Gone, NotAllowed, Refused
from askew.collect.quiz import require_qualified
from askew.collect.schema import image, slot

REASONS = (*verifying.SKIP_REASONS, *IMAGE_REASONS)


@dataclass(frozen=True)
class Task:
    """A question to answer: the image and the question, nothing else."""

    reference: str
    sha256: str
    suffix: str
    text: str
    lease_until: int
    extensions_left: int


def claim_task(tx: Tx, annotator_id: int) -> Task | None:
    """The task the person holds, or a new one; None if there is nothing to verify for this person.

    Gold questions come only while there are real ones, so that none can be recognised by being the last.
    """
    require_qualified(tx, annotator_id)
    held = held_reference(tx, annotator_id)
    if held is not None and held.startswith("g"):
        gold.extend_gold(tx, annotator_id, _parsed(held)[1], free=True)
        return open_task(tx, annotator_id, held)
    if held is None:
        gold.drop_stale_gold(tx, annotator_id)
        drawn = gold.draw_gold(tx, annotator_id)
        if drawn is not None and verifying.slot_for(tx, annotator_id) is not None:
            gold.give_gold(tx, annotator_id, drawn)
            return open_task(tx, annotator_id, f"g {drawn}")
    given = verifying.claim_slot(tx, annotator_id)
    return None if given is None else _task(given)


def held_reference(tx: Tx, annotator_id: int) -> str | None:
    """The reference of the task the person holds."""
    mine = (slot.c.annotator_id == annotator_id) & (slot.c.state == "LEASED")
    number = tx.value(sa.select(slot.c.question_id).where(mine).limit(1))
    if number is not None:
        return f"q {number}"
    row = gold.held_gold(tx, annotator_id)
    return None if row is None else f"g {row.gold_id}"


def open_task(tx: Tx, annotator_id: int, reference: str) -> Task:
    """A task the person holds, for showing it again."""
    kind, number = _parsed(reference)
    if kind == "g":
        row = gold.own_gold(tx, annotator_id, number)
        left = tx.settings.max_extensions - row.extensions
        return Task(reference, row.sha256, row.suffix, row.question, row.lease_until, left)
    return _task(verifying.verify_task(tx, annotator_id, number))


def answer_task(
    tx: Tx, annotator_id: int, reference: str, answer: str, confidence: str, more: Mapping[str, str] | None = None
) -> verifying.TaskDone:
    """Record an answer; ``more`` has the other fields of the form."""
    kind, number = _parsed(reference)
    record = gold.answer_gold if kind == "g" else verifying.verify
    return record(tx, annotator_id, number, answer, confidence, more)


def skip_task(tx: Tx, annotator_id: int, reference: str, reason: str) -> None:
    """Return a task for one of ``REASONS``; some flag the question or report the image."""
    require_worker(tx, annotator_id)
    kind, number = _parsed(reference)
    if reason not in REASONS:
        raise Refused(f"Give one of these reasons: {', '.join(REASONS)}.")
    reports = reason in IMAGE_REASONS
    sha256 = open_task(tx, annotator_id, reference).sha256 if reports else ""
    if kind == "g":
        gold.skip_gold(tx, annotator_id, number, reason)
    else:
        verifying.skip_slot(tx, annotator_id, number, "other" if reports else reason)
    known = tx.value(sa.select(image.c.id).where(image.c.sha256 == sha256)) if reports else None
    if known is not None:
        try:
            report_image(tx, annotator_id, known, reason)
        except Gone:
            assert kind == "g"  # its image is in a frozen round: skipping was enough


def extend_task(tx: Tx, annotator_id: int, reference: str) -> int:
    """Renew the lease; returns its end."""
    kind, number = _parsed(reference)
    return (gold.extend_gold if kind == "g" else verifying.extend_verifying)(tx, annotator_id, number)


def _task(given: verifying.VerifyTask) -> Task:
    reference = f"q {given.question_id}"
    return Task(reference, given.sha256, given.suffix, given.text, given.lease_until, given.extensions_left)


def _parsed(reference: str) -> tuple[str, int]:
    kind, _, number = reference.partition(" ")
    if kind not in ("q", "g") or not number.isdigit():
        raise NotAllowed("This question was not given to you.")
    return kind, int(number)
