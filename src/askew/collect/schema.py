"""The tables. Constraints enforce what a constraint can express; ``triggers.py`` enforces the rest.

A new column also needs a new revision in ``migrations/versions``; ``docs/collect-internals.md`` has the steps.

Times are whole milliseconds since 1970, UTC. Text that people or models wrote is stored unchanged, next to its
normalised form if answers or questions are compared.
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
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

import askew.collect.schema_quality  # noqa: F401 its tables belong to the metadata
from askew.collect.form_fields import columns_of
from askew.collect.schema_parts import (
    QUESTION_STATES,
    ROLES,
    ROUND_STATES,
    SESSION_STATES,
    SLOT_STATES,
    SPLITS,
    STANDINGS,
    TYPES,
    VERDICTS,
    among,
    id_column,
    index_where,
    metadata,
    reference,
    time_column,
    unique_where,
)

study = Table(
    "study",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="one"), primary_key=True, autoincrement=False),
    Column("name", String, nullable=False),
    Column("settings", Text, nullable=False),
    Column("writers", Integer, nullable=False, doc="the settings that triggers need"),
    Column("verifiers", Integer, nullable=False),
    Column("max_tries", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("key_check", String(16), doc="shows whether a key is the one that the identities are hashed with"),
    time_column("created_at"),
)

round_ = Table(
    "round",
    metadata,
    id_column(),
    Column("number", Integer, nullable=False, unique=True),
    Column("state", String, nullable=False),
    Column("freeze_seed", BigInteger),
    time_column("created_at"),
    time_column("opened_at", null=True),
    time_column("frozen_at", null=True),
    Column("snapshot", String, doc="SHA-256 of the hashes of its questions when it was frozen"),
    among("state", ROUND_STATES),
    CheckConstraint("(snapshot IS NOT NULL) = (state IN ('FROZEN', 'RELEASED'))", name="snapshot"),
)
unique_where("uq_round_open", round_.c.state, "state = 'OPEN'")

image = Table(
    "image",
    metadata,
    id_column(),
    reference("round_id", "round.id"),
    Column("sha256", String(64), nullable=False, unique=True, doc="of the stored file"),
    Column("source_sha256", String(64), nullable=False, unique=True, doc="of the file that was imported"),
    Column("suffix", String(8), nullable=False),
    Column("name", String, nullable=False, doc="the imported file's name"),
    Column("domain", String, nullable=False, default=""),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("split", String),
    time_column("hidden_at", null=True),
    among("split", SPLITS),
    Index("ix_image_round_id", "round_id"),
)

model = Table(
    "model",
    metadata,
    id_column(),
    Column("name", String, nullable=False, unique=True),
    Column("spec", String, nullable=False),
    Column("signature", Text, nullable=False, default=""),
)

ensemble_member = Table(
    "ensemble_member",
    metadata,
    reference("round_id", "round.id"),
    reference("model_id", "model.id"),
    Column("weight", Float, CheckConstraint("weight > 0", name="weight"), nullable=False),
    Column("active", Boolean, nullable=False),
    PrimaryKeyConstraint("round_id", "model_id"),
)

annotator = Table(
    "annotator",
    metadata,
    id_column(),
    Column("name", String, nullable=False, unique=True),
    Column("pseudonym", String, nullable=False, unique=True, doc="what releases call this person"),
    Column("role", String, nullable=False),
    Column("password_hash", String),
    Column("platform", Text, nullable=False, default="{}", doc="ids a platform gave, as JSON, as they came"),
    Column("identity", String(64), unique=True, doc="keyed hash of the platform's id of the person; never blanked"),
    Column("invite_id", Integer, doc="the platform link that the person used last, at entered_at"),
    time_column("entered_at", null=True),
    Column("simulated", Boolean, nullable=False, default=False),
    Column("consent_version", String),
    time_column("consented_at", null=True),
    time_column("created_at"),
    time_column("qualified_at", null=True),
    time_column("excluded_at", null=True),
    Column("excluded_reason", String),
    time_column("deleted_at", null=True),
    among("role", ROLES),
)

invite = Table(
    "invite",
    metadata,
    id_column(),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("role", String, nullable=False),
    reference("annotator_id", "annotator.id", null=True),
    Column("completion_code", String),
    Column("tasks", Integer, nullable=False, default=1, doc="finished tasks until the code is shown"),
    Column("return_url", String, doc="the address on the platform to go back to"),
    time_column("created_at"),
    time_column("expires_at", null=True),
    time_column("used_at", null=True),
    among("role", ROLES),
)

login = Table(
    "login",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    reference("annotator_id", "annotator.id"),
    time_column("created_at"),
    time_column("last_seen_at"),
    time_column("expires_at"),
    Index("ix_login_annotator_id", "annotator_id"),
)

api_token = Table(
    "api_token",
    metadata,
    id_column(),
    Column("token_hash", String(64), nullable=False, unique=True),
    reference("annotator_id", "annotator.id"),
    Column("name", String, nullable=False, doc="what its owner calls it"),
    time_column("created_at"),
    time_column("expires_at"),
    Index("ix_api_token_annotator_id", "annotator_id"),
)

session = Table(
    "session",
    metadata,
    id_column(),
    reference("image_id", "image.id"),
    reference("annotator_id", "annotator.id"),
    Column("state", String, nullable=False),
    Column("extensions", Integer, nullable=False, default=0),
    Column("reason", String, nullable=False, default=""),
    time_column("started_at"),
    time_column("lease_until"),
    time_column("ended_at", null=True),
    UniqueConstraint("image_id", "annotator_id"),
    UniqueConstraint("id", "annotator_id"),
    UniqueConstraint("id", "image_id", "annotator_id"),
    among("state", SESSION_STATES),
    CheckConstraint("(ended_at IS NULL) = (state = 'LEASED')", name="ended"),
    Index("ix_session_annotator_id", "annotator_id"),
    Index("ix_session_state_lease_until", "state", "lease_until"),
)
unique_where("uq_session_leased", session.c.annotator_id, "state = 'LEASED'")

place = Table(
    "place",
    metadata,
    reference("image_id", "image.id"),
    Column("n", Integer, CheckConstraint("n >= 1", name="n"), nullable=False),
    Column("session_id", Integer, ForeignKey("session.id"), unique=True),
    PrimaryKeyConstraint("image_id", "n"),
)
Index("ix_place_free", place.c.session_id, place.c.image_id, place.c.n)
index_where("ix_place_free_order", (place.c.image_id, place.c.n), "session_id IS NULL")  # the one PostgreSQL can use

question = Table(
    "question",
    metadata,
    id_column(),
    reference("session_id", "session.id"),
    reference("image_id", "image.id"),
    reference("annotator_id", "annotator.id"),
    Column("text", String, nullable=False),
    Column("normalised", String, nullable=False),
    Column("state", String, nullable=False),
    Column("standing", String, nullable=False, default="OK"),
    Column("try_no", Integer, CheckConstraint("try_no >= 1", name="try_no"), doc="given with the prediction"),
    Column("done", Integer, nullable=False, default=0, doc="verifications that count"),
    Column("same_as", Integer, ForeignKey("question.id"), doc="an earlier writer's same question on this image"),
    time_column("asked_at"),
    Column("type", String),
    Column("text_rule_removed", Boolean),
    Column("split", String),
    Column("frozen_sha256", String(64), doc="of its record when the round was frozen"),
    UniqueConstraint("session_id", "try_no"),
    UniqueConstraint("session_id", "normalised"),
    UniqueConstraint("id", "annotator_id"),
    ForeignKeyConstraint(
        ["session_id", "image_id", "annotator_id"], ["session.id", "session.image_id", "session.annotator_id"]
    ),
    among("state", QUESTION_STATES),
    among("standing", STANDINGS),
    among("type", TYPES),
    among("split", SPLITS),
    CheckConstraint("split IS NULL OR type = 'E' OR (split = 'train' AND type IN ('A', 'C'))", name="split_type"),
    Index("ix_question_image_id", "image_id"),
    Index("ix_question_annotator_id", "annotator_id"),
)
Index("ix_question_work", question.c.state, question.c.done.desc(), question.c.id)

draw = Table(
    "draw",
    metadata,
    reference("question_id", "question.id"),
    Column("n", Integer, CheckConstraint("n >= 1", name="n"), nullable=False),
    reference("model_id", "model.id"),
    Column("seed", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("outcome", String, doc="NULL until the model answered or failed for good"),
    Column("error", String),
    time_column("drawn_at"),
    time_column("ended_at", null=True),
    PrimaryKeyConstraint("question_id", "n"),
    UniqueConstraint("question_id", "n", "model_id"),
    among("outcome", ("OK", "FAILED")),
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
    time_column(),
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
    *columns_of("judgement"),
    time_column(),
    ForeignKeyConstraint(["question_id", "annotator_id"], ["question.id", "question.annotator_id"]),
    among("verdict", VERDICTS),
    CheckConstraint("(verdict = 'wrong') = (answer IS NOT NULL)", name="answer"),
    CheckConstraint("(answer IS NULL) = (normalised IS NULL)", name="normalised"),
)

slot = Table(
    "slot",
    metadata,
    reference("question_id", "question.id"),
    Column("n", Integer, CheckConstraint("n >= 1", name="n"), nullable=False),
    Column("state", String, nullable=False),
    reference("annotator_id", "annotator.id", null=True),
    time_column("leased_at", null=True),
    time_column("lease_until", null=True),
    Column("extensions", Integer, nullable=False, default=0),
    PrimaryKeyConstraint("question_id", "n"),
    UniqueConstraint("question_id", "annotator_id"),
    among("state", SLOT_STATES),
    CheckConstraint("(state = 'OPEN') = (annotator_id IS NULL)", name="holder"),
    CheckConstraint("(state = 'OPEN') = (lease_until IS NULL)", name="lease"),
    Index("ix_slot_annotator_id_state", "annotator_id", "state"),
    Index("ix_slot_state_lease_until", "state", "lease_until"),
)

lease = Table(
    "lease",
    metadata,
    id_column(),
    reference("question_id", "question.id"),
    Column("slot_n", Integer, nullable=False),
    reference("annotator_id", "annotator.id"),
    time_column("leased_at"),
    time_column("ended_at", null=True),
    Column("outcome", String),
    Column("reason", String, nullable=False, default=""),
    ForeignKeyConstraint(["question_id", "slot_n"], ["slot.question_id", "slot.n"]),
    among("outcome", ("DONE", "EXPIRED", "SKIPPED", "STOPPED")),
    CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="ended"),
    Index("ix_lease_question_id_annotator_id", "question_id", "annotator_id"),
    Index("ix_lease_annotator_id", "annotator_id"),
)

verification = Table(
    "verification",
    metadata,
    id_column(),
    reference("question_id", "question.id"),
    reference("annotator_id", "annotator.id"),
    Column("slot_n", Integer, doc="NULL: does not count (late, or its author was excluded)"),
    Column("answer", String, nullable=False),
    Column("normalised", String, nullable=False),
    *columns_of("verification"),
    Column("late", Boolean, nullable=False),
    Column("excluded", Boolean, nullable=False),
    time_column("leased_at"),
    time_column(),
    UniqueConstraint("question_id", "slot_n"),
    UniqueConstraint("question_id", "annotator_id"),
    ForeignKeyConstraint(["question_id", "slot_n"], ["slot.question_id", "slot.n"]),
    CheckConstraint("(slot_n IS NULL) = (late OR excluded)", name="counted"),
    Index("ix_verification_annotator_id_id", "annotator_id", "id"),
)

flag = Table(
    "flag",
    metadata,
    id_column(),
    reference("question_id", "question.id", null=True),
    reference("image_id", "image.id", null=True),
    reference("annotator_id", "annotator.id"),
    Column("reason", String, nullable=False),
    time_column(),
    time_column("resolved_at", null=True),
    UniqueConstraint("question_id", "annotator_id"),
    UniqueConstraint("image_id", "annotator_id"),
    CheckConstraint("(question_id IS NULL) <> (image_id IS NULL)", name="subject"),
)

form = Table(
    "form",
    metadata,
    Column("form_key", String, primary_key=True),
    reference("annotator_id", "annotator.id"),
    Column("kind", String, nullable=False),
    Column("result", Text, nullable=False),
    time_column(),
)

snapshot = Table(
    "snapshot",
    metadata,
    id_column(),
    Column("version", String, nullable=False, unique=True),
    Column("rounds", Text, nullable=False),
    Column("manifest_sha256", String(64), nullable=False),
    Column("removed", Text, nullable=False, default="[]"),
    time_column(),
)

event = Table(
    "event",
    metadata,
    id_column(),
    time_column(),
    Column("actor_id", Integer, ForeignKey("annotator.id")),
    Column("kind", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("data", Text, nullable=False, default="{}"),
    Index("ix_event_kind", "kind"),
)
