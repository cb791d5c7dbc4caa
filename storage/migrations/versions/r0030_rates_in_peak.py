"""Runs with rates above the peak of their cores no longer count in the list of runs."""

from __future__ import annotations

from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Mark the runs with rates above the peak, so that they are listed and counted again.

    So are runs with a mean rate and no best rate, for which the list had no rate within the peak.
    """
    # The upgrade lists rows without a likeness again, and counts all combinations.
    op.execute(
        "UPDATE listing SET likeness = NULL WHERE utilization > 1 "
        "OR (gmacs_mean > 0 AND utilization * gmacs_best > gmacs_mean) "
        "OR (gmacs_mean IS NOT NULL AND gmacs_best IS NULL)"
    )
