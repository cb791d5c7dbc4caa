"""Bisections: which commit made a metric of a key worse."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "bisections",
        sa.Column("bisection_id", sa.String(32), primary_key=True),
        sa.Column("likeness", sa.String(32), nullable=False),
        sa.Column("key", sa.JSON, nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("threshold", sa.Float),
        sa.Column("commits", sa.JSON, nullable=False),
        sa.Column("skipped", sa.JSON, nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
    )
