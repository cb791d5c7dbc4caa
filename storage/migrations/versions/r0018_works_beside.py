"""The catalogue says which older releases may go on with it, so that servers are replaced one by one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Make the table; the release that migrates fills it."""
    op.create_table("tilescope_works_beside", sa.Column("revision", sa.String(32), primary_key=True))
