"""Monthly files of narrow frames: their table, and columns of the list that say which file has a
run.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Create table `monthly_files`, and add `monthly` and `monthly_next` to table `listing`."""
    op.create_table(
        "monthly_files",
        sa.Column("file", sa.String(24), primary_key=True),
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("made_by", sa.String(64), nullable=False),
        sa.Column("runs", sa.Integer, nullable=False),
        sa.Column("left_out", sa.Integer, nullable=False),
        sa.Column("tables", sa.JSON, nullable=False),
        sa.Column("written_at", sa.String(40), nullable=False),
        sa.Column("retired", sa.Float),
    )
    op.add_column("listing", sa.Column("monthly", sa.String(24)))
    op.add_column("listing", sa.Column("monthly_next", sa.String(24)))
    op.create_index("ix_listing_monthly", "listing", ["monthly"])
