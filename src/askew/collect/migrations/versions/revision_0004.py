"""An index of free places in order: PostgreSQL does not read the one of revision 0003 in order, SQLite does."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the index."""
    free = sa.text("session_id IS NULL")
    op.create_index("ix_place_free_order", "place", ["image_id", "n"], sqlite_where=free, postgresql_where=free)
