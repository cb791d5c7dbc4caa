"""Tables of baseline rules, of their verdicts, and of regressions that people acknowledged."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the tables, empty."""
    op.create_table(
        "rules",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("last", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("branch", "source", "hwid")),
        *(sa.Column(name, sa.BigInteger) for name in ("gemm_m", "gemm_k", "gemm_n")),
        sa.Column("changed_at", sa.String(40), nullable=False),
    )
    op.create_table(
        "rule_verdicts",
        sa.Column("rule", sa.String(100), primary_key=True),
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("date", sa.String(40), primary_key=True),
        sa.Column("prefix", sa.String(255), nullable=False),
        sa.Column("against", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        *(sa.Column(name, sa.Float) for name in ("value", "base", "relative", "main")),
    )
    op.create_table(
        "acknowledgements",
        sa.Column("rule", sa.String(100), primary_key=True),
        sa.Column("series", sa.String(64), primary_key=True),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("date", sa.String(40), nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("value", sa.Float),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("changed_by", sa.Text, nullable=False),
        sa.Column("changed_at", sa.String(40), nullable=False),
    )
