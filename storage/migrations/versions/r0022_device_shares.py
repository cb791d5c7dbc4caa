"""The list of runs has the shares of a device's time: compute, exposed communication, idle. Its
rows are deleted, and the catalogue computes them again in the same transaction.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

_SHARES = ("compute_share", "communication_exposed_share", "idle_share")


def upgrade() -> None:
    """Add the columns."""
    for name in _SHARES:
        op.add_column("listing", sa.Column(name, sa.Float()))
    op.execute("DELETE FROM listing")
