"""The list of runs has the sort key of headlines, and the stem of the file of runs that are named
after their folder; both are null in the rows that exist, which the catalogue then computes again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add the columns and the index of the order by headline."""
    # Every database sorts it by Unicode code point, as the pages of the list assume.
    sorted_text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.add_column("listing", sa.Column("headline", sorted_text))
    op.add_column("listing", sa.Column("stem", sorted_text))
    op.create_index("ix_listing_headline", "listing", ["headline", "date", "run_id"])
