"""An index that finds the first free place of a round without sorting all of them."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the index anew."""
    op.drop_index("ix_place_free", table_name="place")
    op.create_index("ix_place_free", "place", ["session_id", "image_id", "n"])
