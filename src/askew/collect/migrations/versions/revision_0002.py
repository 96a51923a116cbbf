"""Tokens of the API, which owners give to their scripts."""

import sqlalchemy as sa
from alembic import op

revision = "format2_0002"
down_revision = "format2_0001"


def upgrade() -> None:
    """Create the table."""
    key = "id SERIAL NOT NULL" if op.get_bind().dialect.name == "postgresql" else "id INTEGER NOT NULL"
    op.execute(
        sa.text(
            f"CREATE TABLE api_token ({key}, token_hash VARCHAR(64) NOT NULL, annotator_id INTEGER NOT NULL, "
            "name VARCHAR NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, "
            "CONSTRAINT pk_api_token PRIMARY KEY (id), CONSTRAINT uq_api_token_token_hash UNIQUE (token_hash), "
            "CONSTRAINT fk_api_token_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id))"
        )
    )
    op.execute(sa.text("CREATE INDEX ix_api_token_annotator_id ON api_token (annotator_id)"))
