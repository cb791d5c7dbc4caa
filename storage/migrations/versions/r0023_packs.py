"""A run knows where its frames begin in its pack, a single file; null for a run whose frames have a
file each.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add the column `offsets` to table `runs`."""
    op.add_column("runs", sa.Column("offsets", sa.JSON))
