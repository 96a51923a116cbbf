"""Flags on questions and reports of images: enough of them take a thing out of the study until an owner decides."""

from __future__ import annotations

import sqlalchemy as sa

from askew.collect.accounts import require_owner, require_worker
from askew.collect.database import Tx
from askew.collect.events import record_event
from askew.collect.refusals import Gone, Refused
from askew.collect.schema import flag, image, question, session, slot
from askew.collect.sessions import end_session, require_working
from askew.collect.slots import reopen_all

IMAGE_REASONS = ("the image is offensive or disturbing", "the image shows private information")
"""Reasons of verifiers that report the image."""


def flag_question(tx: Tx, annotator_id: int, question_id: int, reason: str) -> bool:
    """Flag a question; True when it is in quarantine now. A second flag by the same person changes nothing."""
    worker = require_worker(tx, annotator_id)
    row = tx.first(sa.select(question).where(question.c.id == question_id))
    if row is None:
        raise Refused("There is no such question.")
    require_working(tx, row.image_id)
    _add(tx, annotator_id, reason, question_id=question_id)
    people = tx.value(sa.select(sa.func.count()).where(flag.c.question_id == question_id, flag.c.resolved_at.is_(None)))
    if row.standing == "OK" and (people >= tx.settings.flags_to_quarantine or worker.role == "owner"):
        _quarantine(tx, question_id, annotator_id, reason)
        return True
    return bool(row.standing != "OK")


def quarantine(tx: Tx, owner_id: int, question_id: int, reason: str) -> None:
    """Take a question out until it is resolved."""
    require_owner(tx, owner_id)
    flag_question(tx, owner_id, question_id, reason)


def resolve(tx: Tx, owner_id: int, question_id: int, keep: bool) -> None:
    """Put a question in quarantine back to work, or remove it for good (type U)."""
    require_owner(tx, owner_id)
    image_id = tx.value(sa.select(question.c.image_id).where(question.c.id == question_id))
    require_working(tx, image_id)
    held = (question.c.id == question_id) & (question.c.standing == "QUARANTINED")
    if tx.change(question, held, standing="OK" if keep else "REMOVED") != 1:
        raise Gone("The question is not in quarantine.")
    tx.change(flag, (flag.c.question_id == question_id) & flag.c.resolved_at.is_(None), resolved_at=tx.now)
    record_event(tx, "question.resolved", f"question {question_id}", owner_id, {"kept": keep})


def report_image(tx: Tx, annotator_id: int, image_id: int, reason: str) -> bool:
    """Report an image; True when it is hidden now: nobody gets it, and who holds it is done with it."""
    worker = require_worker(tx, annotator_id)
    row = tx.first(sa.select(image).where(image.c.id == image_id))
    if row is None:
        raise Refused("There is no such image.")
    require_working(tx, image_id)
    _add(tx, annotator_id, reason, image_id=image_id)
    people = tx.value(sa.select(sa.func.count()).where(flag.c.image_id == image_id, flag.c.resolved_at.is_(None)))
    if row.hidden_at is None and (people >= tx.settings.reports_to_hide or worker.role == "owner"):
        _hide(tx, image_id, annotator_id)
        return True
    return row.hidden_at is not None


def unhide_image(tx: Tx, owner_id: int, image_id: int) -> None:
    """Show a hidden image again; its reports are resolved."""
    require_owner(tx, owner_id)
    require_working(tx, image_id)
    if tx.change(image, (image.c.id == image_id) & image.c.hidden_at.is_not(None), hidden_at=None) != 1:
        raise Gone("The image is not hidden.")
    tx.change(flag, (flag.c.image_id == image_id) & flag.c.resolved_at.is_(None), resolved_at=tx.now)
    record_event(tx, "image.unhidden", f"image {image_id}", owner_id)


def _add(tx: Tx, annotator_id: int, reason: str, **subject: int) -> None:
    ((name, key),) = subject.items()
    mine = (flag.c[name] == key) & (flag.c.annotator_id == annotator_id)
    if tx.first(sa.select(flag.c.id).where(mine)) is None:
        tx.insert(flag, annotator_id=annotator_id, reason=reason[:200], at=tx.now, **subject)


def _quarantine(tx: Tx, question_id: int, actor: int, reason: str) -> None:
    tx.change(question, question.c.id == question_id, standing="QUARANTINED")
    reopen_all(tx, slot.c.question_id == question_id, "STOPPED")
    record_event(tx, "question.quarantined", f"question {question_id}", actor, {"reason": reason[:200]})


def _hide(tx: Tx, image_id: int, actor: int) -> None:
    tx.change(image, image.c.id == image_id, hidden_at=tx.now)
    for row in tx.rows(sa.select(session.c.id).where(session.c.image_id == image_id, session.c.state == "LEASED")):
        end_session(tx, row.id, "RELEASED", "the image was reported")
    about = sa.select(question.c.id).where(question.c.image_id == image_id)
    reopen_all(tx, slot.c.question_id.in_(about), "STOPPED")
    record_event(tx, "image.hidden", f"image {image_id}", actor)
