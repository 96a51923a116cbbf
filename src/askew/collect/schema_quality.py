"""The tables of quality control: gold questions with their results, and the quiz."""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Integer, String, Table, Text, UniqueConstraint

from askew.collect.form_fields import columns_of
from askew.collect.schema_parts import (
    GOLD_STATES,
    VERDICTS,
    among,
    id_column,
    metadata,
    reference,
    time_column,
    unique_where,
)

gold_item = Table(
    "gold_item",
    metadata,
    id_column(),
    Column("sha256", String(64), nullable=False, doc="of an image in the study's folder"),
    Column("suffix", String(8), nullable=False),
    Column("question", String, nullable=False),
    Column("answers", Text, nullable=False, doc="the answers that pass, normalised, as a JSON list"),
    reference("question_id", "question.id", null=True),
    Column("state", String, nullable=False),
    time_column("created_at"),
    UniqueConstraint("sha256", "question"),
    UniqueConstraint("question_id"),
    among("state", GOLD_STATES),
)

gold_result = Table(
    "gold_result",
    metadata,
    id_column(),
    reference("gold_id", "gold_item.id"),
    reference("annotator_id", "annotator.id"),
    Column("answer", String, doc="the first; NULL until answered"),
    *columns_of("verification", null=True),
    Column("passed", Boolean),
    Column("skipped", String, doc="the reason for skipping it"),
    Column("extensions", Integer, nullable=False, default=0),
    time_column("shown_at"),
    time_column("lease_until"),
    time_column(null=True),
    UniqueConstraint("gold_id", "annotator_id"),
    CheckConstraint("(answer IS NULL) = (passed IS NULL)", name="passed"),
    CheckConstraint("(answer IS NULL) = (confidence IS NULL)", name="sure"),
    CheckConstraint("answer IS NULL OR skipped IS NULL", name="once"),
    Index("ix_gold_result_annotator_id", "annotator_id"),
)
unique_where("uq_gold_result_held", gold_result.c.annotator_id, "answer IS NULL AND skipped IS NULL")

quiz_item = Table(
    "quiz_item",
    metadata,
    id_column(),
    Column("sha256", String(64), nullable=False),
    Column("suffix", String(8), nullable=False),
    Column("question", String, nullable=False),
    Column("robot_answer", String, nullable=False),
    Column("verdict", String, nullable=False, doc="the right judgement"),
    Column("hint", String, nullable=False, default=""),
    Column("active", Boolean, nullable=False),
    among("verdict", VERDICTS),
)

qualification = Table(
    "qualification",
    metadata,
    id_column(),
    reference("annotator_id", "annotator.id"),
    Column("attempt", Integer, nullable=False),
    Column("answers", Text, nullable=False, doc="quiz item to verdict, as JSON"),
    Column("correct", Integer, nullable=False),
    Column("asked", Integer, nullable=False),
    Column("passed", Boolean, nullable=False),
    time_column(),
    UniqueConstraint("annotator_id", "attempt"),
)
