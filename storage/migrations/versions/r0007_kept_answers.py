"""A table of answers of the lab that people keep with runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the table, empty."""
    op.create_table(
        "kept_answers",
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("question", sa.JSON, nullable=False),
        sa.Column("problem", sa.String(64), nullable=False),
        sa.Column("answer", sa.JSON, nullable=False),
        sa.Column("addresses", sa.JSON, nullable=False),
        sa.Column("kept_at", sa.String(40), nullable=False),
        sa.Column("kept_by", sa.Text, nullable=False),
        sa.Column("removed", sa.Boolean, nullable=False),
    )
