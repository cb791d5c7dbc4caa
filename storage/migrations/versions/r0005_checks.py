"""Rolling baselines, the verdicts that the gate gave, and which runs are alike; the list of runs is made anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns and the table; the catalogue fills the emptied list in the same transaction."""
    op.add_column("baselines", sa.Column("last", sa.Integer))
    op.add_column("baselines", sa.Column("key", sa.JSON))
    op.add_column("listing", sa.Column("likeness", sa.String(32)))
    op.create_index("ix_listing_likeness", "listing", ["likeness", "date"])
    op.execute("DELETE FROM listing")
    op.create_table(
        "checks",
        sa.Column("baseline", sa.String(100), primary_key=True),
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("prefix", sa.String(255), nullable=False),
        sa.Column("against", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("relative", sa.Float),
        sa.Column("delta", sa.Float),
        sa.Column("checked_at", sa.String(40), nullable=False),
    )
