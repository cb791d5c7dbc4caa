"""The main cause of a change, stored with the verdict of a rule; null in the rows that exist."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the column."""
    op.add_column("rule_verdicts", sa.Column("cause", sa.JSON))
