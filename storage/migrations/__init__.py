"""The steps from the first catalogue to today's: one chain of Alembic revisions, in `versions`."""
