"""Gold questions are held like slots, and refer to the question they were made from.

Nothing wrote to these tables before this revision, so they are created anew.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the gold tables anew; strikes are counted from the results."""
    for name in ("strike", "gold_result", "gold_item"):
        op.drop_table(name)
    _gold_item()
    _gold_result()


def _gold_item() -> None:
    op.create_table(
        "gold_item",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False, comment="of an image in the study's folder"),
        sa.Column("suffix", sa.String(length=8), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False, comment="the answers that pass, normalised, as a JSON list"),
        sa.Column("question_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('ACTIVE', 'RETIRED', 'VOID')", name=op.f("ck_gold_item_state")),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_gold_item_question_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_item")),
        sa.UniqueConstraint("question_id", name=op.f("uq_gold_item_question_id")),
        sa.UniqueConstraint("sha256", "question", name=op.f("uq_gold_item_sha256_question")),
    )


def _gold_result() -> None:
    op.create_table(
        "gold_result",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("gold_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(), nullable=True, comment="the first; NULL until answered"),
        sa.Column("confidence", sa.String(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.Column("skipped", sa.String(), nullable=True, comment="the reason for skipping it"),
        sa.Column("extensions", sa.Integer(), nullable=False),
        sa.Column("shown_at", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("confidence IN ('yes', 'maybe', 'no')", name=op.f("ck_gold_result_confidence")),
        sa.CheckConstraint("(answer IS NULL) = (passed IS NULL)", name=op.f("ck_gold_result_passed")),
        sa.CheckConstraint("(answer IS NULL) = (confidence IS NULL)", name=op.f("ck_gold_result_sure")),
        sa.CheckConstraint("answer IS NULL OR skipped IS NULL", name=op.f("ck_gold_result_once")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_gold_result_annotator_id")),
        sa.ForeignKeyConstraint(["gold_id"], ["gold_item.id"], name=op.f("fk_gold_result_gold_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_result")),
        sa.UniqueConstraint("gold_id", "annotator_id", name=op.f("uq_gold_result_gold_id_annotator_id")),
    )
    op.create_index("ix_gold_result_annotator_id", "gold_result", ["annotator_id"], unique=False)
    held = sa.text("answer IS NULL AND skipped IS NULL")
    op.create_index(
        "uq_gold_result_held", "gold_result", ["annotator_id"], unique=True, sqlite_where=held, postgresql_where=held
    )
