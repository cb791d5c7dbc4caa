"""The list of runs is sorted by rates within the peak, and plans with blocks that are not placed are
sorted last.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Index the rates within the peak, and mark the runs that may have another headline, so that they
    are listed again: those with failed blocks, and placements, which may need less than their blocks.
    """
    # The upgrade lists rows without a likeness again.
    op.execute(
        "UPDATE listing SET likeness = NULL WHERE failed_blocks > 0 OR headline LIKE 'placement%'"
    )
    op.drop_index("ix_listing_rate", "listing")
    rate = sa.text("(CASE WHEN best_in_peak IS NOT NULL THEN gmacs_mean END)")
    op.create_index("ix_listing_rate", "listing", [rate, "date", "run_id"])
