"""Migration 0030 marks the listed runs that may have another rate within the peak."""

from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import create_engine, text

from storage.migrations.versions import r0030_rates_in_peak as migration

RUNS = {
    "within": (0.8, 200.0, 210.0),
    "mean above": (1.2, 200.0, 200.0),
    "best above": (0.9, 200.0, 250.0),
    "without a best rate": (0.8, 200.0, None),
    "without a peak": (None, 200.0, 210.0),
    "without rates": (None, None, None),
}
"""Name of a run -> its share of the peak, mean and best rate."""


def test_runs_are_marked_if_their_rate_within_the_peak_changes():
    with create_engine("sqlite://").begin() as connection:
        connection.execute(
            text("CREATE TABLE listing (name, likeness, utilization, gmacs_mean, gmacs_best)")
        )
        for name, (share, mean, best) in RUNS.items():
            connection.execute(
                text("INSERT INTO listing VALUES (:name, 'like', :share, :mean, :best)"),
                {"name": name, "share": share, "mean": mean, "best": best},
            )
        with Operations.context(MigrationContext.configure(connection)):
            migration.upgrade()
        marked = connection.execute(text("SELECT name FROM listing WHERE likeness IS NULL"))
        assert {*marked.scalars()} == {"mean above", "best above", "without a best rate"}
