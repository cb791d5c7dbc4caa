"""A checksum per frame; runs of before have none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column `checksums` to table `runs`, null in its existing rows."""
    op.add_column("runs", sa.Column("checksums", sa.JSON))
