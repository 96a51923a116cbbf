"""The first schema of a study."""

from askew.collect.migrations import run_sql

revision = "schema_0001"
down_revision = None


def upgrade() -> None:
    """Create the tables and triggers."""
    run_sql("0001")
