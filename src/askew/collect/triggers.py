"""Triggers for what no constraint can express, with the same conditions on SQLite and PostgreSQL.

A trigger refuses; it never changes a row. So a mistake anywhere in the code, or in a hand-written statement, is an
error and not a broken study. The first migration creates these; a later change needs a migration of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

_ROUND_OF_IMAGE = "(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = {image})"
_IMAGE_OF = "(SELECT q.image_id FROM question q WHERE q.id = {question})"
_FROZEN = " IN ('FROZEN', 'RELEASED')"


@dataclass(frozen=True)
class Trigger:
    """Refuses a change of a row when the condition holds."""

    name: str
    table: str
    on: str
    """INSERT, UPDATE or DELETE."""
    when: str
    message: str

    def statements(self, dialect: str) -> list[str]:
        """The SQL that creates it."""
        if dialect == "sqlite":
            return [
                f"CREATE TRIGGER {self.name} BEFORE {self.on} ON {self.table} FOR EACH ROW WHEN {self.when} "
                f"BEGIN SELECT RAISE(ABORT, '{self.message}'); END"
            ]
        row = "OLD" if self.on == "DELETE" else "NEW"
        return [
            f"CREATE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {self.when} THEN "
            f"RAISE EXCEPTION '{self.message}' USING ERRCODE = 'integrity_constraint_violation'; END IF; "
            f"RETURN {row}; END $$",
            f"CREATE TRIGGER {self.name} BEFORE {self.on} ON {self.table} FOR EACH ROW EXECUTE FUNCTION {self.name}()",
        ]


def _wrote(annotator: str, image: str) -> str:
    return f"EXISTS (SELECT 1 FROM session s WHERE s.image_id = {image} AND s.annotator_id = {annotator})"


def _frozen(image: str) -> str:
    return _ROUND_OF_IMAGE.format(image=image) + _FROZEN


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
    triggers = []
    for table, image in (
        ("session", "NEW.image_id"),
        ("place", "NEW.image_id"),
        ("question", "NEW.image_id"),
        ("draw", of_question),
        ("prediction", of_question),
        ("judgement", of_question),
        ("slot", of_question),
        ("verification", of_question),
    ):
        triggers.append(Trigger(f"{table}_insert_frozen", table, "INSERT", _frozen(image), message))
        blank = {
            "question": " AND NOT (NEW.text = '' AND NEW.standing = 'REMOVED')",
            "prediction": " AND NEW.answer <> ''",
            "judgement": " AND COALESCE(NEW.answer, '') <> ''",
            "verification": " AND NEW.answer <> ''",
        }.get(table, "")
        triggers.append(Trigger(f"{table}_update_frozen", table, "UPDATE", _frozen(image) + blank, message))
    moved = (
        "COALESCE(NEW.split, '') <> COALESCE(OLD.split, '') OR NEW.round_id <> OLD.round_id OR NEW.sha256 <> OLD.sha256"
    )
    triggers.append(Trigger("image_update_frozen", "image", "UPDATE", f"{_frozen('OLD.id')} AND ({moved})", message))
    return triggers


def _never_deleted() -> list[Trigger]:
    """Invariants 16 and 17: rows of people's work and events are never deleted, and events never change."""
    tables = ("session", "question", "draw", "prediction", "judgement", "slot", "lease", "verification", "event")
    triggers = [Trigger(f"{table}_is_kept", table, "DELETE", "TRUE", "rows of this table are kept") for table in tables]
    return [*triggers, Trigger("event_is_final", "event", "UPDATE", "TRUE", "events are append-only")]


def all_triggers() -> list[Trigger]:
    """Every trigger of the schema."""
    return [*_not_own(), *_counted(), *_final(), *_frozen_rounds(), *_never_deleted()]
