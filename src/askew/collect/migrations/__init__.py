"""The revisions of the schema, forward only: a database of an older askew is upgraded, a newer one is refused.

Development versions before format 2 had revisions of other names; their databases are refused like newer ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from askew.errors import DataError, need

if TYPE_CHECKING:
    from askew.collect.database import Database


_FILES = (Path(__file__).parent / "versions").glob("revision_*.py")
HEAD = "format2_" + max(path.stem for path in _FILES).removeprefix("revision_")
"""The last revision: ``format2_0001`` is in ``revision_0001.py``."""


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
