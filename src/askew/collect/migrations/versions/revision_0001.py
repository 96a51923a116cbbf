"""The first schema of format 2: the tables of ``revision_0001.sql``, and the triggers below.

Both are frozen: a later change of a table or a trigger is a revision of its own. The SQL is PostgreSQL's, in which
SERIAL makes an automatic id; SQLite takes the same with INTEGER.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import sqlalchemy as sa
from alembic import op

from askew.collect.migrations import Trigger

revision = "format2_0001"
down_revision = None

_ROUND_OF_IMAGE = "(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = {image})"
_IMAGE_OF = "(SELECT q.image_id FROM question q WHERE q.id = {question})"
_FROZEN = " IN ('FROZEN', 'RELEASED')"


def upgrade() -> None:
    """Create the tables and triggers."""
    dialect = op.get_bind().dialect.name
    tables = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    statements = tables.replace("SERIAL", "INTEGER") if dialect == "sqlite" else tables
    for statement in filter(str.strip, statements.split(";")):
        op.execute(sa.text(statement))
    for trigger in _triggers():
        for statement in trigger.statements(dialect):
            op.execute(sa.text(statement.replace(":", "\\:")))


def _triggers() -> list[Trigger]:
    return [*_not_own(), *_counted(), *_final(), *_frozen_rounds(), *_never_deleted()]


def _frozen(image: str) -> str:
    return _ROUND_OF_IMAGE.format(image=image) + _FROZEN


def _changed(*columns: str) -> str:
    """A condition: one of these columns changes, perhaps from or to NULL."""
    return " OR ".join(
        f"COALESCE(NEW.{column} <> OLD.{column}, (NEW.{column} IS NULL) <> (OLD.{column} IS NULL))"
        for column in columns
    )


def _wrote(annotator: str, image: str) -> str:
    return f"EXISTS (SELECT 1 FROM session s WHERE s.image_id = {image} AND s.annotator_id = {annotator})"


def _not_own() -> list[Trigger]:
    """Invariant 1: nobody verifies a question about an image they wrote for, nor writes for one they verified."""
    own = f"NEW.annotator_id IS NOT NULL AND {_wrote('NEW.annotator_id', _IMAGE_OF.format(question='NEW.question_id'))}"
    message = "a person who wrote for an image cannot verify questions about it"
    held = (
        "EXISTS (SELECT 1 FROM question q JOIN lease v ON v.question_id = q.id "
        "WHERE q.image_id = NEW.image_id AND v.annotator_id = NEW.annotator_id)"
    )
    return [
        Trigger("slot_insert_not_own", "slot", "INSERT", own, message),
        Trigger("slot_update_not_own", "slot", "UPDATE", own, message),
        Trigger("verification_not_own", "verification", "INSERT", own, message),
        Trigger("session_not_verifier", "session", "INSERT", held, "a person who verified for an image cannot write"),
    ]


def _counted() -> list[Trigger]:
    """Invariants 3, 4 and 5: as many slots, places and tries as the study says."""
    return [
        Trigger("slot_count", "slot", "INSERT", "NEW.n > (SELECT verifiers FROM study)", "too many slots"),
        Trigger("place_count", "place", "INSERT", "NEW.n > (SELECT writers FROM study)", "too many places"),
        Trigger(
            "question_tries",
            "question",
            "UPDATE",
            "NEW.try_no IS NOT NULL AND NEW.try_no > (SELECT max_tries FROM study)",
            "too many tries",
        ),
    ]


def _final() -> list[Trigger]:
    """Invariants 3, 6, 8, 13 and 17: what is done stays done."""
    excluded = "EXISTS (SELECT 1 FROM annotator a WHERE a.id = OLD.annotator_id AND a.excluded_at IS NOT NULL)"
    steps = ("DRAFT", "READY", "OPEN", "DRAINING", "FROZEN", "RELEASED")
    onward = " OR ".join(f"(OLD.state = '{before}' AND NEW.state = '{after}')" for before, after in pairwise(steps))
    return [
        Trigger(
            "slot_done_is_final",
            "slot",
            "UPDATE",
            f"OLD.state = 'DONE' AND NOT (NEW.state = 'OPEN' AND {excluded})",
            "a finished slot is final",
        ),
        Trigger(
            "session_end_is_final",
            "session",
            "UPDATE",
            "OLD.state <> 'LEASED' AND NEW.state <> OLD.state",
            "a session that ended stays so",
        ),
        Trigger(
            "question_needs_session",
            "question",
            "INSERT",
            "(SELECT s.state FROM session s WHERE s.id = NEW.session_id) <> 'LEASED'",
            "the session is over",
        ),
        Trigger(
            "round_goes_forward",
            "round",
            "UPDATE",
            f"NEW.state <> OLD.state AND NOT ({onward})",
            "a round only goes forward, one state at a time",
        ),
        Trigger(
            "study_is_fixed",
            "study",
            "UPDATE",
            "EXISTS (SELECT 1 FROM round r WHERE r.opened_at IS NOT NULL) AND NEW.settings <> OLD.settings",
            "the settings are fixed once a round has opened",
        ),
        Trigger(
            "annotator_identity_is_final",
            "annotator",
            "UPDATE",
            f"NEW.pseudonym <> OLD.pseudonym OR (OLD.identity IS NOT NULL AND ({_changed('identity')}))",
            "a pseudonym and an identity are final",
        ),
        Trigger(
            "judgement_is_final",
            "judgement",
            "UPDATE",
            "NEW.verdict <> OLD.verdict OR NEW.annotator_id <> OLD.annotator_id OR COALESCE(NEW.answer, '') <> ''",
            "a judgement is final",
        ),
        Trigger(
            "prediction_is_final",
            "prediction",
            "UPDATE",
            "NEW.model_id <> OLD.model_id OR NEW.answer <> ''",
            "a prediction is final",
        ),
        Trigger(
            "verification_is_final",
            "verification",
            "UPDATE",
            "NEW.annotator_id <> OLD.annotator_id OR (NEW.slot_n IS NOT NULL AND OLD.slot_n IS NULL) "
            "OR NEW.slot_n <> OLD.slot_n OR (NEW.answer <> OLD.answer AND NEW.answer <> '')",
            "a verification is final",
        ),
    ]


def _frozen_rounds() -> list[Trigger]:
    """Invariant 13: a frozen round does not change, except that a text can be blanked on request."""
    message = "the round is frozen"
    of_question = _IMAGE_OF.format(question="NEW.question_id")
    kept = _changed("state", "type", "split", "frozen_sha256", "try_no", "done", "same_as", "text_rule_removed")
    triggers = []
    for table, image in (
        ("session", "NEW.image_id"),
        ("place", "NEW.image_id"),
        ("question", "NEW.image_id"),
        ("draw", of_question),
        ("prediction", of_question),
        ("judgement", of_question),
        ("slot", of_question),
        ("lease", of_question),
        ("verification", of_question),
    ):
        triggers.append(Trigger(f"{table}_insert_frozen", table, "INSERT", _frozen(image), message))
        blank = {
            "question": f" AND NOT (NEW.text = '' AND NEW.standing = 'REMOVED' AND NOT ({kept}))",
            "prediction": " AND NEW.answer <> ''",
            "judgement": " AND COALESCE(NEW.answer, '') <> ''",
            "verification": " AND NEW.answer <> ''",
        }.get(table, "")
        triggers.append(Trigger(f"{table}_update_frozen", table, "UPDATE", _frozen(image) + blank, message))
    moved = _changed("split", "round_id", "sha256", "suffix", "name", "domain", "width", "height")
    settled = _changed("number", "freeze_seed", "snapshot", "frozen_at")
    return [
        *triggers,
        Trigger("image_update_frozen", "image", "UPDATE", f"{_frozen('OLD.id')} AND ({moved})", message),
        Trigger("round_update_frozen", "round", "UPDATE", f"OLD.state{_FROZEN} AND ({settled})", message),
    ]


def _never_deleted() -> list[Trigger]:
    """Invariants 16 and 17: rows of people's work and events are never deleted, and events never change."""
    tables = ("session", "question", "draw", "prediction", "judgement", "slot", "lease", "verification", "event")
    triggers = [Trigger(f"{table}_is_kept", table, "DELETE", "TRUE", "rows of this table are kept") for table in tables]
    return [*triggers, Trigger("event_is_final", "event", "UPDATE", "TRUE", "events are append-only")]
