"""Observations of runs, and columns of the list for tile, grid, data type, branch and commit; the list is made anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the table and the columns; the catalogue fills both in with the emptied list, in the same transaction."""
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "observations",
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        *(
            sa.Column(name, text, nullable=False)
            for name in ("date", "taken_at", "taken_from", "commit", "branch", "file")
        ),
        sa.Column("observed_at", sa.String(40), nullable=False),
        sa.Column("observed_by", sa.Text, nullable=False),
    )
    for name in ("commit", "branch", "date"):
        op.create_index(f"ix_observations_{name}", "observations", [name, "run_id"])
    for name in ("m", "k", "n"):
        op.add_column("listing", sa.Column(name, sa.BigInteger))
    for name in ("grid", "mac_dtype", "branch", "commit"):
        op.add_column("listing", sa.Column(name, text, nullable=False, server_default=""))
    op.add_column("listing", sa.Column("observations", sa.BigInteger))
    op.execute("DELETE FROM listing")
