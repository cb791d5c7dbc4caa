"""Tables of alerts, of what keys were at, of messages, and of whose turn it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the tables, empty."""
    op.create_table(
        "alerts",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("rule", sa.String(100), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("webhook", "slack")),
        *(sa.Column(name, sa.JSON, nullable=False) for name in ("mail", "events")),
        sa.Column("no_data_days", sa.Float, nullable=False),
        sa.Column("has_begun", sa.Boolean, nullable=False),
        sa.Column("changed_at", sa.String(40), nullable=False),
    )
    op.create_table(
        "alert_states",
        sa.Column("alert", sa.String(100), primary_key=True),
        sa.Column("series", sa.String(64), primary_key=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("no_data", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_table(
        "deliveries",
        sa.Column("delivery_id", sa.String(32), primary_key=True),
        sa.Column("alert", sa.String(100), nullable=False),
        *(sa.Column(name, sa.String(16), nullable=False) for name in ("event", "channel")),
        sa.Column("receiver", sa.Text, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.Column("due", sa.Float, nullable=False),
        sa.Column("owner", sa.String(32)),
        sa.Column("leased_until", sa.Float, nullable=False),
    )
    op.create_table(
        "alert_turns",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("next_at", sa.Float, nullable=False),
    )
