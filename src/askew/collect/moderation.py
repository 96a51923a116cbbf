"""Moderation: flags and quarantine of questions, reports of images, exclusion of people, deletion of text.

Nothing here deletes a row. Enough flags suspend a question until an owner decides; the work of an excluded person stops
counting, and others do it again; deletion on request blanks what was written.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass

import sqlalchemy as sa

from askew.collect.accounts import has_other_owner, person, require_owner, require_worker
from askew.collect.database import Database, Tx, record_event
from askew.collect.leases import end_session, reopen_all, require_working
from askew.collect.protocol import Gone, Refused
from askew.collect.rounds import CLOSED, WORKING
from askew.collect.schema import (
    annotator,
    api_token,
    event,
    flag,
    image,
    in_rounds,
    judgement,
    login,
    place,
    prediction,
    question,
    round_,
    session,
    slot,
    snapshot,
    verification,
)
from askew.collect.surveys.places import counted_answers, drop_answers

IMAGE_REASONS = ("the image is offensive or disturbing", "the image shows private information")
"""Verifiers' reasons for skipping a question that also report its image."""


def flag_question(tx: Tx, annotator_id: int, question_id: int, reason: str) -> bool:
    """Flag a question; True if it is now in quarantine. A second flag by the same person changes nothing."""
    worker = require_worker(tx, annotator_id)
    row = tx.row(question, question_id)
    if row is None:
        raise Refused("There is no such question.")
    require_working(tx, row.image_id)
    people = _add_flag(tx, annotator_id, reason, question_id=question_id)
    if row.standing == "OK" and (people >= tx.settings.flags_to_quarantine or worker.role == "owner"):
        tx.change(question, question.c.id == question_id, standing="QUARANTINED")
        reopen_all(tx, slot.c.question_id == question_id, "STOPPED")
        record_event(tx, "question.quarantined", f"question {question_id}", annotator_id, {"reason": reason[:200]})
        return True
    return bool(row.standing != "OK")


def quarantine(tx: Tx, owner_id: int, question_id: int, reason: str) -> None:
    """Suspend a question until it is resolved."""
    require_owner(tx, owner_id)
    flag_question(tx, owner_id, question_id, reason)


def resolve(tx: Tx, owner_id: int, question_id: int, keep: bool) -> None:
    """Release a question from quarantine, or remove it permanently (type U)."""
    require_owner(tx, owner_id)
    image_id = tx.value(sa.select(question.c.image_id).where(question.c.id == question_id))
    require_working(tx, image_id)
    held = (question.c.id == question_id) & (question.c.standing == "QUARANTINED")
    if tx.change(question, held, standing="OK" if keep else "REMOVED") != 1:
        raise Gone("The question is not in quarantine.")
    tx.change(flag, (flag.c.question_id == question_id) & flag.c.resolved_at.is_(None), resolved_at=tx.now)
    record_event(tx, "question.resolved", f"question {question_id}", owner_id, {"kept": keep})


def report_image(tx: Tx, annotator_id: int, image_id: int, reason: str) -> bool:
    """Report an image; True if it is now hidden: nobody gets it, and the session of anybody who holds it ends."""
    worker = require_worker(tx, annotator_id)
    row = tx.row(image, image_id)
    if row is None:
        raise Refused("There is no such image.")
    require_working(tx, image_id)
    people = _add_flag(tx, annotator_id, reason, image_id=image_id)
    if row.hidden_at is None and (people >= tx.settings.reports_to_hide or worker.role == "owner"):
        _hide(tx, image_id, annotator_id)
        return True
    return row.hidden_at is not None


def resolve_reports(tx: Tx, owner_id: int, image_id: int, keep: bool) -> None:
    """Hide a reported image, or keep it, which resolves its reports and shows it again if it was hidden."""
    require_owner(tx, owner_id)
    require_working(tx, image_id)
    hidden = tx.value(sa.select(image.c.hidden_at).where(image.c.id == image_id)) is not None
    if not keep:
        if hidden:
            raise Gone("The image is hidden already.")
        _hide(tx, image_id, owner_id)
        return
    reported = tx.change(flag, (flag.c.image_id == image_id) & flag.c.resolved_at.is_(None), resolved_at=tx.now)
    if not hidden and not reported:
        raise Gone("The image is neither reported nor hidden.")
    tx.change(image, image.c.id == image_id, hidden_at=None)
    record_event(tx, "image.kept", f"image {image_id}", owner_id)


