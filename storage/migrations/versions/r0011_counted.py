"""The index that counts of the list are answered from has the columns of all facets."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the index with more columns, in place of the one of 0003."""
    op.drop_index("ix_listing_counted", "listing")
    sizes = ("gemm_m", "gemm_k", "gemm_n", "m", "k", "n")
    counted = ["source", "hwid", *sizes, "grid", "mac_dtype", "valued", "gmacs_mean", "best_in_peak"]
    op.create_index("ix_listing_counted", "listing", counted)
