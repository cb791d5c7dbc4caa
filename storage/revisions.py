"""The catalogue's revisions: the chain in `migrations/versions`, looked up without Alembic."""

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011", "0012", "0013")
"""Oldest first."""
FIRST, HEAD = REVISIONS[0], REVISIONS[-1]
