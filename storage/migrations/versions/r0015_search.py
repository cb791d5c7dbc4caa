"""Which row of the index of searches has the text of a run of the list; the catalogue makes and fills that index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Make the column and its index; the catalogue fills it in the same transaction."""
    op.add_column("listing", sa.Column("search_id", sa.BigInteger))
    op.create_index("ix_listing_search_id", "listing", ["search_id"])
