"""The first schema."""

# ruff: noqa: E501

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from askew.collect.migrations.study_tables_0001 import create_study_tables
from askew.collect.triggers import all_triggers

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables and triggers."""
    create_study_tables()
    op.create_table(
        "session",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("extensions", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("(ended_at IS NULL) = (state = 'LEASED')", name=op.f("ck_session_ended")),
        sa.CheckConstraint(
            "state IN ('LEASED', 'SUCCEEDED', 'EXHAUSTED', 'RELEASED', 'EXPIRED')", name=op.f("ck_session_state")
        ),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_session_annotator_id")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_session_image_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        sa.UniqueConstraint("id", "annotator_id", name=op.f("uq_session_id_annotator_id")),
        sa.UniqueConstraint("id", "image_id", "annotator_id", name=op.f("uq_session_id_image_id_annotator_id")),
        sa.UniqueConstraint("image_id", "annotator_id", name=op.f("uq_session_image_id_annotator_id")),
    )
    op.create_index("ix_session_annotator_id", "session", ["annotator_id"], unique=False)
    op.create_index("ix_session_state_lease_until", "session", ["state", "lease_until"], unique=False)
    op.create_index(
        "uq_session_leased",
        "session",
        ["annotator_id"],
        unique=True,
        sqlite_where=sa.text("state = 'LEASED'"),
        postgresql_where=sa.text("state = 'LEASED'"),
    )
    op.create_table(
        "place",
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_place_image_id")),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name=op.f("fk_place_session_id")),
        sa.PrimaryKeyConstraint("image_id", "n", name=op.f("pk_place")),
        sa.UniqueConstraint("session_id", name=op.f("uq_place_session_id")),
    )
    op.create_index(
        "ix_place_free",
        "place",
        ["image_id"],
        unique=False,
        sqlite_where=sa.text("session_id IS NULL"),
        postgresql_where=sa.text("session_id IS NULL"),
    )
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("image_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("normalised", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("standing", sa.String(), nullable=False),
        sa.Column("try_no", sa.Integer(), nullable=True, comment="given with the prediction"),
        sa.Column("done", sa.Integer(), nullable=False, comment="verifications that count"),
        sa.Column("same_as", sa.Integer(), nullable=True, comment="an earlier writer's same question on this image"),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(), nullable=True),
        sa.Column("text_rule_removed", sa.Boolean(), nullable=True),
        sa.Column("split", sa.String(), nullable=True),
        sa.CheckConstraint("split IN ('train', 'dev', 'test')", name=op.f("ck_question_split")),
        sa.CheckConstraint(
            "split IS NULL OR type = 'E' OR (split = 'train' AND type IN ('A', 'C'))",
            name=op.f("ck_question_split_type"),
        ),
        sa.CheckConstraint("standing IN ('OK', 'QUARANTINED', 'REMOVED')", name=op.f("ck_question_standing")),
        sa.CheckConstraint(
            "state IN ('ASKED', 'ANSWERED', 'MODEL_FAILED', 'CORRECT', 'UNSURE', 'VERIFYING', 'VERIFIED', 'ABANDONED', 'WITHDRAWN')",
            name=op.f("ck_question_state"),
        ),
        sa.CheckConstraint("type IN ('A', 'B', 'C', 'D', 'E', 'U')", name=op.f("ck_question_type")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_question_annotator_id")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_question_image_id")),
        sa.ForeignKeyConstraint(["same_as"], ["question.id"], name=op.f("fk_question_same_as")),
        sa.ForeignKeyConstraint(
            ["session_id", "image_id", "annotator_id"],
            ["session.id", "session.image_id", "session.annotator_id"],
            name=op.f("fk_question_session_id_image_id_annotator_id"),
        ),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name=op.f("fk_question_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
        sa.UniqueConstraint("id", "annotator_id", name=op.f("uq_question_id_annotator_id")),
        sa.UniqueConstraint("session_id", "normalised", name=op.f("uq_question_session_id_normalised")),
        sa.UniqueConstraint("session_id", "try_no", name=op.f("uq_question_session_id_try_no")),
    )
    op.create_index("ix_question_annotator_id", "question", ["annotator_id"], unique=False)
    op.create_index("ix_question_image_id", "question", ["image_id"], unique=False)
    op.create_index("ix_question_work", "question", ["state", sa.literal_column("done DESC"), "id"], unique=False)
    op.create_table(
        "draw",
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=True, comment="NULL until the model answered or failed for good"),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("drawn_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("outcome IN ('OK', 'FAILED')", name=op.f("ck_draw_outcome")),
        sa.ForeignKeyConstraint(["model_id"], ["model.id"], name=op.f("fk_draw_model_id")),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_draw_question_id")),
        sa.PrimaryKeyConstraint("question_id", "n", name=op.f("pk_draw")),
        sa.UniqueConstraint("question_id", "n", "model_id", name=op.f("uq_draw_question_id_n_model_id")),
    )
    op.create_table(
        "flag",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=True),
        sa.Column("image_id", sa.Integer(), nullable=True),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("resolved_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("(question_id IS NULL) <> (image_id IS NULL)", name=op.f("ck_flag_subject")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_flag_annotator_id")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_flag_image_id")),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_flag_question_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flag")),
        sa.UniqueConstraint("image_id", "annotator_id", name=op.f("uq_flag_image_id_annotator_id")),
        sa.UniqueConstraint("question_id", "annotator_id", name=op.f("uq_flag_question_id_annotator_id")),
    )
    op.create_table(
        "judgement",
        sa.Column("question_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("normalised", sa.String(), nullable=True),
        sa.Column("confidence", sa.String(), nullable=True, comment="the author's; NULL unless the study asks for it"),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("(verdict = 'wrong') = (answer IS NOT NULL)", name=op.f("ck_judgement_answer")),
        sa.CheckConstraint("confidence IN ('yes', 'maybe', 'no')", name=op.f("ck_judgement_confidence")),
        sa.CheckConstraint("verdict IN ('correct', 'wrong', 'unsure')", name=op.f("ck_judgement_verdict")),
        sa.CheckConstraint("(answer IS NULL) = (normalised IS NULL)", name=op.f("ck_judgement_normalised")),
        sa.ForeignKeyConstraint(
            ["question_id", "annotator_id"],
            ["question.id", "question.annotator_id"],
            name=op.f("fk_judgement_question_id_annotator_id"),
        ),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_judgement")),
    )
    op.create_table(
        "slot",
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=True),
        sa.Column("leased_at", sa.BigInteger(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("extensions", sa.Integer(), nullable=False),
        sa.CheckConstraint("(state = 'OPEN') = (annotator_id IS NULL)", name=op.f("ck_slot_holder")),
        sa.CheckConstraint("(state = 'OPEN') = (lease_until IS NULL)", name=op.f("ck_slot_lease")),
        sa.CheckConstraint("state IN ('OPEN', 'LEASED', 'DONE')", name=op.f("ck_slot_state")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_slot_annotator_id")),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_slot_question_id")),
        sa.PrimaryKeyConstraint("question_id", "n", name=op.f("pk_slot")),
        sa.UniqueConstraint("question_id", "annotator_id", name=op.f("uq_slot_question_id_annotator_id")),
    )
    op.create_index("ix_slot_annotator_id_state", "slot", ["annotator_id", "state"], unique=False)
    op.create_index("ix_slot_state_lease_until", "slot", ["state", "lease_until"], unique=False)
    op.create_table(
        "lease",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("slot_n", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("leased_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint("outcome IN ('DONE', 'EXPIRED', 'SKIPPED', 'STOPPED')", name=op.f("ck_lease_outcome")),
        sa.CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name=op.f("ck_lease_ended")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_lease_annotator_id")),
        sa.ForeignKeyConstraint(
            ["question_id", "slot_n"], ["slot.question_id", "slot.n"], name=op.f("fk_lease_question_id_slot_n")
        ),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_lease_question_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lease")),
    )
    op.create_index("ix_lease_annotator_id", "lease", ["annotator_id"], unique=False)
    op.create_index("ix_lease_question_id_annotator_id", "lease", ["question_id", "annotator_id"], unique=False)
    op.create_table(
        "prediction",
        sa.Column("question_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("draw_n", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("normalised", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id", "draw_n", "model_id"],
            ["draw.question_id", "draw.n", "draw.model_id"],
            name=op.f("fk_prediction_question_id_draw_n_model_id"),
        ),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_prediction_question_id")),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_prediction")),
    )
    op.create_table(
        "verification",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column(
            "slot_n", sa.Integer(), nullable=True, comment="NULL: does not count (late, or its author was excluded)"
        ),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("normalised", sa.String(), nullable=False),
        sa.Column("confidence", sa.String(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("excluded", sa.Boolean(), nullable=False),
        sa.Column("leased_at", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("confidence IN ('yes', 'maybe', 'no')", name=op.f("ck_verification_confidence")),
        sa.CheckConstraint("(slot_n IS NULL) = (late OR excluded)", name=op.f("ck_verification_counted")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_verification_annotator_id")),
        sa.ForeignKeyConstraint(
            ["question_id", "slot_n"], ["slot.question_id", "slot.n"], name=op.f("fk_verification_question_id_slot_n")
        ),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_verification_question_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verification")),
        sa.UniqueConstraint("question_id", "annotator_id", name=op.f("uq_verification_question_id_annotator_id")),
        sa.UniqueConstraint("question_id", "slot_n", name=op.f("uq_verification_question_id_slot_n")),
    )
    op.create_index("ix_verification_annotator_id_id", "verification", ["annotator_id", "id"], unique=False)
    for trigger in all_triggers():
        for statement in trigger.statements(op.get_bind().dialect.name):
            op.execute(sa.text(statement.replace(":", "\\:")))
