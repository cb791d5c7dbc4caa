"""Counts of runs per combination of facet values, and the branches of runs with several captures."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create tables `combinations` and `combination_labels`, and add `branches` to `listing`."""
    op.create_table(
        "combinations",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("source", _TEXT, nullable=False),
        sa.Column("hwid", _TEXT, nullable=False),
        *(sa.Column(name, sa.BigInteger) for name in ("gemm_m", "gemm_k", "gemm_n", "m", "k", "n")),
        sa.Column("grid", _TEXT, nullable=False),
        sa.Column("mac_dtype", _TEXT, nullable=False),
        sa.Column("valued", sa.Integer, nullable=False),
        sa.Column("size", sa.Float),
        sa.Column("runs", sa.Integer, nullable=False),
        sa.Column("rated", sa.Integer, nullable=False),
        sa.Column("fastest", sa.Float),
        sa.Column("best", sa.Float),
    )
    op.create_table(
        "combination_labels",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("combination", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("value", _TEXT, nullable=False),
        sa.Column("runs", sa.Integer, nullable=False),
    )
    op.create_index("ix_combination_labels_kind", "combination_labels", ["kind"])
    op.add_column("listing", sa.Column("branches", _TEXT))
    # The upgrade lists rows without a likeness again, which fills their `branches`.
    op.execute("UPDATE listing SET likeness = NULL WHERE observations > 1")
