"""The revisions of the schema, forward only: a database of an older askew is upgraded, a newer one is refused.

A revision is frozen: a later change of a table or a trigger is a revision of its own. Its SQL is PostgreSQL's, in
which SERIAL makes an automatic id; SQLite takes the same with INTEGER. Databases of development versions, whose
revisions had other names, are refused like newer ones.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from askew.errors import DataError, need

if TYPE_CHECKING:
    from askew.collect.database import Database


_VERSIONS = Path(__file__).parent / "versions"
NUMBERS = sorted(path.stem.removeprefix("revision_") for path in _VERSIONS.glob("revision_*.py"))
HEAD = f"schema_{NUMBERS[-1]}"
"""The last revision: ``schema_0001`` is in ``revision_0001.py``."""
_TRIGGER = re.compile(r"^-- (\w+): (\w+) (\w+): ([^\n]+)\n(.+?);$", re.MULTILINE | re.DOTALL)


def upgrade(database: Database) -> None:
    """Upgrade a database to the last revision, in one transaction."""
    if revision(database) == HEAD:
        return  # skip Alembic, whose import takes a third of the service's start
    need("alembic", "collect")
    from alembic import command
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(Path(__file__).parent))
    known = {script.revision for script in scripts.walk_revisions()}
    with database.write() as tx:
        now = MigrationContext.configure(tx.connection).get_current_revision()
        if now is not None and now not in known:
            raise DataError(
                f"{database.engine.url.database}: its tables are of revision {now!r}, which this askew does not know. "
                "Install the askew that wrote them, or a later one."
            )
        if now != scripts.get_current_head():
            config = Config()
            config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
            config.attributes["connection"] = tx.connection
            command.upgrade(config, "head")


def revision(database: Database) -> str | None:
    """The revision that a database is at; None for an empty one."""
    with database.read() as tx:
        if not sa.inspect(tx.connection).has_table("alembic_version"):
            return None
        found = tx.value(sa.text("SELECT version_num FROM alembic_version"))
        return None if found is None else str(found)


def table_statements(number: str, dialect: str) -> list[str]:
    """The statements of ``revision_NUMBER.sql``, which make or change tables and indexes."""
    text = (_VERSIONS / f"revision_{number}.sql").read_text(encoding="utf-8")
    text = text.replace("SERIAL", "INTEGER") if dialect == "sqlite" else text
    return [statement for statement in text.split(";\n") if statement.strip()]


def run_sql(number: str) -> None:
    """Make the tables of a revision, and the triggers of ``revision_NUMBER_triggers.sql`` if it has any."""
    from alembic import op

    dialect = op.get_bind().dialect.name
    statements = table_statements(number, dialect)
    triggers = _VERSIONS / f"revision_{number}_triggers.sql"
    for name, on, table, message, when in _TRIGGER.findall(triggers.read_text("utf-8") if triggers.exists() else ""):
        statements += _trigger(name, f"BEFORE {on} ON {table}", " ".join(when.split()), message, dialect)
    for statement in statements:
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
