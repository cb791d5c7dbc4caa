"""Runs with rates above the peak of their cores no longer count in the list of runs, and plans with
blocks that are not placed are sorted last.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Mark the runs with rates above the peak, so that they are listed and counted again.

    So are runs with a mean rate and no best rate, for which the list had no rate within the peak,
    and runs with failed blocks.
    """
    # The upgrade lists rows without a likeness again, and counts all combinations.
    op.execute(
        "UPDATE listing SET likeness = NULL WHERE utilization > 1 "
        "OR (gmacs_mean > 0 AND utilization * gmacs_best > gmacs_mean) "
        "OR (gmacs_mean IS NOT NULL AND gmacs_best IS NULL) OR failed_blocks > 0"
    )
    # The list of runs is sorted by rates within the peak.
    op.drop_index("ix_listing_rate", "listing")
    rate = sa.text("(CASE WHEN best_in_peak IS NOT NULL THEN gmacs_mean END)")
    op.create_index("ix_listing_rate", "listing", [rate, "date", "run_id"])
