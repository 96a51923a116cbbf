"""The first schema of format 2: the tables of ``revision_0001.sql``, and triggers.

Both are frozen: a later change of a table or a trigger is a revision of its own. The SQL is PostgreSQL's, in which
SERIAL makes an automatic id; SQLite takes the same with INTEGER.
"""

from __future__ import annotations

import re
from pathlib import Path

import sqlalchemy as sa
from alembic import op

from askew.collect.migrations import Trigger

revision = "format2_0001"
down_revision = None
_TRIGGER = re.compile(r"^-- (\w+): (\w+) (\w+): ([^\n]+)\n(.+?);$", re.MULTILINE | re.DOTALL)


def upgrade() -> None:
    """Create the tables and triggers."""
    dialect = op.get_bind().dialect.name
    here = Path(__file__)
    tables = here.with_suffix(".sql").read_text(encoding="utf-8")
    statements = tables.replace("SERIAL", "INTEGER") if dialect == "sqlite" else tables
    for statement in filter(str.strip, statements.split(";")):
        op.execute(sa.text(statement))
    triggers = here.with_name("revision_0001_triggers.sql").read_text(encoding="utf-8")
    for name, on, table, message, when in _TRIGGER.findall(triggers):
        for statement in Trigger(name, table, on, " ".join(when.split()), message).statements(dialect):
            op.execute(sa.text(statement.replace(":", "\\:")))
