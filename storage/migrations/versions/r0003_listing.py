"""A narrow table that the list of runs is made from, and its version; the catalogue fills it when it is opened."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_METRICS = (
    *("gmacs_mean", "gmacs_best", "utilization", "kernels", "busy_share", "kernel_time", "flops_total"),
    *("peak_memory", "capacity_use", "failed_blocks", "memory_waste"),
)


def upgrade() -> None:
    """Make both tables, empty."""
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "listing",
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("prefix", sa.String(255), nullable=False),
        *(sa.Column(name, text, nullable=False) for name in ("source", "hwid", "name", "file", "tags")),
        *(sa.Column(name, sa.BigInteger) for name in ("gemm_m", "gemm_k", "gemm_n")),
        sa.Column("size", sa.Float),
        *(sa.Column(name, text, nullable=False) for name in ("date", "created_at", "searched")),
        sa.Column("health", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Float) for name in (*_METRICS, "best_in_peak")),
        sa.Column("valued", sa.Integer, nullable=False),
    )
    counted = ["source", "hwid", "gemm_m", "gemm_k", "gemm_n", "valued", "gmacs_mean", "best_in_peak"]
    op.create_index("ix_listing_counted", "listing", counted)
    op.create_index("ix_listing_hwid", "listing", ["hwid", "created_at"])
    op.create_index("ix_listing_date", "listing", ["date", "run_id"])
    op.create_index("ix_listing_rate", "listing", ["gmacs_mean", "date", "run_id"])
    op.create_table("listing_state", sa.Column("version", sa.String(32), primary_key=True))
