"""Results of the analysis of runs that pages read; runs of earlier releases have none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "run_results",
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("prefix", sa.String(255), nullable=False),
        sa.Column("made_by", sa.String(64), nullable=False),
        sa.Column("result", sa.JSON, nullable=False),
    )