def _add_flag(tx: Tx, annotator_id: int, reason: str, **subject: int) -> int:
    """Store a flag, unless the person has flagged it before; returns how many are not resolved."""
    ((name, key),) = subject.items()
    if not tx.count(flag, flag.c[name] == key, flag.c.annotator_id == annotator_id):
        tx.insert(flag, annotator_id=annotator_id, reason=reason[:200], at=tx.now, **subject)
    return tx.count(flag, flag.c[name] == key, flag.c.resolved_at.is_(None))


def _hide(tx: Tx, image_id: int, actor: int) -> None:
    tx.change(image, image.c.id == image_id, hidden_at=tx.now)
    for row in tx.rows(sa.select(session.c.id).where(session.c.image_id == image_id, session.c.state == "LEASED")):
        end_session(tx, row.id, "RELEASED", "the image was reported")
    about = sa.select(question.c.id).where(question.c.image_id == image_id)
    reopen_all(tx, slot.c.question_id.in_(about), "STOPPED")
    record_event(tx, "image.hidden", f"image {image_id}", actor)


@dataclass(frozen=True)
class ExclusionEffect:
    """What excluding a person changes, in rounds that are not frozen."""

    verifications: int
    """Answers that stop counting; their slots open again."""
    questions: int
    """Questions by this person that will not be released."""
    sessions: int
    """Writing sessions whose place opens again."""
    frozen: int
    """Answers and questions in frozen rounds, which stay as they are."""
    surveyed: int = 0
    """Answers in open surveys that stop counting; others are asked again."""


_ANSWERS, _SESSIONS = verification.join(question).join(image).join(round_), session.join(image).join(round_)


def preview_exclusion(tx: Tx, annotator_id: int) -> ExclusionEffect:
    """What excluding this person would change."""
    working, written = round_.c.state.in_(WORKING), question.c.annotator_id == annotator_id
    held = place.join(_SESSIONS, place.c.session_id == session.c.id)
    counted = (verification.c.annotator_id == annotator_id) & verification.c.slot_n.is_not(None)
    return ExclusionEffect(
        verifications=tx.count(_ANSWERS, counted, working),
        questions=tx.count(in_rounds, written, working),
        sessions=tx.count(held, session.c.annotator_id == annotator_id, working),
        frozen=tx.count(_ANSWERS, counted, ~working) + tx.count(in_rounds, written, ~working),
        surveyed=counted_answers(tx, annotator_id),
    )


def exclude(tx: Tx, annotator_id: int, reason: str, actor: int | None = None) -> ExclusionEffect:
    """Exclude a person from the study. No row is deleted; slots and places of rounds that are not frozen open again."""
    who = person(tx, annotator_id)
    if who.excluded_at is not None:
        raise Refused(f"{who.name} is excluded already.")
    effect = preview_exclusion(tx, annotator_id)
    tx.change(annotator, annotator.c.id == annotator_id, excluded_at=tx.now, excluded_reason=reason[:200])
    reopen_all(tx, slot.c.annotator_id == annotator_id, "STOPPED")
    drop_answers(tx, annotator_id)
    working = round_.c.state.in_(WORKING)
    answers = sa.select(verification).select_from(_ANSWERS)
    for row in tx.rows(answers.where(verification.c.annotator_id == annotator_id, working)):
        tx.change(verification, verification.c.id == row.id, slot_n=None, excluded=True)
        if row.slot_n is None:
            continue
        done = (slot.c.question_id == row.question_id) & (slot.c.n == row.slot_n)
        tx.change(slot, done, state="OPEN", annotator_id=None, leased_at=None, lease_until=None)
        tx.change(question, question.c.id == row.question_id, done=question.c.done - 1)
        tx.change(question, (question.c.id == row.question_id) & (question.c.state == "VERIFIED"), state="VERIFYING")
    written = sa.select(session).select_from(_SESSIONS)
    for row in tx.rows(written.where(session.c.annotator_id == annotator_id, working)):
        if row.state == "LEASED":
            end_session(tx, row.id, "RELEASED", "excluded")
        else:
            tx.change(place, place.c.session_id == row.id, session_id=None)
    record_event(tx, "person.excluded", f"annotator {annotator_id}", actor, {"reason": reason[:200], **asdict(effect)})
    return effect


