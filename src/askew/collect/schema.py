"""The tables. Constraints hold what a constraint can hold; ``triggers.py`` holds the rest.

Times are whole milliseconds since 1970, UTC. Text that people or models wrote is kept as it came, next to its
normalised form where answers or questions are compared.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

ROUND_STATES = ("DRAFT", "READY", "OPEN", "DRAINING", "FROZEN", "RELEASED")
SESSION_STATES = ("LEASED", "SUCCEEDED", "EXHAUSTED", "RELEASED", "EXPIRED")
QUESTION_STATES = (
    "ASKED",
    "ANSWERED",
    "MODEL_FAILED",
    "CORRECT",
    "UNSURE",
    "VERIFYING",
    "VERIFIED",
    "ABANDONED",
    "WITHDRAWN",
)
STANDINGS = ("OK", "QUARANTINED", "REMOVED")
SLOT_STATES = ("OPEN", "LEASED", "DONE")
VERDICTS = ("correct", "wrong", "unsure")
CONFIDENCES = ("yes", "maybe", "no")
TYPES = ("A", "B", "C", "D", "E", "U")
SPLITS = ("train", "dev", "test")
ROLES = ("owner", "annotator")
GOLD_STATES = ("ACTIVE", "RETIRED", "VOID")
"""Shown; shown to nobody any more; a mistake, so that its results do not count either."""


def _among(column: str, values: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def _to(name: str, target: str, *, null: bool = False) -> Column[int]:
    return Column(name, Integer, ForeignKey(target), nullable=null)


def _at(name: str = "at", *, null: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=null)


study = Table(
    "study",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="one"), primary_key=True, autoincrement=False),
    Column("name", String, nullable=False),
    Column("settings", Text, nullable=False),
    Column("writers", Integer, nullable=False, comment="the settings that triggers need"),
    Column("verifiers", Integer, nullable=False),
    Column("max_tries", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    _at("created_at"),
)

round_ = Table(
    "round",
    metadata,
    _id(),
    Column("number", Integer, nullable=False, unique=True),
    Column("state", String, nullable=False),
    Column("freeze_seed", BigInteger),
    _at("created_at"),
    _at("opened_at", null=True),
    _at("frozen_at", null=True),
    Column("snapshot", String, comment="SHA-256 of what was frozen"),
    _among("state", ROUND_STATES),
    CheckConstraint("(snapshot IS NOT NULL) = (state IN ('FROZEN', 'RELEASED'))", name="snapshot"),
)
Index(
    "uq_round_open",
    round_.c.state,
    unique=True,
    sqlite_where=text("state = 'OPEN'"),
    postgresql_where=text("state = 'OPEN'"),
)

image = Table(
    "image",
    metadata,
    _id(),
    _to("round_id", "round.id"),
    Column("sha256", String(64), nullable=False, unique=True, comment="of the stored file"),
    Column("source_sha256", String(64), nullable=False, unique=True, comment="of the file that was imported"),
    Column("suffix", String(8), nullable=False),
    Column("name", String, nullable=False, comment="the imported file's name"),
    Column("domain", String, nullable=False, default=""),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("split", String),
    _at("hidden_at", null=True),
    _among("split", SPLITS),
    Index("ix_image_round_id", "round_id"),
)

model = Table(
    "model",
    metadata,
    _id(),
    Column("name", String, nullable=False, unique=True),
    Column("spec", String, nullable=False),
    Column("signature", Text, nullable=False, default=""),
)

ensemble_member = Table(
    "ensemble_member",
    metadata,
    _to("round_id", "round.id"),
    _to("model_id", "model.id"),
    Column("weight", Float, CheckConstraint("weight > 0", name="weight"), nullable=False),
    Column("active", Boolean, nullable=False),
    PrimaryKeyConstraint("round_id", "model_id"),
)

annotator = Table(
    "annotator",
    metadata,
    _id(),
    Column("name", String, nullable=False, unique=True),
    Column("pseudonym", String, nullable=False, unique=True, comment="what releases call this person"),
    Column("role", String, nullable=False),
    Column("password_hash", String),
    Column("platform", Text, nullable=False, default="{}", comment="ids a platform gave, as JSON, as they came"),
    Column("consent_version", String),
    _at("consented_at", null=True),
    _at("created_at"),
    _at("qualified_at", null=True),
    _at("excluded_at", null=True),
    Column("excluded_reason", String),
    _among("role", ROLES),
)

invite = Table(
    "invite",
    metadata,
    _id(),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("role", String, nullable=False),
    _to("annotator_id", "annotator.id", null=True),
    Column("completion_code", String),
    _at("created_at"),
    _at("expires_at", null=True),
    _at("used_at", null=True),
    _among("role", ROLES),
)

login = Table(
    "login",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    _to("annotator_id", "annotator.id"),
    _at("created_at"),
    _at("last_seen_at"),
    _at("expires_at"),
    Index("ix_login_annotator_id", "annotator_id"),
)

session = Table(
    "session",
    metadata,
    _id(),
    _to("image_id", "image.id"),
    _to("annotator_id", "annotator.id"),
    Column("state", String, nullable=False),
    Column("extensions", Integer, nullable=False, default=0),
    Column("reason", String, nullable=False, default=""),
    _at("started_at"),
    _at("lease_until"),
    _at("ended_at", null=True),
    UniqueConstraint("image_id", "annotator_id"),
    UniqueConstraint("id", "annotator_id"),
    UniqueConstraint("id", "image_id", "annotator_id"),
    _among("state", SESSION_STATES),
    CheckConstraint("(ended_at IS NULL) = (state = 'LEASED')", name="ended"),
    Index("ix_session_annotator_id", "annotator_id"),
    Index("ix_session_state_lease_until", "state", "lease_until"),
)
Index(
    "uq_session_leased",
    session.c.annotator_id,
    unique=True,
    sqlite_where=text("state = 'LEASED'"),
    postgresql_where=text("state = 'LEASED'"),
)

place = Table(
    "place",
    metadata,
    _to("image_id", "image.id"),
    Column("n", Integer, CheckConstraint("n >= 1", name="n"), nullable=False),
    Column("session_id", Integer, ForeignKey("session.id"), unique=True),
    PrimaryKeyConstraint("image_id", "n"),
)
Index("ix_place_free", place.c.session_id, place.c.image_id, place.c.n)

question = Table(
    "question",
    metadata,
    _id(),
    _to("session_id", "session.id"),
    _to("image_id", "image.id"),
    _to("annotator_id", "annotator.id"),
    Column("text", String, nullable=False),
    Column("normalised", String, nullable=False),
    Column("state", String, nullable=False),
    Column("standing", String, nullable=False, default="OK"),
    Column("try_no", Integer, CheckConstraint("try_no >= 1", name="try_no"), comment="given with the prediction"),
    Column("done", Integer, nullable=False, default=0, comment="verifications that count"),
    Column("same_as", Integer, ForeignKey("question.id"), comment="an earlier writer's same question on this image"),
    _at("asked_at"),
    Column("type", String),
    Column("text_rule_removed", Boolean),
    Column("split", String),
    UniqueConstraint("session_id", "try_no"),
    UniqueConstraint("session_id", "normalised"),
    UniqueConstraint("id", "annotator_id"),
    ForeignKeyConstraint(
        ["session_id", "image_id", "annotator_id"], ["session.id", "session.image_id", "session.annotator_id"]
    ),
    _among("state", QUESTION_STATES),
    _among("standing", STANDINGS),
    _among("type", TYPES),
    _among("split", SPLITS),
    CheckConstraint("split IS NULL OR type = 'E' OR (split = 'train' AND type IN ('A', 'C'))", name="split_type"),
    Index("ix_question_image_id", "image_id"),
    Index("ix_question_annotator_id", "annotator_id"),
)
Index("ix_question_work", question.c.state, question.c.done.desc(), question.c.id)

draw = Table(
    "draw",
    metadata,
    _to("question_id", "question.id"),
    Column("n", Integer, CheckConstraint("n >= 1", name="n"), nullable=False),
    _to("model_id", "model.id"),
    Column("seed", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("outcome", String, comment="NULL until the model answered or failed for good"),
    Column("error", String),
    _at("drawn_at"),
    _at("ended_at", null=True),
    PrimaryKeyConstraint("question_id", "n"),
    UniqueConstraint("question_id", "n", "model_id"),
    _among("outcome", ("OK", "FAILED")),
)

prediction = Table(
    "prediction",
    metadata,
    Column("question_id", Integer, ForeignKey("question.id"), primary_key=True, autoincrement=False),
    Column("draw_n", Integer, nullable=False),
    Column("model_id", Integer, nullable=False),
    Column("raw", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("normalised", Text, nullable=False),
    Column("score", Float),
    Column("seconds", Float, nullable=False, default=0.0),
    _at(),
    ForeignKeyConstraint(["question_id", "draw_n", "model_id"], ["draw.question_id", "draw.n", "draw.model_id"]),
)

judgement = Table(
    "judgement",
    metadata,
    Column("question_id", Integer, primary_key=True, autoincrement=False),
    Column("annotator_id", Integer, nullable=False),
    Column("verdict", String, nullable=False),
    Column("answer", String),
    Column("normalised", String),
    Column("confidence", String, comment="the author's; NULL unless the study asks for it"),
    _at(),
    ForeignKeyConstraint(["question_id", "annotator_id"], ["question.id", "question.annotator_id"]),
    _among("verdict", VERDICTS),
    _among("confidence", CONFIDENCES),
    CheckConstraint("(verdict = 'wrong') = (answer IS NOT NULL)", name="answer"),
    CheckConstraint("(answer IS NULL) = (normalised IS NULL)", name="normalised"),
)

slot = Table(
    "slot",
    metadata,
    _to("question_id", "question.id"),
    Column("n", Integer, CheckConstraint("n >= 1", name="n"), nullable=False),
    Column("state", String, nullable=False),
    _to("annotator_id", "annotator.id", null=True),
    _at("leased_at", null=True),
    _at("lease_until", null=True),
    Column("extensions", Integer, nullable=False, default=0),
    PrimaryKeyConstraint("question_id", "n"),
    UniqueConstraint("question_id", "annotator_id"),
    _among("state", SLOT_STATES),
    CheckConstraint("(state = 'OPEN') = (annotator_id IS NULL)", name="holder"),
    CheckConstraint("(state = 'OPEN') = (lease_until IS NULL)", name="lease"),
    Index("ix_slot_annotator_id_state", "annotator_id", "state"),
    Index("ix_slot_state_lease_until", "state", "lease_until"),
)

lease = Table(
    "lease",
    metadata,
    _id(),
    _to("question_id", "question.id"),
    Column("slot_n", Integer, nullable=False),
    _to("annotator_id", "annotator.id"),
    _at("leased_at"),
    _at("ended_at", null=True),
    Column("outcome", String),
    Column("reason", String, nullable=False, default=""),
    ForeignKeyConstraint(["question_id", "slot_n"], ["slot.question_id", "slot.n"]),
    _among("outcome", ("DONE", "EXPIRED", "SKIPPED", "STOPPED")),
    CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="ended"),
    Index("ix_lease_question_id_annotator_id", "question_id", "annotator_id"),
    Index("ix_lease_annotator_id", "annotator_id"),
)

verification = Table(
    "verification",
    metadata,
    _id(),
    _to("question_id", "question.id"),
    _to("annotator_id", "annotator.id"),
    Column("slot_n", Integer, comment="NULL: does not count (late, or its author was excluded)"),
    Column("answer", String, nullable=False),
    Column("normalised", String, nullable=False),
    Column("confidence", String, nullable=False),
    Column("late", Boolean, nullable=False),
    Column("excluded", Boolean, nullable=False),
    _at("leased_at"),
    _at(),
    UniqueConstraint("question_id", "slot_n"),
    UniqueConstraint("question_id", "annotator_id"),
    ForeignKeyConstraint(["question_id", "slot_n"], ["slot.question_id", "slot.n"]),
    _among("confidence", CONFIDENCES),
    CheckConstraint("(slot_n IS NULL) = (late OR excluded)", name="counted"),
    Index("ix_verification_annotator_id_id", "annotator_id", "id"),
)

flag = Table(
    "flag",
    metadata,
    _id(),
    _to("question_id", "question.id", null=True),
    _to("image_id", "image.id", null=True),
    _to("annotator_id", "annotator.id"),
    Column("reason", String, nullable=False),
    _at(),
    _at("resolved_at", null=True),
    UniqueConstraint("question_id", "annotator_id"),
    UniqueConstraint("image_id", "annotator_id"),
    CheckConstraint("(question_id IS NULL) <> (image_id IS NULL)", name="subject"),
)

gold_item = Table(
    "gold_item",
    metadata,
    _id(),
    Column("sha256", String(64), nullable=False, comment="of an image in the study's folder"),
    Column("suffix", String(8), nullable=False),
    Column("question", String, nullable=False),
    Column("answers", Text, nullable=False, comment="the answers that pass, normalised, as a JSON list"),
    _to("question_id", "question.id", null=True),
    Column("state", String, nullable=False),
    _at("created_at"),
    UniqueConstraint("sha256", "question"),
    UniqueConstraint("question_id"),
    _among("state", GOLD_STATES),
)

gold_result = Table(
    "gold_result",
    metadata,
    _id(),
    _to("gold_id", "gold_item.id"),
    _to("annotator_id", "annotator.id"),
    Column("answer", String, comment="the first; NULL until answered"),
    Column("confidence", String),
    Column("passed", Boolean),
    Column("skipped", String, comment="the reason for skipping it"),
    Column("extensions", Integer, nullable=False, default=0),
    _at("shown_at"),
    _at("lease_until"),
    _at(null=True),
    UniqueConstraint("gold_id", "annotator_id"),
    _among("confidence", CONFIDENCES),
    CheckConstraint("(answer IS NULL) = (passed IS NULL)", name="passed"),
    CheckConstraint("(answer IS NULL) = (confidence IS NULL)", name="sure"),
    CheckConstraint("answer IS NULL OR skipped IS NULL", name="once"),
    Index("ix_gold_result_annotator_id", "annotator_id"),
)
Index(
    "uq_gold_result_held",
    gold_result.c.annotator_id,
    unique=True,
    sqlite_where=text("answer IS NULL AND skipped IS NULL"),
    postgresql_where=text("answer IS NULL AND skipped IS NULL"),
)

quiz_item = Table(
    "quiz_item",
    metadata,
    _id(),
    Column("sha256", String(64), nullable=False),
    Column("suffix", String(8), nullable=False),
    Column("question", String, nullable=False),
    Column("robot_answer", String, nullable=False),
    Column("verdict", String, nullable=False, comment="the right judgement"),
    Column("hint", String, nullable=False, default=""),
    Column("active", Boolean, nullable=False),
    _among("verdict", VERDICTS),
)

qualification = Table(
    "qualification",
    metadata,
    _id(),
    _to("annotator_id", "annotator.id"),
    Column("attempt", Integer, nullable=False),
    Column("answers", Text, nullable=False, comment="quiz item to verdict, as JSON"),
    Column("correct", Integer, nullable=False),
    Column("asked", Integer, nullable=False),
    Column("passed", Boolean, nullable=False),
    _at(),
    UniqueConstraint("annotator_id", "attempt"),
)

form = Table(
    "form",
    metadata,
    Column("form_key", String, primary_key=True),
    _to("annotator_id", "annotator.id"),
    Column("kind", String, nullable=False),
    Column("result", Text, nullable=False),
    _at(),
)

snapshot = Table(
    "snapshot",
    metadata,
    _id(),
    Column("version", String, nullable=False, unique=True),
    Column("rounds", Text, nullable=False),
    Column("manifest_sha256", String(64), nullable=False),
    Column("removed", Text, nullable=False, default="[]"),
    _at(),
)

event = Table(
    "event",
    metadata,
    _id(),
    _at(),
    Column("actor_id", Integer, ForeignKey("annotator.id")),
    Column("kind", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("data", Text, nullable=False, default="{}"),
    Index("ix_event_kind", "kind"),
)
