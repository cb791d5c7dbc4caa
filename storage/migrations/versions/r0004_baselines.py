"""A table of baselines: names for runs that others are compared with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table, empty."""
    op.create_table(
        "baselines",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("runs", sa.JSON, nullable=False),
        sa.Column("changed_at", sa.String(40), nullable=False),
    )
