"""Deletion on request, also after a round is frozen: one question's text goes, its row stays, and the log says so.

The next release is a patch (1.0.1) whose manifest names what went. Types and splits of other questions stay.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import sqlalchemy as sa

from askew.collect.accounts import require_owner
from askew.collect.database import Database, Tx
from askew.collect.events import record_event
from askew.collect.refusals import Gone, Refused
from askew.collect.schema import image, judgement, prediction, question, round_, slot, verification
from askew.collect.slots import reopen_all


def delete_text(tx: Tx, owner_id: int | None, question_id: int, reason: str) -> None:
    """Blank everything that was written about a question, and take the question out for good.

    ``owner_id`` is None on the command line, which only owners of the study's folder can use.
    """
    if owner_id is not None:
        require_owner(tx, owner_id)
    row = tx.first(sa.select(question).where(question.c.id == question_id))
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
    said = (judgement.c.question_id == question_id) & judgement.c.answer.is_not(None)
    tx.change(judgement, said, answer="", normalised="")
    tx.change(verification, verification.c.question_id == question_id, answer="", normalised="")
    record_event(tx, "question.deleted", f"question {question_id}", owner_id, {"reason": reason[:200]})


def rewrite_file(database: Database) -> bool:
    """Write SQLite's file anew: what was deleted stays in its free space otherwise. False if others keep it busy.

    PostgreSQL overwrites such space by itself (autovacuum), after a while.
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
    """Whether a question is in a round that was released."""
    joined = question.join(image, image.c.id == question.c.image_id).join(round_, round_.c.id == image.c.round_id)
    state = sa.select(round_.c.state).select_from(joined).where(question.c.id == question_id)
    return bool(tx.value(state) == "RELEASED")


def deleted_questions(tx: Tx) -> list[int]:
    """The ids of questions whose text was deleted."""
    return [row.id for row in tx.rows(sa.select(question.c.id).where(question.c.text == "").order_by(question.c.id))]
