"""The catalogue of release 0.1.0, which had no table of versions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables `runs` and `pending` in a new database."""
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("source", sa.String(64), nullable=False, index=True),
        sa.Column("hwid", sa.String(255), nullable=False, index=True),
        sa.Column("gemm_m", sa.BigInteger),
        sa.Column("gemm_k", sa.BigInteger),
        sa.Column("gemm_n", sa.BigInteger),
        sa.Column("created_at", sa.String(40), nullable=False, index=True),
        sa.Column("prefix", sa.String(255), nullable=False),
        *(
            sa.Column(name, sa.JSON, nullable=False)
            for name in ("run", "settings", "headline", "frames", "derived", "findings")
        ),
        sa.Column("errors", sa.Integer, nullable=False),
        sa.Column("warnings", sa.Integer, nullable=False),
    )
    op.create_table(
        "pending",
        sa.Column("prefix", sa.String(255), primary_key=True),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("process", sa.String(64), nullable=False),
        sa.Column("since", sa.Float, nullable=False),
    )