def delete_text(tx: Tx, owner_id: int | None, question_id: int, reason: str) -> None:
    """Blank everything that was written about a question, and remove the question permanently.

    ``owner_id`` is None on the command line, which only owners of the study's folder can use.
    """
    if owner_id is not None:
        require_owner(tx, owner_id)
    row = tx.row(question, question_id)
    if row is None:
        raise Refused(f"There is no question {question_id}.")
    if row.text == "":
        raise Gone("The text of this question was deleted before.")
    if row.state in ("ASKED", "ANSWERED"):
        raise Refused("The question is being judged. Wait until its author is done, or quarantine it.")
    reopen_all(tx, slot.c.question_id == question_id, "STOPPED")
    values = {"text": "", "normalised": f"deleted {question_id}", "standing": "REMOVED"}
    tx.change(question, question.c.id == question_id, **values)
    tx.change(prediction, prediction.c.question_id == question_id, answer="", raw="", normalised="")
    answered = (judgement.c.question_id == question_id) & judgement.c.answer.is_not(None)
    tx.change(judgement, answered, answer="", normalised="")
    tx.change(verification, verification.c.question_id == question_id, answer="", normalised="")
    record_event(tx, "question.deleted", f"question {question_id}", owner_id, {"reason": reason[:200]})


def rewrite_file(database: Database) -> bool:
    """Rewrite SQLite's file, whose free space still holds what was deleted; False if the database is busy.

    PostgreSQL overwrites such space by itself after a while (autovacuum).
    """
    if not database.is_sqlite:
        return True
    with closing(database.engine.raw_connection()) as connection:
        try:
            connection.execute("VACUUM")
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:
            return False
    return not busy


def released_before(tx: Tx, question_id: int) -> bool:
    """Whether a question is in a released round."""
    return tx.count(in_rounds, question.c.id == question_id, round_.c.state == "RELEASED") > 0


def deleted_after_release(tx: Tx, *, unpatched: bool = False) -> list[int]:
    """The ids of questions that a release has and that were deleted since; ``unpatched``: only those that the latest
    release still has."""
    released: dict[int, list[int]] = {}
    for row in tx.rows(sa.select(snapshot.c.rounds, snapshot.c.at)):
        for number in json.loads(row.rounds):
            released.setdefault(number, []).append(row.at)
    events = sa.select(event.c.subject, event.c.at).where(event.c.kind == "question.deleted")
    times = {row.subject: row.at for row in tx.rows(events)}
    blank = sa.select(question.c.id, round_.c.number).select_from(in_rounds).where(question.c.text == "")
    found = []
    for row in tx.rows(blank.order_by(question.c.id)):
        before = released.get(row.number, [])
        since = max(before, default=None) if unpatched else min(before, default=None)
        if since is not None and times.get(f"question {row.id}", since) >= since:
            found.append(row.id)
    return found


def forget(tx: Tx, annotator_id: int, *, remove_work: bool) -> None:
    """Delete a person's name, password and platform ids, on the person's own request.

    With ``remove_work`` the person is excluded too, and the person's questions in frozen rounds are deleted; answers to
    other people's questions in frozen rounds stay, under the pseudonym. The keyed hash of the platform's id stays: it
    keeps the same person from entering a second time.
    """
    who = person(tx, annotator_id)
    if who.role == "owner" and not has_other_owner(tx, annotator_id):
        raise Refused("You are the only owner of the study. Make somebody else an owner first.")
    if remove_work:
        reason = "deleted on the person's own request"
        if who.excluded_at is None:
            exclude(tx, annotator_id, reason, annotator_id)
        own = sa.select(question.c.id).select_from(in_rounds).where(question.c.annotator_id == annotator_id)
        for row in tx.rows(own.where(round_.c.state.in_(CLOSED), question.c.text != "")):
            delete_text(tx, None, row.id, reason)
    blank = {"name": f"deleted {who.pseudonym}", "password_hash": None, "platform": "{}", "role": "annotator"}
    tx.change(annotator, annotator.c.id == annotator_id, deleted_at=tx.now, **blank)
    for table in (login, api_token):
        tx.execute(sa.delete(table).where(table.c.annotator_id == annotator_id))
    record_event(tx, "person.deleted", f"annotator {annotator_id}", annotator_id, {"work_removed": remove_work})
