"""The catalogue's revisions: the chain in `migrations/versions`, looked up without Alembic."""

REVISIONS = tuple(f"{number:04}" for number in range(1, 18))
"""Oldest first."""
FIRST, HEAD = REVISIONS[0], REVISIONS[-1]
