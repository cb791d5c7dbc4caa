"""Table of the status of keys, kept until a run of theirs changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make the table, empty."""
    op.create_table(
        "key_status",
        sa.Column("rule", sa.String(100), primary_key=True),
        sa.Column("likeness", sa.String(32), primary_key=True),
        sa.Column("made_by", sa.String(64), nullable=False),
        sa.Column("keys", sa.JSON, nullable=False),
    )
    op.create_index("ix_key_status_likeness", "key_status", ["likeness"])
