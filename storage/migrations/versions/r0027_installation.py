"""The id of the installation, and bisections of named numbers, whose keys are long."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Create table `installation`, and widen column `metric` of table `bisections`."""
    op.create_table(
        "installation",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.String(64), nullable=False),
    )
    with op.batch_alter_table("bisections") as batch:
        batch.alter_column(
            "metric", existing_type=sa.String(64), type_=sa.Text, existing_nullable=False
        )
