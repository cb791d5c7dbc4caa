"""Migration 0031 marks the listed runs with another headline, and sorts rates above the peak as missing values."""

from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import create_engine, text

from storage.migrations.versions import r0031_sorted_rates as migration

RUNS = {
    "compiled": (0.0, "memory 1"),
    "partly placed": (2.0, "memory 1"),
    "a solution": (0.0, "placement 1"),
    "a capture": (None, "rate 1"),
}
"""Name of a run -> its number of failed blocks, and the text by which its headline is sorted."""


def test_runs_with_another_headline_are_marked_and_rates_indexed():
    with create_engine("sqlite://").begin() as connection:
        connection.execute(
            text(
                "CREATE TABLE listing (name, likeness, failed_blocks, headline, "
                "gmacs_mean, best_in_peak, date, run_id)"
            )
        )
        connection.execute(text("CREATE INDEX ix_listing_rate ON listing (gmacs_mean)"))
        for name, (failed, headline) in RUNS.items():
            connection.execute(
                text(
                    "INSERT INTO listing (name, likeness, failed_blocks, headline) "
                    "VALUES (:name, 'like', :failed, :headline)"
                ),
                {"name": name, "failed": failed, "headline": headline},
            )
        with Operations.context(MigrationContext.configure(connection)):
            migration.upgrade()
        marked = connection.execute(text("SELECT name FROM listing WHERE likeness IS NULL"))
        assert {*marked.scalars()} == {"partly placed", "a solution"}
        [index] = connection.execute(
            text("SELECT sql FROM sqlite_master WHERE type = 'index'")
        ).scalars()
        assert "best_in_peak" in index
