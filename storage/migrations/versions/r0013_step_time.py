"""The list of runs has the time of a training's step; the list is made anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column; the catalogue fills the emptied list in the same transaction."""
    op.add_column("listing", sa.Column("step_time", sa.Float))
    op.execute("DELETE FROM listing")
