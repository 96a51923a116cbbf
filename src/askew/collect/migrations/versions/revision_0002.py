"""Surveys, which people answer in batches, and authors that are automatic attacks."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "format2_0002"
down_revision = "format2_0001"


def upgrade() -> None:
    """Create the tables and triggers."""
    dialect = op.get_bind().dialect.name
    first, here = _first(), Path(__file__)
    tables = here.with_suffix(".sql").read_text(encoding="utf-8")
    statements = tables.replace("SERIAL", "INTEGER") if dialect == "sqlite" else tables
    for statement in filter(str.strip, statements.split(";")):
        op.execute(sa.text(statement))
    triggers = here.with_name("revision_0002_triggers.sql").read_text(encoding="utf-8")
    for name, on, table, message, when in first._TRIGGER.findall(triggers):
        for statement in first._trigger(name, f"BEFORE {on} ON {table}", " ".join(when.split()), message, dialect):
            op.execute(sa.text(statement.replace(":", "\\:")))


def _first() -> Any:
    """The first revision, whose triggers have the same form; Alembic loads revisions by their paths."""
    spec = importlib.util.spec_from_file_location("revision_0001", Path(__file__).with_name("revision_0001.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
