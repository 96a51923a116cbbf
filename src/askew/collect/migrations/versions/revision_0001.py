"""The first schema of format 2: the tables of ``revision_0001.sql``, and triggers.

Both are frozen: a later change of a table or a trigger is a revision of its own. The SQL is PostgreSQL's, in which
SERIAL makes an automatic id; SQLite takes the same with INTEGER.
"""

from __future__ import annotations

import re
from pathlib import Path

import sqlalchemy as sa
from alembic import op

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
        for statement in _trigger(name, f"BEFORE {on} ON {table}", " ".join(when.split()), message, dialect):
            op.execute(sa.text(statement.replace(":", "\\:")))


def _trigger(name: str, event: str, when: str, message: str, dialect: str) -> list[str]:
    """The SQL of a trigger that refuses a change of a row when the condition holds.

    A trigger never changes a row. So a mistake anywhere in the code, or in a hand-written statement, is an error and
    not a broken study.
    """
    if dialect == "sqlite":
        act = f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        return [f"CREATE TRIGGER {name} {event} FOR EACH ROW WHEN {when} {act}"]
    row = "OLD" if "DELETE" in event else "NEW"
    return [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {when} THEN RAISE EXCEPTION "
        f"'{message}' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {row}; END $$",
        f"CREATE TRIGGER {name} {event} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]
