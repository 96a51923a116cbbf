"""The first schema's tables of a study: people, models, rounds and images; ``revision_0001.py`` creates the others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


def create_study_tables() -> None:
    """Create the tables that are not about writing or verifying."""
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
