"""The revisions of the schema, forward only: a database of an older askew is upgraded, a newer one is refused.

Development versions before format 2 had revisions of other names; their databases are refused like newer ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from askew.errors import DataError, need

if TYPE_CHECKING:
    from askew.collect.database import Database


_FILES = (Path(__file__).parent / "versions").glob("revision_*.py")
HEAD = "format2_" + max(path.stem for path in _FILES).removeprefix("revision_")
"""The last revision: ``format2_0001`` is in ``revision_0001.py``."""


@dataclass(frozen=True)
class Trigger:
    """Refuses a change of a row when the condition holds, with the same condition on SQLite and PostgreSQL.

    A trigger never changes a row. So a mistake anywhere in the code, or in a hand-written statement, is an error and
    not a broken study.
    """

    name: str
    table: str
    on: str
    """INSERT, UPDATE or DELETE."""
    when: str
    message: str

    def statements(self, dialect: str) -> list[str]:
        """The SQL that creates it."""
        if dialect == "sqlite":
            return [
                f"CREATE TRIGGER {self.name} BEFORE {self.on} ON {self.table} FOR EACH ROW WHEN {self.when} "
                f"BEGIN SELECT RAISE(ABORT, '{self.message}'); END"
            ]
        row = "OLD" if self.on == "DELETE" else "NEW"
        return [
            f"CREATE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {self.when} THEN "
            f"RAISE EXCEPTION '{self.message}' USING ERRCODE = 'integrity_constraint_violation'; END IF; "
            f"RETURN {row}; END $$",
            f"CREATE TRIGGER {self.name} BEFORE {self.on} ON {self.table} FOR EACH ROW EXECUTE FUNCTION {self.name}()",
        ]


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
