"""Surveys, which people answer in batches, and authors that are automatic attacks."""

from askew.collect.migrations import run_sql

revision = "schema_0002"
down_revision = "schema_0001"


def upgrade() -> None:
    """Create the tables and triggers."""
    run_sql("0002")
