"""Parts of the tables: the closed lists of states and answers, and columns that many tables have."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Integer, MetaData, text

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
"""Shown; no longer shown; a mistake, whose results do not count either."""


def among(column: str, values: tuple[str, ...]) -> CheckConstraint:
    """A constraint: the column holds one of these values."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def id_column() -> Column[int]:
    """An automatically incremented primary key."""
    return Column("id", Integer, primary_key=True, autoincrement=True)


def reference(name: str, target: str, *, null: bool = False) -> Column[int]:
    """A column that refers to a row of another table."""
    return Column(name, Integer, ForeignKey(target), nullable=null)


def time_column(name: str = "at", *, null: bool = False) -> Column[int]:
    """A column with a time in milliseconds."""
    return Column(name, BigInteger, nullable=null)


def unique_where(name: str, column: Column[int] | Column[str], condition: str) -> Index:
    """An index that makes a column unique among the rows that meet the condition."""
    return index_where(name, (column,), condition, unique=True)


def index_where(
    name: str, columns: tuple[Column[int] | Column[str], ...], condition: str, *, unique: bool = False
) -> Index:
    """An index of the rows that meet the condition."""
    return Index(name, *columns, unique=unique, sqlite_where=text(condition), postgresql_where=text(condition))
