"""The first schema."""

# ruff: noqa: E501

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from askew.collect.triggers import all_triggers

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables and triggers."""
    op.create_table(
        "annotator",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("pseudonym", sa.String(), nullable=False, comment="what releases call this person"),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("platform", sa.Text(), nullable=False, comment="ids a platform gave, as JSON, as they came"),
        sa.Column("consent_version", sa.String(), nullable=True),
        sa.Column("consented_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("qualified_at", sa.BigInteger(), nullable=True),
        sa.Column("excluded_at", sa.BigInteger(), nullable=True),
        sa.Column("excluded_reason", sa.String(), nullable=True),
        sa.CheckConstraint("role IN ('owner', 'annotator')", name=op.f("ck_annotator_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotator")),
        sa.UniqueConstraint("name", name=op.f("uq_annotator_name")),
        sa.UniqueConstraint("pseudonym", name=op.f("uq_annotator_pseudonym")),
    )
    op.create_table(
        "gold_item",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False, comment="of an image in the study's folder"),
        sa.Column("suffix", sa.String(length=8), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False, comment="the answers that pass, as a JSON list"),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_item")),
    )
    op.create_table(
        "model",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("spec", sa.String(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model")),
        sa.UniqueConstraint("name", name=op.f("uq_model_name")),
    )
    op.create_table(
        "quiz_item",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("suffix", sa.String(length=8), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("robot_answer", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False, comment="the right judgement"),
        sa.Column("hint", sa.String(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.CheckConstraint("verdict IN ('correct', 'wrong', 'unsure')", name=op.f("ck_quiz_item_verdict")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quiz_item")),
    )
    op.create_table(
        "round",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("freeze_seed", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=True),
        sa.Column("frozen_at", sa.BigInteger(), nullable=True),
        sa.Column("snapshot", sa.String(), nullable=True, comment="SHA-256 of what was frozen"),
        sa.CheckConstraint(
            "(snapshot IS NOT NULL) = (state IN ('FROZEN', 'RELEASED'))", name=op.f("ck_round_snapshot")
        ),
        sa.CheckConstraint(
            "state IN ('DRAFT', 'READY', 'OPEN', 'DRAINING', 'FROZEN', 'RELEASED')", name=op.f("ck_round_state")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round")),
        sa.UniqueConstraint("number", name=op.f("uq_round_number")),
    )
    op.create_index(
        "uq_round_open",
        "round",
        ["state"],
        unique=True,
        sqlite_where=sa.text("state = 'OPEN'"),
        postgresql_where=sa.text("state = 'OPEN'"),
    )
    op.create_table(
        "snapshot",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("rounds", sa.Text(), nullable=False),
        sa.Column("manifest_sha256", sa.String(length=64), nullable=False),
        sa.Column("removed", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snapshot")),
        sa.UniqueConstraint("version", name=op.f("uq_snapshot_version")),
    )
    op.create_table(
        "study",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("writers", sa.Integer(), nullable=False, comment="the settings that triggers need"),
        sa.Column("verifiers", sa.Integer(), nullable=False),
        sa.Column("max_tries", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
    )
    op.create_table(
        "ensemble_member",
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["model_id"], ["model.id"], name=op.f("fk_ensemble_member_model_id")),
        sa.ForeignKeyConstraint(["round_id"], ["round.id"], name=op.f("fk_ensemble_member_round_id")),
        sa.PrimaryKeyConstraint("round_id", "model_id", name=op.f("pk_ensemble_member")),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["annotator.id"], name=op.f("fk_event_actor_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index("ix_event_kind", "event", ["kind"], unique=False)
    op.create_table(
        "form",
        sa.Column("form_key", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_form_annotator_id")),
        sa.PrimaryKeyConstraint("form_key", name=op.f("pk_form")),
    )
    op.create_table(
        "gold_result",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("gold_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("confidence", sa.String(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=True, comment="NULL until answered"),
        sa.Column("shown_at", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_gold_result_annotator_id")),
        sa.ForeignKeyConstraint(["gold_id"], ["gold_item.id"], name=op.f("fk_gold_result_gold_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_result")),
        sa.UniqueConstraint("gold_id", "annotator_id", name=op.f("uq_gold_result_gold_id_annotator_id")),
    )
    op.create_table(
        "image",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False, comment="of the stored file"),
        sa.Column("source_sha256", sa.String(length=64), nullable=False, comment="of the file that was imported"),
        sa.Column("suffix", sa.String(length=8), nullable=False),
        sa.Column("name", sa.String(), nullable=False, comment="the imported file's name"),
        sa.Column("domain", sa.String(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("split", sa.String(), nullable=True),
        sa.Column("hidden_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("split IN ('train', 'dev', 'test')", name=op.f("ck_image_split")),
        sa.ForeignKeyConstraint(["round_id"], ["round.id"], name=op.f("fk_image_round_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_image")),
        sa.UniqueConstraint("sha256", name=op.f("uq_image_sha256")),
        sa.UniqueConstraint("source_sha256", name=op.f("uq_image_source_sha256")),
    )
    op.create_index("ix_image_round_id", "image", ["round_id"], unique=False)
    op.create_table(
        "invite",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=True),
        sa.Column("completion_code", sa.String(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("role IN ('owner', 'annotator')", name=op.f("ck_invite_role")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_invite_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invite")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invite_token_hash")),
    )
    op.create_table(
        "login",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_login_annotator_id")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_login")),
    )
    op.create_index("ix_login_annotator_id", "login", ["annotator_id"], unique=False)
    op.create_table(
        "qualification",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False, comment="quiz item to verdict, as JSON"),
        sa.Column("correct", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_qualification_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_qualification")),
        sa.UniqueConstraint("annotator_id", "attempt", name=op.f("uq_qualification_annotator_id_attempt")),
    )
    op.create_table(
        "strike",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_strike_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_strike")),
    )
    op.create_index("ix_strike_annotator_id", "strike", ["annotator_id"], unique=False)
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
