"""Table of the trends of keys, kept until a run of theirs changes; the list says whether what is kept holds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Make the table, empty; the status of keys that is kept holds until a release changes runs without this column."""
    op.create_table(
        "key_trends",
        sa.Column("metric", sa.String(64), primary_key=True),
        sa.Column("likeness", sa.String(32), primary_key=True),
        sa.Column("made_by", sa.String(64), nullable=False),
        sa.Column("keys", sa.JSON, nullable=False),
    )
    op.create_index("ix_key_trends_likeness", "key_trends", ["likeness"])
    op.add_column("listing_state", sa.Column("kept_version", sa.String(32)))
    op.execute("UPDATE listing_state SET kept_version = version")
